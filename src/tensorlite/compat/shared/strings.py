"""Functions of strings, which TensorFlow 1 and 2 have alike; strings are bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite import strings
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.core.check import several
from tensorlite.core.dtypes import as_dtype, float32, int32
from tensorlite.ops.text import Unit


def _text(given: str | bytes) -> str:
    """Return what is an attribute of an operator, which programs give as bytes, too."""
    return given.decode() if isinstance(given, bytes) else given


def _one(default: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @named(default)
    def made(input: Any, name: str | None = None) -> Any:
        return function(converted(input))

    return made


strip = _one("StringStrip", strings.strip)
decode_base64 = _one("DecodeBase64", strings.decode_base64)
unicode_script = _one("UnicodeScript", strings.unicode_script)


@named("StringLower")
def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    return strings.lower(converted(input), encoding)


@named("StringUpper")
def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    return strings.upper(converted(input), encoding)


@named("EncodeBase64")
def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    return strings.encode_base64(converted(input), pad)


@named("StringJoin")
def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    several(inputs, "inputs", "a list of tensors")
    return strings.join([converted(x) for x in inputs], _text(separator))


@named("UnsortedSegmentJoin")
def unsorted_segment_join(
    inputs: Any,
    segment_ids: Any,
    num_segments: Any,
    separator: str = "",
    name: str | None = None,
) -> Any:
    numbers = converted(segment_ids), converted(num_segments)
    return strings.unsorted_segment_join(converted(inputs), *numbers, separator)


@named("StringLength")
def length(input: Any, unit: Unit = "BYTE", name: str | None = None) -> Any:
    return strings.length(converted(input), unit)


@named("Substr")
def substr(
    input: Any, pos: Any, len: Any, unit: Unit = "BYTE", name: str | None = None
) -> Any:
    ends = converted(pos), converted(len)
    return strings.substr(converted(input), *ends, unit)


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
    options = (precision, scientific, shortest, width, fill)
    return strings.as_string(converted(input), *options)


@named("StaticRegexFullMatch")
def regex_full_match(input: Any, pattern: str, name: str | None = None) -> Any:
    return strings.regex_full_match(converted(input), _text(pattern))


@named("StaticRegexReplace")
def regex_replace(
    input: Any,
    pattern: str,
    rewrite: str,
    replace_global: bool = True,
    name: str | None = None,
) -> Any:
    given = (_text(pattern), _text(rewrite), replace_global)
    return strings.regex_replace(converted(input), *given)


@named("StringToNumber")
def to_number(input: Any, out_type: Any = float32, name: str | None = None) -> Any:
    return strings.to_number(converted(input), as_dtype(out_type))


@named("StringToHashBucket")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    return strings.to_hash_bucket(converted(input), num_buckets)


@named("StringToHashBucketFast")
def to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    return strings.to_hash_bucket_fast(converted(input), num_buckets)


@named("StringToHashBucketStrong")
def to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Any, name: str | None = None
) -> Any:
    return strings.to_hash_bucket_strong(converted(input), num_buckets, key)


@named("ReduceJoin", "ReduceJoin")
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool | None = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    axes = axis if axis is None else converted(axis, int32)
    given = (bool(keepdims), _text(separator))
    return strings.reduce_join(converted(inputs), axes, *given)


@named("StringFormat")
def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Any:
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
    return strings.decode_raw(
        converted(input_bytes), as_dtype(out_type), little_endian, fixed_length
    )


@named("Fingerprint")
def fingerprint(
    data: Any, method: str = "farmhash64", name: str | None = None
) -> Any:
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


@named("StringSplitV2")
def split(
    input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    by = None if sep is None else converted(sep)
    return strings.split(converted(input), by, maxsplit)


@named("StringBytesSplit")
def bytes_split(input: Any, name: str | None = None) -> Any:
    return strings.bytes_split(converted(input))
