"""Calls whose inputs are of another graph than the one being built make their nodes in that one.

The expected names are those of TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

import pytest

from tensorlite.compat import v1

tf: Any = v1


@pytest.fixture
def other() -> Any:
    with tf.Graph().as_default() as graph:
        tf.constant([1.0, 2.0], name="a")
        tf.get_variable("v", initializer=[3.0, 4.0])
        tf.get_variable("r", initializer=[3.0, 4.0], use_resource=True)
    return graph


def a_of(graph: Any) -> Any:
    return graph.get_tensor_by_name("a:0")


def test_operators_and_functions_go_where_their_inputs_are(other: Any) -> None:
    a = a_of(other)
    made = [a + 1.0, 1.0 - a, tf.add(a, 1.0), tf.add(x=1.0, y=a), -a, a[0]]
    assert all(x.graph is other for x in made)
    names = ["add", "sub", "Add_1", "Add_2", "Neg", "strided_slice"]
    assert [x.op.name for x in made] == names
    assert tf.add_n([a, a]).graph is other
    with tf.Session(graph=other) as session:
        assert session.run(made[1]).tolist() == [0.0, -1.0]


def test_a_graph_that_is_being_built_gets_nothing_of_them(other: Any) -> None:
    with tf.Graph().as_default() as graph, tf.name_scope("scope"):
        made = a_of(other) * 2.0
        assert made.graph is other
        assert made.op.name == "mul"
        assert tf.get_default_graph() is graph
        assert tf.constant(1.0).op.name == "scope/Const"
    assert [x.name for x in graph.get_operations()] == ["scope/Const"]


def test_variables_are_read_and_written_in_their_graph(other: Any) -> None:
    with other.as_default():
        variables = tf.global_variables()
        start = tf.global_variables_initializer()
    with tf.Session(graph=other) as session:
        session.run(start)
        for variable in variables:
            doubled = variable * 2.0
            assert doubled.graph is other
            assert session.run(doubled).tolist() == [6.0, 8.0]
            written = tf.assign(variable, [5.0, 6.0])
            session.run(written)
            assert session.run(variable + 0.0).tolist() == [5.0, 6.0]
            assert session.run(variable[1]) == 6.0


def test_gradients_are_made_where_what_they_are_of_is(other: Any) -> None:
    a = a_of(other)
    (found,) = tf.gradients(tf.square(a), a)
    assert found.graph is other
    assert found.op.name == "gradients/Square_grad/Mul_1"
    with tf.Session(graph=other) as session:
        assert session.run(found).tolist() == [2.0, 4.0]


def test_scopes_with_values_are_of_their_graph(other: Any) -> None:
    with tf.name_scope(None, "layer", [a_of(other)]) as name:
        made = tf.constant(1.0)
        assert tf.get_default_graph() is other
    assert made.op.name == name + "Const"


def test_what_is_made_of_several_operators_goes_there_too(other: Any) -> None:
    a = a_of(other)
    made = [
        tf.summary.scalar("x", a[0]),
        tf.map_fn(lambda x: x + 1.0, a),
        tf.scan(lambda x, y: x + y, a),
        tf.clip_by_norm(a, 1.0),
        tf.global_norm([a]),
        tf.Variable(a),
    ]
    assert all(x.graph is other for x in made)
    assert [x.op.name for x in (made[0], made[3], made[5])] == [
        "x",
        "clip_by_norm",
        "Variable",
    ]
    with tf.Session(graph=other) as session:
        assert session.run(made[1]).tolist() == [2.0, 3.0]


def test_inputs_of_several_graphs_are_refused(other: Any) -> None:
    with tf.Graph().as_default():
        b = tf.constant([1.0, 2.0])
        with pytest.raises(ValueError, match="must be from the same graph"):
            a_of(other) + b
        with pytest.raises(ValueError, match="must be from the same graph"):
            tf.add_n([b, a_of(other)])


def test_metrics_and_losses_go_where_what_they_measure_is(other: Any) -> None:
    """TensorFlow makes the variables there, too; their collections are of that graph."""
    a = a_of(other)
    right = tf.equal(a, a)
    measured = [
        *tf.metrics.mean(a),
        *tf.metrics.accuracy(a, a),
        *tf.metrics.mean_squared_error(a, a),
        *tf.metrics.precision(right, right),
        *tf.metrics.auc(right, a / 2.0),
        *tf.metrics.recall_at_k(tf.cast(a[:1], tf.int64), a, 1),
        tf.losses.mean_squared_error(a, a - 1.0),
        tf.losses.softmax_cross_entropy(a[None], a[None]),
        tf.confusion_matrix(tf.cast(a, tf.int32), tf.cast(a, tf.int32), 3),
    ]
    assert {x.graph for x in measured} == {other}
    assert measured[0].name == "mean/value:0"
    assert not tf.local_variables()
    assert not tf.losses.get_losses()
    with other.as_default(), tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(measured[1]) == 1.5
        assert session.run(measured[-1]).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
        assert session.run(tf.losses.get_losses()[0]) == 1.0


def test_scopes_of_variables_make_them_where_their_values_are(other: Any) -> None:
    with tf.Graph().as_default() as graph:
        with tf.variable_scope(None, "layer", [a_of(other)]):
            w = tf.get_variable("w", [2])
        assert w.graph is other
        assert w.name == "layer/w:0"
        assert graph.get_operations() == []
