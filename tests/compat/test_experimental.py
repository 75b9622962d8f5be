"""What is drawn by seeds, namespaces called experimental, and what few programs ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


def test_dropout_by_a_seed() -> None:
    """Expected values are TensorFlow 2.21's."""
    dropout = tf.nn.experimental.stateless_dropout
    found = dropout(tf.ones([2, 5]), rate=0.5, seed=[1, 0])
    assert found.numpy().tolist() == [[2, 0, 2, 0, 0], [0, 0, 2, 0, 2]]
    assert dropout([1.0], 0, [1, 0]).numpy().tolist() == [1.0]
    rows = dropout(tf.ones([3, 4]), 0.5, [1, 0], noise_shape=[1, 4]).numpy()
    assert (rows == rows[0]).all()
    with pytest.raises(ValueError, match="rate=1"):
        dropout(tf.ones([2]), 1.0, [1, 0])


def test_dropout_by_what_a_program_draws_with() -> None:
    asked = []

    def sampler(shape: Any, dtype: Any) -> Any:
        asked.append(dtype)
        return tf.constant([0.1, 0.7, 0.5])

    dropout = tf.nn.experimental.general_dropout
    found = dropout([1.0, 2.0, 3.0], 0.5, sampler)
    assert found.numpy().tolist() == [0.0, 4.0, 6.0]
    assert asked == [tf.float32]
    part = tf.constant(0.5)
    assert dropout([1.0, 2.0, 3.0], part, sampler).numpy().tolist() == [0.0, 4.0, 6.0]


def test_conjugate_gradients() -> None:
    drawn = np.random.default_rng(0)
    matrix = drawn.normal(size=(2, 4, 4))
    matrix = matrix @ np.swapaxes(matrix, -1, -2) + np.eye(4)
    right = drawn.normal(size=4)
    operator = tf.linalg.LinearOperatorFullMatrix(
        matrix, is_self_adjoint=True, is_positive_definite=True
    )
    wanted = np.linalg.solve(matrix, np.stack([right, right])[..., None])[..., 0]
    solve = tf.linalg.experimental.conjugate_gradient
    found = solve(operator, right, tol=1e-12)
    np.testing.assert_allclose(found.x, wanted, rtol=1e-8)
    assert 4 <= int(found.i) <= 8
    scaled = tf.linalg.LinearOperatorDiag(1 / np.diagonal(matrix, axis1=1, axis2=2))
    again = tf.function(lambda: solve(operator, right, scaled, x=wanted, tol=1e-6))()
    np.testing.assert_allclose(again.x, wanted, rtol=1e-8)
    with pytest.raises(ValueError, match="positive definite"):
        solve(tf.linalg.LinearOperatorFullMatrix(matrix), right)


def test_images_as_files_keep_them() -> None:
    image = np.random.default_rng(0).random((16, 16, 3)).astype(np.float32)
    adjusted = tf.image.adjust_jpeg_quality(image, 60)
    file = tf.io.encode_jpeg(
        tf.image.convert_image_dtype(image, tf.uint8, True), quality=60
    )
    wanted = tf.image.convert_image_dtype(tf.io.decode_jpeg(file), tf.float32)
    np.testing.assert_array_equal(adjusted, wanted)
    drawn = tf.function(
        lambda seed: tf.image.stateless_random_jpeg_quality(image, 60, 61, seed)
    )
    np.testing.assert_array_equal(drawn(tf.constant([1, 2])), adjusted)
    assert tf.image.random_jpeg_quality(image, 5, 95).shape == (16, 16, 3)
    with pytest.raises(ValueError, match="0 to 100"):
        tf.image.random_jpeg_quality(image, 95, 5)


@pytest.mark.parametrize(
    ("centered", "normalized", "offset", "first"),
    [
        (True, True, (0.3, -0.4), (2, 0)),
        (True, False, (0.3, -0.4), (2, 2)),
        (True, False, (1.0, 1.0), (3, 4)),
        (False, True, (0.3, 0.5), (1, 3)),
        (False, False, (2.0, 3.0), (2, 3)),
    ],
)
def test_glimpses_begin_where_offsets_say(
    centered: bool, normalized: bool, offset: Any, first: Any
) -> None:
    """Expected places are TensorFlow 2.21's."""
    numbers = np.arange(30.0, dtype=np.float32).reshape(1, 5, 6, 1)
    made = tf.image.extract_glimpse(
        numbers, (2, 3), [offset], centered, normalized, "zero"
    )
    wanted = np.zeros((2, 3))
    inside = numbers[0, first[0] : first[0] + 2, first[1] : first[1] + 3, 0]
    wanted[: inside.shape[0], : inside.shape[1]] = inside
    np.testing.assert_array_equal(made[0, :, :, 0], wanted)


def test_strings_of_segments_are_joined() -> None:
    """Expected values are TensorFlow 2.21's."""
    join = tf.strings.unsorted_segment_join
    words = [["a", "b"], ["c", "d"], ["e", "f"]]
    found = join(words, [1, 0, 1], 3, ":").numpy().tolist()
    assert found == [[b"c", b"d"], [b"a:e", b"b:f"], [b"", b""]]
    square = join(words[:2], [[1, 0], [1, 0]], 3, separator=":")
    assert square.numpy().tolist() == [b"b:d", b"a:c", b""]
    assert tf.function(lambda: join(words, [1, 0, 1], 3))().shape == (3, 2)
    for wrong in (-1, 3):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="numbered from 0 to below 3"
        ):
            join(["a"], [wrong], 3)


def test_binomial_numbers_of_a_seed() -> None:
    draw = tf.random.stateless_binomial
    found = draw([2000], [1, 2], 100.0, 0.4).numpy()
    assert found.dtype == np.int32
    assert found.mean() == pytest.approx(40, abs=0.5)
    assert found.var() == pytest.approx(24, rel=0.1)
    np.testing.assert_array_equal(draw([2000], [1, 2], 100.0, 0.4), found)


def test_parts_of_images_of_a_seed() -> None:
    boxes = [[[0.1, 0.2, 0.6, 0.7]]]
    draw = tf.image.stateless_sample_distorted_bounding_box
    begin, size, box = draw([40, 50, 3], boxes, [3, 4], 0.3)
    again = draw([40, 50, 3], boxes, [3, 4], 0.3)
    np.testing.assert_array_equal(again[0], begin)
    ends = (begin + size).numpy()[:2] / [40, 50]
    np.testing.assert_allclose(box.numpy().ravel()[2:], ends, rtol=1e-6)


def test_steps_that_may_run_on_are_done_in_order() -> None:
    """Errors are raised inside, where a loop over a dataset takes them."""
    found = []
    values = iter(tf.data.Dataset.range(3))
    try:
        with tf.experimental.async_scope():
            while True:
                found.append(int(next(values)))
    except StopIteration:
        tf.experimental.async_clear_error()
    assert found == [0, 1, 2]
