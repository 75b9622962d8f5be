"""Files and what they hold: TensorFlow's records and examples, lines of values, bytes as numbers.

Datasets that read files are in `tl.data`. The operators and functions stand in ops/.
"""

from __future__ import annotations

from typing import Any

from tensorlite.ops.records.example_messages import (
    NAMES as _MESSAGES,
    example_message as _message,
)
from tensorlite.ops.records.examples import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
)
from tensorlite.ops.records.files import matching_files, read_file, write_file
from tensorlite.ops.records.protos import DecodedProto, decode_proto, encode_proto
from tensorlite.ops.records.records import TFRecordWriter
from tensorlite.ops.records.sequence_examples import (
    parse_sequence_example,
    parse_single_sequence_example,
)
from tensorlite.ops.records.tensor_bytes import (
    deserialize_many_sparse,
    parse_tensor,
    serialize_many_sparse,
    serialize_sparse,
    serialize_tensor,
)
from tensorlite.ops.signals.audio_files import decode_wav, encode_wav
from tensorlite.ops.strings.csv import decode_csv
from tensorlite.ops.strings.decoding import decode_compressed, decode_raw

__all__ = [
    "DecodedProto",
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "SparseFeature",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_compressed",
    "decode_csv",
    "decode_proto",
    "decode_raw",
    "decode_wav",
    "deserialize_many_sparse",
    "encode_proto",
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
