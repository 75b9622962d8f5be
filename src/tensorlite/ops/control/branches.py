"""cond, switch_case, case: one of several functions runs, chosen by a tensor. Loops: loops.py.

Eagerly these are Python's own; in a trace each branch is traced and becomes a graph of an If.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tensorlite.core import dtypes, nest, operand
from tensorlite.core.check import a_function
from tensorlite.core.constant import Const, array_of
from tensorlite.core.dispatch import calls, to_tensor, tracer
from tensorlite.core.dtypes import DType, as_dtype, promote, weak
from tensorlite.core.errors import (
    BranchError,
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    StructureError,
)
from tensorlite.core.op import Effect
from tensorlite.core.operand import Operand
from tensorlite.core.provenance import user_line
from tensorlite.core.scope import control_dependencies, scope
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.trace import Tracer
from tensorlite.ops.arrays.shape import Cast
from tensorlite.ops.control.regions import If

__all__: list[str] = []

T = TypeVar("T")
Captures = dict[int, tuple[Tensor, SymbolicTensor]]
NUMBERS = (bool, int, float, complex)


@dataclass
class Traced:
    """A traced branch or body: its graph, what it captured, and the structure it returned."""

    graph: Graph
    captures: Captures
    result: Any
    leaves: list[Any]
    """The result's leaves: tensors of the graph, and Python values as they were."""


def trace_leaves(
    tracer_: Tracer, function: Callable[..., Any], arguments: Sequence[Any]
) -> Traced:
    """Return the trace of a function that gives a structure of tensors and Python values."""
    with tracer_:
        result = function(*arguments)
        leaves = [
            tracer_.own(to_tensor(leaf)) if is_tensor_like(leaf) else leaf
            for leaf in nest.flatten(result)
        ]
    tracer_.graph.effects = list(tracer_.effects)
    tracer_.graph.open = False
    return Traced(tracer_.graph, tracer_.captures, result, leaves)


def is_tensor_like(leaf: object) -> bool:
    """Return whether a leaf is a tensor, variable or array (not a Python number)."""
    return isinstance(leaf, (Operand, np.ndarray, np.generic))


def as_condition(pred: TensorLike, what: str) -> Tensor:
    """Return a predicate as a 0-d bool tensor; an error when it has more elements."""
    tensor = to_tensor(pred)
    if tensor.spec.shape not in ((), None):
        raise ShapeError(
            f"{what} has shape {tensor.shape} and must have one element; reduce it with tl.all "
            "or tl.any"
        )
    if tensor.dtype is dtypes.bool_:
        return tensor
    if not tensor.dtype.is_numeric:
        raise DTypeError(f"{what} is {tensor.spec}; it must be a bool or a number")
    return operand.operators.not_equal(tensor, 0)


def label(names: Sequence[str], path: str) -> str:
    """Return how a leaf is called in messages: by the variable's name, where names are given."""
    if names and path.startswith("["):
        place, _, rest = path[1:].partition("]")
        if place.isdigit() and int(place) < len(names):
            return f"{names[int(place)]!r}{rest}"
    return path or "the result"


def cond(
    pred: TensorLike,
    true_fn: Callable[[], T],
    false_fn: Callable[[], T],
    names: Sequence[str] = (),
) -> T:
    """Return what `true_fn` gives if `pred` holds, else what `false_fn` gives.

    A Python bool decides at once, also in a trace. A tensor in a trace makes an If with both
    branches, which must return like structures with equal dtypes; BranchError tells which of them
    (by `names`, where given) is not. Sizes may differ and are then unknown.

    >>> x = tl.asarray(3.0)
    >>> print(tl.cond(x > 0, lambda: x * 2, lambda: -x))
    6.0
    """
    a_function(true_fn, "cond: true_fn")
    a_function(false_fn, "cond: false_fn")
    if isinstance(pred, (bool, np.bool_)):
        return true_fn() if pred else false_fn()
    predicate = as_condition(pred, "the predicate of cond")
    if tracer() is None:
        return true_fn() if predicate else false_fn()
    tracers = Tracer("then"), Tracer("else")
    then = trace_leaves(tracers[0], true_fn, ())
    other = trace_leaves(tracers[1], false_fn, ())
    # What stands outside, and a branch waits for, runs whichever branch does.
    with waiting_for([*tracers[0].awaited, *tracers[1].awaited]):
        joined: T = _joined(predicate, then, other, names)
    return joined


