"""ProgbarLogger: the lines that say how training goes on, and what a model was evaluated to.

Those of Keras 2 are older_lines.py's.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.src.callbacks.base import Callback


class ProgbarLogger(Callback):
    """Prints a line for each epoch, or for what a model is evaluated on."""

    _started = 0.0
    _trains = False
    _seen = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Note that evaluations are parts of training."""
        self._trains = True

    def on_train_end(self, logs: Any = None) -> None:
        """Note that training is over."""
        self._trains = False

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Print the epoch's number."""
        self._begin()
        print(f"Epoch {epoch + 1}/{self.params['epochs']}")

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Count the batch."""
        self._seen = batch + 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Print what the epoch came to."""
        self._say(logs)

    def on_test_begin(self, logs: Any = None) -> None:
        """Begin to count, outside of training."""
        if not self._trains:
            self._begin()

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Count the batch, outside of training."""
        if not self._trains:
            self._seen = batch + 1

    def on_test_end(self, logs: Any = None) -> None:
        """Print what an evaluation came to, outside of training."""
        if not self._trains:
            self._say(logs)

    def _begin(self) -> None:
        self._started, self._seen = time.perf_counter(), 0

    def _say(self, logs: Any) -> None:
        steps = self.params.get("steps") or self._seen
        spent = time.perf_counter() - self._started
        each = duration(spent / max(self._seen, 1))
        texts = [
            f"{name}: {_shown(float(np.mean(plain_number(value))))}"
            for name, value in (logs or {}).items()
        ]
        times = f"{spent:.0f}s - {each}/step"
        print(" - ".join([f"{steps}/{steps}", times, *texts]))


def _shown(number: float) -> str:
    """Return a number with four places, a small one as a power of ten."""
    return f"{number:.4f}" if abs(number) > 1e-3 else f"{number:.4e}"


def duration(seconds: float) -> str:
    """Return a time in the unit that it is whole numbers of."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.0f}{unit}"
    return f"{seconds / 1e-6:.0f}us"


def plain_number(value: Any) -> Any:
    """Return a scalar as a number of Python, anything else as an array."""
    array = np.asarray(value)
    return float(array) if array.shape == () else array
