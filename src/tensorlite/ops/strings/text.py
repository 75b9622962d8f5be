"""Strings, element by element: cut, changed, matched, measured. Joining is in joining.py.

Strings are bytes, as in TensorFlow; Python's text becomes UTF-8. Kernels are in host memory.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec, broadcast, merge
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.strings.joining import StaticRegexFullMatch, as_bytes, as_text
from tensorlite.ops.strings.patterns import compiled, decoded, encoded

__all__ = [
    "lower",
    "regex_full_match",
    "regex_replace",
    "strings_length",
    "strip",
    "substr",
    "to_number",
    "unicode_script",
    "upper",
]

Unit = Literal["BYTE", "UTF8_CHAR"]


def strings_only(op: Op, *xs: TensorSpec) -> None:
    """Raise DTypeError for operands that are no strings."""
    for x in xs:
        if x.dtype is not dtypes.string:
            raise DTypeError(f"{op.name} takes strings, not {x}")


def each_string(
    function: Callable[..., Any], *xs: Array, dtype: Any = object
) -> Array:
    """Return a function of the bytes of each element."""
    found = np.frompyfunc(function, len(xs), 1)(*xs)
    return np.asarray(found, dtype)


class _Text(Op, abstract=True):
    """Strings of strings, element by element."""

    differentiable = False
    host = (0,)

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        strings_only(self, x)
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the strings."""
        return each_string(lambda one: self.changed(as_bytes(one)), x)

    @abstractmethod
    def changed(self, text: bytes) -> bytes:
        """Return what becomes of one string."""


class StringLower(_Text):
    """Capital letters as small ones: those of ASCII, or with "utf-8" all."""

    encoding: str = ""

    def changed(self, text: bytes) -> bytes:
        """Return what becomes of one string."""
        return text.decode().lower().encode() if self.encoding else text.lower()


class StringUpper(_Text):
    """Small letters as capital ones."""

    encoding: str = ""

    def changed(self, text: bytes) -> bytes:
        """Return what becomes of one string."""
        return text.decode().upper().encode() if self.encoding else text.upper()


class StringStrip(_Text):
    """Strings without the white space around."""

    def changed(self, text: bytes) -> bytes:
        """Return what becomes of one string."""
        return text.strip()


@cache
def _rewriting(rewrite: str) -> tuple[bytes | int, ...]:
    r"""Return what matches become: bytes, and the numbers of groups, of which 0 is all.

    Nothing is written from a backslash on that stands before neither a digit nor another one.
    """
    parts: list[bytes | int] = []
    pattern = rb"\\(\d)|((?:[^\\]|\\\\)+)|(\\)"
    for digit, plain, wrong in re.findall(pattern, rewrite.encode()):
        if wrong:
            break
        parts.append(int(digit) if digit else plain.replace(b"\\\\", b"\\"))
    return tuple(parts)


class StaticRegexReplace(_Text):
    r"""Strings in which what matches a pattern is replaced; \1 stands for what a group matched."""

    pattern: str
    rewrite: str
    replace_global: bool = True

    def changed(self, text: bytes) -> bytes:
        """Return what becomes of one string."""
        pattern, parts = compiled(self.pattern), _rewriting(self.rewrite)
        if any(isinstance(x, int) and x > pattern.groups for x in parts):
            return text  # as TensorFlow leaves it

        def rewritten(found: re.Match[str]) -> str:
            return "".join(
                found[x] or "" if isinstance(x, int) else decoded(x) for x in parts
            )

        made = pattern.sub(rewritten, decoded(text), int(not self.replace_global))
        return encoded(made)


class StringLength(Op):
    """The number of bytes, or of UTF-8's characters, of each string."""

    differentiable = False
    host = (0,)
    unit: str = "BYTE"

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype int32."""
        strings_only(self, x)
        return x.with_dtype(dtypes.int32)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the lengths."""
        return each_string(lambda one: len(_units(one, self.unit)), x, dtype=np.int32)


def _units(text: str | bytes, unit: str) -> str | bytes:
    """Return a string as what counts as one: bytes, or characters."""
    data = as_bytes(text)
    return data if unit == "BYTE" else data.decode(errors="replace")


_UNITS = ("BYTE", "UTF8_CHAR")


class Substr(Op):
    """Parts of strings, from a place on, of a length."""

    differentiable = False
    host = (0, 1, 2)
    unit: str = "BYTE"

    def infer(self, x: TensorSpec, pos: TensorSpec, length: TensorSpec) -> TensorSpec:
        """Return the shape that all broadcast to."""
        strings_only(self, x)
        if not pos.dtype.is_integer or pos.dtype is not length.dtype:
            raise DTypeError(
                f"substr: pos is {pos} and len {length}; they are integers of one dtype"
            )
        if self.unit not in _UNITS:
            raise InvalidArgumentError(
                f"substr: unit={self.unit!r}; allowed: {_UNITS}"
            )
        places = merge(pos.shape, length.shape)
        return TensorSpec(broadcast(x.shape, places), dtypes.string)

    def kernel(self, xp: Xp, x: Array, pos: Array, length: Array) -> Array:
        """Return the parts; InvalidArgumentError where a string ends before its place."""

        def part(text: str | bytes, start: int, count: int) -> bytes:
            units = _units(text, self.unit)
            first = start + len(units) if start < 0 else start
            if not 0 <= first <= len(units):
                raise InvalidArgumentError(
                    f"substr: pos={start} is not in {text!r}, which has {len(units)}"
                )
            if count < 0 and self.unit == "BYTE":  # which is without an end, there
                return as_bytes(units[first:])
            return as_bytes(units[first : first + max(count, 0)])

        return each_string(part, x, pos, length)


