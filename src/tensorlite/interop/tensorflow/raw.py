"""raw_call: one of TensorFlow's operators, called by its name with keywords: tf.raw_ops.

Nodes of graphs that programs build themselves are in creating.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, Signature as Parameters
from typing import Any

from tensorlite.core.constant import Const
from tensorlite.core.dispatch import calls, constant, interpreted_by, to_tensor
from tensorlite.core.dtypes import DType, as_dtype, resource
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    MissingOperatorError,
)
from tensorlite.core.op import Effect
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.creating import created
from tensorlite.interop.tensorflow.signatures import Argument, Signature, signature_of
from tensorlite.ops.fetchable import Fetchable, ran
from tensorlite.ops.state.resource import ReadVariableOp

_SMALL = 64
_REDUCTIONS = ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")
_SPELLED = {
    **{reduction: {"axis": "reduction_indices"} for reduction in _REDUCTIONS},
    "ExpandDims": {"axis": "dim"},
    "Split": {"axis": "split_dim"},
    "SplitV": {"axis": "split_dim"},
    "Squeeze": {"axis": "squeeze_dims"},
    "Where": {"condition": "input"},
    "Select": {"x": "t", "y": "e"},
}
"""Keywords that Python has for arguments of other names."""


def raw_call(name: str, arguments: Mapping[str, Any]) -> Any:
    """Return the outputs of an operator of TensorFlow: a tensor, or a list of several.

    In a graph, what has no outputs returns what a session runs it by; None elsewhere.

    >>> print(raw_call("MatMul", {"a": [[1.0, 2.0]], "b": [[3.0, 4.0]], "transpose_b": True}))
    [[11.]]
    """
    signature = signature_of(name)
    if signature is None:
        raise MissingOperatorError(f"TensorFlow has no operator {name!r}")
    spelled = _SPELLED.get(name, {})
    given = {spelled.get(key, key): value for key, value in arguments.items()}
    title = given.pop("name", None) or name
    attributes = {
        key: _attribute(value, signature.attributes[key].kind)
        for key, value in given.items()
        if key in signature.attributes
        and (value is not None or signature.attributes[key].kind == "shape")
    }
    known = {one.name for one in signature.inputs} | set(signature.attributes)
    if set(given) - known or {one.name for one in signature.inputs} - set(given):
        raise InvalidArgumentError(
            f"{name} takes {sorted(known)} by keyword, and was given {sorted(given)}"
        )
    inputs = _inputs(signature, given, attributes)
    graph, node, stand_ins = _made(name, title, inputs, attributes)
    made, done = _replayed(graph, node, dict(zip(stand_ins, inputs, strict=True)))
    if not signature.outputs:
        return done
    if not any(one.number for one in signature.outputs):
        made = made[
            : len(signature.outputs)
        ]  # newer forms, which older are made by, have more
    return made[0] if len(made) == 1 else made


def raw_parameters(name: str) -> Parameters | None:
    """Return what TensorFlow's function of an operator takes: inputs, attributes and a name.

    >>> print(raw_parameters("MatMul"))
    (a, b, transpose_a=False, transpose_b=False, grad_a=False, grad_b=False, name=None)
    """
    signature = signature_of(name)
    if signature is None:
        return None
    written = {old: new for new, old in _SPELLED.get(name, {}).items()}
    told = {x for one in signature.inputs for x in (one.kind, one.number)}
    asked = {key: x for key, x in signature.attributes.items() if key not in told}
    kind = Parameter.POSITIONAL_OR_KEYWORD
    inputs = [one.name for one in signature.inputs]
    needed = [*inputs, *(key for key, x in asked.items() if not x.is_optional)]
    optional = {key: x.default for key, x in asked.items() if x.is_optional}
    return Parameters(
        [Parameter(written.get(key, key), kind) for key in needed]
        + [
            Parameter(written.get(key, key), kind, default=value)
            for key, value in (optional | {"name": None}).items()
        ]
    )


def raw_description(name: str) -> str:
    """Return what TensorFlow says of an operator: inputs, outputs, attributes, and their types.

    >>> print(raw_description("Rank"))
    TensorFlow's operator Rank.
    <BLANKLINE>
    Inputs: input (T)
    Outputs: output (int32)
    Attributes: T (type)
    """
    lines = [f"TensorFlow's operator {name}."]
    signature = signature_of(name)
    if signature is not None:
        told = {
            "Inputs": [f"{x.name} ({_kind(x)})" for x in signature.inputs],
            "Outputs": [f"{x.name} ({_kind(x)})" for x in signature.outputs],
            "Attributes": [
                f"{k} ({x.kind})" for k, x in signature.attributes.items()
            ],
        }
        lines += ["", *(f"{k}: {', '.join(x)}" for k, x in told.items() if x)]
    return "\n".join(lines)


def _kind(argument: Argument) -> str:
    """Return the dtype of an argument in words, and how many there are of it."""
    if argument.number == "*":
        return f"tensors of {argument.kind}"
    count = f"{argument.number} tensors of " if argument.number else ""
    return f"{count}{argument.kind}"


def _attribute(value: Any, kind: str) -> Any:
    if kind == "type":
        return as_dtype(value)
    if kind == "list(type)":
        return tuple([as_dtype(x) for x in value])
    if kind == "shape":
        return _shape(value)
    if kind == "list(shape)":
        return tuple([_shape(x) for x in value])
    if kind == "list(float)":
        return _numbers(value)
    return tuple(value) if isinstance(value, list) else value


def _numbers(value: Any) -> tuple[float, ...]:
    if not isinstance(value, (list, tuple)):
        raise DTypeError(f"an attribute takes a list of numbers, not {value!r}")
    return tuple([float(x) for x in value])


def _shape(value: Any) -> Shape:
    """Return sizes as a shape; those that do not say their number are None or an unknown shape."""
    if value is None or getattr(value, "ndims", 0) is None:
        return Shape(None)
    return Shape(tuple(value))


def _inputs(
    signature: Signature, given: Mapping[str, Any], attributes: dict[str, Any]
) -> list[Tensor]:
    """Return the tensors of all arguments, of the dtypes that they are asked to have."""
    found: list[Tensor] = []
    kinds: dict[str, DType] = {}
    for one in signature.inputs:
        values = given[one.name] if one.number else [given[one.name]]
        for value in values:
            x = _input(one, value, one.dtype(attributes) or kinds.get(one.kind))
            held = x.spec.inner[0] if one.is_reference and x.spec.inner else x
            kinds.setdefault(one.kind, held.dtype)
            found.append(x)
        if one.number and one.number != "*":
            attributes.setdefault(one.number, len(values))
    return found


def _input(argument: Argument, value: Any, wanted: DType | None) -> Tensor:
    """Return the tensor of an argument; the handle of a variable, where that is what it takes."""
    is_handle = isinstance(value, SymbolicTensor) and value.dtype is resource
    return value if argument.is_reference and is_handle else to_tensor(value, wanted)


def _made(
    name: str, title: str, inputs: list[Tensor], attributes: Mapping[str, Any]
) -> tuple[ManualGraph, Node, list[SymbolicTensor]]:
    """Return a graph of the operator alone, and what stands for its inputs there."""
    graph = ManualGraph()
    with interpreted_by(None), graph.as_default():
        stand_ins: Any = [_standing(graph, x) for x in inputs]
        node = created(graph, name, stand_ins, title, attributes)
    return graph, node, stand_ins


def _standing(graph: ManualGraph, x: Tensor) -> Tensor:
    """Return a constant for what is known and small: sizes, axes, switches and texts.

    For others it is a placeholder.
    """
    small = x.spec.size is not None and x.spec.size <= _SMALL
    if small and (x.dtype.is_integer or x.dtype.kind in "Sb"):
        if isinstance(x, EagerTensor):
            return constant(x.numpy())
        if isinstance(x, SymbolicTensor) and isinstance(x.node.op, Const):
            return constant(x.node.op.value)
    return graph.add_input(x.spec.without_value(), "Placeholder")


def _replayed(
    graph: ManualGraph, node: Node, values: dict[SymbolicTensor, Tensor]
) -> tuple[list[Tensor], Fetchable]:
    """Call each node of a graph again, where we are now.

    Return the outputs of one of them, and what a session fetches to run it.
    """
    done: dict[Node, Fetchable] = {}
    known = {(x.node, x.index): y for x, y in values.items()}
    used = {node, *(x.node for one in graph.nodes for x in one.inputs)}
    for one in graph.nodes:
        is_idle = isinstance(one.op, ReadVariableOp) and one not in used
        if (one, 0) in known or is_idle:
            continue
        with control_dependencies([x for y in one.control if (x := done.get(y))]):
            outputs = calls(one.op, *[known[x.node, x.index] for x in one.inputs])
        known.update({(one, i): y for i, y in enumerate(outputs)})
        done[one] = ran() if one is node or one.op.effect is Effect.WRITE else None
    return [known[x.node, x.index] for x in node.outputs], done[node]
