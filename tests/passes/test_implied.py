"""Loops ask for nothing that the rest of their condition implies, and run as often as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tensorlite as tl
from tensorlite.core.op import Role
from tensorlite.graph.graph import Graph
from tensorlite.ops.control.loops import while_loop
from tensorlite.passes.implied import drop_implied
from tensorlite.passes.trim import trim
from tensorlite.passes.verify import verify
from tests.programs import FLOAT, INT, assert_all_agree, graph_of


def counted(starts: list[int], limits: list[Any], dtype: tl.DType) -> Graph:
    """Return a loop over counters that must all be below their limits; the first one is read."""

    def program(n: tl.Tensor, x: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
        bounds = [
            n if limit == "n" else tl.asarray(limit, dtype=dtype) for limit in limits
        ]

        def more(*state: tl.Tensor) -> tl.Tensor:
            asked = [i < bound for i, bound in zip(state, bounds, strict=False)]
            whole = asked[0]
            for one in asked[1:]:
                whole = tl.logical_and(whole, one)
            return whole

        def turn(*state: tl.Tensor) -> tuple[tl.Tensor, ...]:
            *counters, x = state
            one = tl.asarray(1, dtype=dtype)
            return *[i + one for i in counters], x + tl.astype(
                counters[0], tl.float32
            )

        begun = [tl.asarray(start, dtype=dtype) for start in starts]
        found = while_loop(more, turn, (*begun, x))
        return found[0], found[-1]

    return graph_of(program, [INT, FLOAT])


def comparisons(graph: Graph) -> int:
    """Return how many comparisons the condition of a graph's loop has left."""
    (loop,) = [node for node in graph.nodes if node.op.role is Role.WHILE]
    return sum(node.op.name == "Less" for node in loop.op.regions()[0].nodes)


def shorter(graph: Graph) -> Graph:
    return verify(trim(verify(drop_implied(graph))))


INPUTS = np.asarray(7, np.int32), np.asarray(0.5, np.float32)


@pytest.mark.parametrize(
    ("starts", "limits", "left"),
    [
        ([0, 0], ["n", "n"], 1),
        ([0, 1], ["n", "n"], 1),
        ([1, 0], ["n", "n"], 1),
        ([0, 0], [5, 9], 1),
        ([3, 0, 1], ["n", "n", "n"], 1),
        ([0, 0], ["n", 5], 2),
        ([0, 0, 0], ["n", 5, "n"], 2),
    ],
)
def test_what_another_counter_implies_is_not_asked(
    starts: list[int], limits: list[Any], left: int
) -> None:
    graph = counted(starts, limits, tl.int32)
    assert comparisons(graph) == len(starts)
    assert comparisons(shorter(graph)) == left
    assert_all_agree(graph, INPUTS)


def test_the_counter_that_turns_read_is_kept() -> None:
    (loop,) = [
        node
        for node in shorter(counted([0, 0], ["n", "n"], tl.int32)).nodes
        if node.op.role is Role.WHILE
    ]
    assert len(loop.outputs) == len(loop.op.regions()[0].inputs)
    counters = [x for x in loop.outputs if x.dtype is tl.int32 and x.node is loop]
    assert len(counters) == 2  # the counter and what it is compared with


def test_sums_of_fractions_are_not_compared() -> None:
    graph = counted([0, 0], [5, 9], tl.float32)
    assert comparisons(shorter(graph)) == 2


@given(
    st.lists(
        st.tuples(st.integers(-3, 6), st.one_of(st.just("n"), st.integers(-2, 8))),
        min_size=1,
        max_size=4,
    ),
    st.integers(-2, 8),
)
def test_turns_stay_as_many(counters: list[tuple[int, Any]], n: int) -> None:
    starts, limits = [c[0] for c in counters], [c[1] for c in counters]
    graph = counted(starts, limits, tl.int32)
    assert_all_agree(graph, (np.asarray(n, np.int32), INPUTS[1]))
