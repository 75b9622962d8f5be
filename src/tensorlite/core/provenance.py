"""Where in the user's program a thing was made. Printing graphs and errors happens elsewhere."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import NamedTuple

PACKAGE = __file__.rpartition("core")[0]
"""The folder of the library, with the separator at its end."""
_WRAPPING = {contextlib.__file__, functools.__file__}
"""Files of Python's own through which a `with` block or a decorator calls the library."""
_inside: dict[str, bool] = {}


class Line(NamedTuple):
    """A line of the user's program."""

    file: str
    number: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number} in {self.function}()"


UNKNOWN = Line("?", 0, "?")


def _is_library(file: str) -> bool:
    known = _inside[file] = file.startswith(PACKAGE) or file in _WRAPPING
    return known


_standing: ContextVar[Line | None] = ContextVar("line", default=None)


@contextmanager
def at_line(line: Line) -> Iterator[None]:
    """Let what is made inside be made at `line`: a gradient, at its operator's."""
    token = _standing.set(line)
    try:
        yield
    finally:
        _standing.reset(token)


def user_line(depth: int = 2) -> Line:
    """Return the innermost line on the stack that is not the library's own, or that set."""
    standing = _standing.get()
    if standing is not None:
        return standing
    frame = sys._getframe(depth)  # noqa: SLF001  there is no other way to the caller
    while True:
        code = frame.f_code
        file = code.co_filename
        inside = _inside.get(file)
        if not (_is_library(file) if inside is None else inside):
            return Line(file, frame.f_lineno, code.co_name)
        if frame.f_back is None:
            return UNKNOWN
        frame = frame.f_back


_BETWEEN = {*_WRAPPING, threading.__file__}
"""Files of Python's own that stand on the stack between the user's program and the library."""


def entry() -> tuple[str, Line] | None:
    """Return the library's function that the user's program called, and the line of the call.

    None when the stack is the user's own to the end: an error that they raise themselves.
    """
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001  there is no other way to the caller
    called = ""
    while frame is not None:
        code = frame.f_code
        if str(frame.f_globals.get("__name__", "")).split(".", 1)[0] == "tensorlite":
            called = code.co_qualname
        elif code.co_filename not in _BETWEEN:
            line = Line(code.co_filename, frame.f_lineno, code.co_name)
            return (f"{called}()", line) if called else None
        frame = frame.f_back
    return None
