"""tf.experimental.RowPartition and DynamicRaggedShape; values are those of TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2 as tf

Partition: Any = tf.experimental.RowPartition
Shape: Any = tf.experimental.DynamicRaggedShape


@pytest.mark.parametrize(
    "made",
    [
        lambda: Partition.from_row_splits([0, 4, 4, 7, 8, 8]),
        lambda: Partition.from_row_lengths([4, 0, 3, 1, 0]),
        lambda: Partition.from_value_rowids([0, 0, 0, 0, 2, 2, 2, 3], nrows=5),
        lambda: Partition.from_row_starts([0, 4, 4, 7, 8], nvals=8),
        lambda: Partition.from_row_limits([4, 4, 7, 8, 8]),
    ],
)
def test_a_partition_is_made_of_each_encoding(made: Any) -> None:
    rows = made()
    assert rows.row_splits().numpy().tolist() == [0, 4, 4, 7, 8, 8]
    assert rows.row_lengths().numpy().tolist() == [4, 0, 3, 1, 0]
    assert rows.value_rowids().numpy().tolist() == [0, 0, 0, 0, 2, 2, 2, 3]
    assert rows.offsets_in_rows().numpy().tolist() == [0, 1, 2, 3, 0, 1, 2, 0]
    assert (int(rows.nrows()), int(rows.nvals()), rows.static_nrows) == (5, 8, 5)
    assert not rows.is_uniform()
    assert rows.uniform_row_length() is None
    assert repr(rows) == "tf.RowPartition(row_splits=[0 4 4 7 8 8])"


def test_rows_of_one_length() -> None:
    rows = Partition.from_uniform_row_length(3, nrows=4)
    assert rows.row_splits().numpy().tolist() == [0, 3, 6, 9, 12]
    assert (rows.static_nvals, rows.static_uniform_row_length) == (12, 3)
    assert repr(rows) == "tf.RowPartition(nrows=4, uniform_row_length=3)"
    empty = Partition.from_uniform_row_length(0, nvals=0, nrows=10)
    assert (int(empty.nvals()), int(empty.nrows())) == (0, 10)
    assert rows.with_dtype(tf.int32).row_splits().dtype == tf.int32


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Partition.from_row_splits([]), "may not be empty"),
        (lambda: Partition.from_row_splits([1, 2]), "valid RowPartition"),
        (lambda: Partition.from_row_splits([0.0, 2.0]), "must have dtype int32 or"),
        (
            lambda: Partition.from_row_lengths([[1]]),
            r"Shape \(1, 1\) must have rank 1",
        ),
        (lambda: Partition.from_row_starts([0, 2, 3, 5], 4), "valid RowPartition"),
        (lambda: Partition.from_uniform_row_length(3, nvals=5), "must equal nvals"),
        (
            lambda: Partition.from_value_rowids([0, 4], nrows=4),
            r"Expected nrows >= value_rowids\[-1\] \+ 1; got nrows=4, value_rowids\[-1\]=4",
        ),
    ],
)
def test_what_is_no_partition_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_row_splits_of_floats_are_refused() -> None:
    with pytest.raises(ValueError, match="must have dtype int32 or int64"):
        tf.RaggedTensor.from_row_splits([1, 2], [0.0, 2.0])
    short = tf.constant([0, 2], tf.int16)
    with pytest.raises(ValueError, match="must have dtype int32 or int64"):
        tf.RaggedTensor.from_row_splits([1, 2], short)


def test_sizes_of_lengths_and_of_tensors() -> None:
    shape = Shape.from_lengths([2, (3, 1), 5])
    assert (
        repr(shape)
        == "<DynamicRaggedShape lengths=[2, (3, 1), 5] num_row_partitions=1>"
    )
    assert (shape.rank, shape.inner_rank, shape.num_row_partitions) == (3, 2, 1)
    assert shape.inner_shape.numpy().tolist() == [4, 5]
    assert [shape.is_uniform(i) for i in range(3)] == [True, False, True]
    assert int(shape[0]) == 2
    assert int(shape[-1]) == 5
    assert shape[:2].static_lengths() == [2, (3, 1)]
    rows = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    assert rows.static_lengths() == [2, (2, 1)]
    assert rows.dtype == tf.int32
    dense = Shape.from_tensor([[1, 2, 3], [4, 5, 6]])
    assert dense.static_lengths() == [2, 3]
    assert Shape.from_lengths([2, 2, 3], 2).static_lengths() == [2, 2, 3]
    with pytest.raises(ValueError, match="Shape not consistent"):
        Shape.from_lengths([2, (1,)])
    with pytest.raises(ValueError, match="Index 1 is not uniform"):
        _ = shape[1]


def test_tensors_of_ragged_sizes() -> None:
    shape = Shape.from_lengths([2, (1, 2)])
    assert tf.reshape([1, 2, 3], shape).to_list() == [[1], [2, 3]]
    assert tf.ones(shape).to_list() == [[1.0], [1.0, 1.0]]
    assert tf.zeros(shape, tf.int32).to_list() == [[0], [0, 0]]
    assert tf.fill(shape, 7).to_list() == [[7], [7, 7]]
    assert tf.broadcast_to([[1], [2]], shape).to_list() == [[1], [2, 2]]
    both = tf.broadcast_dynamic_shape(Shape.from_lengths([2, 1]), shape)
    assert both.static_lengths() == [2, (1, 2)]
    flat = tf.reshape(tf.ragged.constant([[1, 2], [3]]), [3])
    assert flat.numpy().tolist() == [1, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast"):
        tf.broadcast_to([[1, 2], [3, 4]], shape)


CASES: list[tuple[Any, Any, Any]] = [
    ([2, 1], [2, (1, 3)], [[0], [101, 102, 103]]),
    ([1], [2, (1, 3)], [[0], [1, 2, 3]]),
    (
        [2, (1, 3), 1],
        [4],
        [
            [[0, 1, 2, 3]],
            [[100, 101, 102, 103], [200, 201, 202, 203], [300, 301, 302, 303]],
        ],
    ),
    ([1, 1, 1], [2, (1, 3)], [[[0], [1, 2, 3]]]),
    (
        [3, 1, 1],
        [2, (1, 3)],
        [[[0], [1, 2, 3]], [[100], [101, 102, 103]], [[200], [201, 202, 203]]],
    ),
    (
        [2, (2, 1), 1],
        [2, (2, 1), (2, 1, 3)],
        [[[0, 1], [102]], [[203, 204, 205]]],
    ),
]


@pytest.mark.parametrize(("a", "b", "wanted"), CASES)
@pytest.mark.parametrize("traced", [False, True])
def test_operands_with_ragged_sizes_broadcast(
    a: Any, b: Any, wanted: Any, traced: bool
) -> None:
    shapes = [Shape.from_lengths(x) for x in (a, b)]
    counts = [int(np.prod(x.inner_shape.numpy())) for x in shapes]
    x, y = (tf.reshape(tf.range(n), s) for n, s in zip(counts, shapes, strict=True))

    def add(x: Any, y: Any) -> Any:
        return x * 100 + y

    made = tf.function(add)(x, y) if traced else add(x, y)
    assert made.to_list() == wanted


def test_rows_of_other_lengths_are_refused_when_a_function_runs() -> None:
    def plain(x: Any, y: Any) -> Any:
        return x + y

    kind = tf.RaggedTensorSpec([2, None], tf.int32)
    add = tf.function(plain, input_signature=[kind] * 2)

    x = tf.ragged.constant([[1, 2], [3]])
    assert add(x, tf.ragged.constant([[1, 1], [1]])).to_list() == [[2, 3], [4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not broadcast"):
        add(x, tf.ragged.constant([[1], [1, 1]]))


def test_functions_and_graphs_take_partitions_and_shapes() -> None:
    @tf.function
    def told(rows: Any, shape: Any) -> Any:
        return rows.row_lengths(), tf.reshape([1, 2, 3], shape), rows

    shape = Shape.from_lengths([2, (1, 2)])
    lengths, made, rows = told(Partition.from_row_lengths([1, 2]), shape)
    assert lengths.numpy().tolist() == [1, 2]
    assert made.to_list() == [[1], [2, 3]]
    assert rows.row_splits().numpy().tolist() == [0, 1, 3]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = Partition.from_row_lengths([1, 2])
        of_rows = Shape.from_tensor(tf.ragged.constant([[1, 2], [3]]))
        values = session.run(tf.reshape([4, 5, 6], of_rows))
        assert session.run(rows.row_splits()).tolist() == [0, 1, 3]
        assert session.run(of_rows[0]) == 2
        assert values.to_list() == [[4, 5], [6]]


def test_what_is_known_of_sizes() -> None:
    spec = Shape.Spec.from_value(Shape.from_lengths([2, (3, 1), 5]))
    assert (spec.rank, spec.num_row_partitions, spec.inner_rank) == (3, 1, 2)
    assert spec.with_dtype(tf.int32).dtype == tf.int32
    assert spec == Shape.Spec.from_value(Shape.from_lengths([2, (3, 1), 5]))


def test_gradients_of_ragged_results_in_graphs() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.ragged.constant([[1.0, 2.0], [3.0]])
        flow = tf.ragged.constant([[1.0, 1.0], [2.0]])
        (by_values,) = tf.compat.v1.gradients(x * x, x.flat_values, grad_ys=flow)
        (by_rows,) = tf.compat.v1.gradients(x * x, x, grad_ys=flow)
        assert session.run(by_values).tolist() == [2.0, 4.0, 12.0]
        assert session.run(by_rows).to_list() == [[2.0, 4.0], [12.0]]
