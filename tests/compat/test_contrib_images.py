"""tf.contrib.image and other small parts of tf.contrib; numbers are TensorFlow 1.15's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
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


def test_datasets_are_seen_through_windows_and_reduced() -> None:
    numbers = tf.data.Dataset.range(6)
    step = tf.contrib.data.sliding_window_batch(3, window_shift=2)
    element = numbers.apply(step).make_one_shot_iterator().get_next()
    reducer = tf.contrib.data.Reducer(
        lambda _: tf.constant(1, tf.int64), lambda kept, x: kept + x, lambda x: x * 2
    )
    total = tf.contrib.data.reduce_dataset(numbers, reducer)
    with tf.Session() as session:
        found = [session.run(element).tolist() for _ in range(2)]
        assert found == [[0, 1, 2], [2, 3, 4]]
        assert session.run(total) == 32


def test_eager_programs_write_and_read_variables(tmp_path: Path) -> None:
    mode.eager = True
    eager = tf.contrib.eager
    one = eager.Variable([1.0, 2.0], name="one")
    saver = eager.Saver([one])
    path = saver.save(str(tmp_path / "model"), global_step=3)
    one.assign([0.0, 0.0])
    saver.restore(path)
    assert one.numpy().tolist() == [1.0, 2.0]
    assert tf.train.list_variables(path) == [("one", [2])]
    with eager.GradientTape() as tape:
        loss = one * one
    assert tape.gradient(loss, one).numpy().tolist() == [2.0, 4.0]
    assert eager.in_eager_mode()
    mode.eager = False
