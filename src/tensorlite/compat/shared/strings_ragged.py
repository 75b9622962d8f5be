"""Strings taken apart, as TensorFlow 2 does it: what comes of several strings is ragged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite import strings
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared.ragged_and_sparse.ragged_forms import of_arrays
from tensorlite.compat.shared.ragged_and_sparse.written import written_first
from tensorlite.compat.shared.strings import texts
from tensorlite.core.dispatch import call
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.strings.splitting import UnicodeTranscode


def _apart(given: Any, rows_of: Callable[[Tensor], Any]) -> Any:
    """Return what is made of a vector of strings, a row for each, for strings of any shape."""
    x = of_arrays(given)
    if isinstance(x, RaggedTensor):
        return x.with_flat_values(_apart(x.flat_values, rows_of))
    strings_given = texts(x)
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


@written_first("strings.split")
@named("StringSplit")
def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """Return texts taken apart at a separator, as a ragged tensor, of one text as a vector.

    Without one at white space, of which any amount counts as one. `maxsplit` is how often at most.
    """
    by = None if sep is None else converted(sep)
    return _apart(input, lambda x: _of_sparse(strings.split(x, by, maxsplit)))


@written_first("strings.split_to_rows")
@named("StringSplit")
def split_to_rows(
    source: Any,
    delimiter: Any = " ",
    skip_empty: bool = True,
    name: str | None = None,
) -> Any:
    """Return strings taken apart at any of the delimiter's characters, a row for each."""
    by = given_constant(delimiter)
    return _of_sparse(strings.split_to_sparse(texts(source), by, skip_empty))


@written_first("strings.bytes_split")
@named("StringSplit")
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Return texts taken apart into bytes, as a ragged tensor, of one text as a vector."""
    return _apart(input, lambda x: _of_sparse(strings.bytes_split(x)))


@written_first("strings.unicode_decode")
@named("UnicodeDecode")
def unicode_decode(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Return the code points of texts, as a ragged tensor of int32.

    `errors` is 'replace' (by replacement_char), 'ignore' or 'strict', which raises.
    """
    options = input_encoding, errors, replacement_char, replace_control_characters
    return _apart(input, lambda x: _points(x, *options))


def _points(x: Tensor, *options: Any) -> Any:
    points, lengths = strings.unicode_decode(x, *options)
    return RaggedTensor.from_row_lengths(points, lengths, validate=False)


def _starts(x: Tensor, *options: Any) -> Any:
    _, lengths, starts = strings.unicode_decode_with_offsets(x, *options)
    return RaggedTensor.from_row_lengths(starts, lengths, validate=False)


def _single(points: Any, encoding: str) -> Any:
    """Return each code point as a string."""
    flat = points.flat_values if isinstance(points, RaggedTensor) else points
    made = strings.unicode_encode(flat, tl.ones_like(flat), encoding)
    ragged = isinstance(points, RaggedTensor)
    return points.with_flat_values(made) if ragged else made


@written_first("strings.unicode_split")
@named("UnicodeSplit")
def unicode_split(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return texts taken apart into characters, as a ragged tensor of texts."""
    points = unicode_decode(input, input_encoding, errors, replacement_char)
    return _single(points, input_encoding)


@written_first("strings.unicode_split_with_offsets")
@named("UnicodeSplit")
def unicode_split_with_offsets(
    input: Any,
    input_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return the characters of texts, and the byte at which each begins."""
    options = input_encoding, errors, replacement_char
    points, starts = unicode_decode_with_offsets(input, *options)
    return _single(points, input_encoding), starts


@written_first("strings.unicode_decode_with_offsets")
@named("UnicodeDecode")
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
    points = _apart(input, lambda x: _points(x, *options))
    return points, _apart(input, lambda x: _starts(x, *options))


@written_first("strings.unicode_encode")
@named("UnicodeEncode")
def unicode_encode(
    input: Any,
    output_encoding: Any,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return texts of code points, which the last axis holds.

    output_encoding is 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE'.
    """
    options = output_encoding, errors, replacement_char
    input = of_arrays(input)
    if not isinstance(input, RaggedTensor):
        points = converted(input)
        if points.ndim == 1:
            return strings.unicode_encode(points, [points.shape[0]], *options)[0]
        rows = RaggedTensor.from_tensor(points, ragged_rank=points.ndim - 1)
        return unicode_encode(rows, *options)
    if isinstance(input.values, RaggedTensor):
        return input.with_values(unicode_encode(input.values, *options))
    return strings.unicode_encode(input.values, input.row_lengths(), *options)


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
    """Return texts in another encoding, of the same shape."""
    op = UnicodeTranscode(
        input_encoding,
        output_encoding,
        errors,
        replacement_char,
        replace_control_characters,
    )
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(call(op, converted(input.flat_values)))
    return call(op, converted(input))


def _text(x: str | bytes) -> str:
    return x.decode() if isinstance(x, bytes) else x


def _checked_pads(
    widths: Any, pad_values: Any, padding_width: Any
) -> tuple[str, str] | None:
    """Return what is put before and behind, if anything; an error for options that cannot be."""
    if any(
        x < 1 for x in (widths if isinstance(widths, (list, tuple)) else [widths])
    ):
        raise InvalidArgumentError(
            f"All ngram_widths must be greater than 0. Got {widths}"
        )
    if padding_width is not None and padding_width < 1:
        raise InvalidArgumentError(
            f"padding_width must be greater than 0. Got {padding_width}"
        )
    if pad_values is None:
        if padding_width is not None:
            raise InvalidArgumentError(
                "pad_values must be provided if padding_width is set."
            )
        return None
    is_text = isinstance(pad_values, (str, bytes))
    pads = (pad_values, pad_values) if is_text else pad_values
    is_pair = isinstance(pads, (tuple, list)) and len(pads) == 2
    if not is_pair or not all(isinstance(x, (str, bytes)) for x in pads):
        raise DTypeError(
            "pad_values must be a string, tuple of strings, or None. Got "
            f"{pad_values!r}; give a text, or a tuple of two, left and right"
        )
    return _text(pads[0]), _text(pads[1])


@written_first("strings.ngrams")
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
    """Return runs of ngram_width texts of the last axis, joined by a separator.

    Several widths may be given. pad_values, one or two, are put before and behind, padding_width
    times.
    """
    pads = _checked_pads(ngram_width, pad_values, padding_width)
    is_dense = not isinstance(data, RaggedTensor)
    x = converted(data) if is_dense else data
    rank = x.get_shape().rank
    if not rank:
        raise InvalidArgumentError(
            "Rank of data must be known." if rank is None else "Data must have rank>0"
        )
    if rank == 1:
        rows = RaggedTensor.from_row_lengths(x, tl.shape(x))
    else:
        rows = RaggedTensor.from_tensor(x, ragged_rank=rank - 1) if is_dense else x
    if isinstance(rows.values, RaggedTensor):
        options = separator, pad_values, padding_width, preserve_short_sequences
        inner = rows.with_values(ngrams(rows.values, ngram_width, *options))
        return inner.to_tensor() if is_dense else inner
    found, counts = strings.ngrams(
        rows.values,
        rows.row_lengths(),
        ngram_width,
        _text(separator),
        pads,
        padding_width,
        preserve_short_sequences,
    )
    made = RaggedTensor.from_row_lengths(found, counts)
    return made.values if rank == 1 else made.to_tensor() if is_dense else made
