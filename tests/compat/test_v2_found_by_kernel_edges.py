"""Edges of operators that TensorFlow 2.21's tests of kernels look at; the values are its own."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

tf: Any = import_module("tensorlite.compat.v2")  # as its programs see it, untyped
inplace_ops = import_module("tensorlite.compat.v2.python.ops.inplace_ops")


def test_texts_are_put_at_places() -> None:
    found = tf.scatter_nd([[1], [3]], ["a", "b"], [5])
    assert found.numpy().tolist() == [b"", b"a", b"", b"b", b""]
    found = tf.scatter_nd([[1], [1]], ["a", "b"], [3])
    assert found.numpy().tolist() == [b"", b"ab", b""]
    empty = tf.zeros([0, 1], tf.int32)
    found = tf.scatter_nd(empty, tf.zeros([0], tf.string), [2])
    assert found.numpy().tolist() == [b"", b""]


@pytest.mark.parametrize(
    ("shift", "axis", "told"),
    [
        ([[0, 1]], 1, "shift must be a scalar or a 1-D vector"),
        (1, [[0, 1]], "axis must be a scalar or a 1-D vector"),
        ([1], [0, 1], "shift and axis must have the same size"),
    ],
)
def test_what_is_rolled_has_a_shift_for_each_axis(
    shift: Any, axis: Any, told: str
) -> None:
    x = tf.constant([[1, 2], [3, 4]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=told):
        tf.roll(x, shift, axis)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=told):
        tf.roll([[1, 2], [3, 4]], shift, axis)


def test_shifts_known_later_are_counted_then() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])  # type: ignore[untyped-decorator]
    def rolled(shift: Any) -> Any:
        return tf.roll(tf.constant([[1, 2], [3, 4]]), shift, [0, 1])

    assert rolled([1, 1]).numpy().tolist() == [[4, 3], [2, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same size"):
        rolled([1])


@pytest.mark.parametrize(
    ("size", "weights", "told"),
    [
        ([3], [1.0, 2.0], "must be rank 0"),
        (3, [1.0], "must have the same size"),
        (-3, [1.0, 1.0], r"size \(-3\) must be non-negative"),
    ],
)
def test_counts_are_checked(size: Any, weights: Any, told: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=told):
        tf.raw_ops.Bincount(arr=[1, 2], size=size, weights=weights)


def test_boundaries_of_buckets_may_be_whole_numbers() -> None:
    found = tf.raw_ops.Bucketize(input=[-5, 1, 5, 20], boundaries=[0, 3, 8, 11])
    assert found.numpy().tolist() == [0, 1, 2, 4]
    with pytest.raises(TypeError, match="takes a list of numbers"):
        tf.raw_ops.Bucketize(input=[1], boundaries=0)


def test_no_blocks_need_no_paddings() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = tf.compat.v1.required_space_to_batch_paddings([], [])
        assert [x.shape for x in session.run(made)] == [(0, 2), (0, 2)]


def test_rows_are_changed_from_the_end() -> None:
    x = tf.ones([3, 1])
    assert inplace_ops.inplace_add(x, [-1], [[2.0]]).numpy().tolist() == [
        [1],
        [1],
        [3],
    ]
    assert inplace_ops.inplace_update(x, [-3], [[5.0]]).numpy().tolist() == [
        [5],
        [1],
        [1],
    ]


@pytest.mark.parametrize("name", ["sum", "mean", "sqrt_n"])
def test_no_rows_are_gathered_for_segments(name: str) -> None:
    function = getattr(tf.sparse, f"segment_{name}")
    found = function(tf.zeros([0, 4]), [], [], num_segments=5)
    assert found.numpy().tolist() == [[0.0] * 4] * 5
    with pytest.raises(ValueError, match="segment ids must be >= 0"):
        function(tf.zeros([2, 4]), [0], [0], num_segments=-2)
