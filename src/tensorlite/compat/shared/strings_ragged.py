"""Strings taken apart, as TensorFlow 2 does it: what comes of several strings is ragged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite import strings
from tensorlite.compat.calling import converted, named
from tensorlite.core.tensor import Tensor
from tensorlite.ops.ragged_tensor import RaggedTensor


def _apart(x: Any, rows_of: Callable[[Tensor], Any]) -> Any:
    """Return what is made of a vector of strings, a row for each, for strings of any shape."""
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(_apart(x.flat_values, rows_of))
    strings_given = converted(x)
    rank = strings_given.ndim
    if rank == 0:
        return rows_of(tl.reshape(strings_given, [1])).values
    if rank == 1:
        return rows_of(strings_given)
    split = RaggedTensor.from_tensor(strings_given, ragged_rank=rank - 1)
    return split.with_flat_values(rows_of(split.flat_values))


def _of_sparse(x: Any) -> Any:
    return RaggedTensor.from_value_rowids(
        x.values, x.indices[:, 0], nrows=x.dense_shape[0], validate=False
    )


@named("StringSplit")
def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    by = None if sep is None else converted(sep)
    return _apart(input, lambda x: _of_sparse(strings.split(x, by, maxsplit)))


@named("StringSplit")
def bytes_split(input: Any, name: str | None = None) -> Any:
    return _apart(input, lambda x: _of_sparse(strings.bytes_split(x)))


@named("UnicodeDecode")
def unicode_decode(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    return _apart(input, lambda x: _points(x, input_encoding, errors))


def _points(x: Tensor, encoding: str, errors: str) -> Any:
    points, lengths = strings.unicode_decode(x, encoding, errors)
    return RaggedTensor.from_row_lengths(points, lengths, validate=False)


def _single(points: Any, encoding: str) -> Any:
    """Return each code point as a string."""
    flat = points.flat_values if isinstance(points, RaggedTensor) else points
    made = strings.unicode_encode(flat, tl.ones_like(flat), encoding)
    ragged = isinstance(points, RaggedTensor)
    return points.with_flat_values(made) if ragged else made


@named("UnicodeSplit")
def unicode_split(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    return _apart(
        input, lambda x: _single(_points(x, input_encoding, errors), input_encoding)
    )


def _offsets(parts: Any) -> Any:
    """Return where in its string each part begins, in bytes."""
    flat = parts.flat_values if isinstance(parts, RaggedTensor) else parts
    sizes = tl.astype(strings.length(flat), tl.int64)
    behind = tl.cumulative_sum(sizes) - sizes
    if not isinstance(parts, RaggedTensor):
        return behind
    inner = parts
    while isinstance(inner.values, RaggedTensor):
        inner = inner.values
    whole = tl.concat([behind, [tl.sum(sizes)]])
    first = tl.gather(whole, inner.row_starts())
    return parts.with_flat_values(behind - tl.gather(first, inner.value_rowids()))


@named("UnicodeSplit")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    parts = unicode_split(input, input_encoding, errors, replacement_char)
    return parts, _offsets(parts)


@named("UnicodeDecode")
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    points = unicode_decode(input, input_encoding, errors)
    return points, _offsets(_single(points, input_encoding))


@named("UnicodeEncode")
def unicode_encode(
    input: Any,
    output_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    if not isinstance(input, RaggedTensor):
        points = converted(input)
        if points.ndim == 1:
            return strings.unicode_encode(points, [points.shape[0]], output_encoding)[
                0
            ]
        return unicode_encode(
            RaggedTensor.from_tensor(points, ragged_rank=points.ndim - 1),
            output_encoding,
        )
    if isinstance(input.values, RaggedTensor):
        return input.with_values(unicode_encode(input.values, output_encoding))
    return strings.unicode_encode(input.values, input.row_lengths(), output_encoding)


@named("UnicodeTranscode")
def unicode_transcode(
    input: Any,
    input_encoding: Any,
    output_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    if isinstance(input, RaggedTensor):
        flat = unicode_transcode(input.flat_values, input_encoding, output_encoding)
        return input.with_flat_values(flat)
    given = converted(input)
    points, lengths = strings.unicode_decode(
        tl.reshape(given, [-1]), input_encoding, errors
    )
    return tl.reshape(
        strings.unicode_encode(points, lengths, output_encoding), tl.shape(given)
    )


def _text(x: str | bytes) -> str:
    return x.decode() if isinstance(x, bytes) else x


@named("StringNGrams")
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: str | bytes = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    is_dense = not isinstance(data, RaggedTensor)
    x = converted(data) if is_dense else data
    rank: int = (x.rank or 1) if isinstance(x, RaggedTensor) else x.ndim
    if rank == 1:
        rows = RaggedTensor.from_row_lengths(x, tl.shape(x))
    else:
        rows = RaggedTensor.from_tensor(x, ragged_rank=rank - 1) if is_dense else x
    if isinstance(rows.values, RaggedTensor):
        inner = ngrams(
            rows.values,
            ngram_width,
            separator,
            pad_values,
            padding_width,
            preserve_short_sequences,
        )
        return rows.with_values(inner)
    is_text = isinstance(pad_values, (str, bytes))
    pads = (pad_values, pad_values) if is_text else pad_values
    found, counts = strings.ngrams(
        rows.values,
        rows.row_lengths(),
        ngram_width,
        _text(separator),
        None if pads is None else (_text(pads[0]), _text(pads[1])),
        padding_width,
        preserve_short_sequences,
    )
    made = RaggedTensor.from_row_lengths(found, counts)
    return made.values if rank == 1 else made.to_tensor() if is_dense else made
