"""Gradients as TensorFlow 1 writes them into graphs: nodes and names are its own.

How those of single operators are written stands in the modules beside this one, by what they are
of; operators that none of them names are differentiated as everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.v1.derivatives.slices import Flow, name_operands
from tensorlite.compat.v1.graphs.together import together
from tensorlite.compat.views import (
    GraphTensor,
    Operation,
    in_graph,
    operation,
    own_view,
    plain,
    shown,
)
from tensorlite.core.dispatch import calls
from tensorlite.core.op import Call, Gradient, Op, Role
from tensorlite.core.scope import scope
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.graph import name_scope, titled
from tensorlite.interop.tensorflow.inspection.expanding import is_rebuilt
from tensorlite.ops.arrays.create import ZerosLike
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.sparse.slices import densify

Written = Callable[..., Any]
"""Returns gradients of an operation's inputs, given it and those of its outputs."""
WRITTEN: dict[str, Written] = {}
"""By the names of operators."""
_COMPLEX: set[str] = set()
"""Operators of which the gradients are written of complex numbers, too."""


def gradient_of(
    *operators: str, of_complex: bool = False
) -> Callable[[Written], Written]:
    """Return a decorator of functions that write the gradients of some operators.

    One that returns fewer gradients than there are inputs says None of the rest; NotImplemented
    leaves it to the operator. Only what is `of_complex` is asked where a number is complex.
    """

    def decorate(function: Written) -> Written:
        WRITTEN.update(dict.fromkeys(operators, function))
        _COMPLEX.update(operators if of_complex else ())
        return function

    return decorate


def written(
    call: Call, node: Node, dys: Sequence[Gradient], own: Written | None = None
) -> Sequence[Gradient]:
    """Return the gradients of a node's inputs, as TensorFlow writes them if we know how.

    `own` is the function that the program has for just this node.
    """
    function = own or WRITTEN.get(call.op.name)
    if own is not None or call.op.role is not Role.PLAIN:
        dys = [_dense(call, dy) for dy in dys]
    if call.op.name == "CustomGradient":
        dys = _without_gaps(node, dys)
    if function is None or (own is None and not _is_written(call)):
        return _called_as_there(call, _of_operator(call, dys), dys)
    flows = [
        Flow(dy) if isinstance(dy, IndexedSlices) else dy
        for dy in _without_gaps(node, dys)
    ]
    made = function(_asked(node), *shown(flows))
    if made is NotImplemented:
        return _called_as_there(call, _of_operator(call, dys), dys)
    several = list(made) if isinstance(made, (list, tuple)) else [made]
    found = plain([x.slices if isinstance(x, Flow) else x for x in several])
    for flow in flows:
        if isinstance(flow, Flow):
            name_operands(flow)
    for x, dx in zip(node.inputs, found, strict=False):
        if isinstance(dx, SymbolicTensor) and not dx.spec.is_static:
            dx.set_shape(x.spec.shape)
    return [*found, *[None] * (len(node.inputs) - len(found))]


class _Running(Operation):
    """An operation of which the inputs are what it takes when it runs, however it is written."""

    @property
    def inputs(self) -> list[GraphTensor]:
        """Tensors that the operation takes."""
        return [own_view(x) for x in self.node.inputs]

    _inputs = inputs


def _asked(node: Node) -> Operation:
    """Return what functions that write gradients are given for a node.

    Those of one that is itself of a gradient compute with what the graph has: the tensors of it
    as it is written anew are no graph's that runs.
    """
    return _Running(node) if is_rebuilt(node) else operation(node)


_CALLED = {
    "Svd": ("MatMul_5",),
}
"""What TensorFlow calls gradients that are found in another way here."""


def _called_as_there(
    call: Call, found: Sequence[Gradient], dys: Sequence[Gradient]
) -> Sequence[Gradient]:
    """Return gradients, those that TensorFlow finds in another way by the names they have there."""
    for dx, name in zip(found, _CALLED.get(call.op.name, ()), strict=False):
        if isinstance(dx, SymbolicTensor) and not any(dx is dy for dy in dys):
            titled(dx, name)
    return found


def _of_operator(call: Call, dys: Sequence[Gradient]) -> Sequence[Gradient]:
    """Return an operator's own gradients, of sparse ones made dense where it takes none."""
    flow = dys[0] if dys else None
    if not isinstance(flow, IndexedSlices) or call.op.takes_sparse:
        return call.op.grad(call, *dys)
    sparse = Flow(flow)
    dense = sparse.__tensor__()
    found = call.op.grad(call, dense, *[_dense(call, dy) for dy in dys[1:]])
    name_operands(sparse)
    return [flow if dx is dense else dx for dx in found]


def _dense(call: Call, dy: Gradient) -> Gradient:
    """Return a gradient as an operator's own one takes it."""
    if isinstance(dy, IndexedSlices) and not call.op.takes_sparse:
        return densify(dy)
    return dy


def _is_written(call: Call) -> bool:
    """Return whether gradients are of numbers that are written of."""
    if call.op.name in _COMPLEX:
        return True
    return not any(x.dtype.is_complex for x in (*call.inputs, *call.outputs))


def _without_gaps(node: Node, dys: Sequence[Gradient]) -> list[Gradient]:
    """Return gradients of outputs, zeros for those of which there are none."""
    if None not in dys:
        return list(dys)
    around = scope.get().name.removesuffix(f"{node.name}_grad")
    filled = []
    with name_scope(around or None):
        for y, dy in zip(node.outputs, dys, strict=True):
            is_missing = dy is None and y.dtype.is_differentiable
            filled.append(_zeros_like(y) if is_missing else dy)
    return filled


def _zeros_like(x: SymbolicTensor) -> Any:
    return plain(in_graph(lambda: calls(ZerosLike(), x)[0], "zeros_like"))


def gated(found: Sequence[Gradient]) -> Sequence[Gradient]:
    """Return gradients of one node's inputs which wait for each other, in name.

    Variables that were read do not change any more: there is nothing to wait for.
    """
    if sum(dx is not None for dx in found) < 2:
        return found
    with name_scope("tuple"):
        return together(found, NoOp(orders=False))


def operator(op: Op, *inputs: Any, name: str = "") -> Any:
    """Return the outputs of an operator, as one that a program calls by its name."""

    def made() -> Any:
        outputs = calls(op, *plain(list(inputs)))
        return outputs[0] if len(outputs) == 1 else outputs

    return in_graph(made, name or op.name)
