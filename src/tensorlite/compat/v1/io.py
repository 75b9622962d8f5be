"""tf.io of TensorFlow 1: files and what they hold."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import io_gfile as gfile
from tensorlite.compat.shared.images.image import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from tensorlite.compat.shared.parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    decode_compressed,
    decode_json_example,
    decode_proto,
    encode_proto,
    matching_files,
    parse_sequence_example,
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
from tensorlite.compat.shared.strings import decode_base64, encode_base64
from tensorlite.compat.v1.graphs.graphdefs import write_graph
from tensorlite.compat.v1.pipelines.input import match_filenames_once
from tensorlite.compat.v1.pipelines.parsing import (
    decode_csv,
    decode_raw,
    parse_example,
    parse_single_example,
)
from tensorlite.compat.v1.pipelines.queues import (
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from tensorlite.compat.v1.python_io import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RaggedFeature",
    "RandomShuffleQueue",
    "SparseFeature",
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_proto",
    "decode_raw",
    "deserialize_many_sparse",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "encode_proto",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
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
    "tf_record_iterator",
    "write_file",
    "write_graph",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
