"""Numbers and tensors as strings: as C prints numbers, and as TensorFlow shows tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.strings.joining import as_bytes, as_text
from tensorlite.ops.strings.text import each_string

__all__ = ["as_string", "format_string"]


class AsString(Op):
    """Numbers as strings."""

    differentiable = False
    host = (0,)
    precision: int = -1
    scientific: bool = False
    shortest: bool = False
    width: int = -1
    fill: str = ""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape with dtype string."""
        self._check(x.dtype)
        return x.with_dtype(dtypes.string)

    def _check(self, dtype: DType) -> None:
        """Raise InvalidArgumentError for a format that is none, or none of a dtype."""
        if self.scientific and self.shortest:
            raise InvalidArgumentError("Cannot select both scientific and shortest")
        if len(self.fill) > 1:
            raise InvalidArgumentError(
                f"Fill string must be one or fewer characters, and is {self.fill!r}"
            )
        if dtype.is_integer and (self.scientific or self.shortest):
            raise InvalidArgumentError(
                f"scientific and shortest format not supported for {dtype}"
            )
        if dtype.is_integer and self.precision > -1:
            raise InvalidArgumentError(f"precision not supported for {dtype}")

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the strings, as C prints numbers."""
        self._check(
            dtypes.of_numpy(x.dtype)
        )  # inference is asked once for each dtype
        if x.dtype == object:
            return x if self.width < 0 else each_string(self._filled, x)
        kind = x.dtype.kind
        if kind == "b":
            return each_string(
                lambda one: b"true" if one else b"false", x.astype(object)
            )
        width = str(self.width) if self.width > -1 else ""
        style = "d"
        if kind not in "iu":
            style = "e" if self.scientific else "g" if self.shortest else "f"
            width += f".{self.precision}" if self.precision > -1 else ""
        pattern = f"%{self.fill}{width}{style}"
        if kind == "c":
            return each_string(
                lambda z: f"({pattern % z.real},{pattern % z.imag})".encode(),
                x.astype(object),
            )
        return each_string(lambda one: (pattern % one).encode(), x.astype(object))

    def _filled(self, text: bytes) -> bytes:
        """Return a text in a field of the width, to its left where the fill says so."""
        ends = text.ljust if self.fill == "-" else text.rjust
        return ends(self.width)


class StringFormat(Op):
    """A template in which tensors stand for placeholders."""

    differentiable = False
    template: str = "%s"
    placeholder: str = "%s"
    summarize: int = 3

    def infer(self, *inputs: TensorSpec) -> TensorSpec:
        """Return a 0-d string."""
        one_of(self.template, str, "format: template", "a text")
        one_of(self.placeholder, str, "format: placeholder", "a text")
        count = self.template.count(self.placeholder)
        if count != len(inputs):
            raise InvalidArgumentError(
                f"format: {count} placeholders {self.placeholder!r} in {self.template!r} for "
                f"{len(inputs)} tensors"
            )
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, *inputs: Array) -> Array:
        """Return the text."""
        first, *rest = self.template.split(self.placeholder)
        shown = [summary(to_host(x), self.summarize) for x in inputs]
        pairs = zip(shown, rest, strict=True)
        text = first + "".join(a + b for a, b in pairs)
        return np.asarray(text.encode(), object)


def summary(x: Array, count: int, depth: int = 1) -> str:
    """Return the first and last elements of an array, as TensorFlow prints them."""
    if x.ndim == 0:
        return _element(x[()])
    rows = _shown(x, count)
    parts = [
        summary(one, count, depth + 1) if x.ndim > 1 else _element(one)
        for one in rows
    ]
    if 0 <= count * 2 < len(x):
        parts.insert(count, "...")
    between = " " if x.ndim == 1 else "\n" * (x.ndim - 1) + " " * depth
    return "[" + between.join(parts) + "]"


def _shown(x: Array, count: int) -> list[Any]:
    rows = list(x)
    return (
        rows if count < 0 or len(rows) <= 2 * count else rows[:count] + rows[-count:]
    )


def _element(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (str, bytes)):
        return f'"{_escaped(as_text(value))}"'
    if isinstance(value, (complex, np.complexfloating)):
        return "?"  # TensorFlow has no text for it
    return _number(value) if isinstance(value, np.floating) else str(value)


def _number(value: Any) -> str:
    """Return a number with the digits that C++ promises to keep, or with enough to read it back."""
    kind: type[np.floating[Any]] = np.float32
    digits, enough = 6, 9
    if value.dtype.itemsize > kind(0).itemsize:
        kind, digits, enough = np.float64, 15, 17
    exact = kind(value)
    short = f"{exact:.{digits}g}"
    is_enough = np.isnan(exact) or kind(short) == exact
    return short if is_enough else f"{exact:.{enough}g}"


_ESCAPES = str.maketrans(
    {x: f"\\{x}" for x in "\"'\\"} | {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
)


def _escaped(text: str) -> str:
    """Return a text as C has it between quotes."""
    return text.translate(_ESCAPES)


def first_elements(x: Array, count: int) -> str:
    """Return the first elements of an array as TensorFlow 1 prints them; all, if count < 0.

    Rows are in brackets, but those along the first axis, and what it has no text for.
    """
    limit = x.size if count < 0 or count > x.size else count
    more = "..." if limit < x.size else ""
    if x.ndim == 0 or x.dtype.kind not in "biufO":
        return " ".join([_plainly(one) for one in x.flat[:limit]]) + more
    return _first_rows(x, limit) + more


def _first_rows(x: Array, limit: int, depth: int = 0) -> str:
    """Return up to so many elements of an array, whose rows that are cut say so."""
    if x.ndim == 1:
        more = "..." if depth and limit < len(x) else ""
        return " ".join([_plainly(one) for one in x[:limit]]) + more
    size = max(x[0].size, 1) if len(x) else 1
    parts = [
        _first_rows(row, min(limit - i * size, size), depth + 1)
        for i, row in enumerate(x[: -(-limit // size)])
    ]
    return "".join([f"[{part}]" for part in parts])


def _plainly(value: Any) -> str:
    """Return an element as TensorFlow 1 prints it: strings without quotes, byte by byte."""
    if isinstance(value, (str, bytes)):
        return "".join([_byte(x) for x in as_bytes(value)])
    if isinstance(value, np.floating):
        return _number(value)
    known = isinstance(value, (np.bool_, np.integer))
    return str(int(value)) if known else "?"  # it has no text for others


def _byte(value: int) -> str:
    text = _escaped(chr(value))
    is_shown = len(text) > 1 or 32 <= value < 127
    return text if is_shown else f"\\{value:03o}"


def as_string(
    x: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Tensor:
    """Return numbers as strings, as C prints them: floats with six digits behind the point.

    >>> print(tl.strings.as_string([1, 2]), tl.strings.as_string(0.5, precision=2))
    [b'1' b'2'] b'0.50'
    """
    return call(AsString(precision, scientific, shortest, width, fill), x)


def format_string(
    template: str,
    inputs: Sequence[TensorLike] | TensorLike,
    placeholder: str = "{}",
    summarize: int = 3,
) -> Tensor:
    """Return a template with tensors in place of its placeholders.

    >>> print(tl.strings.format("x is {}", [tl.asarray([1, 2])]))
    b'x is [1 2]'
    """
    given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    return call(StringFormat(template, placeholder, summarize), *given)
