"""TensorFlow's Example and SequenceExample, as protobuf messages without TensorFlow.

They are described here and made at first use, in a pool of their own, so that they stand beside
those of a TensorFlow in the same process.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

__all__: list[str] = []

EXTRA = "tensorflow-graphs"
_PACKAGE = "tensorflow"
_OPTIONAL, _REPEATED = 1, 3
_TYPES = {"float": 2, "int64": 3, "message": 11, "bytes": 12, "string": 9}

# message: (field, number, label, type); a field's type that is no plain one is a message.
_FIELDS: dict[str, list[tuple[str, int, int, str]]] = {
    "BytesList": [("value", 1, _REPEATED, "bytes")],
    "FloatList": [("value", 1, _REPEATED, "float")],
    "Int64List": [("value", 1, _REPEATED, "int64")],
    "Feature": [
        ("bytes_list", 1, _OPTIONAL, "BytesList"),
        ("float_list", 2, _OPTIONAL, "FloatList"),
        ("int64_list", 3, _OPTIONAL, "Int64List"),
    ],
    "Features": [("feature", 1, _REPEATED, "Features.FeatureEntry")],
    "FeatureList": [("feature", 1, _REPEATED, "Feature")],
    "FeatureLists": [("feature_list", 1, _REPEATED, "FeatureLists.FeatureListEntry")],
    "Example": [("features", 1, _OPTIONAL, "Features")],
    "SequenceExample": [
        ("context", 1, _OPTIONAL, "Features"),
        ("feature_lists", 2, _OPTIONAL, "FeatureLists"),
    ],
}
_MAPS = {
    "Features": ("FeatureEntry", "Feature"),
    "FeatureLists": ("FeatureListEntry", "FeatureList"),
}
NAMES = tuple(_FIELDS)


@cache
def example_message(name: str) -> Any:
    r"""Return the class of a message; ImportError names the extra that brings protobuf.

    >>> from tensorlite.ops.records.example_messages import example_message
    >>> example_message("Int64List")(value=[1, 2]).SerializeToString()
    b'\n\x02\x01\x02'
    """
    found = example_pool().FindMessageTypeByName(f"{_PACKAGE}.{name}")
    return protobuf("message_factory").GetMessageClass(found)


def example_from(name: str, data: bytes) -> Any:
    """Return a message read from bytes; InvalidArgumentError for bytes that are none."""
    made = example_message(name)()
    try:
        made.ParseFromString(data)
    except (protobuf("message").DecodeError, RecursionError, ValueError) as error:
        raise InvalidArgumentError(
            f"Could not parse {name} from {len(data)} bytes: {error}"
        ) from None
    return made


def example_from_json(name: str, text: bytes) -> Any:
    r"""Return a message read from JSON; InvalidArgumentError for text that describes none.

    >>> from tensorlite.ops.records.example_messages import example_from_json
    >>> example_from_json("Int64List", b'{"value": [1, "2"]}').SerializeToString()
    b'\n\x02\x01\x02'
    """
    made = example_message(name)()
    json_format = protobuf("json_format")
    try:
        json_format.Parse(text, made)
    except (json_format.ParseError, ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"Error while parsing JSON: {text[:80]!r} is no {name}: {error}"
        ) from None
    return made


def protobuf(module: str) -> ModuleType:
    """Return a module of protobuf; ImportError names the extra that brings it."""
    try:
        return import_module(f"google.protobuf.{module}")
    except ImportError as error:
        raise ImportError(
            "TensorFlow's Examples are read and written with protobuf: pip install "
            f"'tensorlite[{EXTRA}]' ({error})"
        ) from error


@cache
def example_pool() -> Any:
    """Return a pool in which the messages are described."""
    file = protobuf("descriptor_pb2").FileDescriptorProto(
        name="tensorlite/example.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        if name == "Feature":
            message.oneof_decl.add(name="kind")
        for field in fields:
            described = _add_field(message, *field)
            if name == "Feature":
                described.oneof_index = 0
        if name in _MAPS:
            _add_entry(message, *_MAPS[name])
    pool = protobuf("descriptor_pool").DescriptorPool()
    pool.Add(file)
    return pool


def _add_field(message: Any, name: str, number: int, label: int, kind: str) -> Any:
    field = message.field.add(
        name=name,
        number=number,
        label=label,
        type=_TYPES.get(kind, _TYPES["message"]),
    )
    if kind not in _TYPES:
        field.type_name = f".{_PACKAGE}.{kind}"
    return field


def _add_entry(message: Any, entry: str, value: str) -> None:
    """Describe the entries of a map from strings to messages."""
    nested = message.nested_type.add(name=entry)
    _add_field(nested, "key", 1, _OPTIONAL, "string")
    _add_field(nested, "value", 2, _OPTIONAL, value)
    nested.options.map_entry = True
