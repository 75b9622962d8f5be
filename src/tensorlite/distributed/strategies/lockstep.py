"""Lockstep: functions that run one at a time, as far as a point where all of them meet.

Replicas of a training step run so: what all have brought to the point, such as their gradients, is
joined there, and each goes on with what came of it. What is joined, and how, is together.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from threading import Semaphore, Thread
from typing import Any, TypeAlias

from tensorlite.core.errors import InvalidArgumentError

Body: TypeAlias = Callable[[], Any]
Merge: TypeAlias = Callable[[list[Any]], Sequence[Any]]
"""Given what each has brought to the meeting, returns what each goes on with."""


class UnevenError(InvalidArgumentError, RuntimeError):
    """Raised where one of the functions comes to a meeting and another does not."""


class _LeaveError(BaseException):
    """Ends a function that waits for others which will not come."""


class _Member:
    """One of the functions, and the thread that keeps its place while the others run.

    Only one of all threads runs at a time, and in an order that is always the same.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.turn, self.over = Semaphore(0), Semaphore(0)
        self.brought: Any = None
        self.given: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.ended = self.leaving = False
        context = copy_context()
        self.thread = Thread(target=context.run, args=(self._run,), daemon=True)

    def _run(self) -> None:
        self.turn.acquire()
        try:
            if not self.leaving:
                self.result = self.body()
        except _LeaveError:
            pass  # it was told to
        except BaseException as error:  # noqa: BLE001  raised again where the turns are given
            self.error = error
        self.ended = True
        self.over.release()

    def go_on(self) -> None:
        """Let it run until it meets the others, or ends."""
        if not self.thread.is_alive():
            self.thread.start()
        self.turn.release()
        self.over.acquire()

    def meet(self, brought: Any) -> Any:
        """Wait, in its thread, for the others; return what comes of what all have brought."""
        self.brought = brought
        self.over.release()
        self.turn.acquire()
        if self.leaving:
            raise _LeaveError
        return self.given

    def leave(self) -> None:
        """End it where it waits."""
        self.leaving = True
        if self.thread.is_alive() and not self.ended:
            self.go_on()


class Lockstep:
    """Runs functions in turns; see above.

    `point` names, for messages, what they meet for.
    """

    def __init__(self, merge: Merge, point: str) -> None:
        self.merge = merge
        self.point = point
        self.meetings = 0
        """How often all have met."""
        self._members: list[_Member] = []

    def run(self, bodies: Sequence[Body]) -> list[Any]:
        """Return what the functions return; the first error of any ends all."""
        self._members = [_Member(body) for body in bodies]
        try:
            while not self._turn():
                self.meetings += 1
                given = self.merge([member.brought for member in self._members])
                for member, one in zip(self._members, given, strict=True):
                    member.given = one
        finally:
            for member in self._members:
                member.leave()
        return [member.result for member in self._members]

    def meet(self, index: int, brought: Any) -> Any:
        """Return, in function `index`, what comes of what all have brought."""
        return self._members[index].meet(brought)

    def _turn(self) -> bool:
        """Let each run on once; return whether all have ended."""
        for member in self._members:
            member.go_on()
            if member.error is not None:
                raise member.error
        ended = [i for i, member in enumerate(self._members) if member.ended]
        if ended and len(ended) < len(self._members):
            waiting = min(set(range(len(self._members))) - set(ended))
            raise UnevenError(
                f"replica {waiting} of the step calls {self.point} for the {self.meetings + 1}. "
                f"time, which replica {ended[0]} does not: all replicas must call it equally often"
            )
        return bool(ended)
