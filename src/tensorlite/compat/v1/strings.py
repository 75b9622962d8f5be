"""Strings: `tf.strings`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.strings import (
    as_string,
    format,
    join,
    lower,
    regex_full_match,
    regex_replace,
    strip,
    to_hash_bucket_fast,
    to_hash_bucket_strong,
    unicode_script,
    unsorted_segment_join,
    upper,
)
from tensorlite.compat.shared.strings_ragged import (
    bytes_split,
    ngrams,
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
)
from tensorlite.compat.v1.functions.strings_older import (
    length,
    reduce_join,
    split,
    string_to_hash_bucket as to_hash_bucket,
    string_to_number as to_number,
    substr,
)

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
