"""TensorShape as programs of TensorFlow meet it: a leaf of structures, whose sizes they look at."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from tensorlite.compat import v1 as tf1, v2 as tf
from tensorlite.graph_mode.graph import mode


def test_structures_have_shapes_as_leaves() -> None:
    shape = tf.ones([2, 3]).shape
    assert not isinstance(shape, (tuple, list, Sequence))
    assert tf.nest.flatten({"a": shape, "b": [shape]}) == [shape, shape]
    assert isinstance(shape, tf.TensorShape)


def test_output_shapes_of_a_function_are_shapes() -> None:
    @tf.function
    def pair(x: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"a": x, "b": tf.reduce_sum(x, 1)}

    shapes = pair.get_concrete_function(tf.TensorSpec([None, 3])).output_shapes
    assert shapes == {"a": tf.TensorShape([None, 3]), "b": tf.TensorShape([None])}
    assert all(isinstance(x, tf.TensorShape) for x in shapes.values())


def test_scalars_have_a_shape_that_is_true() -> None:
    assert bool(tf.constant(1.0).shape)
    assert len(tf.constant(1.0).shape) == 0
    assert not tf.TensorShape(None)


def test_traces_have_a_shape_where_not_even_the_rank_is_known() -> None:
    def ranks(x: Any) -> Any:
        return tf.constant([x.shape.rank is None, bool(x.shape)])

    found = tf.function(ranks, input_signature=[tf.TensorSpec(None)])(tf.ones([2]))
    assert found.numpy().tolist() == [True, False]


def test_in_graphs_of_version_1_sizes_are_dimensions() -> None:
    mode.eager = False
    with tf1.Graph().as_default():
        shape = tf1.placeholder(tf1.float32, [None, 3]).shape
        assert not isinstance(shape, (tuple, Sequence))
        assert [size.value for size in shape] == [None, 3]
        assert (shape[1].value, shape[1:].as_list(), shape.dims[1]) == (3, [3], 3)
        assert tf1.zeros(shape[1:]).shape == [3]
        assert repr(shape) == "TensorShape([Dimension(None), Dimension(3)])"


def test_layers_without_an_axis_of_their_own_normalize_by_one_mean() -> None:
    layer = tf.keras.layers.Normalization(axis=None, mean=1.0, variance=4.0)
    assert layer(tf.constant([[3.0, 5.0, 1.0]])).numpy().tolist() == [[1.0, 2.0, 0.0]]


def test_shapes_that_are_given_as_lists_broadcast_as_whole_numbers() -> None:
    for x, y, wanted in (([], [], []), ([], [2], [2]), ([3, 1], (1, 2), [3, 2])):
        found = tf.broadcast_dynamic_shape(x, y)
        assert (found.dtype, found.numpy().tolist()) == (tf.int32, wanted)
    wide = tf.broadcast_dynamic_shape([], tf.constant([2], tf.int64))
    assert (wide.dtype, wide.numpy().tolist()) == (tf.int64, [2])


def test_shapes_are_tensors_of_whole_numbers_in_graphs_too() -> None:
    with tf.Graph().as_default():
        for shape in (tf.TensorShape([]), tf.TensorShape([2])):
            assert tf.convert_to_tensor(shape).dtype == tf.int32
            assert tf.identity(shape).dtype == tf.int32
        joined = tf.concat([tf.TensorShape([]), tf.TensorShape([2])], 0)
        assert (joined.dtype, tf.zeros(joined).shape.as_list()) == (tf.int32, [2])


@pytest.mark.parametrize("size", [3, np.int64(3), np.array(3), np.array([3])])
def test_a_size_alone_is_a_shape_of_one_axis(size: Any) -> None:
    assert tf.TensorShape(size).as_list() == [3]
    assert tf.TensorShape(tf.constant(size)).as_list() == [3]


class _Listing(list[Any]):
    pass


class _Pair(NamedTuple):
    a: int
    b: int


class _Other(NamedTuple):
    a: int
    b: int


_Twin: Any = type("_Pair", (_Pair,), {})


@pytest.mark.parametrize(
    ("one", "other", "fit"),
    [
        ([1], _Listing([2]), True),
        ({"a": 1}, OrderedDict(a=2), True),
        (_Pair(1, 2), _Twin(3, 4), True),
        (_Pair(1, 2), _Other(3, 4), False),
        ((1, 2), _Pair(3, 4), False),
        ([1], (1,), False),
    ],
)
def test_lists_mappings_and_tuples_of_one_name_are_of_one_kind(
    one: Any, other: Any, fit: bool
) -> None:
    if fit:
        tf.nest.assert_same_structure(one, other)
        made = tf.nest.map_structure(lambda x, y: x + y, one, other)
        assert type(made) is type(one)
    else:
        with pytest.raises(TypeError, match="same sequence type"):
            tf.nest.assert_same_structure(one, other)


def test_an_index_of_no_known_shape_is_a_number() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        at = tf1.placeholder(tf1.int32, None)
        x = tf1.constant([1, 2, 3, 4])
        found = session.run([x[at:], x[:at], x[at], x[:-at]], {at: 1})
    assert [part.tolist() for part in found] == [[2, 3, 4], [1], 2, [1, 2, 3]]


def test_shapes_tell_which_of_them_cover_others() -> None:
    shape = tf.TensorShape
    for wider in ([32, None], [None, 784], [None, None], None, [32, 784]):
        assert shape([32, 784]).is_subtype_of(shape(wider))
    for other in ([32, 1, 784], [None], [32, 7]):
        assert not shape([32, 784]).is_subtype_of(shape(other))
    assert not shape(None).is_subtype_of(shape([]))
    assert not shape([2]).is_subtype_of([2])
    common = shape([2, 1]).most_specific_common_supertype
    assert common([shape([5, 1]), shape([2, 1])]) == shape([None, 1])
    assert common([shape([2, 1])]) == shape([2, 1])
    assert common([shape([2])]) == shape(None)
    assert common([2]) is None


def test_shapes_have_messages() -> None:
    told = tf.ones([2, 3]).shape.as_proto()
    assert [axis.size for axis in told.dim] == [2, 3]
    assert [axis.size for axis in tf.TensorShape([None, 0]).as_proto().dim] == [-1, 0]
    assert tf.TensorShape(None).as_proto().unknown_rank
