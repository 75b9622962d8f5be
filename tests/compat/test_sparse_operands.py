"""Sparse tensors beside dense ones, and what parsing, sorting and gradients do at their edges.

Expected values are those of TensorFlow 1.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1


@pytest.fixture(autouse=True)
def session() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default(), tf.Session() as made:
        yield made
    mode.eager = before


def test_products_with_dense_tensors_are_sparse(session: Any) -> None:
    sp = tf.SparseTensor([[0, 0], [1, 1]], [1, 3], [2, 2])
    dense = tf.constant([[2, 3], [4, 5]])
    for product in (sp * dense, dense * sp):
        assert isinstance(product, tf.SparseTensor)
        assert session.run(product).values.tolist() == [2, 15]
    quotient = sp / dense
    assert quotient.op.graph is sp.graph
    np.testing.assert_allclose(session.run(quotient).values, [0.5, 0.6])
    assert quotient.dtype is tf.float64


def test_all_axes_of_a_sparse_tensor_are_summed_up(session: Any) -> None:
    sp = tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2])
    found = session.run(tf.sparse_reduce_sum_sparse(sp))
    assert (found.indices.shape, found.values.tolist()) == ((1, 0), [3.0])
    assert found.dense_shape.tolist() == []


def test_places_beyond_the_size_of_a_sparse_feature_are_kept(session: Any) -> None:
    made = tf.train.Example()
    made.features.feature["places"].int64_list.value.extend([10, 3])
    made.features.feature["values"].float_list.value.extend([4.0, 5.0])
    asked = {"sp": tf.SparseFeature("places", "values", tf.float32, 7)}
    found = session.run(tf.parse_example([made.SerializeToString()], asked)["sp"])
    assert found.indices.tolist() == [[0, 3], [0, 10]]
    assert found.dense_shape.tolist() == [1, 7]


def test_lists_of_any_number_of_values_may_be_missing(session: Any) -> None:
    empty = tf.train.SequenceExample().SerializeToString()
    asked = {"a": tf.VarLenFeature(tf.int64)}
    _, lists = tf.parse_single_sequence_example(empty, sequence_features=asked)
    found = session.run(lists["a"])
    assert (found.indices.shape, found.dense_shape.tolist()) == ((0, 2), [0, 0])


def test_fewer_than_no_elements_are_refused(session: Any) -> None:
    k = tf.placeholder(tf.int32, [])
    found = tf.nn.top_k([0.1, 0.2], k)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need k >= 0, got -7"):
        session.run(found, {k: -7})


def test_nothing_is_scattered_into_nothing(session: Any) -> None:
    none = tf.zeros([0], tf.int32)
    assert session.run(tf.scatter_nd(none, none, [0])).shape == (0,)


def test_gradients_of_targets_may_be_nested_lists(session: Any) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    (found,) = tf.gradients(x * 2.0, x, grad_ys=[[[1.0, 2.0], [3.0, 4.0]]])
    np.testing.assert_array_equal(session.run(found), [[2.0, 4.0], [6.0, 8.0]])


def test_sparse_tensors_that_ragged_ones_give_are_fetched_as_values() -> None:
    with v1.Graph().as_default(), v1.Session() as session:
        made = v1.ragged.constant([[1, 2], [3]]).to_sparse()
        assert isinstance(made, v1.SparseTensor)
        found = session.run(made)
    assert isinstance(found, v1.SparseTensorValue)
    assert found.indices.tolist() == [[0, 0], [0, 1], [1, 0]]


def test_version_2s_sparse_tensors_of_graphs_show_their_parts() -> None:
    tf2: Any = import_module("tensorlite.compat.v2")
    with tf.Graph().as_default(), tf.Session():
        x = tf2.SparseTensor([[0, 1]], tf.constant([2.0], name="kept"), [1, 2])
        assert (x.name, x.op.type, x.dtype) == ("kept:0", "Const", tf.float32)
        assert x.eval().values.tolist() == [2.0]
