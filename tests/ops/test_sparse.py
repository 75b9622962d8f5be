"""Sparse gradients and rows of variables: where they arise, how they add up, what they write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, PlaceError, ShapeError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph.tape import GradientTape
from tensorlite.graph.trace import trace
from tensorlite.ops.state.variable import Variable
from tests.checks import run_graph


def table() -> Variable:
    return Variable(np.arange(8.0).reshape(4, 2), name="table")


def rows(
    places: list[int], value: float, dtype: tl.DType = tl.float64
) -> IndexedSlices:
    values = tl.full((len(places), 2), value, dtype=dtype)
    return IndexedSlices(values, tl.asarray(places), (4, 2))


READS: dict[str, Callable[[Any], Any]] = {
    "gather": lambda w: tl.gather(w, [3, 1, 3]),
    "gather-of-the-value": lambda w: tl.gather(w.value(), [3, 1, 3]),
    "take": lambda w: tl.take(w, [-1, 1, -1], axis=0),
    "brackets": lambda w: w[[3, 1, 3]],
    "sparse_read": lambda w: w.sparse_read([3, 1, 3]),
    "matrix-of-indices": lambda w: w.sparse_read([[3], [1], [3]]),
}


@pytest.mark.parametrize("name", READS)
def test_rows_that_were_read_have_a_sparse_gradient(name: str) -> None:
    w = table()
    with GradientTape() as tape:
        y = tl.sum(READS[name](w) ** 2)
    gradient = tape.gradient(y, w)
    assert isinstance(gradient, IndexedSlices)
    assert gradient.indices.tolist() == [3, 1, 3]
    assert gradient.values.shape == (3, 2)
    sizes: Any = gradient.dense_shape
    assert tuple(sizes) == (4, 2)
    expected = np.zeros((4, 2))
    expected[1], expected[3] = [4, 6], [24, 28]
    np.testing.assert_array_equal(tl.densify(gradient).numpy(), expected)


@pytest.mark.parametrize("name", READS)
def test_second_order_through_sparse_gradients(name: str) -> None:
    w = table()
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = tl.sum(READS[name](w) ** 3)
        first = inner.gradient(y, w)
        norm = tl.sum(tl.densify(first) ** 2)
    # Row 3 was read twice: its first gradient is 2 * 3 w^2, its second 2 * 6 w^2 * 12 w.
    second = tl.densify(outer.gradient(norm, w)).numpy()
    w0 = np.arange(8.0).reshape(4, 2)
    expected = np.zeros((4, 2))
    expected[1], expected[3] = 36 * w0[1] ** 3, 144 * w0[3] ** 3
    np.testing.assert_allclose(second, expected)


def test_sparse_gradients_become_dense_where_an_operator_needs_them_so() -> None:
    x = tl.asarray(np.ones((4, 2)))
    with GradientTape() as tape:
        tape.watch(x)
        y = tl.sum(tl.gather(x * 2.0, [0, 0]))
    gradient = tape.gradient(y, x)
    assert isinstance(gradient, Tensor)
    assert gradient.tolist() == [[4, 4], [0, 0], [0, 0], [0, 0]]


def test_accumulate_stays_sparse_while_all_are() -> None:
    both = tl.accumulate([rows([0], 1), rows([2, 0], 10)])
    assert isinstance(both, IndexedSlices)
    assert both.indices.tolist() == [0, 2, 0]
    assert tl.densify(both)[:, 0].tolist() == [11, 0, 10, 0]
    mixed = tl.accumulate([rows([0], 1), tl.ones((4, 2), dtype=tl.float64)])
    assert isinstance(mixed, Tensor)
    assert mixed[:, 1].tolist() == [2, 1, 1, 1]


def test_densify_leaves_dense_tensors() -> None:
    x = tl.asarray([1.0])
    assert tl.densify(x) is x


def test_two_uses_of_a_variable_add_up_sparsely() -> None:
    w = table()
    with GradientTape() as tape:
        y = tl.sum(tl.gather(w, [0])) + tl.sum(tl.gather(w, [2])) * 3.0
    gradient = tape.gradient(y, w)
    assert isinstance(gradient, IndexedSlices)
    assert tl.densify(gradient)[:, 0].tolist() == [1, 0, 3, 0]


def test_a_dense_use_makes_the_gradient_dense() -> None:
    w = table()
    with GradientTape() as tape:
        y = tl.sum(tl.gather(w, [0])) + tl.sum(w.value())
    gradient = tape.gradient(y, w)
    assert isinstance(gradient, Tensor)
    assert gradient[:, 0].tolist() == [2, 1, 1, 1]


def test_sparse_gradients_in_a_trace() -> None:
    w = table()

    def function(places: Tensor) -> list[Tensor]:
        with GradientTape() as tape:
            y = tl.sum(tl.gather(w, places) ** 2)
        gradient = tape.gradient(y, w)
        return [gradient.values, gradient.indices, tl.densify(gradient)]

    for shape in ((None,), (None, None), None):
        traced = trace(function, [TensorSpec(shape, tl.int32)])
        given: Any = np.array([3, 1], np.int32).reshape(
            (2,) if shape == (None,) else (2, 1)
        )
        found = run_graph(traced.graph, [tl.asarray(given), *traced.captured])
        values, indices, dense = map(np.asarray, found)
        assert values.tolist() == [[12, 14], [4, 6]]
        assert indices.tolist() == [3, 1]
        assert dense.tolist() == [[0, 0], [4, 6], [0, 0], [12, 14]]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("scatter_update", [0, 5, 5, 6]),
        ("scatter_add", [0, 12, 9, 6]),
        ("scatter_sub", [0, -8, -1, 6]),
        ("scatter_max", [0, 5, 5, 6]),
        ("scatter_min", [0, 2, 4, 6]),
    ],
)
def test_rows_of_variables_are_written(method: str, expected: list[float]) -> None:
    w = table()
    before = w.value()
    getattr(w, method)(rows([1, 2, 1], 5))
    assert w.numpy()[:, 0].tolist() == expected
    assert before.numpy()[:, 0].tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("slices", "error", "words"),
    [
        (
            rows([4], 0),
            PlaceError,
            "index 4 is out of range for axis 0 of size 4",
        ),
        (rows([0], 0, tl.float32), DTypeError, "the updates are tl.float32"),
        (
            IndexedSlices(tl.zeros((2, 3)), tl.asarray([0, 1]), (4, 3)),
            DTypeError,
            "float32",
        ),
        (
            IndexedSlices(
                tl.zeros((1, 3), dtype=tl.float64), tl.asarray([0]), (4, 3)
            ),
            ShapeError,
            r"updates have shape \[1, 3\]",
        ),
        (tl.zeros((4, 2)), DTypeError, "takes tl.IndexedSlices"),
    ],
)
def test_rows_that_do_not_fit_leave_the_variable(
    slices: Any, error: type[Exception], words: str
) -> None:
    w = table()
    with pytest.raises(error, match=words):
        w.scatter_add(slices)
    assert w.numpy().tolist() == np.arange(8.0).reshape(4, 2).tolist()


def test_scatters_in_a_trace_run_in_order() -> None:
    w = table()

    def function(x: Tensor) -> list[Tensor]:
        before = w.sparse_read([0])
        w.scatter_update(IndexedSlices(x, tl.asarray([0]), (4, 2)))
        w.scatter_add(IndexedSlices(x, tl.asarray([0]), (4, 2)))
        return [before, w.sparse_read([0])]

    traced = trace(function, [TensorSpec((1, 2), tl.float64)])
    given = tl.asarray(np.full((1, 2), 10.0))
    found = run_graph(traced.graph, [given, *traced.captured])
    assert [np.asarray(y).tolist() for y in found] == [[[0, 1]], [[20, 20]]]
    assert w.numpy()[0].tolist() == [20, 20]


def test_embedding_rows_of_an_empty_batch() -> None:
    w = table()
    with GradientTape() as tape:
        y = tl.sum(tl.gather(w, tl.zeros((0,), dtype=tl.int32)))
    assert tl.densify(tape.gradient(y, w)).tolist() == [[0, 0]] * 4
