"""What files hold, as tensors: examples, columns, numbers of bytes, by TensorFlow's arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from tensorlite.compat.calling import converted, given_constant, named, own_or
from tensorlite.compat.shared import arrays
from tensorlite.compat.shared.strings import texts
from tensorlite.core.check import one_of
from tensorlite.core.dtypes import as_dtype, int32, int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.counting import operations, settle
from tensorlite.graph_mode.graph import active_graph, inner_graph
from tensorlite.interop.tensorflow.writers.spelling import spelled
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.records import (
    examples,
    files,
    partitions as splitting,
    protos,
    sequence_examples,
    tensor_bytes,
)
from tensorlite.ops.records.json_examples import (
    decode_json_example as json_examples_read,
)
from tensorlite.ops.strings import csv, decoding

FixedLenFeature = examples.FixedLenFeature
FixedLenSequenceFeature = examples.FixedLenSequenceFeature
SparseFeature = examples.SparseFeature
VarLenFeature = examples.VarLenFeature


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: str | None = None
    partitions: Any = ()
    row_splits_dtype: Any = int32
    validate: bool = False


class RaggedFeature(_RaggedFields):
    """A feature of any number of values, whose rows are as long as each example says.

    `partitions`, the outermost first, say of which features or of what length rows of rows are.
    """

    __slots__ = ()

    RowSplits = splitting.RowSplits
    RowLengths = splitting.RowLengths
    RowStarts = splitting.RowStarts
    RowLimits = splitting.RowLimits
    ValueRowIds = splitting.ValueRowIds
    UniformRowLength = splitting.UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = int32,
        validate: bool = False,
    ) -> Self:
        is_one = isinstance(partitions, splitting.Partition)
        given = () if is_one else tuple(partitions)
        if is_one or not all(isinstance(x, splitting.Partition) for x in given):
            raise DTypeError(
                f"RaggedFeature: partitions={partitions!r}; allowed is a list of partitions, such "
                "as tf.io.RaggedFeature.RowSplits('splits')"
            )
        return super().__new__(
            cls, dtype, value_key, given, row_splits_dtype, validate
        )


def _features(features: Any) -> Any:
    """Return features whose shapes may be TensorFlow's; ragged ones as those they are read by."""
    read: dict[str, Any] = {}
    for key, one in one_of(features, dict, "features", "a dict").items():
        if isinstance(one, RaggedFeature):
            read |= dict.fromkeys(_told_by(one), VarLenFeature(int64))
            read[one.value_key or key] = VarLenFeature(as_dtype(one.dtype))
        else:
            read[key] = _feature(one)
    return read


def _told_by(feature: RaggedFeature) -> list[str]:
    """Return the names of the features that say where rows of rows of one end."""
    uniform = splitting.UniformRowLength
    return [x.key for x in feature.partitions if not isinstance(x, uniform)]


def _ragged(features: Any, read: Any, is_batch: bool) -> Any:
    """Return what is read by the names asked for, that of ragged features made of it."""
    return {
        key: _in_rows(one, key, read, is_batch)
        if isinstance(one, RaggedFeature)
        else read[key]
        for key, one in sorted(features.items())
    }


def _in_rows(feature: RaggedFeature, key: str, read: Any, is_batch: bool) -> Any:
    """Return the values of a ragged feature, split as its partitions say."""
    dtype = as_dtype(feature.row_splits_dtype)

    def found(name: str) -> Any:
        values = read[name]
        if not is_batch:
            return values.values
        return RaggedTensor.from_sparse(values, row_splits_dtype=dtype)

    split = splitting.split_batch if is_batch else splitting.split_example
    made = found(feature.value_key or key)
    for one in reversed(tuple(feature.partitions)):
        told = None if isinstance(one, splitting.UniformRowLength) else found(one.key)
        made = split(made, one, told, dtype)
    return made


def _feature(one: Any) -> Any:
    if isinstance(one, RaggedFeature):
        if one.partitions:
            raise InvalidArgumentError(
                f"RaggedFeature: partitions={one.partitions!r} are not served of lists; read what "
                "they are made of as features of their own, and give it to tf.RaggedTensor"
            )
        return VarLenFeature(as_dtype(one.dtype))
    shape: Any = getattr(one, "shape", None)
    return one._replace(shape=shape.as_list()) if hasattr(shape, "as_list") else one


def _default_of(is_reshaped: bool = True) -> Any:
    """Return what makes constants of default values in graphs, named as TensorFlow 1 names them."""
    if active_graph() is None:
        return None

    def made(one: Any, value: Any) -> Any:
        is_rows = one.kind.startswith("rows")
        if isinstance(value, Operand):
            return value
        if value.size == 0:
            blank = examples.nothing(one.dtype)
            return given_constant(blank if is_rows else value, one.dtype)
        key = re.sub(r"[^A-Za-z0-9_.\-/]", "_", one.key)
        name = f"{'padding' if is_rows else 'key'}_{key}"
        default = given_constant(value, one.dtype, name)
        return arrays.reshape(default, value.shape) if is_reshaped else default

    return made


@contextmanager
def _counted_as_written() -> Iterator[None]:
    """Count the keys and names that operators made inside have as inputs where they are written."""
    graph = active_graph()
    before = 0 if graph is None else len(inner_graph(graph).nodes)
    yield
    if graph is not None:
        made = [spelled(node) for node in inner_graph(graph).nodes[before:]]
        beside = sum(len(x.parts) - 1 for x in made if x is not None)
        settle(graph, operations(graph) + beside)


