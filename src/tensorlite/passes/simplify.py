"""simplify: rules of algebra, each a function whose docstring says what becomes what.

A rule may not change a value: not for NaN, infinities or overflow (x * 0 is not 0, and x / x is not
1), nor the shape or dtype. The sign of a zero is the one liberty taken (x + 0 for x = -0.0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tensorlite.core.constant import Const
from tensorlite.core.dtypes import DType
from tensorlite.core.op import Op
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.arrays.arrange import Transpose
from tensorlite.ops.arrays.create import Fill
from tensorlite.ops.arrays.identity import Identity
from tensorlite.ops.arrays.shape import Cast, Reshape
from tensorlite.ops.arrays.slicing import StridedSlice
from tensorlite.ops.linear.matmul import MatMul
from tensorlite.ops.math.arithmetic import (
    AddN,
    AddV2,
    BroadcastTo,
    Conj,
    Mul,
    Neg,
    RealDiv,
    Sub,
    Sum,
)
from tensorlite.ops.math.compare import LogicalNot, SelectV2
from tensorlite.passes.rewrite import Rule, Rules, apply, rewrite, rule as _rule

RULES: Rules = {}


def simplify(graph: Graph) -> Graph:
    """Return `graph` with the rules of this module applied until none applies any more."""
    return rewrite(graph, RULES)


def rule(*ops: type[Op]) -> Callable[[Rule], Rule]:
    """Enter a function as a rule for nodes that apply one of `ops`."""
    return _rule(RULES, *ops)


def value_of(x: SymbolicTensor) -> np.ndarray[Any, Any] | None:
    """Return the value of a tensor that is a constant of its graph, or None."""
    op = x.node.op
    return op.value if isinstance(op, Const) else None


def is_all(x: SymbolicTensor, number: float) -> bool:
    """Return whether a tensor surely equals `number` everywhere: a constant, or filled with one."""
    if isinstance(x.node.op, Fill):
        return is_all(x.node.inputs[1], number)
    value = value_of(x)
    return (
        value is not None and value.dtype != object and bool(np.all(value == number))
    )


def is_same(x: SymbolicTensor, node: Node) -> bool:
    """Return whether `x` surely has the shape and dtype of the output of `node`."""
    out = node.outputs[0].spec
    if x.dtype is not out.dtype:
        return False
    scalars = all(y is x or y.spec.shape == () for y in node.inputs)
    return (x.spec.is_static and x.spec.shape == out.shape) or scalars


@rule(AddV2)
def drop_added_zero(node: Node) -> SymbolicTensor | None:
    """Rewrite x + 0 -> x;  0 + x -> x."""
    x, y = node.inputs
    if is_all(y, 0) and is_same(x, node):
        return x
    return y if is_all(x, 0) and is_same(y, node) else None


@rule(Sub)
def drop_subtracted_zero(node: Node) -> SymbolicTensor | None:
    """Rewrite x - 0 -> x;  0 - x -> -x."""
    x, y = node.inputs
    if is_all(y, 0) and is_same(x, node):
        return x
    return apply(node, Neg(), y) if is_all(x, 0) and is_same(y, node) else None


@rule(Mul)
def drop_factor_one(node: Node) -> SymbolicTensor | None:
    """Rewrite x * 1 -> x;  1 * x -> x."""
    x, y = node.inputs
    if is_all(y, 1) and is_same(x, node):
        return x
    return y if is_all(x, 1) and is_same(y, node) else None


@rule(RealDiv)
def drop_divisor_one(node: Node) -> SymbolicTensor | None:
    """Rewrite x / 1 -> x."""
    x, y = node.inputs
    return x if is_all(y, 1) and is_same(x, node) else None


@rule(AddV2)
def subtract_negative(node: Node) -> SymbolicTensor | None:
    """Rewrite x + -y -> x - y;  -x + y -> y - x."""
    match node:
        case Node(AddV2(), (x, SymbolicTensor(Node(Neg(), (y,))))):
            return apply(node, Sub(), x, y)
        case Node(AddV2(), (SymbolicTensor(Node(Neg(), (x,))), y)):
            return apply(node, Sub(), y, x)
    return None


@rule(Sub)
def add_negative(node: Node) -> SymbolicTensor | None:
    """Rewrite x - -y -> x + y."""
    match node:
        case Node(Sub(), (x, SymbolicTensor(Node(Neg(), (y,))))):
            return apply(node, AddV2(), x, y)
    return None


@rule(Neg, Conj, LogicalNot)
def cancel_twice(node: Node) -> SymbolicTensor | None:
    """Rewrite -(-x) -> x;  conj(conj(x)) -> x;  not (not x) -> x."""
    match node:
        case Node(op, (SymbolicTensor(Node(same, (x,))),)) if op == same:
            return x
    return None


@rule(Identity)
def drop_identity(node: Node) -> SymbolicTensor | None:
    """Rewrite identity(x) -> x, unless it is there to copy between devices."""
    (x,) = node.inputs
    return x if x.node.device == node.device else None


@rule(AddN)
def unpack_sum(node: Node) -> SymbolicTensor | None:
    """Rewrite add_n([x]) -> x;  add_n([x, y]) -> x + y, for arrays."""
    match node.inputs:
        case (x,):
            return x
        case (x, y) if (
            x.dtype.is_numeric and x.spec.is_static and x.spec.shape == y.spec.shape
        ):
            return apply(node, AddV2(), x, y)
    return None


@rule(Transpose)
def merge_transposes(node: Node) -> SymbolicTensor | None:
    """Rewrite transpose(x, identity) -> x;  transpose(transpose(x, p), q) -> transpose(x, p[q])."""
    order = node.inputs[1].spec.constant()
    if order is None or min(order, default=0) < 0:
        return None
    if order == tuple(range(len(order))):
        return node.inputs[0]
    match node:
        case Node(Transpose(), (SymbolicTensor(Node(Transpose(), (x, first))), _)):
            before = first.spec.constant()
            if before is not None and min(before, default=0) >= 0:
                merged = np.asarray([before[axis] for axis in order], np.int32)
                return apply(node, Transpose(), x, apply(node, Const(merged)))
    return None


@rule(Reshape)
def merge_reshapes(node: Node) -> SymbolicTensor | None:
    """Rewrite reshape(x, shape of x) -> x;  reshape(reshape(x, s), t) -> reshape(x, t)."""
    x, shape = node.inputs
    out = node.outputs[0].spec
    if x.spec.is_static and x.spec.shape == out.shape:
        return x
    match x:
        case SymbolicTensor(Node(Reshape(), (source, _))):
            return apply(node, Reshape(), source, shape)
    return None


@rule(StridedSlice)
def drop_unread_ends(node: Node) -> SymbolicTensor | None:
    """Rewrite x[i:i+1], of which one element is taken -> x[i:1], as its end is not read."""
    x, begin, end, strides = node.inputs
    op, shape = node.op, strides.spec.shape
    if not isinstance(op, StridedSlice) or not shape or shape[0] is None:
        return None
    known = value_of(end) is not None or value_of(strides) is None
    if known or end.dtype is not strides.dtype or op.reads_ends(shape[0]):
        return None
    return apply(node, op, x, begin, strides, strides)


@rule(BroadcastTo)
def drop_broadcast(node: Node) -> SymbolicTensor | None:
    """Rewrite broadcast_to(x, shape of x) -> x."""
    x, out = node.inputs[0].spec, node.outputs[0].spec
    return node.inputs[0] if x.is_static and x.shape == out.shape else None


@rule(Sum)
def drop_empty_sum(node: Node) -> SymbolicTensor | None:
    """Rewrite sum(x, over no axes) -> x."""
    return node.inputs[0] if node.inputs[1].spec.constant() == () else None


@rule(Cast)
def merge_casts(node: Node) -> SymbolicTensor | None:
    """Rewrite cast(x, its dtype) -> x;  cast(cast(x, wider), t) -> cast(x, t)."""
    match node:
        case Node(Cast(to), (x,)) if x.dtype is to:
            return x
        case Node(Cast() as op, (SymbolicTensor(Node(Cast(middle), (x,))),)):
            if is_exact(x.dtype, middle):
                return apply(node, op, x)
    return None


def is_exact(source: DType, target: DType) -> bool:
    """Return whether every value of one dtype is one of the other's, of the same kind."""
    kinds = source.kind == target.kind and source.kind in "iufc"
    return kinds and bool(np.can_cast(source.numpy, target.numpy, "safe"))


@rule(MatMul)
def absorb_transpose(node: Node) -> SymbolicTensor | None:
    """Rewrite matmul(transpose(x), y) -> matmul(x, y, transpose_a=True), and likewise for y."""
    match node:
        case Node(MatMul() as op, (SymbolicTensor(Node(Transpose(), (x, order))), y)):
            if order.spec.constant() == (1, 0):
                return apply(node, replace(op, transpose_a=not op.transpose_a), x, y)
    match node:
        case Node(MatMul() as op, (x, SymbolicTensor(Node(Transpose(), (y, order))))):
            if order.spec.constant() == (1, 0):
                return apply(node, replace(op, transpose_b=not op.transpose_b), x, y)
    return None


@rule(SelectV2)
def choose_decided(node: Node) -> SymbolicTensor | None:
    """Rewrite where(true, x, y) -> x;  where(false, x, y) -> y."""
    condition, x, y = node.inputs
    for truth, chosen in ((1, x), (0, y)):
        same = (
            chosen.spec.is_static and chosen.spec.shape == node.outputs[0].spec.shape
        )
        if same and is_all(condition, truth):
            return chosen
    return None
