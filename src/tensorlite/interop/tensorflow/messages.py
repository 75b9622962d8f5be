"""TensorFlow's protobuf messages, from the tensorboard package, which ships them.

They are imported at first use. What the messages say is read in the other modules.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from tensorlite.core.errors import GraphDefError

EXTRA = "tensorflow-graphs"
_FILES = {
    "AttrValue": "attr_value",
    "ClusterDef": "cluster",
    "FunctionDef": "function",
    "GraphDef": "graph",
    "JobDef": "cluster",
    "MetaGraphDef": "meta_graph",
    "NameAttrList": "attr_value",
    "NodeDef": "node_def",
    "OpDef": "op_def",
    "SavedObjectGraph": "saved_object_graph",
    "SaverDef": "saver",
    "SignatureDef": "meta_graph",
    "StructuredValue": "struct",
    "TensorInfo": "meta_graph",
    "TensorProto": "tensor",
    "TensorShapeProto": "tensor_shape",
    "VariableDef": "variable",
}


@cache
def message(name: str) -> Any:
    """Return the class of a message; ImportError names the extra that brings it.

    >>> message("GraphDef")().node
    []
    """
    return getattr(_module(f"tensorboard.compat.proto.{_FILES[name]}_pb2"), name)


def _module(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"TensorFlow's graphs are read and written with the messages of the tensorboard "
            f"package: pip install 'tensorlite[{EXTRA}]' ({error})"
        ) from error


def parsed(given: Any, kind: str | type[Any] = "GraphDef") -> Any:
    """Return a message of a kind, or one of a class: as it is, or read from bytes or from text.

    GraphDefError for bytes or a text that is none.

    >>> parsed('node { name: "x" op: "NoOp" }').node[0].op
    'NoOp'
    """
    made = message(kind) if isinstance(kind, str) else kind
    name: str = made.DESCRIPTOR.name
    if isinstance(given, made):
        return given
    if isinstance(given, (bytes, bytearray, memoryview)):
        return _from_bytes(made(), bytes(given), name)
    if isinstance(given, str):
        return _from_text(made(), given, name)
    if hasattr(given, "SerializeToString"):
        return _from_bytes(made(), given.SerializeToString(), name)
    raise GraphDefError(
        f"{type(given).__name__} is no {name}; give a message, its bytes, or its text"
    )


def _from_bytes(made: Any, data: bytes, kind: str) -> Any:
    decode_error = _module("google.protobuf.message").DecodeError
    try:
        made.ParseFromString(data)
    except (decode_error, RecursionError, ValueError) as error:
        raise GraphDefError(
            f"these {len(data)} bytes are no {kind}: {error}"
        ) from None
    return made


def _from_text(made: Any, text: str, kind: str) -> Any:
    reader = _module("google.protobuf.text_format")
    try:
        # The text of later versions may have fields that are not known here.
        reader.Parse(text, made, allow_unknown_field=True)
    except (reader.ParseError, RecursionError, ValueError) as error:
        raise GraphDefError(f"this text is no {kind}: {error}") from None
    return made
