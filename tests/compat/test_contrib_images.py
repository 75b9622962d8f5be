"""tf.contrib.image and other small parts of tf.contrib; numbers are TensorFlow 1.15's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
image: Any = tf.contrib.image


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def value(x: Any) -> Any:
    with tf.Session() as session:
        return session.run(x)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_images_are_turned_against_the_clock(dtype: str) -> None:
    numbers = np.arange(25).reshape(5, 5).astype(dtype)
    found = value(image.rotate(numbers, np.pi / 4))
    expected = [
        [0, 3, 8, 9, 0],
        [1, 7, 8, 13, 19],
        [6, 6, 12, 18, 18],
        [5, 11, 16, 17, 23],
        [0, 15, 16, 21, 0],
    ]
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)
    both = np.tile(numbers[None, :, :, None], [2, 1, 1, 1])
    turned = value(image.rotate(both, [0.0, -np.pi / 2]))
    np.testing.assert_array_equal(turned[0, :, :, 0], numbers)
    np.testing.assert_array_equal(turned[1, :, :, 0], np.rot90(numbers, -1))


def test_images_are_moved_and_transformed() -> None:
    checks = np.tile(np.eye(2, dtype=np.int32), [2, 2])
    moved = value(image.translate(checks, [-1.0, -1.0]))
    expected = [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(moved, expected)
    letter = np.asarray([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]])
    turn = image.angles_to_projective_transforms(np.pi / 2, 4, 4)
    right = tf.constant([1.0, 0, -1, 0, 1, 0, 0, 0])
    found = image.transform(letter, image.compose_transforms(turn, right))
    expected = [[0, 0, 0, 0], [0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 1, 1]]
    np.testing.assert_array_equal(value(found), expected)


def test_images_are_seen_along_a_flow() -> None:
    grid = np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1)
    flow = np.zeros((1, 3, 3, 2), np.float32)
    flow[0, 1, 1] = [-0.5, 0.5]
    found = value(image.dense_image_warp(grid, flow))
    expected = grid.copy()
    expected[0, 1, 1, 0] = 5.0  # row 1.5, column 0.5
    np.testing.assert_allclose(found, expected)


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(TypeError, match="rank between 2 and 4"):
        image.rotate(np.zeros(3, np.float32), 1.0)
    with pytest.raises(TypeError, match="Invalid dtype"):
        image.rotate(np.zeros((3, 3), np.complex64), 1.0)
    with pytest.raises(ValueError, match="cannot be empty"):
        image.compose_transforms()


def test_draws_hang_on_seeds_alone() -> None:
    draw = tf.contrib.stateless.stateless_random_uniform
    first, second = draw([2], seed=[1, 2]), draw([2], seed=[1, 2])
    np.testing.assert_array_equal(*value([first, second]))
    classes = tf.contrib.stateless.stateless_multinomial(
        [[0.0, 50.0]], 3, seed=[1, 2]
    )
    assert value(classes).tolist() == [[1, 1, 1]]
