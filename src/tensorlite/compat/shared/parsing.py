"""What files hold, as tensors: examples, columns, numbers of bytes, by TensorFlow's arguments."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.ops import (
    csv,
    decoding,
    examples,
    files,
    sequence_examples,
    tensor_bytes,
)
from tensorlite.ops.json_examples import decode_json_example as json_examples_read

FixedLenFeature = examples.FixedLenFeature
FixedLenSequenceFeature = examples.FixedLenSequenceFeature
SparseFeature = examples.SparseFeature
VarLenFeature = examples.VarLenFeature


def _features(features: Any) -> Any:
    """Return features whose shapes may be TensorFlow's."""
    return {key: _feature(one) for key, one in features.items()}


def _feature(one: Any) -> Any:
    shape: Any = getattr(one, "shape", None)
    return one._replace(shape=shape.as_list()) if hasattr(shape, "as_list") else one


@named("ParseExample")
def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> Any:
    return examples.parse_example(serialized, _features(features))


@named("ParseSingleExample")
def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> Any:
    return examples.parse_single_example(serialized, _features(features))


@named("ParseSingleSequenceExample")
def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> Any:
    return sequence_examples.parse_single_sequence_example(
        serialized,
        _features(context_features or {}),
        _features(sequence_features or {}),
    )


@named("DecodeJSONExample")
def decode_json_example(json_examples: Any, name: str | None = None) -> Any:
    return json_examples_read(converted(json_examples))


@named("DecodeRaw")
def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Any:
    return decoding.decode_raw(input_bytes, out_type, little_endian, fixed_length)


@named("DecodeCSV")
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> Any:
    return csv.decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols
    )


@named("ReadFile")
def read_file(filename: Any, name: str | None = None) -> Any:
    return files.read_file(filename)


@named("WriteFile")
def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    return files.write_file(filename, contents)


@named("MatchingFiles")
def matching_files(pattern: Any, name: str | None = None) -> Any:
    return files.matching_files(pattern)


@named("SerializeTensor")
def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    return tensor_bytes.serialize_tensor(tensor)


@named("ParseTensor")
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Any:
    return tensor_bytes.parse_tensor(serialized, out_type)
