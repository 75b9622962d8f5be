"""tf.raw_ops: every operator that TensorFlow has and this library knows, called with keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.views import GraphTensor, in_graph, plain
from tensorlite.interop.tensorflow.operators import ADAPTERS, adapter_of
from tensorlite.interop.tensorflow.raw import (
    raw_call,
    raw_description,
    raw_parameters,
)
from tensorlite.interop.tensorflow.signatures import signature_of


def __dir__() -> list[str]:
    return [name for name in ADAPTERS if not name.startswith("_")]


def __getattr__(name: str) -> Callable[..., Any]:
    """Return an operator as a function of keywords."""
    if name.startswith("_") or adapter_of(name) is None:
        raise attribute_error(__name__, name, ())

    def called(**arguments: Any) -> Any:
        title = arguments.pop("name", None)
        given = {key: _unpacked(name, key, x) for key, x in arguments.items()}
        return in_graph(lambda: raw_call(name, given), name, title)

    made: Any = called
    made.__signature__ = raw_parameters(name)
    called.__name__ = called.__qualname__ = name
    called.__doc__ = raw_description(name)
    return called


def _unpacked(name: str, key: str, value: Any) -> Any:
    """Return an argument; of a variable's tensor the handle where that is asked for."""
    signature = signature_of(name)
    inputs = () if signature is None else signature.inputs
    wants_handle = any(one.name == key and one.kind == "resource" for one in inputs)
    if wants_handle and isinstance(value, GraphTensor):
        return value.node.outputs[value.index]
    return plain(value)
