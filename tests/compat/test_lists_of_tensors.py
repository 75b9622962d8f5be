"""TensorArray: shapes of elements and how many there are; expected is what TensorFlow gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tensorlite.compat import v1, v2
from tensorlite.core import nest
from tensorlite.graph_mode.graph import mode, reset_default_graph

VERSIONS: list[Any] = [v1, v2]
tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def values(*tensors: Any) -> list[Any]:
    with tf.Session() as session:
        return [value.tolist() for value in session.run(list(tensors))]


def test_elements_that_are_not_alike_may_have_other_ranks() -> None:
    array = tf.TensorArray(tf.float32, 2, infer_shape=False)
    array = array.write(0, [1.0, 2.0]).write(1, 3.0)
    first, second = array.read(0), array.read(1)
    assert first.shape.rank is None
    assert values(first, second) == [[1.0, 2.0], 3.0]
    some = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None])
    some = some.write(0, [1.0, 2.0, 3.0]).write(1, [1.0])
    assert str(some.element_shape) == "(?,)"
    assert values(some.read(0), some.read(1)) == [[1.0, 2.0, 3.0], [1.0]]


@pytest.mark.parametrize(
    "write",
    [
        lambda array: array.write(0, [1.0, 2.0]).write(1, 3.0),
        lambda array: array.write(0, [1.0, 2.0]).write(1, [3.0]),
        lambda array: array.unstack([[1.0], [2.0]]).write(0, [1.0, 2.0]),
        lambda array: array.scatter([0], [[1.0]]).scatter([1], [1.0]),
    ],
)
def test_elements_of_another_shape_are_refused(write: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"Inconsistent shapes: saw .* but expected"):
        write(tf.TensorArray(tf.float32, 2))
    mode.eager = True
    with pytest.raises(ValueError, match="Incompatible shape for value"):
        write(v2.TensorArray(v2.float32, 2))


def test_elements_of_another_shape_than_the_one_given_are_refused() -> None:
    array = tf.TensorArray(tf.float32, 2, element_shape=[3])
    with pytest.raises(ValueError, match=r"saw \(2,\) but expected \(3,\)"):
        array.unstack([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ValueError, match=r"saw \(2,\) but expected \(3,\)"):
        array.write(0, [1.0, 2.0])


def test_what_is_known_of_elements_grows_with_each_of_them() -> None:
    some = tf.placeholder_with_default([1.0, 2.0], [None])
    array = tf.TensorArray(tf.float32, 2)
    assert array.element_shape.rank is None
    array = array.write(0, some)
    assert array.element_shape.as_list() == [None]
    array = array.write(1, [3.0, 4.0])
    assert array.element_shape.as_list() == [2]
    array = array.write(1, some)
    assert array.element_shape.as_list() == [2]
    stacked = array.stack()
    assert stacked.shape.as_list() == [None, 2]
    assert values(stacked) == [[[1.0, 2.0], [1.0, 2.0]]]


@pytest.mark.parametrize("of", VERSIONS)
def test_what_is_known_stays_behind_loops(of: Any) -> None:
    begun = of.TensorArray(tf.float32, 3)
    _, array = tf.while_loop(
        lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, [1.0, 2.0])), [0, begun]
    )
    stacked = array.stack()
    assert array.element_shape.as_list() == [2]
    # TensorFlow 2 knows how many there are.
    assert stacked.shape.as_list() == [3 if of is v2 else None, 2]
    assert values(stacked) == [[[1.0, 2.0]] * 3]
    growing = of.TensorArray(tf.float32, 0, dynamic_size=True).write(1, [1.0])
    assert growing.stack().shape.as_list() == [None, 1]


def test_a_list_has_as_many_elements_as_what_it_was_made_of() -> None:
    array = v2.TensorArray(tf.float32, 3)
    array = array.unstack(tf.placeholder_with_default([[1.0], [2.0]], [None, 1]))
    assert array.stack().shape.as_list() == [None, 1]
    known = v2.TensorArray(tf.float32, 3).unstack([[1.0], [2.0]]).stack()
    assert known.shape.as_list() == [2, 1]
    parts = v2.TensorArray(tf.float32, 2).split([1.0, 2.0, 3.0, 4.0], [2, 2])
    assert values(parts.stack()) == [[[1.0, 2.0], [3.0, 4.0]]]


def test_a_list_rebuilt_is_as_the_one_that_it_was_made_of() -> None:
    array = v2.TensorArray(tf.float32, 2, element_shape=[None], infer_shape=False)
    made = nest.rebuild(array, [array.flow])
    assert type(made) is v2.TensorArray
    made = made.write(0, [1.0, 2.0]).write(1, [1.0])
    assert made.element_shape.as_list() == [None]


def test_parts_of_one_length_have_a_known_shape() -> None:
    array = tf.TensorArray(tf.float32, 2).split([[1.0], [2.0], [3.0], [4.0]], [2, 2])
    assert array.read(0).shape == [2, 1]
    assert str(array.concat().shape) == "(?, 1)"
    assert values(array.read(1)) == [[[3.0], [4.0]]]
    unlike = tf.TensorArray(tf.float32, 2).split([[1.0], [2.0], [3.0]], [2, 1])
    assert values(unlike.read(0), unlike.read(1)) == [[[1.0], [2.0]], [[3.0]]]


def test_collections_of_variables_are_listed_with_those_of_resources() -> None:
    keys = tf.GraphKeys
    assert keys.TRAINABLE_RESOURCE_VARIABLES == "trainable_resource_variables"
    assert keys._SUMMARY_COLLECTION == "_SUMMARY_V2"
    assert len(keys._VARIABLE_COLLECTIONS) == 8
