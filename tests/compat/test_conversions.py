"""What becomes a tensor, of which dtype, and with which names: what libraries of programs need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.core import nest
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


def test_pythons_numbers_keep_their_digits_beside_tensors() -> None:
    x = tf.constant([0.3], tf.float64)
    assert tf.math.multiply(x, 0.1).numpy().tolist() == [0.3 * 0.1]
    assert tf.pow(x, 0.1).numpy().tolist() == [0.3**0.1]
    assert tf.maximum([0.1, 0.4], x).numpy().tolist() == [0.3, 0.4]


def test_times_become_counts() -> None:
    days = np.array(["1970-01-03", "1970-02-01"], np.datetime64)
    assert tf.constant(days, dtype=tf.int32).numpy().tolist() == [2, 31]


def test_tensors_of_another_dtype_are_wrong_values_and_wrong_types() -> None:
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match="requested dtype float64"):
            tf.convert_to_tensor(tf.constant(1), tf.float64)


class Field:
    """What attrs keeps of a field."""

    def __init__(self, name: str) -> None:
        self.name = name


class Pair:
    """A class as attrs makes one, of which only the fields' names count."""

    __attrs_attrs__ = (Field("_first"), Field("second"))

    def __init__(self, first: Any, second: Any) -> None:
        self._first, self.second = first, second


def test_classes_made_by_attrs_are_structures() -> None:
    pair = Pair(1, [2, 3])
    assert nest.flatten(pair) == [1, 2, 3]
    doubled = nest.map_structure(lambda x: 2 * x, pair)
    assert isinstance(doubled, Pair)
    assert nest.flatten(doubled) == [2, 4, 6]
    (found,) = tf.while_loop(
        lambda pair: pair.second < 5,
        lambda pair: (Pair(pair._first + pair.second, pair.second + 1),),
        (Pair(tf.constant(0), tf.constant(1)),),
    )
    assert [x.numpy() for x in nest.flatten(found)] == [10, 5]


def test_scopes_inside_others_may_begin_with_a_line() -> None:
    with tf.name_scope("_eager"):
        assert tf.constant(1).numpy() == 1
    with tf.Graph().as_default():
        with tf.name_scope("outer"), tf.name_scope("_inner") as name:
            assert name == "outer/_inner/"
        with (
            pytest.raises(ValueError, match="is not a valid scope name"),
            tf.name_scope("_x"),
        ):
            pass


def test_placeholders_with_defaults_are_those_where_nothing_is_fed() -> None:
    made = tf.compat.v1.placeholder_with_default([1.0, 2.0], [None])
    assert made.numpy().tolist() == [1.0, 2.0]

    @tf.function
    def size(x: Any) -> Any:
        known = tf.compat.v1.placeholder_with_default(x, [None])
        assert known.shape.as_list() == [None]
        return tf.shape(known)[0]

    assert size(tf.zeros([3])).numpy() == 3


WRONG = [
    (1.5, "int32"),
    ([1, 2.5], "int64"),
    ("1", "int32"),
    (["1"], "float32"),
    ("1", "complex64"),
    (1, "bool"),
    ([0.0, 1.0], "bool"),
    ("yes", "bool"),
    ([1.5], "string"),
    ([1, "a"], "string"),
    ([True], "string"),
]


@pytest.mark.parametrize(("value", "dtype"), WRONG)
def test_python_values_are_not_bent_to_a_dtype(value: Any, dtype: str) -> None:
    # TensorFlow raises TypeError or ValueError for each.
    wanted = getattr(tf, dtype)
    for made in (tf.constant, tf.convert_to_tensor):
        with pytest.raises((TypeError, ValueError)):
            made(value, wanted)
    with pytest.raises((TypeError, ValueError)):
        tf.Variable(value, dtype=wanted)
    with tf1.Graph().as_default():
        for noted in (tf1.constant, tf1.convert_to_tensor):
            with pytest.raises((TypeError, ValueError)):
                noted(value, wanted)
        with pytest.raises((TypeError, ValueError)):
            tf1.Variable(value, dtype=wanted)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "float16"),
        ([True, False], "int32"),
        ([1, 2.5], "complex64"),
        ([], "bool"),
        ([], "string"),
        (np.asarray([1.5]), "int32"),
        (["a", b"b"], "string"),
    ],
)
def test_python_values_that_a_dtype_holds_are_taken(value: Any, dtype: str) -> None:
    wanted = getattr(tf, dtype)
    made = tf.constant(value, wanted)
    assert made.dtype == wanted
    assert tf.Variable(value, dtype=wanted).dtype == wanted


def test_numbers_that_no_whole_dtype_holds_are_floats_where_those_are_meant() -> None:
    far = 10**20
    assert tf.constant(far, tf.float32).numpy() == np.float32(1e20)
    np.testing.assert_array_equal(tf.maximum([1.0, 2.0], -far), [1.0, 2.0])
    np.testing.assert_array_equal(tf.where([True], [1.0], far), [1.0])
    with pytest.raises(ValueError, match="out of range"):
        tf.constant(far)


def test_casts_neither_read_nor_write_texts() -> None:
    tf.cast([1.5], tf.int32)  # what passes once is no leave for what follows
    for value, dtype in [("1", tf.int32), ("a", tf.bool), ([1.5], tf.string)]:
        with pytest.raises(NotImplementedError, match="is not supported"):
            tf.cast(value, dtype)
        with pytest.raises(NotImplementedError, match="is not supported"):
            tf.function(lambda x, to=dtype: tf.cast(x, to))(tf.constant(value))


def test_only_classes_can_be_registered() -> None:
    with pytest.raises(TypeError, match="base_type must be a type"):
        tf.register_tensor_conversion_function(tf.ones([2]), lambda *_, **__: 1)
    assert tf.add(1, 2).numpy() == 3
