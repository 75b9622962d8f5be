"""Waiting: operators that may have to wait for others, such as taking from an empty queue.

On the dataflow machine a wait holds up nothing but what depends on it; elsewhere the thread waits.
The queues and locks themselves stand in ops/.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any, ClassVar, TypeAlias

from tensorlite.core.op import Op, Role
from tensorlite.core.xp import Array, Xp

Done: TypeAlias = Callable[[Any], None]
"""Takes the outputs, as `Op.kernel` returns them, or the exception that the wait ended with."""
Cancel: TypeAlias = Callable[[], None]
"""Gives a wait up: `done` is not called any more, and nothing is taken or put."""


class Waiting(Op, abstract=True):
    """An operator that answers when it can, by a call."""

    role: ClassVar[Role] = Role.ASYNC
    differentiable: ClassVar[bool] = False

    def start(self, done: Done, *arrays: Array) -> Cancel | None:
        """Begin, and call `done` once: from this call, or later from any thread.

        Returns what gives the wait up, or None when `done` has been called already.
        """
        raise NotImplementedError

    def kernel(self, xp: Xp, *arrays: Array) -> Any:
        """Return the outputs when they are there; whatever ends this wait gives it up."""
        answer = _Answer()
        cancel = self.start(answer.give, *arrays)
        if cancel is not None:
            try:
                answer.event.wait()
            except BaseException:
                cancel()
                raise
        if isinstance(answer.value, BaseException):
            raise answer.value
        return answer.value


class _Answer:
    """What `done` was called with."""

    def __init__(self) -> None:
        self.event = Event()
        self.value: Any = None

    def give(self, value: Any) -> None:
        """Take the answer, and wake who waits for it."""
        self.value = value
        self.event.set()
