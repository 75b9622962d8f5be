"""Texts taken apart into rows, and put together of them, in graphs of version 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared.arrays import concat, reshape, stack
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.written import writes
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.ragged_written.arranging import expanded
from tensorlite.compat.v1.ragged_written.base import (
    given,
    operator,
    operators,
    rank_of,
    rows,
)
from tensorlite.compat.v1.ragged_written.converting import from_tensor
from tensorlite.compat.v1.ragged_written.making import (
    from_row_starts,
    from_value_rowids,
)
from tensorlite.core.dtypes import int32, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.strings.splitting import (
    StringNGrams,
    StringSplit,
    StringSplitV2,
    UnicodeDecode,
    UnicodeDecodeWithOffsets,
    UnicodeEncode,
)


def _marks(x: Any) -> Any:
    return convert_to_tensor("" if x is None else x, string)


def _apart(op: Op, source: Any, marks: Any) -> Any:
    """Return the parts of a vector of texts, a row for each."""
    places, values, sizes = operators(op, source, marks)
    return from_value_rowids(values, places[:, 0], sizes[0], validate=False)


@writes("strings.split")
def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """Return texts taken apart at a separator, or at white space."""
    op = StringSplitV2(maxsplit)
    with name_scope(name, "StringSplit"):
        x = given(input, "input", string)
        return _split(x, lambda y: _apart(op, y, _marks(sep)))


def _split(input: Any, rows_of: Callable[[Any], Any]) -> Any:
    with name_scope(None, "StringSplit"):
        return _of_any_rank(given(input, "input"), rows_of, _split)


def _of_any_rank(x: Any, rows_of: Callable[[Any], Any], again: Any) -> Any:
    """Return what is made of texts of any shape, of what is made of a vector."""
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(again(x.flat_values, rows_of))
    rank = rank_of(x)
    if rank == 0:
        return again(stack([x]), rows_of)[0]
    if rank in (1, None):
        return rows_of(x)
    return again(from_tensor(x), rows_of)


@writes("strings.split_to_rows")
def split_to_rows(
    source: Any,
    delimiter: Any = " ",
    skip_empty: bool = True,
    name: str | None = None,
) -> Any:
    """Return strings taken apart at any of the delimiter's characters, a row for each."""
    with name_scope(name, "StringSplit"):
        texts = convert_to_tensor(source, string)
        return _apart(StringSplit(skip_empty), texts, _marks(delimiter))


@writes("strings.bytes_split")
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Return texts taken apart into bytes."""
    op = StringSplit(False)

    def again(x: Any, rows_of: Callable[[Any], Any], title: str | None = None) -> Any:
        with name_scope(title, "StringsByteSplit"):
            return _of_any_rank(given(x, "input"), rows_of, again)

    return again(input, lambda y: _apart(op, y, ""), name)


@writes("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return texts of code points, which the last axis holds."""
    options = output_encoding, errors, replacement_char
    with name_scope(name, "UnicodeEncode"):
        x = given(input)
        rank = rank_of(x)
        if not rank:
            raise InvalidArgumentError(
                "input_tensor's rank must be known, at least 1."
            )
        if isinstance(x, RaggedTensor):
            return _encoded(x, options)
        if rank == 2:
            return unicode_encode(from_tensor(x), *options)
        if rank > 2:
            flat = reshape(x, stack([-1, shape(x)[-1]]))
            return reshape(unicode_encode(flat, *options), x.get_shape()[:-1])
        one = rows(x, stack([0, shape(x, out_type=int32)[0]]))
        return reshape(unicode_encode(one, *options), [])


def _encoded(x: Any, options: tuple[Any, ...]) -> Any:
    flat = x.flat_values
    if (rank_of(flat) or 1) > 1:
        return x.with_flat_values(unicode_encode(flat, *options))
    if x.ragged_rank > 1:
        return x.with_values(unicode_encode(x.values, *options))
    encoding, errors, other = options
    op = UnicodeEncode(errors, encoding, other)
    return operator(op, x.values, x.row_splits)


