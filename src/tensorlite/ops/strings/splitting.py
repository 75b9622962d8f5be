"""Strings taken apart: into words, characters, code points.

What comes out ragged is given as a sparse matrix, or as values and lengths. Columns of CSV are in
csv.py, numbers of raw bytes in decoding.py.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.math.cumulative import cumulative_sum
from tensorlite.ops.operators import astype
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.strings.joining import as_bytes
from tensorlite.ops.strings.text import strings_only

__all__ = [
    "bytes_split",
    "ngrams",
    "split_strings",
    "split_to_sparse",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
]


def _table(rows: list[list[Any]]) -> tuple[Array, Array, Array]:
    """Return lists of strings as the parts of a sparse matrix."""
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values = np.empty(len(places), object)
    values[:] = [one for row in rows for one in row]
    shape = (len(rows), max(map(len, rows), default=0))
    indices = np.asarray(places, np.int64).reshape(-1, 2)
    return indices, values, np.asarray(shape, np.int64)


class _Split(Op, abstract=True):
    """A sparse matrix of the parts of a vector of strings."""

    differentiable = False

    def parts(self, x: TensorSpec) -> tuple[TensorSpec, TensorSpec, TensorSpec]:
        """Return the specs of places, parts and shape."""
        strings_only(self, x)
        if x.rank not in (None, 1):
            raise ShapeError(f"{self.name} takes a vector of strings, not {x}")
        return (
            TensorSpec((None, 2), dtypes.int64),
            TensorSpec((None,), dtypes.string),
            TensorSpec((2,), dtypes.int64),
        )


def _delimiter(array: Array) -> bytes:
    if array.ndim:
        raise InvalidArgumentError(
            f"delimiter must be a scalar, and has shape {list(array.shape)}"
        )
    return as_bytes(array.item())


def _check_delimiter(op: Op, delimiter: TensorSpec) -> None:
    if delimiter.rank not in (0, None):
        raise ShapeError(f"{op.name}: a delimiter is one string, not {delimiter}")


class StringSplit(_Split):
    """Strings split at any of several characters; with none, into characters."""

    host = (0, 1)
    skip_empty: bool = True

    def infer(self, x: TensorSpec, delimiter: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the parts of a sparse matrix."""
        _check_delimiter(self, delimiter)
        return self.parts(x)

    def kernel(self, xp: Xp, x: Array, delimiter: Array) -> tuple[Array, ...]:
        """Return them."""
        marks = _delimiter(delimiter)
        rows = [self._row(as_bytes(text), marks) for text in x.tolist()]
        return _table(rows)

    def _row(self, text: bytes, marks: bytes) -> list[bytes]:
        if not marks:
            return [text[i : i + 1] for i in range(len(text))]
        if not text:
            return []
        found = re.split(b"[" + re.escape(marks) + b"]", text)
        return [one for one in found if one or not self.skip_empty]


