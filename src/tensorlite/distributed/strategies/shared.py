"""What several replicas make on one line of the step is one thing: the first makes it for all."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from tensorlite.core.provenance import Line, user_line

T = TypeVar("T")


class Sharing:
    """One replica's view of what all make: how often it has been at each line."""

    def __init__(self, made: dict[tuple[Line, int], Any]) -> None:
        self._made = made
        self._seen: dict[Line, int] = {}

    def once(self, make: Callable[[], T], line: Line) -> T:
        """Return what was made at this turn of this line, made now by the first replica."""
        turn = self._seen[line] = self._seen.get(line, -1) + 1
        if (line, turn) not in self._made:
            self._made[line, turn] = make()
        made: T = self._made[line, turn]
        return made


sharing: ContextVar[Sharing | None] = ContextVar("sharing", default=None)


def shared(make: Callable[[], T]) -> T:
    """Return what `make` does, in a step the same for all replicas."""
    here = sharing.get()
    return make() if here is None else here.once(make, user_line(2))
