"""Strings: joined, split, searched, hashed, converted to numbers and back.

Strings are bytes; Python's text becomes UTF-8. The operators and functions stand in ops/.
"""

from __future__ import annotations

from tensorlite.ops.strings.csv import decode_csv
from tensorlite.ops.strings.decoding import decode_raw
from tensorlite.ops.strings.hashing import (
    decode_base64,
    encode_base64,
    fingerprint,
    to_hash_bucket,
    to_hash_bucket_fast,
    to_hash_bucket_strong,
)
from tensorlite.ops.strings.joining import join, reduce_join, unsorted_segment_join
from tensorlite.ops.strings.showing import as_string, format_string as format
from tensorlite.ops.strings.splitting import (
    bytes_split,
    ngrams,
    split_strings as split,
    split_to_sparse,
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
)
from tensorlite.ops.strings.text import (
    lower,
    regex_full_match,
    regex_replace,
    strings_length as length,
    strip,
    substr,
    to_number,
    unicode_script,
    upper,
)

__all__ = [
    "as_string",
    "bytes_split",
    "decode_base64",
    "decode_csv",
    "decode_raw",
    "encode_base64",
    "fingerprint",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "split_to_sparse",
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
    "unsorted_segment_join",
    "upper",
]


def __dir__() -> list[str]:
    return __all__
