"""What libraries of models take of TensorFlow's inside, in graphs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.core.errors import DTypeError, InvalidArgumentError


def inside(path: str) -> Any:
    return import_module(f"tensorlite.compat.v1.python.{path}")


metrics: Any = inside("ops.metrics_impl")


def updated(value: Any, update: Any) -> Any:
    """Return a metric's value after one step."""
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        return session.run(value)


def test_places_in_keys_are_values_of_variables() -> None:
    for in_resource in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.Variable([1, 2, 3, 4], use_resource=in_resource)
            size = tf.Variable(2, use_resource=in_resource)
            parts = x[:size], x[size], tf.identity(x)[size:], x[tf.newaxis, size]
            session.run(tf.global_variables_initializer())
            found = [part.tolist() for part in session.run(parts)]
        assert found == [[1, 2], 3, [3, 4], [3]]


def test_metrics_of_others_have_variables_of_any_shape() -> None:
    with tf.Graph().as_default():
        made = metrics.metric_variable(
            [0], tf.float32, validate_shape=False, name="all"
        )
        assert made.name == "all:0"
        assert made.shape.rank is None
        assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == [made]


def test_metrics_of_others_count_at_thresholds() -> None:
    with tf.Graph().as_default():
        given = [1, 0, 1, 0], [0.9, 0.6, 0.2, 0.1], [0.5, 0.15]
        values, updates = metrics._confusion_matrix_at_thresholds(*given)
        found = updated(values, updates)
        chosen, _ = metrics._confusion_matrix_at_thresholds(
            *given, includes=("fp", "tp")
        )
    assert {key: x.tolist() for key, x in found.items()} == {
        "tp": [1, 2],
        "fn": [1, 0],
        "tn": [1, 1],
        "fp": [1, 1],
    }
    assert list(chosen) == ["fp", "tp"]


def test_metrics_of_others_average_precision_of_sorted_classes() -> None:
    average = metrics._streaming_sparse_average_precision_at_top_k
    with tf.Graph().as_default():
        labels, top = [[0, 2], [1, 3]], [[2, 1, 0], [3, 1, 2]]
        assert updated(*average(labels, top)) == pytest.approx((5 / 6 + 1) / 2)
        for wrong in (tf.placeholder(tf.int64, (2, None)), (2, 1)):
            with pytest.raises(InvalidArgumentError, match="k known"):
                average(labels, wrong)


def test_metrics_of_ranks_take_predictions_whose_rank_the_run_knows() -> None:
    with tf.Graph().as_default():
        top = tf.placeholder_with_default(np.array([[2, 1], [3, 0]]), None)
        labels = tf.SparseTensor([[0, 0], [1, 0]], np.array([2, 1]), [2, 4])
        value, update = tf.metrics.precision_at_top_k(labels, top)
        assert updated(value, update) == 0.25


def test_metrics_of_others_divide_and_collect() -> None:
    with tf.Graph().as_default():
        total = metrics.metric_variable([], tf.float64, name="total")
        value = metrics._aggregate_variable(total, ["mine"])
        assert tf.get_collection("mine") == [value]
        assert updated(metrics._safe_scalar_div(value, value, "ratio"), []) == 0


def test_graphs_are_those_of_inputs() -> None:
    graph_of = inside("framework.ops")._get_graph_from_inputs
    with tf.Graph().as_default() as first:
        x = tf.constant(1.0)
    with tf.Graph().as_default() as second:
        assert graph_of([]) is second
        assert graph_of([x, x.op, 2]) is first
        for wrong in (([x, tf.constant(1)],), ([x], second)):
            with pytest.raises(InvalidArgumentError, match="graph"):
                graph_of(*wrong)
        with pytest.raises(DTypeError, match="list"):
            graph_of(x)


@pytest.mark.parametrize("in_resource", [False, True])
def test_what_waits_for_assignments_runs_behind_them(in_resource: bool) -> None:
    wait = inside("ops.control_flow_ops").with_dependencies
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Variable(10.0, use_resource=in_resource)
        waiting = wait([x.assign(20.0)], tf.constant(1.0))
        session.run(tf.global_variables_initializer())
        assert session.run(waiting) == 1
        assert session.run(x) == 20


def test_members_are_yielded_one_by_one() -> None:
    assert next(inside("util.nest")._yield_value([5, 6])) == 5


def test_triangular_operators_tell_classes_derived_from_them_the_diagonal() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        operator = tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [3.0, 2.0]])
        np.testing.assert_array_equal(session.run(operator._get_diag()), [1, 2])


def test_triangular_operators_are_singular_by_their_diagonal() -> None:
    def checked(matrix: Any) -> Any:
        return tf.linalg.LinearOperatorLowerTriangular(matrix).assert_non_singular()

    with tf.Graph().as_default(), tf.Session() as session:
        session.run(checked([[1.0, 0.0], [1e9, 1e-9]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Singular operator"):
            session.run(
                checked(tf.placeholder_with_default([[1.0, 0.0], [1.0, 0.0]], (2, 2)))
            )


@pytest.mark.parametrize("scale", [2, np.array([2.0], np.float32), 2.0])
def test_gradients_are_told_of_arguments_that_are_no_tensors(scale: Any) -> None:
    @tf.custom_gradient
    def scaled(x: Any, factor: Any) -> Any:
        return tf.identity(x), lambda dy: (dy * factor, None)

    x = tf.constant([42.0])
    with tf.Session() as session:
        (found,) = session.run(tf.gradients(scaled(x, scale), x, [[3.0]]))
    assert found.tolist() == [6]


def test_gradients_of_solutions_have_the_batches_of_what_they_are_of() -> None:
    draw = np.random.RandomState(0).rand
    matrix = tf.constant(np.tril(draw(5, 1, 2, 2) + 1))
    right = tf.constant(draw(1, 4, 2, 1))
    loss = tf.reduce_sum(tf.linalg.triangular_solve(matrix, right) ** 2)
    with tf.Session() as session:
        found = session.run(tf.gradients(loss, [matrix, right]))
    assert [x.shape for x in found] == [(5, 1, 2, 2), (1, 4, 2, 1)]
    sums = [x.sum() for x in found]
    np.testing.assert_allclose(sums, [-9.099256639534847, 9.696176462323463])
