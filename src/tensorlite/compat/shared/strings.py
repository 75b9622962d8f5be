"""Functions of strings, which TensorFlow 1 and 2 have alike; strings are bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from tensorlite import strings
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.arrays import range as numbers, rank
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.check import several
from tensorlite.core.dtypes import as_dtype, float32, int32, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.strings.text import Unit


def _text(given: str | bytes) -> str:
    """Return what is an attribute of an operator, which programs give as bytes, too."""
    return given.decode() if isinstance(given, bytes) else given


def texts(x: Any) -> Any:
    """Return a tensor of texts; of an empty list one of none."""
    is_empty = type(x) in (list, tuple) and not nest.flatten(x)
    return converted(x, string if is_empty else None)


def _unit(given: str | bytes) -> Unit:
    """Return what texts are counted in; InvalidArgumentError for what is no such unit."""
    for unit in get_args(Unit):
        if _text(given) == unit:
            found: Unit = unit
            return found
    raise InvalidArgumentError(f"unit={given!r}; allowed are {get_args(Unit)}")


def _one(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(input: Any, name: str | None = None) -> Any:
        return function(texts(input))

    return documented(made, function)


strip = _one("StringStrip", strings.strip)
decode_base64 = _one("DecodeBase64", strings.decode_base64)
unicode_script = _one("UnicodeScript", strings.unicode_script)


@named("StringLower")
def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Return texts in lower case; only ASCII letters change unless encoding is 'utf-8'."""
    return strings.lower(texts(input), encoding)


@named("StringUpper")
def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Return texts in upper case; only ASCII letters change unless encoding is 'utf-8'."""
    return strings.upper(texts(input), encoding)


@named("EncodeBase64")
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """Return texts in web-safe base64, filled up with '=' if pad is True."""
    return strings.encode_base64(texts(input), pad)


@named("StringJoin")
def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Return tensors of texts joined element by element, with a separator between them."""
    several(inputs, "inputs", "a list of tensors")
    return strings.join([texts(x) for x in inputs], _text(separator))


@named("UnsortedSegmentJoin")
def unsorted_segment_join(
    inputs: Any,
    segment_ids: Any,
    num_segments: Any,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Return the texts of each segment joined, with a separator between them."""
    numbers = converted(segment_ids), converted(num_segments)
    return strings.unsorted_segment_join(texts(inputs), *numbers, separator)


@named("StringLength")
def length(input: Any, unit: Unit = "BYTE", name: str | None = None) -> Any:
    """Return how long texts are, in bytes or with unit='UTF8_CHAR' in characters, as int32."""
    return strings.length(texts(input), _unit(unit))


@named("Substr")
def substr(
    input: Any, pos: Any, len: Any, unit: Unit = "BYTE", name: str | None = None
) -> Any:
    """Return parts of texts from `pos` on, of length `len`, in bytes or characters.

    Negative positions count from the end. Raises an InvalidArgumentError beyond the text.
    """
    ends = converted(pos), converted(len)
    return strings.substr(texts(input), *ends, _unit(unit))


@named("AsString")
def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Any:
    """Return numbers as texts.

    For floats: `precision` is how many digits behind the point, `scientific` writes an exponent,
    `shortest` is the shorter form. `width` and `fill` fill up to a width.
    """
    options = (precision, scientific, shortest, width, fill)
    return strings.as_string(converted(input), *options)


@named("StaticRegexFullMatch")
def regex_full_match(input: Any, pattern: str, name: str | None = None) -> Any:
    """Return whether whole texts match a regular expression."""
    return strings.regex_full_match(texts(input), _text(pattern))


@named("StaticRegexReplace")
def regex_replace(
    input: Any,
    pattern: str,
    rewrite: str,
    replace_global: bool = True,
    name: str | None = None,
) -> Any:
    r"""Return texts with matches of a regular expression rewritten.

    `\\1` in `rewrite` stands for the first group; replace_global=False rewrites the first match
    only.
    """
    given = (_text(pattern), _text(rewrite), replace_global)
    return strings.regex_replace(texts(input), *given)


@named("StringToNumber")
def to_number(input: Any, out_type: Any = float32, name: str | None = None) -> Any:
    """Return numbers that texts spell; InvalidArgumentError where one spells none."""
    return strings.to_number(texts(input), as_dtype(out_type))


@named("StringToHashBucket")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Return a bucket below num_buckets for each text, by the hash of old graphs, as int64."""
    return strings.to_hash_bucket(texts(input), num_buckets)


@named("StringToHashBucketFast")
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Return a bucket below num_buckets for each text, by FarmHash, as int64."""
    return strings.to_hash_bucket_fast(texts(input), num_buckets)


@named("StringToHashBucketStrong")
def to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Any, name: str | None = None
) -> Any:
    """Return a bucket below num_buckets for each text, by SipHash, as int64.

    `key` is two integers.
    """
    return strings.to_hash_bucket_strong(texts(input), num_buckets, key)


@named("ReduceJoin", "ReduceJoin")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool | None = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Return texts joined along axes, all of them if axis is None."""
    x = converted(inputs)
    axes = plain(_from_last(x)) if axis is None else converted(axis, int32)
    return strings.reduce_join(x, axes, bool(keepdims), _text(separator))


def _from_last(x: Any) -> Any:
    """Return all axes, the last one first; None where nothing hangs on how they are told."""
    if active_graph() is None:
        return None
    if x.spec.rank is None:
        return numbers(rank(x) - 1, -1, -1)
    return given_constant(np.arange(x.spec.rank, dtype=np.int32)[::-1].copy())


@named("StringFormat")
def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Any:
    """Return a text with placeholders replaced by tensors, as a scalar.

    Of each axis the first and last `summarize` elements are shown, all if it is -1.
    """
    given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    return strings.format(
        template, [converted(x) for x in given], placeholder, summarize
    )


@named("DecodeRaw")
def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Any:
    """Return bytes as numbers of a dtype, along a new last axis.

    All texts must have one length, or fixed_length is given: longer ones are cut, shorter ones
    filled with 0.
    """
    return strings.decode_raw(
        texts(input_bytes), as_dtype(out_type), little_endian, fixed_length
    )


@named("Fingerprint")
def fingerprint(
    data: Any, method: str = "farmhash64", name: str | None = None
) -> Any:
    """Return 8 bytes for each row of data, by FarmHash, as uint8.

    `method` has no effect: it is 'farmhash64'.
    """
    return strings.fingerprint(converted(data))


@named("StringSplit", "StringSplit")
def split_to_sparse(
    source: Any,
    delimiter: Any = " ",
    skip_empty: bool = True,
    name: str | None = None,
) -> Any:
    """Return strings taken apart as a sparse tensor, a row for each."""
    return strings.split_to_sparse(
        given_constant(source), given_constant(delimiter), skip_empty
    )


@named("StringSplit", "StringSplitV2")
def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """Return texts taken apart at a separator, as a sparse tensor with a row for each.

    Without one at white space, of which any amount counts as one. `maxsplit` is how often at most.
    """
    by = given_constant("" if sep is None else sep)
    return strings.split(texts(input), by, maxsplit)


@named("StringBytesSplit")
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Return texts taken apart into bytes, as a sparse tensor with a row for each."""
    return strings.bytes_split(texts(input))
