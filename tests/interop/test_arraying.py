"""Loops over lists are written as TensorFlow 1 does: with arrays, and stacks for gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.interop.tensorflow.writers.arraying import as_arrays
from tensorlite.interop.tensorflow.writers.primitives import as_primitives

X = np.array([[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0]], np.float32)


def _mapped(x: Any) -> Any:
    return tf.map_fn(lambda row: tf.sin(row) * 2.0, x)


def _scanned(x: Any) -> Any:
    return tf.scan(lambda a, row: tf.tanh(a * row) + row, x)


def _folded(x: Any) -> Any:
    return tf.foldl(lambda a, row: tf.tanh(a * row) + row, x)


def _nested(x: Any) -> Any:
    return tf.map_fn(lambda row: tf.scan(lambda a, y: a * y + 1.0, row), x)


def _in_loop(x: Any) -> Any:
    def body(i: Any, v: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.sin(v), lambda: v * v)

    return tf.while_loop(lambda i, _: i < 3, body, [0, x])[1]


def _loop_in_loop(x: Any) -> Any:
    def outer(i: Any, v: Any) -> Any:
        inner = tf.while_loop(
            lambda j, _: j < i + 1, lambda j, u: (j + 1, tf.sin(u) * 1.3), [0, v]
        )
        return i + 1, inner[1] * v

    return tf.while_loop(lambda i, _: i < 3, outer, [0, x])[1]


def _grown(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 0, True, clear_after_read=False)
    array = array.write(0, x[0])

    def body(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, array.read(i - 1) * x[i])

    return tf.while_loop(lambda i, _: i < 3, body, [1, array])[1].stack()


def _joined(x: Any) -> Any:
    parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2])
    out = tf.TensorArray(tf.float32, 2, infer_shape=False)

    def body(i: Any, out: Any) -> Any:
        return i + 1, out.write(i, parts.read(i) * tf.cast(i + 1, tf.float32))

    return tf.while_loop(lambda i, _: i < 2, body, [0, out])[1].concat()


def _chosen(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, 3).unstack(x)

    def body(i: Any, total: Any) -> Any:
        row = tf.cond(i > 0, lambda: array.read(i), lambda: tf.zeros([2]))
        return i + 1, total + row * row

    return tf.while_loop(lambda i, _: i < 3, body, [0, tf.zeros([2])])[1]


PROGRAMS: list[Callable[[Any], Any]] = [
    _mapped,
    _scanned,
    _folded,
    _nested,
    _in_loop,
    _loop_in_loop,
    _grown,
    _joined,
    _chosen,
]


def _built(program: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, X.shape, name="x")
        y = tf.identity(program(x), name="y")
        tf.identity(tf.gradients(y * y, x)[0], name="dx")
        return graph, tf.Session().run(["y:0", "dx:0"], {"x:0": X})


@pytest.mark.parametrize("program", PROGRAMS)
def test_loops_and_their_gradients_are_written_without_lists(
    program: Callable[[Any], Any],
) -> None:
    graph, expected = _built(program)
    written = graph.as_graph_def()
    kinds = {node.op for node in written.node}
    assert not {kind for kind in kinds if kind.startswith("TensorList")}
    assert not kinds & {"While", "If", "StatelessWhile", "StatelessIf"}
    again = tf.Graph()
    with again.as_default():
        tf.import_graph_def(written, name="")
        found = tf.Session().run(["y:0", "dx:0"], {"x:0": X})
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_are_taken_of_written_loops(program: Callable[[Any], Any]) -> None:
    _, expected = _built(program)
    graph = tf.Graph()
    with graph.as_default():
        tf.identity(program(tf.placeholder(tf.float32, X.shape, name="x")), name="y")
        meta = tf.train.export_meta_graph()
    with tf.Graph().as_default():
        tf.train.import_meta_graph(meta)
        dx = tf.gradients(_square("y:0"), _at("x:0"))[0]
        found = tf.Session().run(dx, {"x:0": X})
    np.testing.assert_allclose(found, expected[1], atol=1e-6)


def _at(name: str) -> Any:
    return tf.get_default_graph().get_tensor_by_name(name)


def _square(name: str) -> Any:
    return _at(name) * _at(name)


def test_primitives_have_the_names_that_tensorflow_1_gives() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.while_loop(lambda i, _: i < 4, lambda i, v: (i + 1, v * v), [0, x])
        tf.cond(x[0] > 0, lambda: tf.sin(x), lambda: x * x)
    names = {node.name for node in graph.as_graph_def().node}
    loop = """
        Enter Enter_1 Merge Merge_1 Less LoopCond Switch Switch_1 Identity Identity_1 add
        NextIteration NextIteration_1 Exit Exit_1
    """
    branch = "pred_id Switch switch_t switch_f Sin mul Merge"
    assert names >= {f"while/{x}" for x in loop.split()}
    assert names >= {f"cond/{x}" for x in branch.split()}


def test_two_arrays_made_alike_are_two() -> None:
    graph = tf.Graph()
    with graph.as_default():
        one, other = (tf.TensorArray(tf.float32, 1) for _ in range(2))
        y = one.write(0, 1.0).stack() + other.write(0, 2.0).stack()
        y = tf.identity(y, name="y")
    arrays = as_arrays(graph)
    assert sum(node.op.name == "TensorArrayV3" for node in arrays.nodes) == 2
    with tf.Graph().as_default():
        tf.import_graph_def(graph.as_graph_def(), name="")
        assert tf.Session().run("y:0").tolist() == [3.0]


def test_a_list_that_is_no_array_stays_a_list() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.map_fn(lambda v: v * v * v, x)
        (dx,) = tf.gradients(y, x)
        tf.gradients(dx, x)
    kept = {node.op.name for node in as_primitives(graph).nodes}
    assert "TensorListPushBack" in kept


def test_arrays_say_that_their_elements_are_alike() -> None:
    # TensorFlow fills in elements that are not written only where it knows their shape from others.
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, None, 3])
        lengths = tf.placeholder(tf.int32, [None])
        cell = tf.nn.rnn_cell.BasicRNNCell(4)
        tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
        several = tf.TensorArray(
            tf.float32, 2, infer_shape=False, element_shape=[None, 2]
        )
        written = several.write(0, tf.ones([1, 2])).write(1, tf.ones([3, 2]))
        rows = tf.identity(written.concat(), name="rows")
    nodes = [n for n in graph.as_graph_def().node if n.op == "TensorArrayV3"]
    told = {n.name: n.attr["identical_element_shapes"].b for n in nodes}
    assert sum(told.values()) == 2
    assert [k for k, alike in told.items() if not alike] == ["TensorArray"]
    with tf.Session(graph=graph) as session:
        assert session.run(rows).shape == (4, 2)
