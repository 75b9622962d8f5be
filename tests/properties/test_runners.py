"""Random programs with conditionals and loops give the same results however they are run."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core.tensor import Tensor
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.runtime import memory
from tests.programs import assert_all_agree, graph_of

Values = list[Tensor]
Statement = Callable[[Values], Values]
SPECS = [tl.TensorSpec((3,)), tl.TensorSpec((3,)), tl.TensorSpec(())]
SIZES = ((3,), (3,), ())
WIDTH = len(SPECS)


def small(x: Tensor) -> Tensor:
    """Return `x` squeezed, so that no program overflows, and shaped as the first variable."""
    return x / (1.0 + tl.abs(x))


BINARY = (
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    tl.maximum,
    lambda x, y: x + 0.0 * y,
)


@st.composite
def assignment(draw: st.DrawFn) -> Statement:
    """Return a statement that sets one of the vectors from two variables."""
    target = draw(st.integers(0, 1))
    a, b = draw(st.integers(0, WIDTH - 1)), draw(st.integers(0, WIDTH - 1))
    op = draw(st.sampled_from(BINARY))
    constant = draw(st.sampled_from([0.0, 1.0, -1.5]))

    def run(values: Values) -> Values:
        result = tl.broadcast_to(
            small(op(values[a], values[b]) * 1.0 + constant), (3,)
        )
        return [result if i == target else x for i, x in enumerate(values)]

    return run


@st.composite
def conditional(draw: st.DrawFn, inner: st.SearchStrategy[Statement]) -> Statement:
    """Return a statement that runs one of two others, as a variable says."""
    first, second = draw(inner), draw(inner)
    bound = draw(st.sampled_from([-0.5, 0.0, 0.5]))

    def run(values: Values) -> Values:
        flag = tl.sum(values[0]) + values[2] > bound
        return list(
            cond(flag, lambda: tuple(first(values)), lambda: tuple(second(values)))
        )

    return run


@st.composite
def loop(draw: st.DrawFn, inner: st.SearchStrategy[Statement]) -> Statement:
    """Return a statement that runs another a number of times that a variable decides."""
    body = draw(inner)
    most = draw(st.integers(0, 4))
    kept = draw(st.booleans())

    def run(values: Values) -> Values:
        def turn(i: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
            return i + 1, *body(list(state))

        def turn_beside(i: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
            return i + 1, body([first, *values[1:]])[0]

        def goes_on(i: Tensor, first: Tensor, *_: Tensor) -> Tensor:
            return tl.logical_and(i < most, tl.sum(first) < 2.0)

        if kept:
            _, first = while_loop(goes_on, turn_beside, (tl.asarray(0), values[0]))
            return [first, *values[1:]]
        return list(while_loop(goes_on, turn, (tl.asarray(0), *values))[1:])

    return run


@st.composite
def sequence(draw: st.DrawFn, inner: st.SearchStrategy[Statement]) -> Statement:
    """Return a statement that runs others one after the other."""
    parts = draw(st.lists(inner, min_size=1, max_size=3))

    def run(values: Values) -> Values:
        for part in parts:
            values = part(values)
        return values

    return run


statements = st.recursive(
    assignment(),
    lambda inner: st.one_of(conditional(inner), loop(inner), sequence(inner)),
    max_leaves=8,
)


@settings(max_examples=60)
@given(statements, st.integers(0, 2**32 - 1))
def test_every_way_of_running_a_program_gives_the_same(
    program: Statement, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    arrays = tuple([rng.uniform(-1, 1, size).astype(np.float32) for size in SIZES])
    graph = graph_of(lambda *values: program(list(values)), SPECS)
    found = assert_all_agree(graph, arrays)
    assert len(found) == WIDTH


@settings(max_examples=30)
@given(statements, st.integers(0, 2**32 - 1))
def test_shapes_that_the_trace_does_not_know_change_nothing(
    program: Statement, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    arrays = tuple([rng.uniform(-1, 1, size).astype(np.float32) for size in SIZES])
    open_specs = [tl.TensorSpec((None,)), tl.TensorSpec((None,)), SPECS[2]]
    graph = graph_of(
        lambda x, y, z: program([tl.broadcast_to(x, (3,)), tl.reshape(y, (3,)), z]),
        open_specs,
    )
    assert len(assert_all_agree(graph, arrays)) == WIDTH


@settings(max_examples=30)
@given(statements, st.integers(0, 2**32 - 1))
def test_what_is_left_out_when_one_result_is_asked_for_is_not_missed(
    program: Statement, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    arrays = tuple([rng.uniform(-1, 1, size).astype(np.float32) for size in SIZES])
    graph = graph_of(lambda *values: program(list(values))[1], SPECS)
    assert len(assert_all_agree(graph, arrays)) == 1


@settings(max_examples=60)
@given(statements, st.integers(0, 2**32 - 1))
def test_freeing_and_reusing_every_value_changes_nothing(
    program: Statement, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    arrays = tuple([rng.uniform(-1, 1, size).astype(np.float32) for size in SIZES])
    graph = graph_of(lambda *values: program(list(values)), SPECS)
    before = [x.copy() for x in arrays]
    with patch.multiple(memory, WORTH_FREEING=1, WORTH_REUSING=1):
        assert_all_agree(graph, arrays)
        assert_all_agree(graph, arrays)
    for x, y in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(x, y)
