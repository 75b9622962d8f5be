"""OlderLines: lines that say how a run goes on, as Keras printed them before its version 3.

Those of Keras 3 are progress_lines.py's.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.src.callbacks.base import Callback
from tensorlite.compat.v2.keras.src.callbacks.progress_lines import duration

_OF_BATCH = ("batch", "size")


class OlderBar:
    """A line that is written anew as something goes on, or once when it is over.

    >>> OlderBar(2, width=4, verbose=2).update(1)
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Any = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width, self.verbose = target, width, verbose
        self.interval, self.unit_name = interval, unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._sums: dict[str, tuple[Any, float]] = {}
        self._seen = self._drawn = 0
        self._started, self._last = time.time(), 0.0

    def update(
        self, current: int, values: Iterable[tuple[str, Any]] | None = None
    ) -> None:
        """Say how far it has come, with means of values by name."""
        for name, value in values or ():
            self._count(name, value, current - self._seen)
        self._seen, now = current, time.time()
        is_over = self.target is not None and current >= self.target
        if self.verbose == 1:
            if not is_over and self.target and now - self._last < self.interval:
                return
            self._draw(current, now, is_over)
        elif self.verbose == 2 and is_over:
            spent = f"{self._place(current)} - {now - self._started:.0f}s"
            self._write(f"{spent}{self._values(least=-math.inf)}\n")
        self._last = now

    def add(self, n: int, values: Any = None) -> None:
        """Say that it has come n further."""
        self.update(self._seen + n, values)

    def _count(self, name: str, value: Any, steps: int) -> None:
        total, count = self._sums.get(name, (0.0, 0.0))
        is_as_it_is = name in self.stateful_metrics
        self._sums[name] = (
            (value, 1.0) if is_as_it_is else (total + value * steps, count + steps)
        )

    def _draw(self, current: int, now: float, is_over: bool) -> None:
        each = (now - self._started) / current if current else 0.0
        text = self._place(current) + self._bar(current)
        if is_over or self.target is None:
            text += f" - {now - self._started:.0f}s {duration(each)}/{self.unit_name}"
        else:
            text += f" - ETA: {_left(each * (self.target - current))}"
        text += self._values()
        before, self._drawn = self._drawn, len(text)
        end = "\n" if is_over else ""
        self._write("\b" * before + "\r" + text.ljust(before) + end)

    def _place(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        return f"{current:{len(str(self.target))}d}/{self.target}"

    def _bar(self, current: int) -> str:
        if self.target is None:
            return ""
        full = int(self.width * current / self.target)
        head = ">" if current < self.target else "="
        done = "=" * (full - 1) + head if full else ""
        return f" [{done}{'.' * (self.width - full)}]"

    def _values(self, least: float = 0.0) -> str:
        """Return means by name; lines that are written once have small ones by their sign."""
        texts = []
        for name, (total, count) in self._sums.items():
            mean = float(np.mean(total / max(1.0, count)))
            is_large = (mean if least < 0 else abs(mean)) > 1e-3
            texts.append(
                f" - {name}: {mean:.4f}" if is_large else f" - {name}: {mean:.4e}"
            )
        return "".join(texts)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _left(seconds: float) -> str:
    """Return a time that is left, in seconds up to a minute."""
    minutes, rest = divmod(int(seconds), 60)
    if seconds > 3600:
        return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
    return f"{minutes}:{rest:02d}" if seconds > 60 else f"{int(seconds)}s"


class OlderLines(Callback):
    """Prints a line for each epoch of training, or for an evaluation or prediction."""

    _trains = False
    _bar: Any = None
    _seen = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Note that evaluations are parts of training."""
        self._trains = True

    def on_train_end(self, logs: Any = None) -> None:
        """Note that training is over."""
        self._trains = False

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Print the epoch's number if there are several."""
        if self.params["epochs"] > 1:
            print(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._begin()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Count the batch."""
        self._count(logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Print what the epoch came to."""
        self._end(logs)

    def on_test_begin(self, logs: Any = None) -> None:
        """Begin to count, outside of training."""
        if not self._trains:
            self._begin()

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Count the batch, outside of training."""
        if not self._trains:
            self._count(logs)

    def on_test_end(self, logs: Any = None) -> None:
        """Print what an evaluation came to, outside of training."""
        if not self._trains:
            self._end(logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        """Begin to count."""
        self._begin()

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Count the batch."""
        self._count({key: logs[key] for key in _OF_BATCH})

    def on_predict_end(self, logs: Any = None) -> None:
        """Print how long it took."""
        self._end({})

    def _begin(self) -> None:
        is_by_rows = (
            self.params["steps"] is None and self.params["samples"] is not None
        )
        unit = "sample" if is_by_rows else "step"
        verbose, self._seen = self.params["verbose"], 0
        self._bar = OlderBar(self.params["samples"], verbose=verbose, unit_name=unit)

    def _count(self, logs: Any) -> None:
        self._seen += logs["size"] if self._bar.unit_name == "sample" else 1
        values = [(key, x) for key, x in logs.items() if key not in _OF_BATCH]
        self._bar.stateful_metrics |= {key for key, _ in values if key != "loss"}
        if self._bar.target is None or self._seen < self._bar.target:
            self._bar.update(self._seen, values)

    def _end(self, logs: Any) -> None:
        self._bar.stateful_metrics |= set(logs)  # whole means already
        self._bar.target = self._bar.target or self._seen
        self._bar.update(max(self._seen, self._bar.target), logs.items())
