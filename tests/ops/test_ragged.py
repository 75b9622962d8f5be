"""Ragged tensors against lists of NumPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite import ragged
from tensorlite.core.errors import (
    AxisError,
    DTypeError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.ragged import RaggedTensor

ROWS = [[3, 1, 4, 1], [], [5, 9, 2], [6], []]
DEEP = [[[3, 1, 4, 1], []], [], [[5, 9], [2], [6]]]


def rows() -> Any:
    return ragged.constant(ROWS)


def deep() -> Any:
    return ragged.constant(DEEP)


@pytest.mark.parametrize(
    "made",
    [
        lambda v: RaggedTensor.from_row_splits(v, [0, 4, 4, 7, 8, 8]),
        lambda v: RaggedTensor.from_row_lengths(v, [4, 0, 3, 1, 0]),
        lambda v: RaggedTensor.from_row_starts(v, [0, 4, 4, 7, 8]),
        lambda v: RaggedTensor.from_row_limits(v, [4, 4, 7, 8, 8]),
        lambda v: RaggedTensor.from_value_rowids(
            v, [0, 0, 0, 0, 2, 2, 2, 3], nrows=5
        ),
    ],
)
def test_rows_are_told_in_several_ways(made: Any) -> None:
    x = made([3, 1, 4, 1, 5, 9, 2, 6])
    assert x.to_list() == ROWS
    assert x.row_splits.dtype is tl.int64
    assert x.value_rowids().tolist() == [0, 0, 0, 0, 2, 2, 2, 3]
    assert x.row_lengths().tolist() == [4, 0, 3, 1, 0]
    assert x.bounding_shape().tolist() == [5, 4]
    assert x.shape.as_list() == [5, None]


def test_bounds_that_fall_or_end_elsewhere_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="valid RaggedTensor"):
        RaggedTensor.from_row_splits([1, 2], [0, 2, 1, 2])
    with pytest.raises(InvalidArgumentError, match="valid RaggedTensor"):
        RaggedTensor.from_row_splits([1, 2], [0, 3])


def test_deep_ones_have_axes_of_both_kinds() -> None:
    x = deep()
    assert (x.ragged_rank, x.shape.as_list()) == (2, [3, None, None])
    assert x.row_lengths(axis=2).to_list() == [[4, 0], [], [2, 1, 1]]
    assert x.flat_values.tolist() == [3, 1, 4, 1, 5, 9, 2, 6]
    assert x.merge_dims(0, 1).to_list() == [[3, 1, 4, 1], [], [5, 9], [2], [6]]
    assert x.merge_dims(1, 2).to_list() == [[3, 1, 4, 1], [], [5, 9, 2, 6]]
    inner = ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,))
    assert (inner.ragged_rank, inner.shape.as_list()) == (1, [2, None, 2])


def test_dense_tensors_and_back() -> None:
    assert rows().to_tensor().tolist()[2] == [5, 9, 2, 0]
    filled = deep().to_tensor(-1, shape=[None, 2, 3])
    assert filled.tolist()[2] == [[5, 9, -1], [2, -1, -1]]
    padded = RaggedTensor.from_tensor([[1, 2, 0], [0, 3, 0], [0, 0, 0]], padding=0)
    assert padded.to_list() == [[1, 2], [0, 3], []]
    cut = RaggedTensor.from_tensor([[1, 2, 0], [0, 3, 0]], lengths=[1, 3])
    assert cut.to_list() == [[1], [0, 3, 0]]
    assert RaggedTensor.from_tensor(np.ones((2, 3, 4)), ragged_rank=2).shape == (
        2,
        3,
        4,
    )
    assert RaggedTensor.from_sparse(rows().to_sparse()).to_list() == ROWS
    assert deep().to_sparse().indices.tolist()[-1] == [2, 2, 0]


@pytest.mark.parametrize(
    "key",
    [
        0,
        -3,
        slice(1, 4),
        slice(None, None, -2),
        (slice(None), slice(1, None)),
        (slice(None), slice(-2, None)),
        (slice(None), slice(None, None, -1)),
        (slice(1, 3), slice(0, 2)),
        (2, 1),
        (2, slice(None, -1)),
    ],
)
def test_what_keys_pick(key: Any) -> None:
    first, *rest = key if isinstance(key, tuple) else (key,)
    picked: Any = ROWS[first]
    if rest:
        picked = (
            [row[rest[0]] for row in picked]
            if isinstance(first, slice)
            else picked[rest[0]]
        )
    found = rows()[key]
    assert (
        found.to_list() if isinstance(found, RaggedTensor) else found.tolist()
    ) == picked


def test_keys_of_deep_ones() -> None:
    assert deep()[0, 0].tolist() == DEEP[0][0]
    assert deep()[:, :1].to_list() == [x[:1] for x in DEEP]
    assert deep()[..., 1:].to_list() == [[y[1:] for y in x] for x in DEEP]
    assert deep()[None].to_list() == [DEEP]
    assert rows()[:, None].to_list() == [[x] for x in ROWS]
    with pytest.raises(ValueError, match="inner ragged dimension"):
        rows()[:, 0]


def test_operators_broadcast() -> None:
    column = tl.asarray([[1], [2], [3], [4], [5]])
    assert (rows() * column).to_list() == [
        [x * (i + 1) for x in r] for i, r in enumerate(ROWS)
    ]
    assert (column - rows()).to_list()[3] == [-2]
    assert (10 - rows()).to_list()[3] == (tl.asarray(10) - rows()).to_list()[3] == [4]
    assert (rows() == 1).to_list()[0] == [False, True, False, True]
    assert (rows() + rows()).to_list() == ragged.map_flat_values(
        lambda x: x * 2, rows()
    ).to_list()
    squares: Any = tl.square(deep())
    assert squares.to_list()[2] == [[25, 81], [4], [36]]
    assert (deep() + tl.reshape(tl.asarray([1, 2, 3]), (3, 1, 1))).to_list()[2][
        1
    ] == [5]
    with pytest.raises(InvalidArgumentError, match="do not broadcast"):
        rows() + rows()[::-1]
    with pytest.raises(InvalidArgumentError, match="ragged tensor"):
        tl.matmul(rows(), rows())


def test_joined_and_gathered() -> None:
    assert ragged.concat([rows(), rows()], axis=1).to_list() == [r + r for r in ROWS]
    assert ragged.concat([deep(), deep()], axis=0).to_list() == DEEP + DEEP
    assert ragged.stack([rows(), rows()], axis=1).to_list() == [[r, r] for r in ROWS]
    assert ragged.gather(rows(), ragged.constant([[2, 0], [3]])).to_list() == [
        [ROWS[2], ROWS[0]],
        [ROWS[3]],
    ]
    at = ragged.constant([[1, 0], [], [2], [0, 0], []])
    assert ragged.gather(rows(), at, batch_dims=1).to_list() == [
        [1, 3],
        [],
        [2],
        [6, 6],
        [],
    ]
    held = ragged.constant([[True, False, True, False], [], [False] * 3, [True], []])
    assert ragged.boolean_mask(rows(), held).to_list() == [[3, 4], [], [], [6], []]


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2)])
def test_sums_are_those_of_what_is_filled_up_with_zeros(axis: Any) -> None:
    found = ragged.reduce_sum(deep(), axis)
    dense = found.to_tensor() if isinstance(found, RaggedTensor) else found
    np.testing.assert_array_equal(dense.numpy(), deep().to_tensor().numpy().sum(axis))


def test_traced_and_differentiated() -> None:
    v = tl.Variable([1.0, 2.0, 3.0])

    @tl.function
    def loss(lengths: Any) -> Any:
        x = RaggedTensor.from_row_lengths(v * 1.0, lengths)
        return tl.sum(ragged.reduce_sum(x[:, 1:] * x[:, 1:], axis=1))

    with tl.GradientTape() as tape:
        total = loss(tl.asarray([1, 2]))
    assert total.item() == 9.0
    assert tape.gradient(total, v).tolist() == [0.0, 0.0, 6.0]

    @tl.function
    def doubled(x: Any) -> Any:
        return x * 2, x.to_tensor(), x[1:]

    twice, dense, rest = doubled(rows())
    assert twice.to_list() == [[2 * y for y in r] for r in ROWS]
    assert dense.shape == (5, 4)
    assert rest.to_list() == ROWS[1:]
    assert doubled(rows()[:3])[0].to_list() == twice.to_list()[:3]


def test_rows_of_one_length_keep_it() -> None:
    x = RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
    assert (x.uniform_row_length, x.shape.as_list()) == (2, [2, 2])
    assert x[:, 1].tolist() == [2, 4]
    assert tl.function(lambda y: y + 1)(x).shape.as_list() == [2, 2]


@pytest.mark.parametrize(
    ("pylist", "options", "expected"),
    [
        ([[1, 2], [3]], {}, (2, None)),
        ([[[1, 2], [3, 4]], [], [[5, 6]]], {"ragged_rank": 1}, (3, None, 2)),
        ([[[1, 2], [3, 4]], [], [[5, 6]]], {"inner_shape": (2,)}, (3, None, 2)),
        ([[], [[]]], {}, (2, None, None)),
        ([], {"ragged_rank": 1}, (0, None)),
        ([], {"ragged_rank": 1, "inner_shape": (2,)}, (0, None, 2)),
        ([], {}, (0,)),
    ],
)
def test_shapes_of_nested_lists(pylist: Any, options: Any, expected: Any) -> None:
    assert tuple(ragged.constant(pylist, **options).shape) == expected
    assert tuple(ragged.constant_value(pylist, **options).shape) == expected


@pytest.mark.parametrize(
    ("pylist", "options"),
    [
        (12, {"ragged_rank": 1}),
        (12, {"inner_shape": (1,)}),
        ([[1], 2], {}),
        ([1, 2, 3], {"ragged_rank": 1}),
        ([[1], [2, 3]], {"ragged_rank": 1, "inner_shape": (1,)}),
        ([[[1], [2, 3]]], {"ragged_rank": 1}),
    ],
)
def test_nested_lists_that_are_no_ragged_tensor(pylist: Any, options: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="is no ragged tensor"):
        ragged.constant(pylist, **options)


def test_axes_that_ragged_tensors_have_not() -> None:
    with pytest.raises(AxisError):
        ragged.concat([rows(), rows()], axis=2)
    with pytest.raises(AxisError):
        ragged.stack([rows(), rows()], axis=-4)


def _at(values: Any, *places: Any) -> Any:
    """Return what lists have at places, axis by axis; a list of places picks a list."""
    if not places:
        return values
    first, *rest = places
    if isinstance(first, list):
        return [_at(values[i], *rest) for i in first]
    return _at(values[first], *rest)


@pytest.mark.parametrize("at", [1, [1, 0], [[1, 0], [0, 0]], [[1], [0, 1]]])
def test_gather_inside_rows(at: Any) -> None:
    x = [["a", "b"], ["c", "d", "e"], ["f", "g"]]
    places = ragged.constant(at) if at == [[1], [0, 1]] else tl.asarray(at)
    expected = [
        _at(row, at) if not isinstance(at, list) or isinstance(at[0], int)
        else [_at(row, one) for one in at]
        for row in x
    ]  # fmt: skip
    found = ragged.gather(ragged.constant(x), places, axis=1)
    assert str(found.numpy().tolist() if at == 1 else found.to_list()) == str(
        _encoded(expected)
    )


def _encoded(values: Any) -> Any:
    if isinstance(values, list):
        return [_encoded(x) for x in values]
    return values.encode()


def test_gather_inside_rows_that_are_too_short() -> None:
    with pytest.raises(InvalidArgumentError, match="places in every row"):
        ragged.gather(rows(), [0], axis=1)


def test_gather_by_rows_behind_rows() -> None:
    x = ragged.constant([[[1, 2], [3, 4, 5]], [[6, 7]]])
    found = ragged.gather(x, [0, 1], axis=2, batch_dims=1)
    assert found.to_list() == [[1, 3], [7]]
    found = ragged.gather(x, [[1], [0]], axis=1, batch_dims=1)
    assert found.to_list() == [[[3, 4, 5]], [[6, 7]]]


@pytest.mark.parametrize(
    ("ids", "count", "expected"),
    [
        ([1, 0, 1], 2, [[3], [5, 7, 6]]),
        ([2, 2, 0], 3, [[4, 5, 6], [], [4, 2]]),
        (ragged.constant([[0, 1], [1], [0, 0, 3]]), 4, [10, 5, 0, 6]),
    ],
)
def test_segments_of_rows(ids: Any, count: int, expected: Any) -> None:
    x = ragged.constant([[1, 2], [3], [4, 5, 6]])
    given = ids if isinstance(ids, RaggedTensor) else tl.asarray(ids)
    found = ragged.segment_rows(tl.unsorted_segment_sum, x, given, count)
    is_ragged = isinstance(found, RaggedTensor)
    assert (found.to_list() if is_ragged else found.numpy().tolist()) == expected


def test_squeeze_takes_axes_of_one_element_alone() -> None:
    with pytest.raises(InvalidArgumentError, match="rows are of one value"):
        ragged.squeeze(ragged.constant([[1, 2], [3]]), 1)
    with pytest.raises(InvalidArgumentError, match="there is one row"):
        ragged.squeeze(ragged.constant([[1, 2], [3]]), 0)


def test_rows_of_tensors_by_lengths_and_padding() -> None:
    x = tl.asarray([[1, 0, 2], [0, 0, 0], [3, 0, 0]])
    assert RaggedTensor.from_tensor(x, padding=0).to_list() == [[1, 0, 2], [], [3]]
    assert RaggedTensor.from_tensor(x, [5, -1, 1]).to_list() == [[1, 0, 2], [], [3]]
    empty = RaggedTensor.from_tensor(tl.zeros((2, 0), dtype=tl.int32), padding=0)
    assert empty.to_list() == [[], []]
    flat = RaggedTensor.from_tensor(tl.zeros((1, 0, 0)))
    assert flat.to_list() == [[]]
    assert tuple(flat.shape) == (1, 0, 0)
    with pytest.raises(ShapeError, match="no ragged tensor"):
        RaggedTensor.from_tensor(tl.asarray([1, 2]))
    with pytest.raises(DTypeError):
        RaggedTensor.from_tensor(x, padding=tl.asarray(0.0))


def test_partitions_of_a_scalar_and_of_rows() -> None:
    found = ragged.stack_dynamic_partitions(7, 1, 3)
    assert found.to_list() == [[], [7], []]
    at = ragged.constant([[0, 1], [1]])
    found = ragged.stack_dynamic_partitions(ragged.constant([[5, 6], [7]]), at, 2)
    assert found.to_list() == [[5], [6, 7]]
    with pytest.raises(InvalidArgumentError, match="the same rows"):
        ragged.stack_dynamic_partitions(ragged.constant([[5], [6, 7]]), at, 2)


def test_tile_by_numbers_that_are_known_later() -> None:
    x = ragged.constant([[[1, 2], [3, 4]], [], [[5, 6]]], inner_shape=(2,))
    expected = [[[1, 2, 1, 2], [3, 4, 3, 4]] * 3, [], [[5, 6, 5, 6]] * 3] * 2
    assert ragged.tile(x, [2, 3, 2]).to_list() == expected
    later = tl.function(lambda times: ragged.tile(x, times))
    assert later(tl.asarray([2, 3, 2])).to_list() == expected
    assert ragged.tile(x, [1, 0, 1]).to_list() == [[], [], []]
    with pytest.raises(ShapeError, match="one per axis"):
        ragged.tile(x, [2, 3])


def test_ragged_tensors_that_do_not_broadcast_differ() -> None:
    assert (rows() == ragged.constant([[1], [2]])) is False
    assert (rows() != ragged.constant([[1], [2]])) is True
