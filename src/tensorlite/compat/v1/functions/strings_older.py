"""Functions of strings with the arguments of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import strings, strings_ragged
from tensorlite.compat.shared.arrays import expand_dims
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.strings.text import Unit

__all__ = [
    "decode_raw",
    "reduce_join",
    "string_join",
    "string_split",
    "string_strip",
    "string_to_hash_bucket",
    "string_to_hash_bucket_fast",
    "string_to_hash_bucket_strong",
    "string_to_number",
    "substr",
]


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Return a vector's strings split at any character of sep, a row for each.

    sep is a space if None, and delimiter its older name; with "" each byte is a part. Empty parts
    are left out if skip_empty. result_type is "SparseTensor" or "RaggedTensor", else
    InvalidArgumentError is raised.
    """
    by = renamed("sep", sep, "delimiter", delimiter)
    split_up = (
        strings_ragged.split_to_rows
        if _is_ragged(result_type)
        else strings.split_to_sparse
    )
    return split_up(source, " " if by is None else by, skip_empty, name)


def _is_ragged(result_type: str) -> bool:
    if result_type not in ("RaggedTensor", "SparseTensor"):
        raise InvalidArgumentError(
            f"result_type must be 'RaggedTensor' or 'SparseTensor', not {result_type!r}"
        )
    return result_type == "RaggedTensor"


def string_to_number(
    string_tensor: Any = None,
    out_type: Any = float32,
    name: str | None = None,
    input: Any = None,
) -> Any:
    """Return the numbers that strings spell, of out_type.

    input is the newer name of string_tensor.
    """
    given = renamed("string_tensor", string_tensor, "input", input)
    return strings.to_number(given, out_type, name)


def string_to_hash_bucket(
    string_tensor: Any = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: Any = None,
) -> Any:
    """Return hashes of strings below num_buckets, int64; they may change with versions."""
    if num_buckets is None:
        raise TypeError("string_to_hash_bucket() missing argument 'num_buckets'")
    given = renamed("string_tensor", string_tensor, "input", input)
    return strings.to_hash_bucket(given, num_buckets, name)


def length(input: Any, name: str | None = None, unit: Unit = "BYTE") -> Any:
    """Return the lengths of strings in bytes, or in characters if unit is "UTF8_CHAR"."""
    return strings.length(input, unit, name)


def substr(
    input: Any, pos: Any, len: Any, name: str | None = None, unit: Unit = "BYTE"
) -> Any:
    """Return parts of strings that begin at pos and have len bytes, or characters.

    unit is "BYTE" or "UTF8_CHAR".
    """
    return strings.substr(input, pos, len, unit, name)


def reduce_join(
    inputs: Any,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Any:
    """Return strings joined along axes, over all if None, with separator between.

    keep_dims and reduction_indices are older names.
    """
    axes = renamed("axis", axis, "reduction_indices", reduction_indices)
    kept = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return strings.reduce_join(inputs, axes, kept, separator, name)


def split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Return strings split at sep, or at white space if that is None, along a new last axis.

    At most maxsplit times, unless that is -1. result_type is "SparseTensor" or "RaggedTensor",
    else InvalidArgumentError is raised. source is the older name of input.
    """
    given = renamed("input", input, "source", source)
    ragged = _is_ragged(result_type)
    if not isinstance(given, RaggedTensor):
        given = framework.convert_to_tensor(given)
        if given.get_shape().rank == 0:
            given = expand_dims(given, 0)
        if not ragged and given.get_shape().rank in (None, 1):
            return strings.split(given, sep, maxsplit, name)
    rows = strings_ragged.split(given, sep, maxsplit, name)
    return rows if ragged else rows.to_sparse()


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Any:
    """Return the bytes of strings as numbers of out_type, along a new last axis.

    Strings must be of one length. bytes is the older name of input_bytes.
    """
    given = renamed("input_bytes", input_bytes, "bytes", bytes)
    return strings.decode_raw(given, out_type, little_endian, name=name)


string_join = strings.join
string_strip = strings.strip
string_to_hash_bucket_fast = strings.to_hash_bucket_fast
string_to_hash_bucket_strong = strings.to_hash_bucket_strong
