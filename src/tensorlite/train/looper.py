"""LooperThread: a thread that does something again and again until its coordinator stops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from time import monotonic
from typing import Any, Self

from tensorlite.train.coordinator import Coordinator


class LooperThread(Thread):
    """Calls a function every so many seconds, at once first, until a coordinator asks to stop.

    Without seconds it calls without a pause. An error of the function stops the coordinator.
    Subclasses may override `start_loop`, `run_loop` and `stop_loop`.
    Source: `tf.compat.v1.train.LooperThread`.

    >>> coord, seen = tl.queue.Coordinator(), []
    >>> def count():
    ...     seen.append(len(seen))
    ...     if len(seen) == 3:
    ...         coord.request_stop()
    >>> LooperThread.loop(coord, None, count).join()
    >>> seen
    [0, 1, 2]
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(daemon=True)
        self._coordinator, self._seconds = coord, timer_interval_secs or 0.0
        self._called, self._given = target, (tuple(args or ()), dict(kwargs or {}))
        coord.register_thread(self)

    @classmethod
    def loop(
        cls,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return a thread of this kind that runs already."""
        made = cls(coord, timer_interval_secs, target, args, kwargs)
        made.start()
        return made

    def run(self) -> None:
        """Call until the coordinator asks to stop."""
        with self._coordinator.stop_on_exception():
            self.start_loop()
            due = monotonic()
            while not self._coordinator.wait_for_stop(max(due - monotonic(), 0.0)):
                due += self._seconds
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Begin; nothing unless a subclass says what."""

    def run_loop(self) -> None:
        """Call the function."""
        args, kwargs = self._given
        if self._called is not None:
            self._called(*args, **kwargs)

    def stop_loop(self) -> None:
        """End; nothing unless a subclass says what."""
