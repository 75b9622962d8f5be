"""Drawn programs of nested ifs and whiles: traced gradients are those of the eager program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tests.interpreter import traced

NAMES = ("a", "b", "c")
State = dict[str, Any]
TURNS = st.integers(0, 2)


@dataclass(frozen=True)
class Assign:
    """`target = left (op) right`, kept small."""

    target: str
    op: str
    left: str
    right: str

    def run(self, state: State) -> State:
        x, y = state[self.left], state[self.right]
        value = {
            "mul": lambda: x * y,
            "add": lambda: x + 0.5 * y,
            "sin": lambda: tl.sin(x) + y * 0.1,
            "sum": lambda: x * tl.sum(y) * 0.3,
        }[self.op]()
        return {**state, self.target: value}


@dataclass(frozen=True)
class Branch:
    """Either of two programs, as the sum of a variable says."""

    test: str
    then: tuple[Any, ...]
    other: tuple[Any, ...]

    def run(self, state: State) -> State:
        return tl.cond(
            tl.sum(state[self.test]) > 0,
            lambda: run(self.then, state),
            lambda: run(self.other, state),
        )


@dataclass(frozen=True)
class Loop:
    """A program some times over, or fewer if a variable's sum leaves a bound."""

    turns: int
    test: str
    body: tuple[Any, ...]

    def run(self, state: State) -> State:
        def more(i: Any, inner: State) -> Any:
            return (i < self.turns) & (tl.sum(inner[self.test]) < 20)

        def step(i: Any, inner: State) -> Any:
            return i + 1, run(self.body, inner)

        return tl.while_loop(more, step, (0, state))[1]


def run(program: tuple[Any, ...], state: State) -> State:
    """Return the variables after a program, bounded so that no order of gradient overflows."""
    for step in program:
        state = step.run(state)
    return state


def programs(depth: int) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return a drawing of programs with regions nested up to `depth`."""
    name = st.sampled_from(NAMES)
    assign = st.builds(
        Assign, name, st.sampled_from(["mul", "add", "sin", "sum"]), name, name
    )
    if depth == 0:
        return st.lists(assign, min_size=1, max_size=2).map(tuple)
    inner = programs(depth - 1)
    branch, loop = (
        st.builds(Branch, name, inner, inner),
        st.builds(Loop, TURNS, name, inner),
    )
    step: st.SearchStrategy[Any] = st.one_of(assign, branch, loop)
    return st.lists(step, min_size=1, max_size=3).map(tuple)


def derivative(f: Callable[[Any], Any], order: int) -> Callable[[Any], Any]:
    """Return the derivative of the sum of `f`, of any order."""
    if order == 0:
        return f
    inner = derivative(f, order - 1)

    def gradient(x: Any) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.sum(inner(x))
        return tape.gradient(y, x, unconnected="zero")

    return gradient


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(programs(2), st.integers(0, 2**16))
def test_traced_gradients_are_the_eager_ones(
    program: tuple[Any, ...], seed: int
) -> None:
    first = np.random.default_rng(seed).uniform(-1, 1, (3,))

    def function(x: Any) -> Any:
        state = run(program, {"a": x * 1.0, "b": x * x, "c": tl.sin(x)})
        return tl.sin(state["a"]) + tl.sin(state["b"]) * tl.sin(state["c"])

    x = tl.asarray(first)
    for order in (1, 2):
        eager = derivative(function, order)(x).numpy()
        scale = max(1.0, float(np.max(np.abs(eager))))
        for found in (
            derivative(traced(function), order),
            traced(derivative(function, order)),
        ):
            np.testing.assert_allclose(
                found(x).numpy(), eager, rtol=1e-7, atol=1e-9 * scale
            )
