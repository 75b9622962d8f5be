"""The protobuf messages that TensorBoard reads, from the tensorboard package; at first use.

Those of TensorFlow's graphs as programs are read in interop/tensorflow.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from tensorlite.core.errors import InvalidArgumentError

__all__: list[str] = []

_PROTO = "tensorboard.compat.proto"
_FILES = {
    "AttrValue": "attr_value",
    "DeviceStepStats": "step_stats",
    "Event": "event",
    "GraphDef": "graph",
    "HistogramProto": "histogram",
    "MetaGraphDef": "meta_graph",
    "RunMetadata": "config",
    "SessionLog": "event",
    "StepStats": "step_stats",
    "Summary": "summary",
    "SummaryDescription": "summary",
    "SummaryMetadata": "summary",
    "TaggedRunMetadata": "event",
    "TensorShapeProto": "tensor_shape",
}


@cache
def message(name: str) -> Any:
    """Return the class of a message; ImportError names the extra that brings it.

    >>> message("Summary")().value
    []
    """
    return getattr(board(f"{_PROTO}.{_FILES[name]}_pb2"), name)


def value_summary(tag: str, value: float) -> Any:
    """Return the message of one number.

    >>> value_summary("loss", 0.5).value[0].simple_value
    0.5
    """
    return message("Summary")(value=[{"tag": tag, "simple_value": value}])


def parsed(kind: str, data: Any) -> Any:
    """Return a message, as it is or read from bytes; InvalidArgumentError for what is none.

    >>> parsed("Summary", b"").value
    []
    """
    made = message(kind)
    if isinstance(data, made):
        return data
    if hasattr(data, "SerializeToString"):
        data = data.SerializeToString()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InvalidArgumentError(
            f"{type(data).__name__} is no {kind}; give the message, or its bytes"
        )
    try:
        return made.FromString(bytes(data))
    except board("google.protobuf.message").DecodeError as error:
        raise InvalidArgumentError(
            f"these {len(data)} bytes are no {kind}: {error}"
        ) from None


@cache
def board(name: str) -> ModuleType:
    """Return a module of the tensorboard package, or of one that it needs."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            "what TensorBoard shows is written with the tensorboard package: "
            f"pip install 'tensorlite[tensorboard]' ({error})"
        ) from error
