"""Specs of ragged tensors, outputs of raw operators, constants: as TensorFlow 2.21 has them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1

tf: Any = import_module("tensorlite.compat.v2")  # as its programs see it, untyped


def test_specs_of_ragged_tensors_are_compared() -> None:
    spec, wide = tf.RaggedTensorSpec([2, None]), tf.RaggedTensorSpec([None, None])
    assert spec == tf.RaggedTensorSpec([2, None])
    assert spec != wide
    assert len({spec, tf.RaggedTensorSpec([2, None]), wide}) == 2
    assert spec.is_compatible_with(wide)
    assert spec.is_compatible_with(tf.ragged.constant([[1.0], [2.0]]))
    assert not spec.is_compatible_with(tf.ragged.constant([[1], [2]]))
    assert not spec.is_compatible_with(tf.constant([[1.0]]))
    assert spec.is_subtype_of(wide)
    assert not wide.is_subtype_of(spec)
    common = spec.most_specific_compatible_type(tf.RaggedTensorSpec([3, None]))
    assert common == wide
    assert spec.most_specific_common_supertype([tf.TensorSpec([2])]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        spec.most_specific_compatible_type(tf.RaggedTensorSpec([2, None], tf.int32))
    assert spec.value_type is tf.RaggedTensor


def test_outputs_of_raw_operators_have_names() -> None:
    found = tf.raw_ops.Unique(x=[1, 2, 1])
    assert type(found).__name__ == "Unique"
    assert found.y.numpy().tolist() == [1, 2]
    assert found.idx.numpy().tolist() == [0, 1, 0]
    values, places = tf.raw_ops.TopKV2(input=[1.0, 3.0, 2.0], k=2)
    assert (values.numpy().tolist(), places.numpy().tolist()) == ([3.0, 2.0], [1, 2])
    assert len(tf.raw_ops.Split(axis=0, value=[1, 2], num_split=2)) == 2


@pytest.mark.parametrize("given", [1.0, [1.0], [1.0, 2.0], [], np.ones((2, 0))])
def test_constants_of_graphs_may_have_no_elements(given: Any) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        empty: Any = tf1.constant(given, shape=[0, 2, 2])
        assert session.run(empty).shape == (0, 2, 2)
        with pytest.raises(ValueError, match="do not fill"):
            tf1.constant([1.0, 2.0, 3.0], shape=[2])
        with pytest.raises(ValueError, match="do not fill"):
            tf1.constant(np.ones(3), shape=[0, 2, 2])


def test_inner_modules_have_version_1s_metrics_and_steps_of_summaries() -> None:
    package = "tensorlite.compat.v2.python.ops."
    metrics = import_module(f"{package}metrics")
    assert metrics.mean_squared_error is tf1.metrics.mean_squared_error
    assert metrics.mean_absolute_error is tf1.metrics.mean_absolute_error
    summaries = import_module(f"{package}summary_ops_v2")
    assert summaries.set_step is tf.summary.experimental.set_step
    assert summaries.summary_scope is tf.summary.experimental.summary_scope
