"""What programs of TensorFlow 1 learn of a graph's elements, and how they make some by type.

Expected values are those of TensorFlow 1.15.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    MissingOperatorError,
    NotFoundError,
)
from tensorlite.graph_mode.graph import mode
from tests.train.events import accumulated

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default() as made:
        yield made
    mode.eager = before


def test_a_node_says_what_it_is_in_tensorflows_messages() -> None:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.matmul(x, tf.zeros([3, 2]), name="mm")
    made = y.op.node_def
    assert (made.name, made.op, list(made.input)) == ("mm", "MatMul", ["x", "zeros"])
    assert [a.name for a in y.op.op_def.input_arg] == ["a", "b"]
    assert y.op.get_attr("T") is tf.float32
    assert y.op.get_attr("transpose_a") is False
    assert [n.size for n in x.op.get_attr("shape").dim] == [-1, 3]
    assert x.op.get_attr("dtype") is tf.float32
    assert 'op: "MatMul"' in str(y.op)
    with pytest.raises(ValueError, match="'mm' has no attr named 'foo'"):
        y.op.get_attr("foo")


def test_attributes_are_as_tensorflow_returns_them() -> None:
    image, kernel = tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1])
    op = tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME").op
    assert op.get_attr("strides") == [1, 1, 1, 1]
    assert (op.get_attr("padding"), op.get_attr("data_format")) == (b"SAME", b"NHWC")
    value = tf.constant([1, 2]).op.get_attr("value")
    np.testing.assert_array_equal(tf.make_ndarray(value), [1, 2])


def test_a_node_that_tensorflow_has_not_is_told_of_too() -> None:
    y = tf.py_func(np.sin, [tf.zeros([2], name="x")], tf.float32)
    assert (y.op.node_def.op, list(y.op.node_def.input)) == ("PyFunc", ["x"])


def test_attributes_may_be_added() -> None:
    y = tf.identity(tf.zeros([2]), name="y")
    y.op._set_attr("_mark", tf.AttrValue(s=b"here"))
    assert y.op.get_attr("_mark") == b"here"
    written = {node.name: node for node in tf.get_default_graph().as_graph_def().node}
    assert written["y"].attr["_mark"].s == b"here"


def test_nodes_are_made_by_the_name_of_their_type() -> None:
    graph: Any = tf.get_default_graph()
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.name_scope("outer"), tf.control_dependencies([tf.no_op("before")]):
        op = graph.create_op("Relu", [x], [tf.float32])
    product = graph.create_op(
        "MatMul",
        [x, x],
        [tf.float32],
        name="m",
        attrs={"transpose_b": tf.AttrValue(b=True)},
    )
    assert op.name == "outer/Relu"
    assert [x.name for x in op.control_inputs] == ["outer/before"]
    assert product.outputs[0].shape.as_list() == [None, None]
    with graph.name_scope("whole") as scope:
        assert graph.create_op("Relu", [x], name=scope).name == "whole"
    with tf.Session() as session:
        found = session.run(
            [op.outputs[0], product.outputs[0]], {x: [[-1.0, 2.0, 3.0]]}
        )
    np.testing.assert_array_equal(found[0], [[0, 2, 3]])
    np.testing.assert_array_equal(found[1], [[14]])
    with pytest.raises(
        MissingOperatorError, match="Op type not registered: 'Nothing'"
    ):
        graph.create_op("Nothing", [])


def test_elements_are_found_by_name_or_refused() -> None:
    graph: Any = tf.get_default_graph()
    x = tf.placeholder(tf.float32, name="x")
    assert graph.as_graph_element("x:0") is x
    assert graph.as_graph_element("x") is x.op
    with pytest.raises(ValueError, match="not a Operation"):
        graph.get_operation_by_name("x:0")
    with pytest.raises(ValueError, match="<op_name>:<output_index>"):
        graph.as_graph_element("x", allow_operation=False)
    with pytest.raises(DTypeError, match="Can not convert a Tensor into a Operation"):
        graph.as_graph_element(x, allow_tensor=False)
    with pytest.raises(DTypeError, match="names are strings"):
        graph.get_operation_by_name(3)
    with pytest.raises(NotFoundError, match="nowhere"):
        graph.get_tensor_by_name("nowhere:0")


def test_fetching_may_be_forbidden() -> None:
    graph: Any = tf.get_default_graph()
    x = tf.constant([1.0], name="x")
    graph.prevent_fetching(x.op)
    assert not graph.is_fetchable(x)
    with tf.Session() as session:
        for asked in (x, x.op, {"a": [x]}, "x:0"):
            with pytest.raises(InvalidArgumentError, match="not fetchable"):
                session.run(asked)
        assert session.run(x + 1.0).tolist() == [2.0]


def test_feeding_may_be_forbidden() -> None:
    graph: Any = tf.get_default_graph()
    x = tf.placeholder(tf.float32, name="x")
    y = x + 1.0
    assert graph.is_feedable(y)
    graph.prevent_feeding(y)
    assert not graph.is_feedable(y)
    with (
        tf.Session() as session,
        pytest.raises(InvalidArgumentError, match="may not be fed"),
    ):
        session.run(y, {y: 1.0})


def test_graph_defs_have_shapes_and_parts_and_groups() -> None:
    graph: Any = tf.get_default_graph()
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with graph.colocate_with(x.op):
        tf.identity(x, name="y")
    whole = graph.as_graph_def(add_shapes=True)
    (shape,) = whole.node[0].attr["_output_shapes"].list.shape
    assert [n.size for n in shape.dim] == [-1, 3]
    assert list(whole.node[1].attr["_class"].list.s) == [b"loc:@x"]
    assert [node.name for node in graph.as_graph_def(from_version=1).node] == ["y"]


def test_sessions_name_their_devices_and_make_callables_that_record() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = x * 2
    with tf.Session() as session:
        device = session.list_devices()[0]
        double = session.make_callable(y, [x], accept_options=True)
        record = tf.RunMetadata()
        full = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        double([1, 2], run_metadata=record)
        assert not record.HasField("step_stats")
        made = double([1, 2], options=full, run_metadata=record)
    np.testing.assert_array_equal(made, [2, 4])
    assert (device.name, device.device_type) == (
        "/job:localhost/replica:0/task:0/device:CPU:0",
        "CPU",
    )
    assert [x.node_name for x in record.step_stats.dev_stats[0].node_stats] == ["mul"]


class Boxed:
    """A value of a program's own."""

    def __init__(self, value: Any) -> None:
        self.value = value


