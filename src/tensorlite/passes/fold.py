"""fold: compute now what does not depend on the inputs."""

from __future__ import annotations

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.xp import Array
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.passes.rewrite import Copy, with_inner

LIMIT = 1 << 16
"""Bytes up to which a result is kept in the graph; larger ones are computed in every run."""


def fold(graph: Graph) -> Graph:
    """Return `graph` with results that are known in every run put in as constants.

    Known is what has constants only for inputs, and what inference knows without values: the shape
    of a tensor of static shape, and integers computed from it.
    """
    copy = Copy(Graph(graph.name))
    copy.inputs(graph)
    for node in graph.nodes:
        if node in copy.nodes:
            continue
        arrays = _known(node, copy)
        if arrays is None:
            copy.node(node, with_inner(node.op, fold))
        else:
            made = [_constant(copy.target, node, array) for array in arrays]
            copy.stand_in(node, made)
    return copy.finish(graph)


def _constant(target: Graph, node: Node, array: Array) -> SymbolicTensor:
    made = target.add(
        Const(array),
        (),
        device=node.device,
        group=node.group,
        name=node.name,
        line=node.line,
    )
    return made.outputs[0]


def _known(node: Node, copy: Copy) -> list[Array] | None:
    """Return the values of a node's outputs if they are the same in every run."""
    op = node.op
    if (
        op.role is not Role.PLAIN
        or op.effect is not Effect.NONE
        or isinstance(op, Const)
    ):
        return None
    if not node.outputs or any(id(x) not in copy.tensors for x in node.inputs):
        return None
    if node.control:
        return None  # a constant would wait for nothing, and what uses it neither
    inputs = [copy.tensors[id(x)] for x in node.inputs]
    inferred = _inferred(op, inputs)
    if inferred is not None:
        return inferred
    if not inputs or not all(isinstance(x.node.op, Const) for x in inputs):
        return None
    if any(_bytes(y) > LIMIT for y in node.outputs):
        return None
    return _computed(op, inputs)


def _inferred(op: Op, inputs: list[SymbolicTensor]) -> list[Array] | None:
    specs = op.infer(*[x.spec for x in inputs])
    specs = specs if isinstance(specs, tuple) else (specs,)
    arrays = []
    for spec in specs:
        value = spec.constant()
        if value is None or spec.shape not in ((), (len(value),)):
            return None
        arrays.append(np.asarray(value, spec.dtype.numpy).reshape(spec.shape))
    return arrays


def _bytes(x: SymbolicTensor) -> float:
    size = x.spec.size
    return float("inf") if size is None else size * x.dtype.itemsize


def _computed(op: Op, inputs: list[SymbolicTensor]) -> list[Array] | None:
    """Return what the kernel gives; None if it fails, as it then should where the user sees it."""
    try:
        result = op.kernel(np, *[_value(x) for x in inputs])
    except (TensorliteError, ArithmeticError, TypeError, ValueError):
        return None
    arrays = result if type(result) is tuple else (result,)
    if not all(isinstance(array, (np.ndarray, np.generic)) for array in arrays):
        return None
    return [np.array(array) for array in arrays]


def _value(x: SymbolicTensor) -> Array:
    assert isinstance(x.node.op, Const)
    return x.node.op.value
