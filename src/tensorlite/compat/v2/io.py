"""tf.io: files and what they hold."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    decode_csv,
    decode_raw,
    matching_files,
    parse_example,
    parse_single_example,
    parse_single_sequence_example,
    parse_tensor,
    read_file,
    serialize_tensor,
    write_file,
)
from tensorlite.compat.shared.record_files import TFRecordOptions, TFRecordWriter
from tensorlite.compat.shared.sparse import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from tensorlite.compat.v2 import gfile

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_csv",
    "decode_raw",
    "deserialize_many_sparse",
    "gfile",
    "matching_files",
    "parse_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "write_file",
]


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
