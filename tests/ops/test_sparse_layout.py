"""Sparse elements laid out: what is refused, at once where it is known, and else by the run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError, ShapeError

REFUSED = [
    (
        [[1], [10]],
        [5],
        [1.0, 2.0],
        "indices[1] = [10] is out of bounds: need 0 <= index < [5]",
    ),
    ([[1], [-1]], [5], [1.0, 2.0], "indices[1] = [-1] is out of bounds"),
    ([[1], [1]], [5], [1.0, 2.0], "indices[1] = [1] is repeated"),
    ([[0, 2], [1, 1], [1, 0]], [3, 3], 1.0, "indices[2] = [1,0] is out of order"),
    ([1, 3], [5], [1.0, 2.0, 3.0], "incorrect shape [3], should be [] or [2]"),
    ([1, 3], [5], [[5.0], [3.0]], "incorrect shape [2,1], should be [] or [2]"),
    ([[1, 3]], [5], [5.0], "places have 2 numbers, and the output 1 axes"),
]


@pytest.mark.parametrize(("places", "shape", "values", "said"), REFUSED)
def test_places_that_are_refused(
    places: Any, shape: Any, values: Any, said: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=re.escape(said)):
        tl.sparse.sparse_to_dense(places, shape, values, validate_indices=True)


def test_without_validation_the_last_of_equal_places_counts() -> None:
    made = tl.sparse.sparse_to_dense([[2], [1], [1]], [4], [5, 6, 7], -1)
    np.testing.assert_array_equal(made.numpy(), [-1, 7, 5, -1])
    with pytest.raises(
        InvalidArgumentError, match="default_value should be a scalar"
    ):
        tl.sparse.sparse_to_dense([1, 3], [5], [1, 2], [0])
    with pytest.raises(ShapeError, match="should be a vector"):
        tl.sparse.sparse_to_dense([1, 3], tl.asarray([[5], [3]]), 1, -1)


def test_one_value_for_all_places_has_all_their_gradient() -> None:
    def total(value: tl.Tensor, empty: tl.Tensor) -> tl.Tensor:
        dense = tl.sparse.sparse_to_dense([1, 3], [5], value, empty)
        return tl.sum(dense * tl.asarray([1.0, 2.0, 4.0, 8.0, 16.0]))

    found = tl.grad(total, argnums=(0, 1))(tl.asarray(3.0), tl.asarray(0.0))
    assert [x.item() for x in found] == [10.0, 21.0]


SPARSE = tl.sparse.SparseTensor([[0, 1], [4, 5]], [1, 2], (5, 6))


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ([4, 7], "Input to reshape is a tensor with 30 dense values"),
        ([4, -1], "requested shape requires a multiple of 4"),
        ([-1, -1], "only one output shape size may be -1"),
    ],
)
def test_shapes_of_other_numbers_of_elements(shape: list[int], said: str) -> None:
    with pytest.raises(ShapeError, match=said):
        tl.sparse.reshape(SPARSE, shape)

    @tl.function
    def later(wanted: tl.Tensor) -> tl.Tensor:
        return tl.sparse.reshape(SPARSE, wanted).indices

    with pytest.raises(InvalidArgumentError, match=said):
        later(tl.asarray(shape))
    np.testing.assert_array_equal(
        later(tl.asarray([3, -1])).numpy(), [[0, 1], [2, 9]]
    )


def test_shapes_that_do_not_hold_the_elements() -> None:
    with pytest.raises(ShapeError, match="should have dimension sizes"):
        tl.sparse.reset_shape(SPARSE, (5, 5))
    with pytest.raises(ShapeError, match="ranks"):
        tl.sparse.reset_shape(SPARSE, (9,))

    @tl.function
    def wider(wanted: tl.Tensor) -> tl.Tensor:
        return tl.sparse.reset_shape(SPARSE, wanted).dense_shape

    assert wider(tl.asarray([7, 6])).numpy().tolist() == [7, 6]
    with pytest.raises(InvalidArgumentError, match="x <= y did not hold"):
        wider(tl.asarray([4, 6]))


def test_sparse_tensors_that_do_not_fit_each_other() -> None:
    narrow = tl.sparse.SparseTensor([[0, 1]], [1], (4, 6))
    with pytest.raises(ShapeError, match="Input shapes must match beside the axis"):
        tl.sparse.concat(1, [SPARSE, narrow])
    with pytest.raises(ShapeError, match="Operands' shapes do not match"):
        tl.sparse.maximum(SPARSE, narrow)
    assert tl.sparse.concat(0, [SPARSE, narrow]).dense_shape.numpy().tolist() == [
        9,
        6,
    ]


def test_sets_whose_places_are_out_of_order() -> None:
    mixed = tl.sparse.SparseTensor([[1, 0], [0, 1], [0, 0]], [1, 7, 7], (2, 2))
    np.testing.assert_array_equal(tl.sets.size(mixed).numpy(), [1, 1])
    for function in (tl.sets.union, tl.sets.intersection, tl.sets.difference):
        assert function(mixed, mixed).dense_shape.numpy().tolist()[0] == 2
        with pytest.raises(InvalidArgumentError, match="is out of order"):
            function(mixed, mixed, validate_indices=True)
    with pytest.raises(InvalidArgumentError, match="is out of order"):
        tl.sets.size(mixed, validate_indices=True)
