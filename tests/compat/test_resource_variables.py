"""Variables of version 1 that are resources: read at each use, written without a value.

What TensorFlow 1.15 gave is written down.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def begun(session: Any) -> None:
    session.run(tf.global_variables_initializer())


def test_fetching_an_assignment_writes_and_gives_the_new_value() -> None:
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    after, more = w.assign([3.0, 4.0]), w.assign_add([1.0, 1.0])
    assert (after.name, after.op.type) == ("AssignVariableOp", "AssignVariableOp")
    with tf.Session() as session:
        begun(session)
        assert session.run(after).tolist() == [3.0, 4.0]
        assert session.run(more).tolist() == [4.0, 5.0]
        assert session.run(w).tolist() == [4.0, 5.0]
        session.run(tf.group(w.assign([0.0, 0.0]), w.assign_sub([0.0, 0.0])))
        assert session.run(w).tolist() == [0.0, 0.0]


def test_what_uses_an_assignment_runs_it_first() -> None:
    w = tf.get_variable("w", initializer=1.0, use_resource=True)
    doubled = w.assign(5.0) * 2.0
    with tf.control_dependencies([w.assign_add(1.0)]):
        behind = w + 0.0
    with tf.Session() as session:
        begun(session)
        assert (session.run(doubled), session.run(behind)) == (10.0, 6.0)


def test_gradients_of_all_readings_are_added_up() -> None:
    w = tf.get_variable("w", initializer=3.0, use_resource=True)
    (found,) = tf.gradients(w * w + 2.0 * w, w)
    with tf.Session() as session:
        begun(session)
        assert session.run(found) == 8.0


def test_a_reading_lies_where_the_variable_does() -> None:
    with tf.device("/job:ps/task:0"):
        w = tf.get_variable("w", [2], use_resource=True)
    with tf.device("/job:worker/task:1"):
        y = w * 2.0
    assert y.op.inputs[0].op.device == "/job:ps/task:0"
    assert y.device == "/job:worker/task:1"


def test_a_scope_or_the_program_may_ask_for_resources() -> None:
    with tf.variable_scope("a", use_resource=True):
        made = [tf.Variable(1.0, name="v"), tf.get_variable("w", [2])]
    plain = tf.get_variable("w", [2])
    assert [x.op.type for x in made] == ["VarHandleOp"] * 2
    assert plain.op.type == "VariableV2"


def test_slots_are_of_the_kind_of_their_variables() -> None:
    w = tf.get_variable("w", initializer=[1.0, 1.0], use_resource=True)
    optimizer = tf.train.AdamOptimizer(0.5)
    step = optimizer.minimize(tf.reduce_sum(tf.gather(w, [0])))
    assert {x.op.type for x in optimizer.variables()} == {"VarHandleOp"}
    with tf.Session() as session:
        begun(session)
        session.run(step)
        np.testing.assert_allclose(session.run(w), [0.5, 1.0], rtol=1e-5)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (tf.scatter_update, [[1.0, 1.0], [9.0, 9.0]]),
        (tf.scatter_add, [[1.0, 1.0], [11.0, 11.0]]),
        (tf.scatter_sub, [[1.0, 1.0], [-7.0, -7.0]]),
        (tf.scatter_mul, [[1.0, 1.0], [18.0, 18.0]]),
        (tf.scatter_div, [[1.0, 1.0], [2.0 / 9.0, 2.0 / 9.0]]),
        (tf.scatter_max, [[1.0, 1.0], [9.0, 9.0]]),
        (tf.scatter_min, [[1.0, 1.0], [2.0, 2.0]]),
    ],
)
def test_changed_rows_come_back_with_the_variable(
    use_resource: bool, change: Any, wanted: Any
) -> None:
    first = [[1.0, 1.0], [2.0, 2.0]]
    w = tf.get_variable("w", initializer=first, use_resource=use_resource)
    after = change(w, [1], [[9.0, 9.0]])
    with tf.Session() as session:
        begun(session)
        np.testing.assert_allclose(session.run(after), wanted)
        np.testing.assert_allclose(session.run(w), wanted)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (tf.scatter_nd_update, [1.0, 9.0]),
        (tf.scatter_nd_add, [1.0, 11.0]),
        (tf.scatter_nd_sub, [1.0, -7.0]),
    ],
)
def test_changed_places_come_back_with_the_variable(
    use_resource: bool, change: Any, wanted: Any
) -> None:
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=use_resource)
    after = change(w, [[1]], [9.0])
    with tf.Session() as session:
        begun(session)
        assert session.run(after).tolist() == wanted
        assert session.run(w).tolist() == wanted


def test_a_first_value_that_rests_on_a_variable_needs_none_of_it() -> None:
    w = tf.Variable([1.0, 2.0], name="w")
    v = tf.Variable(tf.identity(w * 2.0) + w, name="v")
    assert v.initial_value.op.name == "add"
    assert v.initializer.inputs[1].name == "add_v:0"
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(v).tolist() == [3.0, 6.0]
        session.run(w.initializer)
        session.run(w.assign([5.0, 5.0]))
        session.run(v.initializer)
        assert session.run(v).tolist() == [15.0, 15.0]


def test_graphs_with_resources_are_read_again_as_they_were(tmp_path: Any) -> None:
    w = tf.get_variable("w", initializer=[1.0, 2.0], use_resource=True)
    tf.identity(w * 3.0, name="y")
    w.assign([7.0, 8.0], name="change")
    written = tf.train.export_meta_graph(str(tmp_path / "a.meta"))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(str(tmp_path / "a.meta"))
        (own,) = tf.global_variables()
        assert own.op.type == "VarHandleOp"
        begun(session)
        session.run("change")
        assert session.run("y:0").tolist() == [21.0, 24.0]
        names = {node.name: node.op for node in written.graph_def.node}
        again = {node.name: node.op for node in graph.as_graph_def().node}
        assert names.items() <= again.items()


def test_weights_scale_the_accuracy_of_a_batch() -> None:
    metrics: Any = tf.contrib.metrics
    right = metrics.accuracy([1, 2, 3, 4], [1, 2, 0, 0], 2.0)
    with tf.Session() as session:
        assert session.run(right) == 0.5


def test_a_program_may_ask_that_all_variables_be_resources() -> None:
    assert not tf.resource_variables_enabled()
    tf.enable_resource_variables()
    assert tf.resource_variables_enabled()
    kinds = [tf.Variable(1.0), tf.get_variable("w", [2])]
    told = tf.get_variable("u", [2], use_resource=False)
    tf.disable_resource_variables()
    kinds += [tf.get_variable("v", [2]), told]
    assert [x.op.type for x in kinds] == ["VarHandleOp"] * 2 + ["VariableV2"] * 2


def test_variables_of_contrib_may_be_resources() -> None:
    contrib: Any = tf.contrib.framework
    asked = {"use_resource": True}
    made = [
        contrib.variable("a", [2], **asked),
        contrib.model_variable("b", [2], **asked),
        contrib.local_variable(1.0, **asked),
        contrib.global_variable(1.0, **asked),
    ]
    assert {x.op.type for x in made} == {"VarHandleOp"}
