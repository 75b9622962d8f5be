"""What tests hold results against: finite differences, and a plain interpreter of graphs.

Nothing here knows an operator by name; the tables of cases are in cases/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core import operand
from tensorlite.core.dispatch import Interpreter, Tensors, run
from tensorlite.core.op import Op, Role
from tensorlite.core.tensor import EagerTensor, IndexedSlices, Tensor
from tensorlite.core.xp import to_host
from tensorlite.graph.graph import Graph
from tensorlite.graph.tape import GradientTape

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]
STEP = 1e-6


class Recorder(Interpreter):
    """Runs operators as they would run, and keeps each call."""

    def __init__(self) -> None:
        self.calls: list[tuple[Op, Tensors, Tensors]] = []

    def apply(self, op: Op, inputs: Tensors) -> Tensors:
        outputs = run(self.below, op, inputs)
        self.calls.append((op, inputs, outputs))
        return outputs


def outputs_of(result: Any) -> list[Tensor]:
    """Return what a function of tensors returned as a list of tensors."""
    found = tl.nest.flatten(result) if hasattr(tl, "nest") else _flat(result)
    return [tl.asarray(x) for x in found]


def _flat(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [leaf for member in result for leaf in _flat(member)]
    return [result]


def host(x: Any) -> Array:
    """Return the value of a tensor, or an array, as a NumPy array."""
    if isinstance(x, IndexedSlices):
        x = operand.operators.densify(x)
    return to_host(x.array) if isinstance(x, Tensor) else np.asarray(x)


def run_graph(graph: Graph, given: Sequence[Any]) -> list[Any]:
    """Return the outputs of a graph without regions, its nodes run one by one on NumPy arrays."""
    values = {
        id(x): value.array if isinstance(value, Tensor) else value
        for x, value in zip(graph.inputs, given, strict=True)
    }
    for node in graph.nodes:
        if node.op.role is Role.INPUT:
            continue
        assert node.op.role is Role.PLAIN, f"{node} needs a runner"
        result = node.op.kernel(np, *[values[id(x)] for x in node.inputs])
        results = result if type(result) is tuple else (result,)
        for y, value in zip(node.outputs, results, strict=True):
            plain = isinstance(value, np.generic) or np.isscalar(value)
            values[id(y)] = np.asarray(value) if plain else value
    return [values[id(x)] for x in graph.outputs]


def pullback(
    function: Function, xs: Sequence[Tensor], flows: Sequence[Any]
) -> list[Any]:
    """Return the gradient for each of `xs` of a function's outputs, into which `flows` come."""
    with GradientTape() as tape:
        sources = [x for x in xs if x.dtype.is_differentiable]
        for x in sources:
            tape.watch(x)
        ys = outputs_of(function(*xs))
    found = iter(tape.gradient(ys, sources, output_gradients=list(flows)))
    return [next(found) if x.dtype.is_differentiable else None for x in xs]


def check_gradient(
    function: Function,
    *arrays: Array,
    order: int = 2,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    seed: int = 0,
) -> None:
    """Hold the gradients of a function of tensors against central finite differences.

    Every operand of dtype float64 or complex128 is moved along a random direction, all the others
    resting; the outputs are projected on random numbers. For order two, the gradient itself is
    such a function, of the operands and of what flows into it. Raises AssertionError.
    """
    rng = np.random.default_rng(seed)
    ys = [host(y) for y in outputs_of(function(*map(tl.asarray, arrays)))]
    flows = [_like(y, rng) if y.dtype.kind in "fc" else None for y in ys]
    if not any(flow is not None for flow in flows):
        raise AssertionError("no output is differentiable")
    _first_order(function, arrays, flows, rng, rtol, atol, "gradient")
    if order > 1:
        _second_order(function, arrays, flows, rng, rtol, atol)


def _second_order(
    function: Function,
    arrays: Sequence[Array],
    flows: list[Any],
    rng: Any,
    rtol: float,
    atol: float,
) -> None:
    present = [i for i, flow in enumerate(flows) if flow is not None]
    count = len(arrays)
    given = [flows[i] for i in present]
    kept = _connected(function, arrays, flows)

    def gradient(*operands: Tensor) -> list[Tensor]:
        full: list[Any] = [None] * len(flows)
        for i, flow in zip(present, operands[count:], strict=True):
            full[i] = flow
        found = pullback(function, operands[:count], full)
        return [dense(found[i]) for i in kept]

    if kept:
        both = [*arrays, *given]
        inner = [_like(arrays[i], rng) for i in kept]
        _first_order(gradient, both, inner, rng, rtol, atol, "second gradient")


def _connected(
    function: Function, arrays: Sequence[Array], flows: list[Any]
) -> list[int]:
    found = pullback(function, [tl.asarray(x) for x in arrays], flows)
    return [i for i, g in enumerate(found) if g is not None]


def dense(g: Any) -> Tensor:
    """Return a gradient as a tensor, with all its rows."""
    return operand.operators.densify(g) if isinstance(g, IndexedSlices) else g


def _first_order(
    function: Function,
    arrays: Sequence[Array],
    flows: Sequence[Any],
    rng: Any,
    rtol: float,
    atol: float,
    what: str,
) -> None:
    gradients = pullback(function, [tl.asarray(x) for x in arrays], flows)
    for i, (x, g) in enumerate(zip(arrays, gradients, strict=True)):
        if x.dtype.kind not in "fc":
            continue
        value = np.zeros_like(x) if g is None else host(g)
        assert value.shape == x.shape, (
            f"{what} {i}: shape {value.shape}, operand {x.shape}"
        )
        assert value.dtype == x.dtype, (
            f"{what} {i}: dtype {value.dtype}, operand {x.dtype}"
        )
        direction = _like(x, rng)
        expected = _slope(function, arrays, i, direction, flows)
        found = _dot(value, direction)
        scale = abs(expected) + float(np.abs(value * direction).sum())
        assert abs(found - expected) <= atol + rtol * scale, (
            f"{what} of operand {i} along {direction}: {found}, by finite differences {expected}"
        )


def _slope(
    function: Function,
    arrays: Sequence[Array],
    i: int,
    direction: Array,
    flows: Sequence[Any],
) -> float:
    def projected(step: float) -> float:
        moved = [x + step * direction if j == i else x for j, x in enumerate(arrays)]
        ys = outputs_of(function(*map(tl.asarray, moved)))
        pairs = zip(ys, flows, strict=True)
        return sum(_dot(flow, host(y)) for y, flow in pairs if flow is not None)

    return (projected(STEP) - projected(-STEP)) / (2 * STEP)


def _dot(a: Array, b: Array) -> float:
    """Return the real inner product of two arrays, complex numbers being pairs of reals."""
    return float(np.real(np.conj(a) * b).sum())


def _like(x: Array, rng: Any) -> Array:
    values = rng.uniform(0.5, 1.5, x.shape) * rng.choice([-1.0, 1.0], x.shape)
    if x.dtype.kind == "c":
        values = values + 1j * rng.uniform(-1.5, 1.5, x.shape)
    return np.asarray(values).astype(x.dtype)


def eager(x: Array) -> EagerTensor:
    """Return a tensor of a copy of `x`."""
    return EagerTensor(x.copy())
