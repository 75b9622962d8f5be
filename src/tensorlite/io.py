"""Files and what they hold: TensorFlow's records and examples, lines of values, bytes as numbers.

Datasets that read files are in `tl.data`. The operators and functions stand in ops/.
"""

from __future__ import annotations

from typing import Any

from tensorlite.ops.audio_files import decode_wav, encode_wav
from tensorlite.ops.csv import decode_csv
from tensorlite.ops.decoding import decode_compressed, decode_raw
from tensorlite.ops.example_messages import (
    NAMES as _MESSAGES,
    example_message as _message,
)
from tensorlite.ops.examples import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
)
from tensorlite.ops.files import matching_files, read_file, write_file
from tensorlite.ops.records import TFRecordWriter
from tensorlite.ops.sequence_examples import (
    parse_sequence_example,
    parse_single_sequence_example,
)
from tensorlite.ops.tensor_bytes import (
    deserialize_many_sparse,
    parse_tensor,
    serialize_many_sparse,
    serialize_sparse,
    serialize_tensor,
)

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "SparseFeature",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_compressed",
    "decode_csv",
    "decode_raw",
    "decode_wav",
    "deserialize_many_sparse",
    "encode_wav",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "write_file",
]


def __getattr__(name: str) -> Any:
    """Return TensorFlow's messages, such as Example and Feature, which need protobuf."""
    if name in _MESSAGES:
        return _message(name)
    raise AttributeError(f"module 'tensorlite.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