def test_values_of_registered_classes_become_tensors() -> None:
    def unboxed(
        value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False
    ) -> Any:
        return tf.constant(value.value, dtype=dtype, name=name)

    tf.register_tensor_conversion_function(Boxed, unboxed)
    made = [
        tf.constant(1.0) + Boxed(2.0),
        tf.add(Boxed(1.0), Boxed(2.0)),
        tf.convert_to_tensor(Boxed(3.0)),
        tf.reduce_sum(tf.stack([Boxed(1.0), Boxed(2.0)])),
    ]
    with tf.Session() as session:
        assert session.run(made) == [3.0, 3.0, 3.0, 3.0]


def test_slices_may_have_no_dense_shape() -> None:
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 2]))
    assert slices.dense_shape is None
    assert slices.name == "ones:0"
    with pytest.raises(ValueError, match="has no dense_shape"):
        tf.convert_to_tensor(slices)


def test_arrays_and_their_messages() -> None:
    made = tf.make_tensor_proto([1.0, 2.0], shape=[2, 1])
    np.testing.assert_array_equal(tf.make_ndarray(made), [[1.0], [2.0]])
    assert tf.make_ndarray(tf.make_tensor_proto(b"text")).item() == b"text"
    assert tf.make_ndarray(tf.make_tensor_proto(3, tf.int64, [2])).tolist() == [3, 3]


def test_what_is_within_branches_is_looked_at_and_not_computed_with(
    graph: Any,
) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.cond(x > 0.0, lambda: x * 2.0, lambda: x * 3.0)
    assert [op.name for op in x.consumers()] == [
        *("Greater", "cond/mul/Switch", "cond/mul_1/Switch")
    ]
    assert (y.op.type, [z.name for z in y.op.inputs]) == (
        "Merge",
        ["cond/mul_1:0", "cond/mul:0"],
    )
    assert y.op.node_def.op == "Merge"
    assert graph.get_tensor_by_name("cond/Merge:0") is y
    inner = graph.get_tensor_by_name("cond/mul:0")
    assert (inner.op.type, inner.graph is graph, inner.shape.rank) == ("Mul", True, 0)
    assert [op.name for op in inner.consumers()] == ["cond/Merge"]
    with tf.Session() as session:
        assert session.run("cond/Merge:0", {"x:0": 2.0}) == 4.0
        for fetched in (inner, inner.op, "cond/mul:0"):
            with pytest.raises(
                InvalidArgumentError, match="within a branch or a loop"
            ):
                session.run(fetched, {x: 2.0})
        with pytest.raises(DTypeError, match="within a branch or a loop"):
            session.run(y, {inner: 2.0})
    with pytest.raises(InvalidArgumentError, match="within a branch or a loop"):
        tf.identity(inner)


def test_lists_of_nodes_grow_with_the_graph_and_hold_together(graph: Any) -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.while_loop(lambda i: i < 10.0, lambda i: i + 1.0, [x])
    before = graph.get_operations()
    z = tf.cond(y > 3.0, lambda: y * 2.0, lambda: x)
    (slope,) = tf.gradients(z, x)
    after = graph.get_operations()
    names = {op.name for op in after}
    assert {op.name for op in before} < names
    assert y.op.type == "Exit"
    for op in after:
        assert {a.op.name for a in op.inputs} <= names
        assert {one.name for one in op.control_inputs} <= names
    with tf.Session() as session:
        assert session.run([z, slope], {x: 1.0}) == [20.0, 2.0]


def test_graphs_are_drawn_with_loops_as_primitives(tmp_path: Path) -> None:
    _, y = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, a: (i + 1, tf.tanh(a)),
        [tf.constant(0), tf.placeholder(tf.float32, [2], name="x")],
        name="turns",
    )
    with tf.summary.FileWriter(str(tmp_path), tf.get_default_graph()):
        pass
    graph = accumulated(str(tmp_path)).Graph()
    nodes = {node.name: node.op for node in graph.node}
    assert nodes["turns/Merge_1"] == "Merge"
    assert nodes["turns/Tanh"] == "Tanh"
    assert nodes[y.op.name] == "Exit"
    assert "While" not in nodes.values()
