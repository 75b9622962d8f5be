"""What TensorFlow 1's top level has for reading: queues, readers, parsing, logger."""

from __future__ import annotations

from tensorlite.compat.shared.logging import get_logger
from tensorlite.compat.shared.parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    decode_compressed,
    decode_json_example,
    matching_files,
    parse_single_sequence_example,
    parse_tensor,
    read_file,
    serialize_tensor,
    write_file,
)
from tensorlite.compat.shared.ragged_and_sparse.sparse_strings import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from tensorlite.compat.v1 import io, python_io
from tensorlite.compat.v1.pipelines.parsing import (
    decode_csv,
    decode_raw,
    parse_example,
    parse_single_example,
)
from tensorlite.compat.v1.pipelines.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from tensorlite.compat.v1.pipelines.readers import (
    FixedLengthRecordReader,
    IdentityReader,
    ReaderBase,
    TextLineReader,
    TFRecordReader,
    WholeFileReader,
)

__all__ = [
    "FIFOQueue",
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "FixedLengthRecordReader",
    "IdentityReader",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
    "ReaderBase",
    "SparseFeature",
    "TFRecordReader",
    "TextLineReader",
    "VarLenFeature",
    "WholeFileReader",
    "decode_compressed",
    "decode_csv",
    "decode_json_example",
    "decode_raw",
    "deserialize_many_sparse",
    "get_logger",
    "io",
    "matching_files",
    "parse_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "python_io",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "write_file",
]
