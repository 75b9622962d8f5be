"""tf.raw_ops: every operator that TensorFlow has and this library knows, called with keywords."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import cache
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.referred import variable_of
from tensorlite.compat.views import GraphTensor, in_graph, plain
from tensorlite.core.errors import DTypeError
from tensorlite.core.scope import control_dependencies, scope
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.interop.tensorflow.operators import ADAPTERS, adapter_of
from tensorlite.interop.tensorflow.raw import (
    raw_call,
    raw_description,
    raw_parameters,
)
from tensorlite.interop.tensorflow.signatures import Argument, signature_of


def __dir__() -> list[str]:
    return [name for name in ADAPTERS if not name.startswith("_")]


def __getattr__(name: str) -> Callable[..., Any]:
    """Return an operator as a function of keywords."""
    if name.startswith("_") or adapter_of(name) is None:
        raise attribute_error(__name__, name, ())

    def called(**arguments: Any) -> Any:
        title = arguments.pop("name", None)
        given = {key: _unpacked(name, key, x) for key, x in arguments.items()}
        with control_dependencies(_awaited(name, arguments)):
            # What lives in a session, such as a generator, bears the node's name, each its own.
            found = in_graph(
                lambda: raw_call(name, {**given, "name": scope.get().name}),
                name,
                title,
            )
        kind = _results(name)
        return found if kind is None else kind(*found)

    made: Any = called
    made.__signature__ = raw_parameters(name)
    called.__name__ = called.__qualname__ = name
    called.__doc__ = raw_description(name)
    return called


@cache
def _results(name: str) -> Any:
    """Return the class of an operator's outputs, where there are several; they have names."""
    signature = signature_of(name)
    outputs = () if signature is None else signature.outputs
    if len(outputs) < 2 or any(one.number for one in outputs):
        return None
    return namedtuple(name, [one.name for one in outputs])  # noqa: PYI024


def _unpacked(name: str, key: str, value: Any) -> Any:
    """Return an argument; of a variable's tensor the handle where that is asked for."""
    one = _argument(name, key)
    if one is not None and one.is_reference and not one.number:
        return _handle(name, key, value)
    wants_handle = one is not None and one.kind == "resource"
    if wants_handle and isinstance(value, GraphTensor):
        return value.node.outputs[value.index]
    return plain(value)


def _argument(name: str, key: str) -> Argument | None:
    signature = signature_of(name)
    inputs = () if signature is None else signature.inputs
    return next((one for one in inputs if one.name == key), None)


def _handle(name: str, key: str, value: Any) -> Any:
    """Return the handle of a variable of references; DTypeError for what is none."""
    variable = variable_of(value) if isinstance(value, GraphTensor) else value
    if not isinstance(variable, GraphVariable) or not variable.is_reference:
        raise DTypeError(
            f"{name!r} Op requires that input {key!r} be a mutable tensor (e.g.: a tf.Variable); "
            "resource variables are changed by their own methods, and by operators whose names "
            "begin with Resource"
        )
    return variable.handle


def _awaited(name: str, arguments: dict[str, Any]) -> list[Any]:
    """Return the tensors, among what an operator changes, that stand for an earlier change."""
    return [
        plain(value)
        for key, value in arguments.items()
        if isinstance(value, GraphTensor)
        and (one := _argument(name, key)) is not None
        and one.is_reference
        and value.node.inputs
    ]
