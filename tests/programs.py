"""Programs with control flow that every runner must run alike, and the means to do so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.tensor import EagerTensor
from tensorlite.graph.graph import Graph
from tensorlite.graph.trace import trace
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.passes.pipeline import COMPILE, OPTIMISE, run_passes
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.step import run_plan
from tests.interpreter import run_graph

Arrays = tuple[np.ndarray[Any, Any], ...]
INT, FLOAT = tl.TensorSpec((), tl.int32), tl.TensorSpec((), tl.float32)


def graph_of(function: Callable[..., Any], specs: Sequence[tl.TensorSpec]) -> Graph:
    """Return the graph of a function that captures nothing and returns tensors."""

    def flat(*args: tl.Tensor) -> list[tl.Tensor]:
        result = function(*args)
        return list(result) if isinstance(result, (tuple, list)) else [result]

    traced = trace(flat, specs)
    assert not traced.captured
    return traced.graph


def results(graph: Graph, arrays: Arrays) -> dict[str, Arrays]:
    """Return what each way of running a graph gives, by name."""
    optimised = run_passes(graph, OPTIMISE, verified=True)
    lowered = run_passes(graph, COMPILE, verified=True)
    ways = {
        "structured": (compile_plan(graph), None),
        "optimised": (compile_plan(optimised), "structured"),
        "lowered": (compile_plan(lowered), "frames"),
        "regions in frames": (compile_plan(optimised), "frames"),
    }
    return {
        name: run_plan(plan, arrays, runner) for name, (plan, runner) in ways.items()
    }


def assert_all_agree(graph: Graph, arrays: Arrays) -> Arrays:
    """Assert that every way of running a graph gives what the interpreter gives; return that."""
    expected = tuple(
        [y.array for y in run_graph(graph, [EagerTensor(x) for x in arrays])]
    )
    for name, found in results(graph, arrays).items():
        assert len(found) == len(expected), name
        for x, y in zip(found, expected, strict=True):
            assert x.dtype == y.dtype, name
            assert x.shape == y.shape, name
            np.testing.assert_allclose(x, y, rtol=1e-6, err_msg=name)
    return expected


def collatz(n: tl.Tensor) -> tl.Tensor:
    """Return how many turns it takes to come to 1."""

    def turn(n: tl.Tensor, turns: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        even = tl.equal(n % 2, 0)
        return cond(even, lambda: n // 2, lambda: 3 * n + 1), turns + 1

    return while_loop(lambda n, _: n > 1, turn, (n, tl.asarray(0)))[1]


def nested(n: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
    """Return what a loop in a loop, with an invariant and a conditional, comes to."""

    def outer(i: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        def inner(j: tl.Tensor, y: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            return j + 1, cond(y < 50.0, lambda: y * 1.5 + 1.0, lambda: y - 20.0)

        _, y = while_loop(lambda j, _: j < i, inner, (0, x))
        return i + 1, y

    return while_loop(lambda i, _: i < n, outer, (tl.asarray(0), x))


def swapping(n: tl.Tensor, a: tl.Tensor, b: tl.Tensor) -> tuple[tl.Tensor, ...]:
    """Return two values exchanged n times, and the sum of what the loop did not touch."""

    def turn(
        i: tl.Tensor, a: tl.Tensor, b: tl.Tensor, c: tl.Tensor
    ) -> tuple[tl.Tensor, ...]:
        return i + 1, b, a, c

    _, first, second, kept = while_loop(
        lambda i, *_: i < n, turn, (tl.asarray(0), a, b, a + b)
    )
    return first, second, kept


def loop_in_branch(flag: tl.Tensor, x: tl.Tensor) -> tl.Tensor:
    """Return what a loop in one branch only makes; the other gives a constant."""

    def doubled() -> tl.Tensor:
        return while_loop(lambda y: y < 100.0, lambda y: (y * 2.0,), (x,))[0]

    return cond(flag, doubled, lambda: tl.asarray(-1.0))
