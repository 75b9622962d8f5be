"""Strings, element by element: cut, changed, matched, measured, joined. Splitting stands elsewhere.

Strings are bytes, as in TensorFlow; Python's text becomes UTF-8. Kernels are in host memory.
"""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, Literal

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec, broadcast
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.strings import StaticRegexFullMatch, StringJoin, as_bytes, as_text

__all__ = [
    "join",
    "lower",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "strings_length",
    "strip",
    "substr",
    "to_number",
    "unicode_script",
    "unsorted_segment_join",
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
def compiled(pattern: str) -> re.Pattern[bytes]:
    """Return a regular expression over bytes; InvalidArgumentError for what is none."""
    try:
        return re.compile(pattern.encode(), re.DOTALL if "(?s" in pattern else 0)
    except re.error as error:
        raise InvalidArgumentError(
            f"{pattern!r} is no regular expression: Invalid pattern: {error}"
        ) from None


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

        def rewritten(found: re.Match[bytes]) -> bytes:
            return b"".join(
                found[x] or b"" if isinstance(x, int) else x for x in parts
            )

        return pattern.sub(rewritten, text, int(not self.replace_global))


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
        return TensorSpec(broadcast(x.shape, pos.shape, length.shape), dtypes.string)

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
    """Return a script's code, by the first word of the character's name."""
    name = unicodedata.name(chr(point), "")
    word = name.partition(" ")[0]
    if word in _SCRIPTS:
        return _SCRIPTS[word]
    return 0 if not chr(point).isalpha() else -1


class ReduceJoin(Op):
    """Strings put one behind the other along axes."""

    differentiable = False
    host = (0, 1)
    keep_dims: bool = False
    separator: str = ""

    def infer(self, x: TensorSpec, axes: TensorSpec) -> TensorSpec:
        """Return the shape without the axes."""
        strings_only(self, x)
        dropped = () if axes.shape == (0,) else axes.constant()
        if x.shape is None or dropped is None:
            return x.with_shape(None)
        places = self.places(dropped, len(x.shape))
        kept = [n for i, n in enumerate(x.shape) if i not in places]
        whole = [1 if i in places else n for i, n in enumerate(x.shape)]
        return x.with_shape(whole if self.keep_dims else kept)

    def kernel(self, xp: Xp, x: Array, axes: Array) -> Array:
        """Return the strings; of several axes the first given varies fastest."""
        dropped = self.places(axes.ravel().tolist(), x.ndim)
        kept = [axis for axis in range(x.ndim) if axis not in dropped]
        shape = [x.shape[axis] for axis in kept]
        count = prod(x.shape[axis] for axis in dropped)
        rows = x.transpose(*kept, *dropped[::-1]).reshape(prod(shape), count)
        found = np.empty(len(rows), object)
        between = self.separator.encode()
        found[:] = [between.join(map(as_bytes, row)) for row in rows.tolist()]
        if self.keep_dims:
            shape = [1 if axis in dropped else n for axis, n in enumerate(x.shape)]
        return found.reshape(shape)

    def places(self, axes: Sequence[int], rank: int) -> list[int]:
        """Return axes counted from the front; InvalidArgumentError for what is not there."""
        found: list[int] = []
        for axis in axes:
            if not -rank <= axis < rank:
                raise InvalidArgumentError(
                    f"Invalid reduction dimension {axis} for input with {rank} dimension(s)"
                )
            if axis % rank in found:
                raise InvalidArgumentError(
                    f"Duplicate reduction dimension {axis % rank}"
                )
            found.append(axis % rank)
        return found


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


def join(inputs: Sequence[TensorLike], separator: str = "") -> Tensor:
    """Return strings of several tensors put one behind the other, element by element.

    >>> print(tl.strings.join([["a", "b"], "c"], separator="-"))
    [b'a-c' b'b-c']
    """
    return call(StringJoin(separator), *inputs)


def reduce_join(
    x: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    separator: str = "",
) -> Tensor:
    """Return strings put one behind the other along axes, or all.

    >>> print(tl.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1))
    [b'ab' b'cd']
    """
    tensor = to_tensor(x)
    if axis is None:
        axis = list(range(tensor.ndim))[::-1]
    if not isinstance(axis, Operand):
        axis = constant(np.asarray(axis, np.int32).reshape(-1))
    return call(ReduceJoin(keepdims, separator), tensor, axis)


class UnsortedSegmentJoin(Op):
    """Strings put one behind the other over segments, which need not be sorted."""

    differentiable = False
    host = (0, 1, 2)
    separator: str = ""

    def infer(self, x: TensorSpec, ids: TensorSpec, count: TensorSpec) -> TensorSpec:
        """Return a string for each segment, in the shape of what stands behind the numbers."""
        strings_only(self, x)
        if x.shape is None or ids.shape is None:
            return x.with_shape(None)
        segments = count.scalar()
        most = None if segments is None else int(segments)
        return x.with_shape((most, *x.shape[len(ids.shape) :]))

    def kernel(self, xp: Xp, x: Array, ids: Array, count: Array) -> Array:
        """Return the strings; InvalidArgumentError for numbers of no segment."""
        segments = int(count)
        if ids.size and not 0 <= ids.min() <= ids.max() < segments:
            raise InvalidArgumentError(
                f"{self.name}: segments are numbered from 0 to below {segments}, not "
                f"{ids.min()} to {ids.max()}"
            )
        inner = x.shape[ids.ndim :]
        rows: list[list[Array]] = [[] for _ in range(segments)]
        for number, row in zip(ids.ravel(), x.reshape(-1, prod(inner)), strict=True):
            rows[int(number)].append(row)
        between = self.separator.encode()
        found = np.full((segments, prod(inner)), b"", object)
        for i, row in enumerate(rows):
            for j, parts in enumerate(zip(*row, strict=True)):
                found[i, j] = between.join(map(as_bytes, parts))
        return found.reshape(segments, *inner)


def unsorted_segment_join(
    x: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
) -> Tensor:
    """Return strings put one behind the other, those of each segment; "" where there are none.

    >>> print(tl.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, "-"))
    [b'b' b'a-c' b'']
    """
    return call(UnsortedSegmentJoin(separator), x, segment_ids, num_segments)


def unicode_script(x: TensorLike) -> Tensor:
    """Return the number codes of the scripts of code points, as ICU has them: -1 for rare ones.

    >>> print(tl.strings.unicode_script([ord("a"), ord("1")]))
    [25  0]
    """
    return call(UnicodeScript(), x)
