"""Where in the user's program a thing was made. Printing graphs and errors happens elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType
from typing import NamedTuple

PACKAGE = str(Path(__file__).resolve().parent.parent)
_inside: dict[CodeType, bool] = {}


class Line(NamedTuple):
    """A line of the user's program."""

    file: str
    number: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number} in {self.function}()"


UNKNOWN = Line("?", 0, "?")


def _is_library(code: CodeType) -> bool:
    known = _inside.get(code)
    if known is None:
        known = _inside[code] = code.co_filename.startswith(PACKAGE)
    return known


def user_line(depth: int = 2) -> Line:
    """Return the innermost line on the stack that is not the library's own."""
    frame = sys._getframe(depth)  # noqa: SLF001  there is no other way to the caller
    while _is_library(frame.f_code):
        if frame.f_back is None:
            return UNKNOWN
        frame = frame.f_back
    return Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
