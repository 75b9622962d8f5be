"""TensorSpec: what specs say of each other and of tensors, and where programs are given them.

What TensorFlow 2.21 says is put down.
"""

from __future__ import annotations

import copy
from importlib import import_module
from typing import Any

import pytest

from tensorlite.compat import v2 as tf

NAMED = tf.TensorSpec([None, 3], tf.float32, "a")
ROWS = tf.TensorSpec([None, 3])


def test_the_shape_of_a_spec_answers() -> None:
    assert (ROWS.shape.as_list(), ROWS.shape.rank) == ([None, 3], 2)
    assert ROWS.shape.is_compatible_with([5, 3])
    assert tf.TensorSpec((2, 3)).shape.num_elements() == 6


def test_specs_are_compatible_with_tensors_and_specs() -> None:
    assert NAMED.is_compatible_with(tf.ones([2, 3]))
    assert NAMED.is_compatible_with(tf.TensorSpec([2, None]))
    assert tf.TensorSpec(None, tf.int32).is_compatible_with(tf.ones([], tf.int32))
    assert not NAMED.is_compatible_with(tf.ones([2, 4]))
    assert not NAMED.is_compatible_with(tf.ones([2, 3], tf.float64))
    assert not NAMED.is_compatible_with([[1.0, 2.0, 3.0]])


def test_special_specs_are_subtypes_of_general_ones_with_their_name() -> None:
    assert tf.TensorSpec([2, 3]).is_subtype_of(ROWS)
    assert ROWS.is_subtype_of(NAMED)
    assert not NAMED.is_subtype_of(ROWS)
    assert not ROWS.is_subtype_of(tf.TensorSpec([2, 3]))


def test_what_two_specs_have_in_common() -> None:
    other = tf.TensorSpec([2, 3], tf.float32, "a")
    assert NAMED.most_specific_common_supertype([other]) == NAMED
    assert NAMED.most_specific_common_supertype([tf.TensorSpec([2, 3])]) is None
    assert ROWS.most_specific_compatible_type(tf.TensorSpec([2, 4])) == tf.TensorSpec(
        [None, None]
    )
    with pytest.raises(ValueError, match="both"):
        ROWS.most_specific_compatible_type(tf.TensorSpec([2], tf.int32))


def test_specs_are_made_of_tensors_and_specs() -> None:
    assert tf.TensorSpec.from_tensor(tf.ones([2]), "q") == tf.TensorSpec(
        [2], tf.float32, "q"
    )
    assert tf.TensorSpec.from_spec(NAMED).name == "a"
    assert tf.TensorSpec.from_spec(NAMED, "b").name == "b"


def test_programs_are_given_such_specs() -> None:
    spec = tf.data.Dataset.from_tensors({"x": tf.ones([3])}).batch(2).element_spec
    assert isinstance(spec["x"], tf.TensorSpec)
    assert spec["x"] == ROWS
    assert spec["x"].shape.as_list() == [None, 3]
    assert tf.type_spec_from_value(tf.ones([2, 3])).shape.rank == 2
    traced = tf.function(lambda x: x).get_concrete_function(NAMED)
    (given,), _ = traced.structured_input_signature
    assert given.is_compatible_with(tf.ones([4, 3]))


def test_specs_may_have_bounds() -> None:
    kind: Any = import_module("tensorlite.compat.v1.contrib.framework")
    bounded = kind.BoundedTensorSpec((2, 3), tf.float32, 0, (5, 5, 5), "x")
    assert repr(bounded) == (
        "BoundedTensorSpec(shape=(2, 3), dtype=tf.float32, name='x', minimum=array(0., "
        "dtype=float32), maximum=array([5., 5., 5.], dtype=float32))"
    )
    assert not bounded.minimum.flags.writeable
    assert bounded == kind.BoundedTensorSpec((2, 3), tf.float32, [0], 5, "x")
    assert bounded != kind.BoundedTensorSpec((2, 3), tf.float32, 1, 5, "x")
    assert bounded.is_compatible_with(tf.ones([2, 3]))
    assert isinstance(bounded, tf.TensorSpec)
    assert not isinstance(ROWS, kind.BoundedTensorSpec)
    assert copy.deepcopy(bounded) == bounded


def test_bounds_are_those_of_the_dtype_unless_told() -> None:
    kind: Any = import_module("tensorlite.compat.v2.python.framework.tensor_spec")
    made = kind.BoundedTensorSpec.from_spec(tf.TensorSpec([8, 3], tf.int32, "x"))
    assert (made.minimum, made.maximum, made.name) == (-(2**31), 2**31 - 1, "x")
    assert kind.BoundedTensorSpec.from_spec(made) == made
    with pytest.raises(ValueError, match="`minimum` can not be None"):
        kind.BoundedTensorSpec([2], tf.int32, None, 1)
    with pytest.raises(
        ValueError, match=r"`maximum` .* is not compatible with shape"
    ):
        kind.BoundedTensorSpec([3, 5], tf.int32, 0, [1, 1, 1])