def waiting_for(outside: Iterable[Node]) -> AbstractContextManager[None]:
    """Make what is traced inside the block wait for nodes that stand around its graphs."""
    asked = {id(x) for x in scope.get().control}
    return control_dependencies(
        [x for x in dict.fromkeys(outside) if id(x) not in asked]
    )


def _joined(pred: Tensor, then: Traced, other: Traced, names: Sequence[str]) -> Any:
    try:
        nest.assert_same(then.result, other.result)
    except StructureError as error:
        raise BranchError(
            f"the branches at {user_line()} return unlike structures: {error}"
        ) from (None)
    for place in _indices(then.result):
        _widen_indices(then, other, place)
    paths = [label(names, path) for path in nest.paths(then.result)]
    leaves = [
        _meeting(then, other, i, path)
        for i, path in zip(range(len(paths)), paths, strict=True)
    ]
    places = [i for i, leaf in enumerate(leaves) if leaf is None]
    captured = give_inputs([then, other], [[], []])
    for traced in (then, other):
        traced.graph.outputs = [traced.leaves[i] for i in places]
    op = If(then.graph, other.graph)
    if not places and op.effect.value <= Effect.READ.value:
        return then.result
    outputs = iter(calls(op, pred, *captured))
    merged = [next(outputs) if leaf is None else leaf.value for leaf in leaves]
    return nest.pack_like(then.result, merged)


def _indices(result: Any, first: int = 0) -> Iterator[int]:
    """Yield the places, among the leaves of a result, of the indices of slices."""
    if isinstance(result, IndexedSlices):
        yield first + 1
    elif nest.is_nested(result):
        for part in nest.children(result):
            yield from _indices(part, first)
            first += len(nest.flatten(part))


def _widen_indices(then: Traced, other: Traced, place: int) -> None:
    """Let indices be int64 in both branches if they are in one, and int32 in the other."""
    found = [x.leaves[place] for x in (then, other)]
    kinds = {x.dtype for x in found if isinstance(x, SymbolicTensor)}
    if kinds != {dtypes.int32, dtypes.int64}:
        return
    for traced, leaf in zip((then, other), found, strict=True):
        if leaf.dtype is dtypes.int32:
            cast = traced.graph.add(Cast(dtypes.int64), (leaf,))
            traced.leaves[place] = cast.outputs[0]


@dataclass(frozen=True)
class _Same:
    """A Python value that both branches return."""

    value: Any


def _meeting(then: Traced, other: Traced, place: int, path: str) -> _Same | None:
    """Return the Python value that both branches give; None when they give tensors, made here."""
    a, b = then.leaves[place], other.leaves[place]
    if (
        not isinstance(a, SymbolicTensor)
        and type(a) is type(b)
        and (a is b or a == b)
    ):
        return _Same(a)
    dtype = _common_dtype(a, b)
    if dtype is None:
        raise BranchError(
            f"{path} is {describe(a)} in one branch and {describe(b)} in the other, in the "
            f"conditional at {user_line()}; make both of one kind, with tl.astype if dtypes differ"
        )
    for traced in (then, other):
        leaf = traced.leaves[place]
        if not isinstance(leaf, SymbolicTensor):
            node = traced.graph.add(const_of(leaf, dtype), ())
            traced.leaves[place] = node.outputs[0]
    return None


