"""Places and ranges as graphs of version 1 have them: values are NumPy's, or TensorFlow 1.15's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1


@pytest.mark.parametrize(
    ("ends", "wanted"),
    [
        ((0.0, 3.0, 0.5), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]),
        ((1.0, 0.0, -0.25), [1.0, 0.75, 0.5, 0.25]),
        ((0.0, 1.0, 0.3), [0.0, 0.3, 0.6, 0.90000004]),
        ((2.0, 2.0, 1.0), []),
    ],
)
def test_ranges_of_fractions(
    ends: tuple[float, float, float], wanted: list[float]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = tf.range(*ends)
        assert found.get_shape().as_list() == [len(wanted)]
        given = tf.range(*[tf.placeholder_with_default(x, []) for x in ends])
        for x in session.run([found, given]):
            assert x.dtype == np.float32
            np.testing.assert_array_equal(x, np.array(wanted, np.float32))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("batched", [1, 2])
def test_slices_of_stacks(dtype: Any, batched: int) -> None:
    x = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    ends = x.shape[batched : batched + 2]
    draws = np.random.default_rng(5).integers(0, ends, (*x.shape[:batched], 2, 2))
    places = draws.astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.placeholder(dtype, [None] * places.ndim)
        found = session.run(
            tf.gather_nd(x, given, batch_dims=batched), {given: places}
        )
    wanted = np.zeros(found.shape, found.dtype)
    for at in np.ndindex(*x.shape[:batched], 2):
        wanted[at] = x[at[:-1]][tuple(places[at])]
    np.testing.assert_array_equal(found, wanted)


def test_stacks_are_not_larger_than_places() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="batch_dims"):
        tf.gather_nd(tf.zeros([2, 2]), tf.zeros([2], tf.int32), batch_dims=1)


def test_dense_tensors_of_places_of_32_bits() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        places, sizes = tf.constant([[0, 1], [1, 0]]), tf.constant([2, 2])
        found = tf.sparse_to_dense(places, sizes, [5, 6], -1)
        assert session.run(found).tolist() == [[-1, 5], [6, -1]]
        assert "Cast" not in {node.op for node in graph.as_graph_def().node}


def test_counts_of_elements_are_of_the_dtype_asked_for() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        counts = (
            tf.size(x, out_type=tf.int64),
            tf.size(tf.zeros([3]), out_type=tf.int64),
        )
        found = session.run(counts, {x: [[1.0, 2.0]] * 3})
        assert "Cast" not in {node.op for node in graph.as_graph_def().node}
    assert [(int(x), x.dtype) for x in found] == [(6, np.int64), (3, np.int64)]
