"""What programs of books, courses and papers for TensorFlow 1 have shown to be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def test_whole_numbers_scale_and_shift_what_is_normalised() -> None:
    """TensorFlow 1.15 gives these numbers and makes these nodes."""
    x = tf.placeholder(tf.float32, [2, 2])
    mean, variance = tf.nn.moments(x, [0])
    scaled = tf.nn.batch_normalization(x, mean, variance, 0, 1, 1e-4)
    listed = tf.nn.batch_normalization(x, 0.5, 2.0, [0, 1], [1, 2], 1e-4)
    with tf.Session() as sess:
        first, second = sess.run([scaled, listed], {x: [[1, 2], [3, 5]]})
    np.testing.assert_allclose(
        first, [[-0.99995, -0.999978], [0.99995, 0.999978]], 1e-5
    )
    np.testing.assert_allclose(
        second, [[0.3535446, 3.1212674], [1.7677227, 7.3638024]], 1e-5
    )
    graph: Any = tf.get_default_graph()
    names = [x.name for x in graph.get_operations()]
    assert names[names.index("batchnorm/add/y") :][:9] == [
        "batchnorm/add/y",
        "batchnorm/add",
        "batchnorm/Rsqrt",
        "batchnorm/mul/y",
        "batchnorm/mul",
        "batchnorm/mul_1",
        "batchnorm/mul_2",
        "batchnorm/sub/x",
        "batchnorm/sub",
    ]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_of_numpy_are_fed_with_the_sizes_they_have() -> None:
    """A copy of an `np.matrix` of three axes has two, those of size 1 are lost."""
    matrix = np.matrix(np.ones((3, 2), np.float32))[np.newaxis]
    x = tf.placeholder(tf.float32, [1, 3, 2])
    with tf.Session() as sess:
        found = sess.run(x * 2, {x: matrix})
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, np.full((1, 3, 2), 2, np.float32))
