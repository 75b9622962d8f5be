"""What changes a variable gives a reference, which may be changed again: in the order told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_change_of_what_a_change_gave_comes_behind_it(use_resource: bool) -> None:
    v = tf.Variable(2.0, use_resource=use_resource)
    changed = tf.assign_add(tf.assign(v, v * 2), 3.0)
    less = tf.assign_sub(changed, 1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(less) == 6.0
        assert session.run(v) == 6.0


def test_a_variable_that_is_in_no_collection_is_found() -> None:
    w = tf.Variable([1.0, 2.0], collections=[])
    changed = tf.assign_add(tf.assign(w, [5.0, 6.0]), [1.0, 1.0])
    with tf.Session() as session:
        session.run(w.initializer)
        assert session.run(changed).tolist() == [6.0, 7.0]


def test_rows_are_changed_behind_the_change_of_all() -> None:
    w = tf.Variable([1.0, 2.0])
    changed = tf.scatter_update(tf.assign(w, [7.0, 7.0]), [0], [3.0])
    more = tf.scatter_add(changed, [1], [1.0])
    with tf.Session() as session:
        session.run(w.initializer)
        assert session.run(more).tolist() == [3.0, 8.0]


def test_within_a_branch_and_a_loop() -> None:
    v = tf.Variable(2.0)
    chosen = tf.cond(
        v > 0, lambda: tf.assign_sub(tf.assign(v, v * 3.0), 1.0), lambda: v + 0
    )
    turned = tf.while_loop(
        lambda i: i < 3,
        lambda i: tf.cond(
            i >= 0,
            lambda: i + tf.cast(tf.assign_add(tf.assign(v, 4.0), 1.0), tf.int32) - 4,
            lambda: i,
        ),
        [0],
    )
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(chosen) == 5.0
        assert session.run(turned) == 3
        assert session.run(v) == 5.0


def test_a_value_that_is_a_variable_is_read_as_elsewhere() -> None:
    v, w = tf.Variable(1.0), tf.Variable(10.0)
    changed = tf.assign_add(tf.assign(v, 5.0), w)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(changed) == 15.0


def test_what_refers_to_no_variable_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="is no variable"):
        tf.assign(tf.constant(np.float32(1)), 2.0)


def test_the_tensor_of_a_reference_tells_of_the_variable() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", initializer=[2.0, 3.0])
        tf.get_variable("r", initializer=[2.0, 3.0], use_resource=True)
        found = graph.get_tensor_by_name("v:0")
        assert str(found) == 'Tensor("v:0", shape=(2,), dtype=float32_ref)'
        assert repr(found) == "<tf.Tensor 'v:0' shape=(2,) dtype=float32_ref>"
        assert (found.shape.as_list(), found.dtype.base_dtype) == ([2], tf.float32)
        assert v.op.outputs[0] is found
        handle = graph.get_tensor_by_name("r:0")
        assert str(handle) == 'Tensor("r:0", shape=(), dtype=resource)'
        (gradient,) = tf.gradients(found * 2.0, found)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(found).tolist() == [2.0, 3.0]
            assert session.run(gradient).tolist() == [2.0, 2.0]
            assert session.run(v + 1.0, {found: [5.0, 5.0]}).tolist() == [6.0, 6.0]


def test_a_value_of_any_shape_is_assigned_where_shapes_are_not_validated() -> None:
    """The variable's own shape stays as it is told; TensorFlow 1.15 gives the same values."""
    v = tf.Variable([1.0, 2.0], name="v")
    doubled = v * 2.0 + 1.0
    given = tf.placeholder(tf.float32, name="given")
    changed = tf.assign(v, given, validate_shape=False, name="changed")
    fixed = tf.assign(v, [1.0, 2.0, 3.0], validate_shape=False)
    assert (v.shape.as_list(), fixed.shape.as_list()) == ([2], [3])
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(changed, {given: [[1.0]]}).tolist() == [[1.0]]
        assert session.run(fixed).tolist() == [1.0, 2.0, 3.0]
        assert session.run(doubled).tolist() == [3.0, 5.0, 7.0]
    written = tf.get_default_graph().as_graph_def()
    (node,) = [x for x in written.node if x.name == "changed"]
    assert node.attr["validate_shape"].b is False
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        session.run("v/Assign")
        feeds = {"given:0": [4.0, 5.0, 6.0]}
        assert session.run("changed:0", feeds).tolist() == [4.0, 5.0, 6.0]


def test_shapes_are_validated_unless_told_otherwise() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match=r"Shapes \[2\] of .* and \[3\] of"):
        tf.assign(v, [1.0, 2.0, 3.0])
