"""Arguments that make no ragged tensor are refused, eagerly and when functions run.

Which are refused, and what the others give, TensorFlow 2.21 has told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

WRONG = [
    ("from_row_splits", [2, 4]),
    ("from_row_splits", [0, 3, 2, 4]),
    ("from_row_splits", [0, 2, 3]),
    ("from_row_splits", [[0, 4]]),
    ("from_row_lengths", [3, 3]),
    ("from_row_lengths", [2, -1, 3]),
    ("from_row_starts", [2, 3]),
    ("from_row_starts", [0, 3, 2]),
    ("from_row_starts", [0, 2, 7]),
    ("from_row_limits", [-1, 4]),
    ("from_row_limits", [0, 3]),
    ("from_row_limits", [3, 2, 4]),
    ("from_value_rowids", [1, 2, 3]),
    ("from_value_rowids", [-1, 0, 1, 2]),
    ("from_value_rowids", [1, 0, 2, 3]),
    ("from_uniform_row_length", 3),
    ("from_uniform_row_length", -1),
    ("from_uniform_row_length", 0),
]


@pytest.mark.parametrize(("name", "given"), WRONG)
def test_what_does_not_fit_is_refused(name: str, given: Any) -> None:
    make = getattr(tf.RaggedTensor, name)
    with pytest.raises(tf.errors.InvalidArgumentError):
        make([1, 2, 3, 4], given)
    traced = tf.function(lambda values, rows: make(values, rows).flat_values)
    with pytest.raises(tf.errors.InvalidArgumentError):
        traced(tf.constant([1, 2, 3, 4]), tf.constant(given))


def test_numbers_of_rows_are_checked() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.RaggedTensor.from_value_rowids([1, 2], [0, 2], nrows=2)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2, nrows=3)


def test_lengths_may_be_tensors_of_a_graph() -> None:
    make = tf.RaggedTensor.from_uniform_row_length
    rows = tf.function(lambda values, length: make(values, length).to_tensor())
    assert rows(tf.range(6), tf.constant(3)).numpy().tolist() == [
        [0, 1, 2],
        [3, 4, 5],
    ]
    assert make([], 0, nrows=4).shape == (4, 0)


def test_the_rank_of_what_is_split_need_not_be_known() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])  # type: ignore[untyped-decorator]
    def split(x: Any) -> Any:
        return tf.RaggedTensor.from_tensor(x, ragged_rank=2)

    assert split(np.ones((2, 3, 2, 1), "i")).to_tensor().shape == (2, 3, 2, 1)


def test_arrays_in_lists_have_no_dtype_of_their_own() -> None:
    made = tf.ragged.constant([np.array([1, 2]), np.array([3.0]), [4]])
    assert made.dtype == tf.float32


def test_ragged_images_are_resized_to_one_size() -> None:
    images = [np.arange(6.0, dtype="f").reshape(2, 3, 1), np.ones((4, 2, 1), "f")]
    made = tf.image.resize(tf.ragged.stack(images), [2, 2])
    assert made[0, :, :, 0].numpy().tolist() == [[0.25, 1.75], [3.25, 4.75]]
    assert made.shape == (2, 2, 2, 1)


@pytest.mark.parametrize("name", ["scatter_mul", "scatter_div", "scatter_add"])
def test_rows_that_are_not_there_are_not_changed(name: str) -> None:
    """Those below 0 were left out without a word."""
    variable = tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = -1"):
        getattr(tf.compat.v1, name)(variable, [-1, 0], [5.0, 5.0])
    assert variable.numpy().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "kind", [tf.random_normal_initializer, tf.random_uniform_initializer]
)
def test_initializers_without_a_seed_draw_others_each_time(kind: Any) -> None:
    drawn = kind()
    assert not np.allclose(drawn([8]).numpy(), drawn([8]).numpy())
    seeded = kind(seed=7)
    np.testing.assert_array_equal(seeded([8]).numpy(), seeded([8]).numpy())


def test_what_is_no_spec_is_given_to_wrapped_functions_as_it_is() -> None:
    spec = tf.TensorSpec([], tf.float32)
    wrapped = tf.compat.v1.wrap_function(lambda a, b: a * b, [spec, 3.0])
    assert wrapped(tf.constant(2.0)).numpy() == 6.0