class StringToNumber(Op):
    """The numbers that strings spell."""

    differentiable = False
    host = (0,)
    out_type: DType = dtypes.float32

    def infer(self, string_tensor: TensorSpec) -> TensorSpec:
        """Return the operand's shape with the dtype."""
        strings_only(self, string_tensor)
        return string_tensor.with_dtype(self.out_type)

    def kernel(self, xp: Xp, string_tensor: Array) -> Array:
        """Return the numbers; InvalidArgumentError where there is none."""
        read = _float if self.out_type.is_floating else int
        kind = self.out_type.numpy

        def number(text: str | bytes) -> Any:
            found = as_text(text).strip()
            try:
                # which Python takes, and C does not
                return kind.type(read(found.replace("_", "?")))
            except (ValueError, OverflowError):
                raise InvalidArgumentError(
                    f"StringToNumberOp could not correctly convert string: {found} spells no "
                    f"{self.out_type!r}"
                ) from None

        return each_string(number, string_tensor, dtype=self.out_type.numpy)


def _float(text: str) -> float:
    return float.fromhex(text) if "0x" in text.lower() else float(text)


class UnicodeScript(Op):
    """Number codes of the scripts of code points, those that ICU gives: Latin is 25."""

    differentiable = False
    host = (0,)

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype int32."""
        return x.with_dtype(dtypes.int32)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the codes; -1 for scripts that are not among the most used."""
        return each_string(_script, x.astype(object), dtype=np.int32)


_SCRIPTS = {
    "ARABIC": 2,
    "ARMENIAN": 3,
    "BENGALI": 4,
    "CYRILLIC": 8,
    "DEVANAGARI": 10,
    "GEORGIAN": 12,
    "GREEK": 14,
    "HANGUL": 18,
    "HEBREW": 19,
    "HIRAGANA": 20,
    "KATAKANA": 22,
    "LATIN": 25,
    "THAI": 38,
    "CJK": 17,
}


def _script(point: int) -> int:
    """Return a script's code, by the first word of the character's name; -1 for no character."""
    if not 0 <= point <= sys.maxunicode:
        return -1
    name = unicodedata.name(chr(point), "")
    word = name.partition(" ")[0]
    if word in _SCRIPTS:
        return _SCRIPTS[word]
    return 0 if not chr(point).isalpha() else -1


def lower(x: TensorLike, encoding: str = "") -> Tensor:
    """Return strings with capital letters made small: those of ASCII, or with "utf-8" all.

    >>> print(tl.strings.lower(["TensorLite"]))
    [b'tensorlite']
    """
    return call(StringLower(encoding), x)


def upper(x: TensorLike, encoding: str = "") -> Tensor:
    """Return strings with small letters made capital.

    >>> print(tl.strings.upper(["TensorLite"]))
    [b'TENSORLITE']
    """
    return call(StringUpper(encoding), x)


def strip(x: TensorLike) -> Tensor:
    """Return strings without the white space around them.

    >>> print(tl.strings.strip(["  a b "]))
    [b'a b']
    """
    return call(StringStrip(), x)


def strings_length(x: TensorLike, unit: Unit = "BYTE") -> Tensor:
    """Return the number of bytes, or with "UTF8_CHAR" of characters, of each string.

    >>> print(tl.strings.length(["abc", ""]))
    [3 0]
    """
    return call(StringLength(unit), x)


def substr(
    x: TensorLike, pos: TensorLike, len: TensorLike, unit: Unit = "BYTE"
) -> Tensor:
    """Return parts of strings, of `len` bytes or characters from `pos` on.

    >>> print(tl.strings.substr(["Hello", "World"], 1, 3))
    [b'ell' b'orl']
    """
    return call(Substr(unit), x, pos, len)


def regex_replace(
    x: TensorLike, pattern: str, rewrite: str, replace_global: bool = True
) -> Tensor:
    r"""Return strings with all, or the first, of what matches a pattern replaced.

    >>> print(tl.strings.regex_replace(["a1b22"], "[0-9]+", r"<\0>"))
    [b'a<1>b<22>']
    """
    return call(StaticRegexReplace(pattern, rewrite, replace_global), x)


def regex_full_match(x: TensorLike, pattern: str) -> Tensor:
    """Return whether a pattern matches the whole of each string.

    >>> print(tl.strings.regex_full_match(["a1", "1a"], "[a-z][0-9]"))
    [ True False]
    """
    return call(StaticRegexFullMatch(pattern), x)


def to_number(x: TensorLike, dtype: DTypeLike = dtypes.float32) -> Tensor:
    """Return the numbers that strings spell; InvalidArgumentError where one spells none.

    >>> print(tl.strings.to_number(["1.5", "-2"]))
    [ 1.5 -2. ]
    """
    return call(StringToNumber(as_dtype(dtype)), x)


def unicode_script(x: TensorLike) -> Tensor:
    """Return the number codes of the scripts of code points, as ICU has them: -1 for rare ones.

    >>> print(tl.strings.unicode_script([ord("a"), ord("1")]))
    [25  0]
    """
    return call(UnicodeScript(), x)