class StringSplitV2(_Split):
    """Strings split at a string; with none, at white space."""

    host = (0, 1)
    maxsplit: int = -1

    def infer(self, x: TensorSpec, sep: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the parts of a sparse matrix."""
        _check_delimiter(self, sep)
        return self.parts(x)

    def kernel(self, xp: Xp, x: Array, sep: Array) -> tuple[Array, ...]:
        """Return them."""
        mark = _delimiter(sep) or None
        return _table([self._row(as_bytes(text), mark) for text in x.tolist()])

    def _row(self, text: bytes, mark: bytes | None) -> list[bytes]:
        """Return a text's parts; where words have an end, the rest is one even if it is empty."""
        found = text.split(mark, self.maxsplit) if self.maxsplit else [text]
        is_cut = mark is None and 0 < self.maxsplit == len(found)
        return [*found, b""] if is_cut else found


def split_to_sparse(
    x: TensorLike, delimiter: TensorLike = " ", skip_empty: bool = True
) -> SparseTensor:
    """Return a vector of strings split at any of the characters of `delimiter`, as a matrix.

    >>> words = tl.strings.split_to_sparse(["hello big world", "bye"])
    >>> print(words.values, words.shape)
    [b'hello' b'big' b'world' b'bye'] (2, 3)
    """
    return SparseTensor(*calls(StringSplit(skip_empty), x, delimiter))


def split_strings(
    x: TensorLike, sep: TensorLike | None = None, maxsplit: int = -1
) -> SparseTensor:
    """Return a vector of strings split at `sep`, or at white space, as a sparse matrix.

    >>> print(tl.strings.split(["a,b,,c"], ",").values)
    [b'a' b'b' b'' b'c']
    """
    return SparseTensor(
        *calls(StringSplitV2(maxsplit), x, "" if sep is None else sep)
    )


def bytes_split(x: TensorLike) -> SparseTensor:
    """Return a vector of strings split into bytes, as a sparse matrix.

    >>> print(tl.strings.bytes_split(["ab", "c"]).values)
    [b'a' b'b' b'c']
    """
    return split_to_sparse(x, "")


class UnicodeDecode(Op):
    """The code points of strings, one behind the other, and where those of each begin."""

    differentiable = False
    host = (0,)
    input_encoding: str = "UTF-8"
    errors: str = "replace"
    replacement_char: int = 65533
    replace_control_characters: bool = False

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return where rows begin, and the points."""
        strings_only(self, x)
        _check_policy(self.name, self.errors)
        count = None if x.size is None else x.size + 1
        return TensorSpec((count,), dtypes.int64), TensorSpec((None,), dtypes.int32)

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, ...]:
        """Return them."""
        return self.rows(x)[:2]

    def rows(self, x: Array) -> tuple[Array, Array, Array]:
        """Return where rows begin, the points, and at which byte of its string each begins."""
        rows = [self._points(as_bytes(text)) for text in x.ravel().tolist()]
        edges = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        points = [point for row in rows for point, _ in row]
        starts = [start for row in rows for _, start in row]
        return edges, np.asarray(points, np.int32), np.asarray(starts, np.int64)

    def _points(self, text: bytes) -> list[tuple[int, int]]:
        other = [self.replacement_char] if self.errors != "ignore" else []
        points = []
        for point, start in _decoded(text, self.input_encoding):
            is_wrong = point is None
            if is_wrong and self.errors == "strict":
                raise InvalidArgumentError(
                    f"Invalid formatting on input string {text!r}: it is not "
                    f"{self.input_encoding} at byte {start}"
                )
            is_control = point is not None and point < 32
            if is_wrong or (is_control and self.replace_control_characters):
                points += [(one, start) for one in other]
            elif point is not None:
                points.append((point, start))
        return points


class UnicodeDecodeWithOffsets(UnicodeDecode):
    """The same, and at which byte of its string each code point begins."""

    def infer(self, x: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return where rows begin, the points, and their places."""
        return *super().infer(x), TensorSpec((None,), dtypes.int64)

    def kernel(self, xp: Xp, x: Array) -> tuple[Array, ...]:
        """Return them."""
        return self.rows(x)


def _check_policy(op: str, errors: str) -> None:
    """Raise InvalidArgumentError for what says nothing of bytes that make no character."""
    if errors not in {"strict", "replace", "ignore"}:
        raise InvalidArgumentError(
            f"{op}: errors={errors!r} not in: 'strict', 'replace', 'ignore'"
        )


_MARKS = {
    "utf-16": ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")),
    "utf-32": ((b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be")),
}
"""By which bytes texts begin that say their order themselves, in codings that leave it open."""


def _coding(text: bytes, encoding: str) -> tuple[str, int]:
    """Return Python's name of a coding in the order of a text's bytes, and where the text begins.

    A text without a mark has the high byte first. InvalidArgumentError for no known coding.
    """
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise InvalidArgumentError(
            f"Could not create converter for input encoding: {encoding}"
        ) from None
    for mark, ordered in _MARKS.get(name, ()):
        if text.startswith(mark):
            return ordered, len(mark)
    return (f"{name}-be" if name in _MARKS else name), 0


def _decoded(text: bytes, encoding: str) -> Iterator[tuple[int | None, int]]:
    """Yield the code points, None for bytes that make none, each with its place in bytes."""
    coding, at = _coding(text, encoding)
    while at < len(text):
        try:
            good, end = text[at:].decode(coding), len(text)
        except UnicodeDecodeError as error:
            good = text[at : at + error.start].decode(coding)
            end = at + error.end
        for one in good:
            yield ord(one), at
            at += len(one.encode(coding))
        if at < end:
            yield None, at
        at = end


_WRITTEN = ("UTF-8", "UTF-16-BE", "UTF-32-BE")


class UnicodeEncode(Op):
    """Strings of code points."""

    differentiable = False
    host = (0, 1)
    errors: str = "replace"
    output_encoding: str = "UTF-8"
    replacement_char: int = 65533

    def infer(self, points: TensorSpec, splits: TensorSpec) -> TensorSpec:
        """Return a string for each row."""
        if self.output_encoding not in _WRITTEN:
            raise InvalidArgumentError(
                f"{self.name}: output_encoding={self.output_encoding!r}; allowed: {_WRITTEN}"
            )
        rows = None if splits.size is None else splits.size - 1
        return TensorSpec((rows,), dtypes.string)

    def kernel(self, xp: Xp, points: Array, splits: Array) -> Array:
        """Return the strings."""
        edges = splits.tolist()
        found = np.empty(len(edges) - 1, object)
        rows = [self._characters(points[a:b].tolist()) for a, b in pairwise(edges)]
        coding = self.output_encoding
        found[:] = ["".join(map(chr, row)).encode(coding) for row in rows]
        return found

    def _characters(self, points: list[int]) -> list[int]:
        """Return the points, those that are no characters replaced or left out."""
        if all(map(_is_character, points)):
            return points
        if self.errors == "strict":
            raise InvalidArgumentError(
                "Code point is out of range for Unicode, or is a surrogate: "
                f"{[point for point in points if not _is_character(point)]}"
            )
        other = [self.replacement_char] if self.errors == "replace" else []
        return [
            one
            for point in points
            for one in ([point] if _is_character(point) else other)
        ]


class UnicodeTranscode(Op):
    """Strings in another encoding."""

    differentiable = False
    host = (0,)
    input_encoding: str
    output_encoding: str
    errors: str = "replace"
    replacement_char: int = 65533
    replace_control_characters: bool = False

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the same shape; InvalidArgumentError for an encoding that is not written."""
        strings_only(self, x)
        _check_policy(self.name, self.errors)
        self._writing().infer(x, TensorSpec((1,), dtypes.int64))
        return x.without_value()

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the strings."""
        reading = UnicodeDecode(
            *(self.input_encoding, self.errors, self.replacement_char),
            self.replace_control_characters,
        )
        splits, points = reading.kernel(xp, x)
        made: Array = self._writing().kernel(xp, points, splits)
        return made.reshape(x.shape)

    def _writing(self) -> UnicodeEncode:
        return UnicodeEncode(self.errors, self.output_encoding, self.replacement_char)


def _is_character(point: int) -> bool:
    """Return whether a number is that of a character."""
    return 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF


def unicode_decode(
    x: TensorLike,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the code points of strings, one behind the other, and how many each has.

    `errors` says what is done with bytes that make no character, and with control characters where
    these are replaced: "replace", "ignore", or "strict", which raises InvalidArgumentError.

    >>> points, lengths = tl.strings.unicode_decode(["ab", "c"])
    >>> print(points, lengths)
    [97 98 99] [2 1]
    """
    options = input_encoding, errors, replacement_char, replace_control_characters
    edges, points = calls(UnicodeDecode(*options), x)
    return points, edges[1:] - edges[:-1]


def unicode_decode_with_offsets(
    x: TensorLike,
    input_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return what `unicode_decode` does, and at which byte of its string each point begins.

    >>> _, _, starts = tl.strings.unicode_decode_with_offsets(["a\u00e9b"])
    >>> print(starts)
    [0 1 3]
    """
    options = input_encoding, errors, replacement_char, replace_control_characters
    edges, points, starts = calls(UnicodeDecodeWithOffsets(*options), x)
    return points, edges[1:] - edges[:-1], starts


def unicode_encode(
    points: TensorLike,
    lengths: TensorLike,
    output_encoding: str = "UTF-8",
    errors: str = "replace",
    replacement_char: int = 65533,
) -> Tensor:
    """Return the strings that code points make, so many of them each.

    `errors` says what is done with numbers that are no characters: "replace", "ignore", or
    "strict", which raises InvalidArgumentError.

    >>> print(tl.strings.unicode_encode([97, 98, 99], [2, 1]))
    [b'ab' b'c']
    """
    counts = astype(to_tensor(lengths), dtypes.int64)
    edges = concat([constant([0], dtypes.int64), cumulative_sum(counts)])
    op = UnicodeEncode(errors, output_encoding, replacement_char)
    return call(op, points, edges)


class StringNGrams(Op):
    """Runs of neighbouring strings, joined."""

    differentiable = False
    host = (0, 1)
    separator: str = " "
    ngram_widths: tuple[int, ...] = (2,)
    left_pad: str = ""
    right_pad: str = ""
    pad_width: int = 0
    """How often at most, -1 for as often as a run may reach beyond the row."""
    preserve_short_sequences: bool = False
    """Whether a row without any run is one."""

    def infer(
        self, x: TensorSpec, splits: TensorSpec
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return the runs, and where those of each row begin."""
        strings_only(self, x)
        return TensorSpec((None,), dtypes.string), splits.without_value()

    def kernel(self, xp: Xp, x: Array, splits: Array) -> tuple[Array, Array]:
        """Return them."""
        runs, edges = [], [0]
        for a, b in pairwise(splits.tolist()):
            runs += self._runs([as_bytes(text) for text in x[a:b].tolist()])
            edges.append(len(runs))
        found = np.empty(len(runs), object)
        found[:] = runs
        return found, np.asarray(edges, splits.dtype)

    def _runs(self, row: list[bytes]) -> list[bytes]:
        between, found = self.separator.encode(), []
        for width in self.ngram_widths:
            most = self.pad_width if self.pad_width >= 0 else width
            padded = self._padded(row, min(most, width - 1))
            last = len(padded) - width + 1
            found += [between.join(padded[i : i + width]) for i in range(last)]
        if row and not found and self.preserve_short_sequences:
            return [between.join(self._padded(row, self.pad_width))]
        return found

    def _padded(self, row: list[bytes], count: int) -> list[bytes]:
        before, behind = self.left_pad.encode(), self.right_pad.encode()
        return [before] * count + row + [behind] * count


def ngrams(
    x: TensorLike,
    lengths: TensorLike,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pads: tuple[str, str] | None = None,
    pad_width: int | None = None,
    preserve_short_sequences: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return runs of neighbours of strings in rows of so many, and how many each row has.

    `pads` stand before and behind each row, `pad_width` times at most, so that runs may reach
    beyond its ends. A row without any run is one with `preserve_short_sequences`.

    >>> runs, counts = tl.strings.ngrams(["a", "b", "c", "d"], [3, 1], 2)
    >>> print(runs, counts)
    [b'a b' b'b c'] [2 0]
    """
    widths = (ngram_width,) if isinstance(ngram_width, int) else tuple(ngram_width)
    counts = astype(to_tensor(lengths), dtypes.int64)
    edges = concat([constant([0], dtypes.int64), cumulative_sum(counts)])
    most = 0 if pads is None else -1 if pad_width is None else pad_width
    op = StringNGrams(
        separator, widths, *(pads or ("", "")), most, preserve_short_sequences
    )
    found, ends = calls(op, x, edges)
    return found, ends[1:] - ends[:-1]
