"""What training shows while it goes on: a bar, one line for each event, one for each task.

In a terminal, and if the package rich is there, it is drawn in place; else lines are printed, now
and then. What is told is trainer.py's.
"""

from __future__ import annotations

import importlib
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Protocol, TextIO, runtime_checkable

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.distributed.training.interval import in_words

_EVERY = 10.0
"""Seconds between printed lines."""
_REFRESH = 0.2
"""Seconds between looks at the state that is drawn in place."""
Lines = Callable[[], Sequence[str]]
"""Returns one line for each task of a cluster; none where there is none."""
Said = Callable[[], str]
"""Returns what is to be said of a step's result."""


@runtime_checkable
class Progress(Protocol):
    """Shows how training goes on."""

    def step(self, step: int, until: int | None, said: Said) -> None:
        """Show that a step is done; `said` is called only when its result is shown."""

    def event(self, text: str) -> None:
        """Show what happened, at once and to stay."""

    def close(self) -> None:
        """Show the last state, and no more."""


class Silent:
    """Shows nothing."""

    def step(self, step: int, until: int | None, said: Said) -> None:
        """Show nothing."""

    def event(self, text: str) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Show nothing."""


class Speed:
    """How many steps a second are done, over the last seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._from: tuple[int, float] | None = None
        self.rate = 0.0

    def look(self, step: int) -> float:
        """Return the rate up to a step, since the last look; after a step back it begins anew."""
        now = self.clock()
        if self._from is not None:
            done, spent = step - self._from[0], now - self._from[1]
            if done >= 0 and spent > 0:
                self.rate = done / spent
        self._from = step, now
        return self.rate


def state_line(step: int, until: int | None, rate: float, said: str) -> str:
    """Return how far training is, in one line.

    >>> from tensorlite.distributed.training.progress import state_line
    >>> state_line(30, 100, 2.0, "0.25")
    'step 30 of 100, 2.0 steps/s, 35 s left, 0.25'
    """
    parts = [f"step {step}" if until is None else f"step {step} of {until}"]
    if rate > 0:
        parts.append(f"{rate:.{1 if rate < 100 else 0}f} steps/s")
        if until is not None and until > step:
            parts.append(f"{in_words((until - step) / rate)} left")
    return ", ".join([*parts, *([said] if said else [])])


class _Shown(ABC):
    """Shows the state now and then: every so many seconds, and in the end."""

    def __init__(self, every: float, clock: Callable[[], float]) -> None:
        self.every, self.clock = every, clock
        self._speed = Speed(clock)
        self._last: float | None = None
        self._unsaid: tuple[int, int | None, Said] | None = None

    def step(self, step: int, until: int | None, said: Said) -> None:
        """Show that a step is done, if the last time is long enough ago."""
        if self._last is None:
            self._last = self.clock()
            self._speed.look(step)
        self._unsaid = step, until, said
        if self.clock() - self._last >= self.every:
            self._tell()

    def close(self) -> None:
        """Show the last state, if it was not."""
        if self._unsaid is not None:
            self._tell()

    def _tell(self) -> None:
        assert self._unsaid is not None
        step, until, said = self._unsaid
        self._last, self._unsaid = self.clock(), None
        line = state_line(step, until, self._speed.look(step), said())
        self.show(line, step / until if until else None)

    @abstractmethod
    def show(self, line: str, share: float | None) -> None:
        """Show the state; `share` is how much is done, if that is known."""


class Printed(_Shown):
    """Prints the state every few seconds, and every event."""

    def __init__(
        self,
        lines: Lines = tuple,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(_EVERY, clock)
        self.lines = lines
        self.stream = stream or sys.stderr

    def event(self, text: str) -> None:
        """Print what happened."""
        print(text, file=self.stream, flush=True)

    def show(self, line: str, share: float | None) -> None:
        """Print the state, and a line for each task."""
        for one in (line, *[f"  {task}" for task in self.lines()]):
            self.event(one)


class Drawn(_Shown):
    """Draws a bar and a line for each task in place, with rich; events stay above."""

    def __init__(
        self,
        lines: Lines = tuple,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(_REFRESH, clock)
        self.lines = lines
        self._group = importlib.import_module("rich.console").Group
        self._text = importlib.import_module("rich.text").Text
        self._bar = importlib.import_module("rich.progress_bar").ProgressBar
        console = importlib.import_module("rich.console").Console(
            file=stream or sys.stderr, highlight=False, markup=False
        )
        live = importlib.import_module("rich.live").Live
        self._live: Any = live(console=console, auto_refresh=False)
        self._live.start()

    def event(self, text: str) -> None:
        """Print what happened, above what is drawn."""
        self._live.console.print(text)

    def show(self, line: str, share: float | None) -> None:
        """Draw the state."""
        bar = [] if share is None else [self._bar(1.0, share, width=60), ""]
        cut = {"no_wrap": True, "overflow": "ellipsis"}
        lines = [self._text(one, **cut) for one in (line, *self.lines())]
        self._live.update(self._group(*bar, *lines), refresh=True)

    def close(self) -> None:
        """Draw the last state, and leave it there."""
        super().close()
        self._live.stop()


def progress_of(given: object, lines: Lines = tuple) -> Progress:
    """Return what shows progress: True, what fits the stream of errors; or what is given.

    >>> from tensorlite.distributed.training.progress import progress_of
    >>> type(progress_of(False)).__name__
    'Silent'
    """
    if given is False or given is None:
        return Silent()
    if given is True:
        drawn = sys.stderr.isatty() and find_spec("rich") is not None
        return Drawn(lines) if drawn else Printed(lines)
    if isinstance(given, Progress):
        return given
    raise InvalidArgumentError(
        f"progress={given!r}; allowed are True, False, and an object with the methods step, "
        "event and close"
    )
