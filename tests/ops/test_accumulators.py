"""Accumulators of gradients. Numbers are those that TensorFlow 2.21's accumulators give."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tensorlite as tl
from tensorlite.ops.queues.accumulator_ops import AccumulatorTakeGradient, Gathered
from tests.threads import Background, until

errors = tl.errors


def dense(**options: Any) -> tl.queue.ConditionalAccumulator:
    return tl.queue.ConditionalAccumulator(tl.float32, shape=(2,), **options)


def sparse(**options: Any) -> tl.queue.SparseConditionalAccumulator:
    return tl.queue.SparseConditionalAccumulator(tl.float32, shape=(4, 2), **options)


def state_of(
    grads: tl.queue.ConditionalAccumulator | tl.queue.SparseConditionalAccumulator,
) -> Gathered:
    state: Gathered = grads.handle.array
    return state


def number(
    grads: tl.queue.ConditionalAccumulator | tl.queue.SparseConditionalAccumulator,
) -> int:
    return int(grads.num_accumulated())


@pytest.mark.parametrize(
    ("reduction", "first", "second"),
    [("MEAN", [3.0, 4.0], [12.0, 4.0]), ("SUM", [9.0, 12.0], [36.0, 12.0])],
)
def test_gradients_are_added_up_and_stale_ones_dropped(
    reduction: str, first: list[float], second: list[float]
) -> None:
    grads = dense(reduction_type=reduction)
    grads.apply_grad([1.0, 2.0], 0)
    grads.apply_grad([3.0, 4.0], 0)
    grads.apply_grad([100.0, 100.0], -1)
    assert number(grads) == 2
    grads.apply_grad([5.0, 6.0], 7)
    assert number(grads) == 3
    assert grads.take_grad(1).tolist() == first
    assert number(grads) == 0
    grads.apply_grad([3.0, 4.0], 0)
    assert number(grads) == 0
    grads.apply_grad([3.0, 4.0], 1)
    grads.set_global_step(5)
    assert number(grads) == 1
    grads.apply_grad([3.0, 4.0], 4)
    assert number(grads) == 1
    grads.apply_grad([30.0, 4.0], 5)
    grads.set_global_step(3)
    grads.apply_grad([3.0, 4.0], 4)
    assert number(grads) == 3
    assert grads.take_grad(1).tolist() == second


def test_a_step_that_goes_back_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    grads = dense(name="late")
    grads.set_global_step(5)
    with caplog.at_level(logging.WARNING, "tensorlite"):
        grads.set_global_step(3)
    assert "'late': the global step goes back from 5 to 3" in caplog.text


def test_an_unknown_shape_is_that_of_the_first_gradient_of_a_step() -> None:
    grads = tl.queue.ConditionalAccumulator(tl.float32)
    grads.apply_grad([1.0, 2.0])
    with pytest.raises(errors.ShapeError, match=r"holds shape \[2\].*given \[3\]"):
        grads.apply_grad([1.0, 2.0, 3.0])
    assert number(grads) == 1
    assert grads.take_grad(1).tolist() == [1.0, 2.0]
    grads.apply_grad([1.0, 2.0, 3.0], 1)
    assert grads.take_grad(1).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16, tl.float64, tl.complex64])
def test_a_mean_has_the_gradients_dtype(dtype: tl.DType) -> None:
    grads = tl.queue.ConditionalAccumulator(dtype, shape=())
    for value in (3.0, 4.0):
        grads.apply_grad(value)
    taken = grads.take_grad(2)
    assert (taken.dtype, taken.shape, complex(taken)) == (dtype, (), 3.5)


@pytest.mark.parametrize(
    ("reduction", "shared"), [("MEAN", [6.5, 12.0]), ("SUM", [13.0, 24.0])]
)
def test_a_row_has_the_mean_of_the_gradients_that_have_it(
    reduction: str, shared: list[float]
) -> None:
    grads = sparse(reduction_type=reduction)
    grads.apply_grad([0, 2], [[1.0, 2.0], [3.0, 4.0]])
    grads.apply_grad([2, 3], [[10.0, 20.0], [30.0, 40.0]])
    indices, values, shape = grads.take_grad(1)
    assert indices.tolist() == [0, 2, 3]
    assert values.tolist() == [[1.0, 2.0], shared, [30.0, 40.0]]
    assert shape.tolist() == [4, 2]
    assert [x.dtype for x in (indices, values, shape)] == [
        tl.int64,
        tl.float32,
        tl.int64,
    ]


def test_a_row_that_one_gradient_has_twice_counts_once() -> None:
    grads = sparse()
    grads.apply_grad([3, 1, 3], [[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    grads.apply_grad([3], [[1.0, 3.0]])
    indices, values, _ = grads.take_grad(2)
    assert indices.tolist() == [1, 3]
    assert values.tolist() == [[2.0, 2.0], [3.0, 4.0]]


def test_what_is_not_known_of_the_dense_shape_is_minus_one() -> None:
    grads = tl.queue.SparseConditionalAccumulator(tl.float32)
    grads.apply_grad([5], [[1.0, 2.0]], grad_shape=[9, 2])
    assert grads.take_grad(1)[2].tolist() == [-1, 2]


def test_indexed_slices_go_in_and_come_out() -> None:
    table = tl.Variable(tl.ones((4, 2)))
    with tl.GradientTape() as tape:
        loss = tl.sum(tl.gather(table, [1, 1, 3]))
    grads = sparse()
    grads.apply_indexed_slices_grad(tape.gradient(loss, table))
    taken = grads.take_indexed_slices_grad(1)
    assert taken.dense_shape == (4, 2)
    assert tl.densify(taken).tolist() == [
        [0.0, 0.0],
        [2.0, 2.0],
        [0.0, 0.0],
        [1.0, 1.0],
    ]


def test_slices_of_unknown_size_go_in() -> None:
    grads = sparse()
    slices = tl.IndexedSlices(tl.ones((1, 2)), tl.asarray([1]), (None, 2))
    grads.apply_indexed_slices_grad(slices)
    assert number(grads) == 1


def test_a_gradient_without_rows_counts() -> None:
    grads = sparse()
    grads.apply_grad([], np.zeros((0, 2), np.float32))
    grads.apply_grad([1], [[2.0, 2.0]])
    indices, values, _ = grads.take_grad(2)
    assert (indices.tolist(), values.tolist()) == ([1], [[2.0, 2.0]])


Rows = list[tuple[int, float]]


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(-8, 8))), min_size=1)
)
def test_sparse_sums_are_dense_sums(gradients: list[Rows]) -> None:
    sums = tl.queue.SparseConditionalAccumulator(
        tl.float32, shape=(5, 1), reduction_type="SUM"
    )
    total = np.zeros((5, 1), np.float32)
    for rows in gradients:
        places = np.array([place for place, _ in rows], np.int64)
        values = np.array([[x] for _, x in rows], np.float32).reshape(-1, 1)
        np.add.at(total, places, values)
        sums.apply_grad(places, values)
    taken = sums.take_indexed_slices_grad(len(gradients))
    assert taken.indices.tolist() == sorted(
        {i for rows in gradients for i, _ in rows}
    )
    np.testing.assert_array_equal(tl.densify(taken).numpy(), total)


Bad = tuple[Callable[[], object], type[Exception], str]
GRADS, ROWS = dense(), sparse()
BAD: dict[str, Bad] = {
    "none wanted": (lambda: GRADS.take_grad(0), errors.InvalidArgumentError, "=0"),
    "fewer than none": (
        lambda: ROWS.take_grad(-1),
        errors.InvalidArgumentError,
        "-1",
    ),
    "shape": (lambda: GRADS.apply_grad([1.0, 2.0, 3.0]), errors.ShapeError, "3"),
    "dtype": (
        lambda: GRADS.apply_grad(tl.asarray([1, 2])),
        errors.DTypeError,
        "int32",
    ),
    "text": (lambda: GRADS.apply_grad("gradient"), errors.DTypeError, "gradient"),
    "fraction of a step": (
        lambda: GRADS.apply_grad([1.0, 2.0], 0.5),
        errors.DTypeError,
        "local_step",
    ),
    "steps": (lambda: GRADS.set_global_step([1, 2]), errors.DTypeError, "scalar"),
    "number": (lambda: GRADS.take_grad(1.0), errors.DTypeError, "num_required"),
    "row beyond": (
        lambda: ROWS.apply_grad([1, 4], [[1.0, 2.0], [1.0, 2.0]]),
        errors.PlaceError,
        "index 4",
    ),
    "row before": (
        lambda: ROWS.apply_grad([-1], [[1.0, 2.0]]),
        errors.PlaceError,
        "index -1",
    ),
    "columns": (
        lambda: ROWS.apply_grad([1], [[1.0, 2.0, 3.0]]),
        errors.ShapeError,
        "3",
    ),
    "rows and indices": (
        lambda: ROWS.apply_grad([1, 2], [[1.0, 2.0]]),
        errors.ShapeError,
        "2 indices for 1",
    ),
    "no vector": (
        lambda: ROWS.apply_grad([[1]], [[1.0, 2.0]]),
        errors.ShapeError,
        "vector",
    ),
    "fractional rows": (
        lambda: ROWS.apply_grad([1.0], [[1.0, 2.0]]),
        errors.DTypeError,
        "integers",
    ),
    "another dense shape": (
        lambda: ROWS.apply_grad([1], [[1.0, 2.0]], [5, 2]),
        errors.ShapeError,
        r"\[5, 2\]",
    ),
    "no dense shape": (
        lambda: ROWS.apply_grad([1], [[1.0, 2.0]], [4.0, 2.0]),
        errors.DTypeError,
        "dense shape",
    ),
    "no slices": (
        lambda: ROWS.apply_indexed_slices_grad([1.0]),  # type: ignore[arg-type]
        errors.DTypeError,
        "IndexedSlices",
    ),
    "reduction": (
        lambda: dense(reduction_type="MAX"),
        errors.InvalidArgumentError,
        "'MEAN', 'SUM' and 'MEAN_OF_ALL'",
    ),
    "integers": (
        lambda: tl.queue.ConditionalAccumulator(tl.int32),
        errors.DTypeError,
        "int32",
    ),
    "no rows at all": (
        lambda: tl.queue.SparseConditionalAccumulator(tl.float32, shape=()),
        errors.ShapeError,
        "rows",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_nothing_changes(name: str) -> None:
    call, kind, text = BAD[name]
    with pytest.raises(kind, match=text):
        call()
    assert (number(GRADS), number(ROWS)) == (0, 0)
    assert (state_of(GRADS).step, state_of(ROWS).step) == (0, 0)


def test_a_gradient_that_fits_no_more_leaves_the_sum_as_it_was() -> None:
    grads = tl.queue.SparseConditionalAccumulator(tl.float32)
    grads.apply_grad([1], [[1.0, 2.0]])
    with pytest.raises(errors.ShapeError):
        grads.apply_grad([1], [[1.0, 2.0, 3.0]])
    assert grads.take_grad(1)[1].tolist() == [[1.0, 2.0]]


def test_in_a_trace_gradients_are_applied_and_taken_in_program_order() -> None:
    grads = dense()

    @tl.function
    def step(x: tl.Tensor, at: tl.Tensor) -> Any:
        grads.apply_grad(x, at)
        grads.apply_grad(3.0 * x, at)
        before = grads.num_accumulated()
        return before, grads.take_grad(2), grads.num_accumulated()

    for at in range(3):
        before, taken, after = step(tl.asarray([1.0, 2.0]), tl.asarray(at))
        assert (int(before), taken.tolist(), int(after)) == (2, [2.0, 4.0], 0)
    assert step.trace_count == 1


def test_in_loops_and_branches_of_a_trace() -> None:
    grads = tl.queue.ConditionalAccumulator(tl.float32, (), reduction_type="SUM")

    @tl.function
    def odd_sum(n: tl.Tensor) -> tl.Tensor:
        for i in tl.range(n):
            if i % 2 == 1:
                grads.apply_grad(tl.astype(i, tl.float32))
        return grads.take_grad(1)

    assert float(odd_sum(tl.asarray(6))) == 9.0


def test_in_a_session() -> None:
    grads = sparse()
    graph = tl.Graph()
    with graph.as_default():
        rows = tl.placeholder(tl.float32, (None, 2))
        apply = grads.apply_grad([0, 2], rows)
        advance = grads.set_global_step(4)
        taken = grads.take_grad(1)
        there = grads.num_accumulated()
    with tl.Session(graph) as session:
        session.run(apply, {rows: [[1.0, 2.0], [3.0, 4.0]]})
        assert session.run(there) == 1
        session.run(advance)
        session.run(apply, {rows: [[9.0, 9.0], [9.0, 9.0]]})
        indices, values, shape = session.run(taken)
    assert (indices.tolist(), shape.tolist()) == ([0, 2], [4, 2])
    assert values.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_take_waits_for_enough_gradients() -> None:
    grads = dense()
    with Background(grads.take_grad, 2) as taking:
        until(lambda: state_of(grads).waiting("takes") == 1)
        grads.apply_grad([1.0, 2.0])
        assert state_of(grads).waiting("takes") == 1
        grads.apply_grad([3.0, 4.0])
        assert taking.result().tolist() == [2.0, 3.0]


def test_a_take_that_is_given_up_takes_nothing() -> None:
    grads = dense()
    answers: list[Any] = []
    cancel = AccumulatorTakeGradient().start(
        answers.append, state_of(grads), np.asarray(1)
    )
    assert cancel is not None
    cancel()
    grads.apply_grad([1.0, 2.0])
    assert (answers, number(grads), state_of(grads).step) == ([], 1, 0)


def test_a_wait_that_takes_too_long_says_for_what() -> None:
    grads = dense(name="slow")
    wants = AccumulatorTakeGradient().waits_for(state_of(grads), np.asarray(3))
    assert wants.what == "3 gradients in accumulator 'slow' (0 there)"


def test_many_threads_lose_no_gradient() -> None:
    """Each thread gives powers of its own, so that a sum tells what it is the sum of."""
    threads, rounds = 8, 50
    grads = tl.queue.ConditionalAccumulator(
        tl.float64, shape=(threads,), reduction_type="SUM"
    )

    def give(i: int) -> None:
        for _ in range(rounds):
            grads.apply_grad(np.eye(threads)[i], local_step=2**40)

    givers = [Background(give, i) for i in range(threads)]
    total, taken = np.zeros(threads), 0
    while taken < threads * rounds:
        sums = grads.take_grad(1).numpy()
        total += sums
        taken += int(sums.sum())
    for giver in givers:
        giver.result()
    assert total.tolist() == [rounds] * threads
    assert number(grads) == 0
