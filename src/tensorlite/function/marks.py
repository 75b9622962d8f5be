"""What one pass over a function's syntax tree notes of a statement for the passes after it."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass
class Marks:
    """Notes of a statement.

    >>> from tensorlite.function.marks import marks
    >>> loop = ast.parse("while x: pass").body[0]
    >>> marks(loop).stop = "stop_1"
    >>> marks(loop)
    Marks(jumping=None, left_by='', stop='stop_1', live_after=frozenset(), live_inside=frozenset(),
          needed=frozenset())
    """

    jumping: int | None = None
    """Which branch of an `if`, 0 or 1, jumped in the program; None: it has no such branch."""
    left_by: str = ""
    """The flag that a loop sets where the program returns out of it."""
    stop: str = ""
    """The flag that a loop sets where the program breaks it."""
    live_after: frozenset[str] = frozenset()
    """The names that are read after an `if` or a loop."""
    live_inside: frozenset[str] = frozenset()
    """The names that later turns of a loop read, or the branches of an `if`, or what is after."""
    needed: frozenset[str] = frozenset()
    """Of the names that are live after a loop those that stand anywhere outside of it."""


def marks(node: ast.stmt) -> Marks:
    """Return the notes of a statement, which stay with it."""
    found = vars(node).setdefault("tensorlite_marks", Marks())
    assert isinstance(found, Marks)
    return found
