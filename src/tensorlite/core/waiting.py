"""Waiting: operators that may have to wait for others, such as taking from an empty queue.

On the dataflow machine a wait holds up nothing but what depends on it; elsewhere the thread waits.
The queues and locks themselves stand in ops/; who waits for whom is in deadlock.py.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any, ClassVar, TypeAlias, TypeVar

from tensorlite.core.deadlock import PERIOD, Stand, Want, standing
from tensorlite.core.device import seconds_to_wait
from tensorlite.core.errors import DeadlineExceededError, TensorliteError, note
from tensorlite.core.op import Op, Role
from tensorlite.core.provenance import entry, user_line
from tensorlite.core.xp import Array, Xp

Done: TypeAlias = Callable[[Any], None]
"""Takes the outputs, as `Op.kernel` returns them, or the exception that the wait ended with."""
Cancel: TypeAlias = Callable[[], object]
"""Gives a wait up: `done` is not called any more, and nothing is taken or put."""


class Waiting(Op, abstract=True):
    """An operator that answers when it can, by a call."""

    role: ClassVar[Role] = Role.ASYNC
    differentiable: ClassVar[bool] = False

    @abstractmethod
    def start(self, done: Done, *arrays: Array) -> Cancel | None:
        """Begin, and call `done` once: from this call, or later from any thread.

        Returns what gives the wait up, or None when `done` has been called already. What is
        wrong with the arrays is raised; whatever else goes wrong is given to `done`.
        """

    def waits_for(self, *arrays: Array) -> Want:
        """Return what a wait that goes on is for, in words; asked when there is a deadlock."""
        return Want(f"{self.name} to be answered")

    def kernel(self, xp: Xp, *arrays: Array) -> Any:
        """Return the outputs when they are there; whatever ends this wait gives it up."""
        answer = _Answer()
        cancel = self.start(answer.give, *arrays)
        if cancel is not None:
            try:
                self._stand(answer, cancel, arrays)
            except BaseException:
                cancel()
                raise
        value = answer.value
        if isinstance(value, BaseException):
            raise noted(value)
        return value

    def _stand(
        self, answer: _Answer, cancel: Cancel, arrays: tuple[Array, ...]
    ) -> None:
        """Hold up this thread until the answer is given; DeadlineExceededError after too long."""

        def fail(error: BaseException) -> None:
            cancel()
            answer.give(error)

        stand = Stand(
            lambda: (self.waits_for(*arrays),),
            lambda: answer.given,
            fail,
            user_line(),
        )
        seconds = seconds_to_wait()
        with standing(stand) as look:
            if answer.wait(look, seconds):
                return
        cancel()
        if not answer.given:  # which it may have been until then
            raise noted(
                DeadlineExceededError(
                    f"Timed out waiting for notification: the step waited too long, for "
                    f"{self.waits_for(*arrays).what}; allowed are {seconds} s"
                )
            )


Ended = TypeVar("Ended", bound=TensorliteError)


def ended(error: Ended, cause: BaseException | None = None) -> Ended:
    """Return what `done` is given for a wait that ends with an error, `cause` being behind it.

    The thread that ends a wait seldom is the one that waits: the line of the program that is
    noted is the waiting one's, which `Waiting.kernel` adds.
    """
    error.__notes__ = []
    error.__cause__ = cause
    return error


def noted(error: BaseException) -> BaseException:
    """Return an error with a note of the call that it ends."""
    found = entry()
    if found is not None and isinstance(error, TensorliteError):
        called, line = found
        note(error, f"in {called}, called at {line}")
    return error


class _Answer:
    """What `done` was called with."""

    __slots__ = ("_closed", "given", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.given = False
        self._closed: Lock | None = None

    def give(self, value: Any) -> None:
        """Take the answer, unless there is one, and wake who waits for it."""
        if self.given:
            return
        self.value = value
        self.given = True
        if self._closed is not None:
            self._closed.release()

    def wait(
        self, look: Callable[[], None] | None, seconds: float | None = None
    ) -> bool:
        """Hold up this thread until the answer is given, and return whether it was in time.

        `look` is called now and then.
        """
        until = None if seconds is None else monotonic() + seconds
        closed = Lock()
        closed.acquire()
        self._closed = closed
        if self.given:  # perhaps before there was a lock to open
            return True
        while not closed.acquire(timeout=_pause(look is not None, until)):
            if look is not None:
                look()
            if until is not None and monotonic() >= until:
                return False
        return True


def _pause(watched: bool, until: float | None) -> float:
    """Return for how many seconds to wait at a stretch; -1: without end."""
    left = None if until is None else max(until - monotonic(), 0.0)
    if watched:
        return PERIOD if left is None else min(PERIOD, left)
    return -1 if left is None else left