def _common_dtype(a: Any, b: Any) -> DType | None:
    """Return the dtype in which two leaves meet without a tensor being cast, or None."""
    if isinstance(a, SymbolicTensor) and isinstance(b, SymbolicTensor):
        return a.dtype if a.dtype is b.dtype else None
    if isinstance(a, SymbolicTensor):
        return a.dtype if isinstance(b, NUMBERS) and number_fits(b, a.dtype) else None
    if isinstance(b, SymbolicTensor):
        return _common_dtype(b, a)
    if not isinstance(a, NUMBERS) or not isinstance(b, NUMBERS):
        return None
    if isinstance(a, bool) is not isinstance(b, bool):
        return None
    return promote(as_dtype(type(a)), as_dtype(type(b)))


def const_of(number: Any, dtype: DType) -> Const:
    """Return the operator that makes a Python number a tensor."""
    return Const(array_of(number, dtype))


def number_fits(number: complex, dtype: DType) -> bool:
    """Return whether a Python number adapts to a tensor of `dtype` without casting that."""
    if isinstance(number, bool) or dtype is dtypes.bool_:
        return isinstance(number, bool) and dtype is dtypes.bool_
    return dtype.is_numeric and weak(number, dtype) is dtype


def describe(leaf: Any) -> str:
    """Return a leaf as text for messages."""
    return str(leaf.spec) if isinstance(leaf, SymbolicTensor) else repr(leaf)


def give_inputs(
    traces: list[Traced], own: list[list[SymbolicTensor]]
) -> list[Tensor]:
    """Give graphs the same inputs, their `own` and all captures; return what is captured."""
    union = {
        key: outer for traced in traces for key, (outer, _) in traced.captures.items()
    }
    for traced, first in zip(traces, own, strict=True):
        inner = [
            traced.captures[key][1]
            if key in traced.captures
            else traced.graph.add_input(outer.spec.without_value(), "unused")
            for key, outer in union.items()
        ]
        traced.graph.inputs = [*first, *inner]
    return list(union.values())


def switch_case(
    index: TensorLike,
    branches: Sequence[Callable[[], T]],
    default: Callable[[], T] | None = None,
) -> T:
    """Return what the function at place `index` gives; any other index runs the default.

    Without a default the last function stands for it. The choice takes as many steps as the
    logarithm of the number of branches.

    >>> print(tl.switch_case(tl.asarray(1), [lambda: tl.asarray(10), lambda: tl.asarray(20)]))
    20
    """
    if not branches:
        raise InvalidArgumentError("switch_case needs at least one branch")
    functions = [*branches, branches[-1] if default is None else default]
    last = len(functions) - 1
    if isinstance(index, int):
        return functions[index if 0 <= index < last else last]()
    place = to_tensor(index)
    if not place.dtype.is_integer:
        raise DTypeError(
            f"switch_case: the index is {place.spec}, and must be an integer"
        )
    return cond(
        place < 0,
        functions[last],
        lambda: _chosen(place, functions, 0, len(functions)),
    )


def _chosen(
    place: Tensor, functions: list[Callable[[], T]], first: int, end: int
) -> T:
    if end - first == 1:
        return functions[first]()
    middle = (first + end) // 2
    return cond(
        place < middle,
        lambda: _chosen(place, functions, first, middle),
        lambda: _chosen(place, functions, middle, end),
    )


def case(
    pairs: Sequence[tuple[TensorLike, Callable[[], T]]],
    default: Callable[[], T] | None = None,
) -> T:
    """Return what the function of the first predicate that holds gives, or the default's.

    Without a default the last pair's function runs when no predicate before it holds.

    >>> x = tl.asarray(5.0)
    >>> print(tl.case([(x < 0, lambda: -x), (x < 9, lambda: x * 2)], default=lambda: x))
    10.0
    """
    if not pairs:
        if default is None:
            raise InvalidArgumentError("case needs at least one pair, or a default")
        return default()
    (pred, function), *rest = pairs
    if not rest and default is None:
        return function()
    return cond(pred, function, lambda: case(rest, default))