def _decoded(
    input: Any, encoding: str, errors: str, other: int, controls: bool, starts: bool
) -> list[Any]:
    """Return the code points of texts, and at which byte each begins where that is asked for."""
    x = given(input, "input", string)
    rank = rank_of(x)
    if rank is None:
        raise InvalidArgumentError("Rank of `input` must be statically known.")
    if rank > 1 and not isinstance(x, RaggedTensor):
        x = from_tensor(x, ragged_rank=rank - 1)
    elif isinstance(x, RaggedTensor) and x.ragged_rank < rank - 1:
        more = from_tensor(x.flat_values, ragged_rank=rank - x.ragged_rank - 1)
        x = x.with_flat_values(more)
    flat = reshape(x.flat_values if isinstance(x, RaggedTensor) else x, [-1])
    kind = UnicodeDecodeWithOffsets if starts else UnicodeDecode
    splits, *found = operators(kind(encoding, errors, other, controls), flat)
    if rank == 0:
        return list(found)
    each = [rows(one, splits) for one in found]
    return [x.with_flat_values(one) for one in each] if rank > 1 else each


@writes("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Return the code points of texts."""
    options = input_encoding, errors, replacement_char, replace_control_characters
    with name_scope(name, "UnicodeDecode"):
        return _decoded(input, *options, False)[0]


@writes("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Return the code points of texts, and the byte at which each begins."""
    options = input_encoding, errors, replacement_char, replace_control_characters
    with name_scope(name, "UnicodeDecodeWithOffsets"):
        return tuple(_decoded(input, *options, True))


@writes("strings.unicode_split")
def unicode_split(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return texts taken apart into characters."""
    options = input_encoding, errors, replacement_char
    with name_scope(name, "UnicodeSplit"):
        (points,) = _decoded(input, *options, False, False)
        return unicode_encode(expanded(points, -1), *options)


@writes("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return the characters of texts, and the byte at which each begins."""
    options = input_encoding, errors, replacement_char
    with name_scope(name, "UnicodeSplitWithOffsets"):
        points, starts = _decoded(input, *options, False, True)
        return unicode_encode(expanded(points, -1), *options), starts


@writes("strings.ngrams")
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str | bytes = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Return runs of ngram_width texts of the last axis, joined by a separator."""
    pads = pad_values if isinstance(pad_values, (tuple, list)) else [pad_values] * 2
    widths = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    is_text = all(isinstance(x, (str, bytes)) for x in pads)
    if len(pads) != 2 or not (pad_values is None or is_text) or min(widths) < 1:
        return NotImplemented
    if padding_width is not None and (padding_width < 1 or pad_values is None):
        return NotImplemented
    most = -1 if padding_width is None else padding_width
    left, right = ("", "") if pad_values is None else map(_text, pads)
    op = StringNGrams(
        *(_text(separator), tuple(widths), left, right),
        0 if pad_values is None else most,
        preserve_short_sequences,
    )
    return _runs(op, data, name)


def _runs(op: Op, data: Any, name: str | None) -> Any:
    with name_scope(name, "StringNGrams"):
        x = given(data, "data", string)
        if isinstance(x, RaggedTensor):
            return _runs_of_rows(op, x, name)
        rank = rank_of(x)
        if not rank:
            raise InvalidArgumentError("Rank of data must be known, 1 or more.")
        sizes = concat([shape(x)[:-1], [-1]], axis=0)
        if rank == 1:
            return _runs(op, from_row_starts(x, [0], validate=False), name)[0]
        made = _runs_of_rows(op, from_tensor(x, ragged_rank=rank - 1), name)
        return reshape(made.flat_values, sizes)


def _runs_of_rows(op: Op, x: Any, name: str | None) -> Any:
    if x.ragged_rank > 1:
        return x.with_values(_runs(op, x.values, name))
    return rows(*operators(op, x.flat_values, x.row_splits))


def _text(x: str | bytes) -> str:
    return x.decode() if isinstance(x, bytes) else x
