"""What TensorFlow 1.15 has as one operator is one node here, of its values and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

X = [[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]]
PLACES, VALUES, SIZES = [[0, 0], [0, 2], [1, 1]], [1.0, -2.0, 3.0], [2, 3]


def sparse() -> Any:
    return tf.SparseTensor(PLACES, VALUES, SIZES)


def ran(program: Any) -> tuple[Any, set[str]]:
    """Return what a program gives, read from the graph that was written, and its operators."""
    with tf.Graph().as_default() as graph:
        made = program()
        listed = list(made) if isinstance(made, (list, tuple)) else [made]
        if isinstance(made, tf.SparseTensor):
            listed = [made.indices, made.values, made.dense_shape]
        names = [x.name for x in listed]
    written = graph.as_graph_def()
    with tf.Graph().as_default() as again, tf.Session(graph=again) as session:
        tf.import_graph_def(written, name="")
        found = session.run(names)
    return found, {x.op for x in written.node}


@pytest.mark.parametrize(
    ("program", "kind", "expected"),
    [
        (
            lambda: tf.accumulate_n([tf.constant(X), tf.constant(X)]),
            "AccumulateNV2",
            [2 * np.array(X)],
        ),
        (
            lambda: tf.unique_with_counts([7, 5, 7]),
            "UniqueWithCounts",
            [[7, 5], [0, 1, 0], [2, 1]],
        ),
        (
            lambda: tf.parallel_stack([tf.constant(X), tf.constant(X)]),
            "ParallelConcat",
            [[X, X]],
        ),
        (
            lambda: tf.matmul(X, X, transpose_b=True, a_is_sparse=True),
            "SparseMatMul",
            [np.array(X) @ np.array(X).T],
        ),
        (
            lambda: tf.unravel_index([5, 11], [3, 4]),
            "UnravelIndex",
            [[[1, 2], [1, 3]]],
        ),
        (
            lambda: tf.searchsorted([1.0, 3.0, 5.0], [0.0, 3.0, 9.0], side="right"),
            "UpperBound",
            [[0, 2, 3]],
        ),
        (
            lambda: tf.sparse.reduce_sum_sparse(sparse(), 0),
            "SparseReduceSumSparse",
            [[[0], [1], [2]], [1, 3, -2], [3]],
        ),
        (
            lambda: tf.sparse.reduce_max_sparse(sparse(), 1, keepdims=True),
            "SparseReduceMaxSparse",
            [[[0, 0], [1, 0]], [1, 3], [2, 1]],
        ),
        (
            lambda: tf.sets.intersection([[1, 2, 4]], [[2, 4, 9]]),
            "DenseToDenseSetOperation",
            [[[0, 0], [0, 1]], [2, 4], [1, 2]],
        ),
        (
            lambda: tf.sets.difference(
                [[1, 2, 4]], tf.SparseTensor([[0, 0]], [2], [1, 3])
            ),
            "DenseToSparseSetOperation",
            [[[0, 0], [0, 1]], [1, 4], [1, 2]],
        ),
        (
            lambda: tf.sparse_segment_mean(X, [0, 1], [0, 2], num_segments=4),
            "SparseSegmentMeanWithNumSegments",
            [[X[0], [0, 0, 0], X[1], [0, 0, 0]]],
        ),
        (
            lambda: tf.abs(tf.signal.rfft(X)),
            "RFFT",
            [np.abs(np.fft.rfft(X))],
        ),
        (
            lambda: tf.sort(X, axis=0, direction="DESCENDING"),
            "TopKV2",
            [[[4, 5, 6], [1, 2, 3]]],
        ),
        (lambda: tf.unique([7, 5, 7], tf.int64), "Unique", [[7, 5], [0, 1, 0]]),
        (lambda: tf.argsort(X, axis=0), "TopKV2", [[[0, 1, 0], [1, 0, 1]]]),
        (lambda: tf.argsort(X), "TopKV2", [[[0, 2, 1], [1, 0, 2]]]),
    ],
)
def test_values_are_tensorflows(program: Any, kind: str, expected: Any) -> None:
    found, kinds = ran(program)
    assert kind in kinds
    for one, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x: tf.gather(x, [0, 2, 0], axis=1), [[2, 0, 1], [2, 0, 1]]),
        (lambda x: tf.sort(x) * [[1.0, 2.0, 3.0]], [[1, 3, 2], [2, 1, 3]]),
        (lambda x: tf.square(tf.abs(tf.signal.rfft(x))), None),
        (lambda x: tf.square(tf.signal.irfft(tf.complex(x, 0 * x), [4])), None),
        (lambda x: tf.abs(tf.complex(x, x) * tf.complex(x, 2 * x)), None),
    ],
)
def test_gradients_are_those_of_differences(program: Any, expected: Any) -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [2, 3])
        y = tf.reduce_sum(program(x))
        (dx,) = tf.gradients(y, x)
        found = session.run(dx, {x: X})
        if expected is None:
            expected = np.zeros([2, 3])
            for place in np.ndindex(2, 3):
                more, less = np.array(X), np.array(X)
                more[place] += 0.1
                less[place] -= 0.1
                ends = [session.run(y, {x: end}) for end in (more, less)]
                expected[place] = (ends[0] - ends[1]) / 0.2
    np.testing.assert_allclose(found, expected, rtol=2e-3)


def test_second_slopes_of_kinks_are_zero_and_there() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.constant([-1.0, 2.0])
        (slope,) = tf.gradients(tf.nn.relu(x), x)
        (second,) = tf.gradients(slope, x)
        assert session.run(second).tolist() == [0, 0]
