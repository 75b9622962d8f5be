"""What the guides on random numbers, data and ragged tensors have shown to be unlike it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import SideEffectWarning

FIRST, SECOND = 0.43842277, 1.6272374
"""What TensorFlow 2.21 draws from `Generator.from_seed(1)` by `normal([])`."""


def test_generators_begin_with_their_seeds_in_functions_too() -> None:
    class Drawing(tf.Module):
        stream: Any = None

        @tf.function
        def drawn(self) -> Any:
            if self.stream is None:
                self.stream = tf.random.Generator.from_seed(1)
            return self.stream.normal([])

    module = Drawing()
    with pytest.warns(SideEffectWarning, match="stream"):
        found = [module.drawn(), module.drawn()]
    np.testing.assert_allclose(found, [FIRST, SECOND], rtol=1e-6)


def test_generators_copy_the_state_of_others() -> None:
    first = tf.random.Generator.from_seed(1)
    first.normal([])
    second = tf.random.Generator(first)
    assert second.normal([]) == first.normal([])
    third = tf.random.Generator.from_state(first.state, alg="philox")
    assert third.normal([]) == first.normal([])


def test_checkpoints_hold_generators(tmp_path: Path) -> None:
    stream = tf.random.Generator.from_seed(1)
    stream.normal([])
    path = tf.train.Checkpoint(stream=stream).write(str(tmp_path / "c"))
    stream.normal([3])
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "stream/_state_var/.ATTRIBUTES/VARIABLE_VALUE" in names
    other = tf.random.Generator.from_seed(9)
    tf.train.Checkpoint(stream=other).restore(path)
    np.testing.assert_allclose(other.normal([]), SECOND, rtol=1e-6)


def test_means_of_ragged_integers_are_fractions() -> None:
    found = tf.reduce_mean(tf.ragged.constant([[3, 1, 4], [5, 2]]), axis=1)
    assert found.dtype == tf.float64
    np.testing.assert_allclose(found, [8 / 3, 3.5])


def test_places_of_extremes_among_bools() -> None:
    assert tf.argmax([False, True, True]).numpy() == 1
    assert tf.argmin([True, False, False]).numpy() == 1


def test_datasets_print_as_tensorflows() -> None:
    spec = "element_spec=TensorSpec(shape=(), dtype=tf.int32, name=None)>"
    rows = tf.data.Dataset.from_tensor_slices([1, 2, 3])
    assert str(rows) == f"<_TensorSliceDataset {spec}"
    assert repr(rows.map(lambda x: x)) == f"<_MapDataset {spec}"
    assert str(rows.batch(2)).startswith(
        "<_BatchDataset element_spec=TensorSpec(shape=(None,)"
    )
    assert str(next(iter(rows.window(2)))) == f"<_VariantDataset {spec}"


def test_sparse_tensors_print_as_tensorflows() -> None:
    sparse = tf.sparse.SparseTensor([[0]], [1.0], [2])
    assert str(sparse) == (
        "SparseTensor(indices=tf.Tensor([[0]], shape=(1, 1), dtype=int64), "
        "values=tf.Tensor([1.], shape=(1,), dtype=float32), "
        "dense_shape=tf.Tensor([2], shape=(1,), dtype=int64))"
    )


DRAWN = [
    ("brightness", (0.3,), [0.26894, 0.35227, 0.47727]),
    ("contrast", (0.3, 0.9), [0.06143, 0.13658, 0.24519]),
    ("hue", (0.3,), [0.04167, 0.0625, 0.1875]),
    ("saturation", (0.3, 0.9), [0.00546, 0.08606, 0.21106]),
    ("flip_left_right", (), [0.0, 0.08333, 0.20833]),
    ("flip_up_down", (), [0.0, 0.08333, 0.20833]),
    ("crop", ((2, 2, 3),), [0.0625, 0.14583, 0.39583]),
]
"""What TensorFlow 2.21 made of PICTURE by the seed (1, 7): its elements 0, 4 and 10."""
PICTURE = (np.arange(48) / 48).astype(np.float32).reshape(4, 4, 3)


@pytest.mark.parametrize(("name", "given", "wanted"), DRAWN)
def test_pictures_are_changed_by_seeds_of_two_numbers(
    name: str, given: Any, wanted: list[float]
) -> None:
    change = getattr(tf.image, f"stateless_random_{name}")
    found = change(PICTURE, *given, seed=(1, 7)).numpy().ravel()[[0, 4, 10]]
    np.testing.assert_allclose(found, wanted, atol=2e-5)


def test_each_picture_of_a_batch_is_mirrored_by_a_draw_of_its_own() -> None:
    batch = np.stack([PICTURE] * 4)
    found = tf.image.stateless_random_flip_left_right(batch, seed=(1, 7)).numpy()
    np.testing.assert_array_equal(found[:, 0, 0, 0], [0.1875, 0.0, 0.1875, 0.0])