@named("ParseExample", own_or("ParseExample"))
def parse_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> Any:
    """Return a dictionary of tensors, sparse or ragged for some, of serialized examples.

    `features` say by name what to read. `example_names` has no effect.
    """
    with _counted_as_written():
        read = examples.parsed(serialized, _features(features), _default_of())
    single = converted(serialized).spec.rank == 0
    return _ragged(features, read, is_batch=not single)


@named("ParseSingleExample", own_or("ParseSingleExample"))
def parse_single_example(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> Any:
    """Return a dictionary of tensors of one serialized example.

    `features` say by name what to read. `example_names` has no effect.
    """
    one = examples.of_one(serialized)
    read = examples.parsed(one, _features(features), _default_of())
    return _ragged(features, read, is_batch=False)


def _lists(features: Any) -> Any:
    """Return features of lists, of which ragged ones keep the steps that have no values."""
    return {
        key: sequence_examples.RaggedLists(one.dtype, one.row_splits_dtype)
        if isinstance(one, RaggedFeature) and not one.partitions
        else _feature(one)
        for key, one in one_of(features, dict, "features", "a dict").items()
    }


def _named_so(features: Any) -> tuple[Any, dict[str, str]]:
    """Return ragged features by the keys that they are read by, and what they are called."""
    keys = {
        key: (isinstance(one, RaggedFeature) and one.value_key) or key
        for key, one in one_of(features, dict, "features", "a dict").items()
    }
    return {keys[key]: one for key, one in features.items()}, keys


@named("ParseSequenceExample", own_or("ParseSequenceExample"))
def parse_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> Any:
    """Return three dictionaries: of contexts, of sequences, of their lengths.

    `example_names` has no effect.
    """
    kind = sequence_examples.ParseSequenceExample
    return _sequence(kind, serialized, context_features, sequence_features)


@named("ParseSingleSequenceExample", own_or("ParseSingleSequenceExample"))
def parse_single_sequence_example(
    serialized: Any,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> Any:
    """Return two dictionaries of one example: its context, its sequences.

    `example_name` has no effect.
    """
    kind = sequence_examples.ParseSingleSequenceExample
    return _sequence(kind, serialized, context_features, sequence_features)[:2]


def _sequence(
    kind: Any, serialized: Any, context: Any, sequence: Any
) -> tuple[Any, Any, Any]:
    texts = converted(serialized)
    asked, keys = _named_so(sequence or {})
    with _counted_as_written():
        own, lists, lengths = sequence_examples.parsed(
            kind,
            texts,
            _features(context or {}),
            _lists(asked),
            _default_of(is_reshaped=kind.rank == 0),
        )
    return (
        _ragged(context or {}, own, is_batch=bool(texts.spec.rank)),
        {key: lists[keys[key]] for key in sorted(keys)},
        lengths,
    )


@named("DecodeJSONExample")
def decode_json_example(json_examples: Any, name: str | None = None) -> Any:
    """Return examples in JSON as serialized messages."""
    return json_examples_read(converted(json_examples))


@named("DecodeCompressed")
def decode_compressed(
    bytes: Any, compression_type: str = "", name: str | None = None
) -> Any:
    """Return what was compressed: 'ZLIB', 'GZIP', or '' for bytes that were not."""
    return decoding.decode_compressed(bytes, compression_type)


@named("DecodeProtoV2")
def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Any,
    output_types: Any,
    descriptor_source: Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Return (sizes, values): how many values fields of messages have, and those of each field.

    sanitize has no effect: what is no message is refused in any case.
    """
    return protos.decode_proto(
        converted(bytes, string),
        message_type,
        field_names,
        output_types,
        descriptor_source,
        message_format,
    )


@named("EncodeProto")
def encode_proto(
    sizes: Any,
    values: Any,
    field_names: Any,
    message_type: str,
    descriptor_source: Any = "local://",
    name: str | None = None,
) -> Any:
    """Return messages with the first values of tensors in their fields, as many as sizes say."""
    return protos.encode_proto(
        converted(sizes, int32), values, field_names, message_type, descriptor_source
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

    All texts must have one length, or fixed_length is given: longer ones are cut, shorter ones are
    filled with 0.
    """
    return decoding.decode_raw(
        texts(input_bytes), out_type, little_endian, fixed_length
    )


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
    """Return a list of the columns of lines, one tensor for each.

    record_defaults give each column its dtype and what stands for an empty field; a default that
    has no elements says that the field must be there.
    """
    return csv.decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols
    )


@named("ReadFile")
def read_file(filename: Any, name: str | None = None) -> Any:
    """Return the bytes of a file."""
    return files.read_file(filename)


@named("WriteFile")
def write_file(filename: Any, contents: Any, name: str | None = None) -> Any:
    """Return an operation that writes bytes to a file, in folders that it makes."""
    return files.write_file(filename, contents)


@named("MatchingFiles")
def matching_files(pattern: Any, name: str | None = None) -> Any:
    """Return the names of files that match a pattern, sorted."""
    return files.matching_files(texts(pattern))


@named("SerializeTensor")
def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Return a tensor as bytes, those of a TensorProto."""
    return tensor_bytes.serialize_tensor(tensor)


@named("ParseTensor")
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Any:
    """Return the tensor of a dtype that `serialize_tensor` made bytes of."""
    return tensor_bytes.parse_tensor(serialized, out_type)
