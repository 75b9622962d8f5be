r"""Regular expressions as RE2 writes them, which TensorFlow has, as Python's own.

Texts are read as UTF-8; \d, \w, \s and \b are those of ASCII. What RE2 has and Python lacks are
classes by category and script (\p{Lu}, \PN, \p{Greek}), POSIX classes ([[:alpha:]]), quotations
(\Q...\E), numbers in braces (\x{10FFFF}) and \z for the end.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from unicodedata import category, name

from tensorlite.core.errors import InvalidArgumentError

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7F",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1F\\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_TOKEN = re.compile(
    r"(?P<quoted>\\Q(?P<text>.*?)(?:\\E|$))"
    r"|(?P<named>\\(?P<sign>[pP])(?:\{(?P<not>\^?)(?P<long>\w+)\}|(?P<short>\w)))"
    r"|\\x\{(?P<number>[0-9A-Fa-f]+)\}"
    r"|(?P<end>\\z)"
    r"|(?P<posix>\[:(?P<other>\^?)(?P<kind>\w+):\])"
    r"|(?P<escaped>\\.)"
    r"|(?P<open>\[\^?\]?)"
    r"|(?P<close>\])"
    r"|(?P<plain>.)",
    re.DOTALL,
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a regular expression over texts; InvalidArgumentError for what is none."""
    flags = re.ASCII | (re.DOTALL if "(?s" in pattern else 0)
    try:
        return re.compile(_as_python(pattern), flags)
    except re.error as error:
        raise InvalidArgumentError(
            f"{pattern!r} is no regular expression: Invalid pattern: {error}"
        ) from None


def decoded(text: bytes | str) -> str:
    """Return a string as a text, of which any bytes can be made again by `encoded`."""
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of a text that was decoded."""
    return text.encode("utf-8", "surrogateescape")


def _as_python(pattern: str) -> str:
    """Return a pattern of RE2's as Python writes it."""
    parts, inside = [], False
    end = "$" if re.search(r"\(\?[a-zA-Z]*m", pattern) else r"\Z"
    for found in _TOKEN.finditer(pattern):
        if found["quoted"] is not None:
            parts.append(re.escape(found["text"]))
        elif found["named"] is not None:
            negated = (found["sign"] == "P") != bool(found["not"])
            ranges = _ranges(found["long"] or found["short"], negated)
            parts.append(ranges if inside else f"[{ranges}]")
        elif found["number"] is not None:
            parts.append(f"\\U{int(found['number'], 16):08x}")
        elif found["end"] is not None:
            parts.append(r"\Z")
        elif found[0] == "$" and not inside:
            parts.append(end)
        elif found["posix"] is not None and inside:
            parts.append(_posix(found["kind"], bool(found["other"])))
        elif found["open"] is not None and not inside:
            inside = True
            parts.append(found["open"])
        elif inside and (found["open"] or found["posix"] or found[0] in "&|~"):
            parts.append(re.escape(found[0]))
        else:
            inside = inside and found["close"] is None
            parts.append(found[0])
    return "".join(parts)


def _posix(kind: str, negated: bool) -> str:
    if kind not in _POSIX:
        raise re.error(f"no class [:{kind}:]; there are {', '.join(_POSIX)}")
    if not negated:
        return _POSIX[kind]
    matches = re.compile(f"[{_POSIX[kind]}]").match
    return _spelled(lambda point: not matches(chr(point)))


@cache
def _ranges(kind: str, negated: bool) -> str:
    """Return what a class has between its brackets for a category of characters, or a script."""
    if len(kind) <= 2:
        return _spelled(
            lambda point: category(chr(point)).startswith(kind) != negated
        )
    if kind == "Any":
        return "" if negated else "\\x00-\\U0010ffff"
    script = {"Han": "CJK"}.get(kind, kind.upper().replace("_", " "))
    of_script = _spelled(
        lambda point: name(chr(point), "").startswith(f"{script} ") != negated
    )
    if not of_script:
        raise re.error(f"no category or script of characters is called {kind!r}")
    return of_script


def _spelled(belongs: Callable[[int], bool]) -> str:
    """Return the ranges of the characters that belong to a class."""
    ranges, first = [], None
    for point in range(sys.maxunicode + 2):
        is_in = point <= sys.maxunicode and belongs(point)
        if is_in and first is None:
            first = point
        elif not is_in and first is not None:
            ranges.append(f"\\U{first:08x}-\\U{point - 1:08x}")
            first = None
    return "".join(ranges)
