"""Meta graphs, notes of variables, and GraphDefs read into graphs of TensorFlow 1's programs.

What is expected is what TensorFlow 1.15 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import (
    AssertionFailedError,
    CancelledError,
    DTypeError,
    InvalidArgumentError,
    OutOfRangeError,
)
from tensorlite.graph_mode.graph import mode

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default() as made:
        yield made
    mode.eager = before


def net() -> tuple[Any, Any]:
    """Build a layer in a scope; return its weights and its result."""
    with tf.variable_scope("net"):
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        b = tf.Variable(tf.zeros([2]), name="b", trainable=False)
        return w, tf.nn.relu(tf.matmul(x, w) + b, name="y")


def test_variables_are_noted_and_found_again() -> None:
    w, _ = net()
    made = w.to_proto()
    assert (made.variable_name, made.initializer_name) == ("net/w:0", "net/w/Assign")
    assert made.initial_value_name == "net/w/Initializer/ones:0"
    assert w.to_proto(export_scope="net").variable_name == "w:0"
    assert w.to_proto(export_scope="other") is None
    again = tf.Variable.from_proto(made)
    assert again.name == "net/w:0"
    with tf.Session() as session:
        session.run(again.initializer)
        np.testing.assert_array_equal(session.run(w), np.ones((3, 2)))


def test_readings_that_are_noted_may_be_of_other_tensors() -> None:
    """As TensorFlow notes them of variables that its newer loops have made."""
    w = tf.get_variable(
        "w", [2], initializer=tf.ones_initializer(), use_resource=True
    )
    tf.identity(tf.constant([5.0, 6.0]), name="other")
    made = w.to_proto()
    made.snapshot_name = "other:0"
    again = tf.Variable.from_proto(made)
    with tf.Session() as session:
        session.run(again.initializer)
        np.testing.assert_array_equal(session.run(again.value()), [1.0, 1.0])


def test_meta_graphs_say_what_they_hold() -> None:
    net()
    tf.add_to_collection("kept", "name")
    made = tf.train.export_meta_graph(
        strip_default_attrs=True, collection_list=["kept"]
    )
    assert list(made.collection_def) == ["kept"]
    assert made.meta_info_def.stripped_default_attrs
    assert made.meta_info_def.tensorflow_version
    assert "MatMul" in {x.name for x in made.meta_info_def.stripped_op_list.op}
    (product,) = [x for x in made.graph_def.node if x.op == "MatMul"]
    assert sorted(product.attr) == ["T", "_output_shapes"]


def test_part_of_a_graph_is_exported_by_its_scope(tmp_path: Path) -> None:
    net()
    tf.constant(1.0, name="outside")
    path = str(tmp_path / "part.meta")
    made = tf.train.export_meta_graph(path, export_scope="net")
    assert {"x", "w", "y"} <= {node.name for node in made.graph_def.node}
    assert "outside" not in {node.name for node in made.graph_def.node}
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(path, import_scope="copy")
        assert [x.name for x in tf.trainable_variables()] == ["copy/w:0"]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            found = session.run("copy/y:0", {"copy/x:0": [[1.0, 2.0, 3.0]]})
        np.testing.assert_array_equal(found, [[6.0, 6.0]])
        assert graph.get_tensor_by_name("copy/x:0").shape.as_list() == [None, 3]


def frozen() -> Any:
    net()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        whole = tf.get_default_graph().as_graph_def()
        return tf.graph_util.convert_variables_to_constants(session, whole, ["net/y"])


def test_graph_defs_are_read_beside_nodes_of_the_same_names() -> None:
    made = frozen()
    with tf.Graph().as_default():
        tf.import_graph_def(made, name="")
        (second,) = tf.import_graph_def(made, return_elements=["net/y:0"], name="")
        assert second.name == "net/y_1:0"
        feed = {"net/x_1:0": [[1.0, 2.0, 3.0]]}
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run(second, feed), [[6.0, 6.0]])


def test_graph_defs_are_read_onto_devices_and_map_only_what_they_have() -> None:
    made = frozen()
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        (y,) = tf.import_graph_def(made, return_elements=["net/y:0"], name="placed")
        assert y.device == "/device:CPU:0"
        with pytest.raises(InvalidArgumentError, match="nowhere"):
            tf.import_graph_def(made, {"nowhere:0": tf.ones([1])})


def test_parts_of_graph_defs_are_asked_for_by_lists_of_names() -> None:
    made = frozen()
    with pytest.raises(DTypeError, match="must be a list"):
        tf.graph_util.extract_sub_graph(made, "net/x")
    with pytest.raises(AssertionFailedError, match="no is not in graph"):
        tf.graph_util.extract_sub_graph(made, ["no"])
    assert tf.graph_util.must_run_on_cpu(tf.constant("text").op)
    assert not tf.graph_util.must_run_on_cpu(tf.constant(1.0).op)


def pairs() -> None:
    """Build a pipeline of pairs of numbers, which end after two rounds of three."""
    row = tf.train.range_input_producer(3, num_epochs=2, shuffle=False).dequeue()
    tf.identity(tf.train.batch([row], 2), name="pair")


def drained(session: Any) -> list[list[int]]:
    """Return all that a pipeline gives, from its beginning."""
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    found: list[list[int]] = []
    try:
        while True:
            found.append(session.run("pair:0").tolist())
    except OutOfRangeError:
        coordinator.request_stop()
    coordinator.join(threads)
    return found


@pytest.mark.parametrize("scope", ["", "copy"])
def test_what_fills_queues_is_exported_and_goes_on_in_another_graph(
    tmp_path: Path, scope: str
) -> None:
    pairs()
    path = str(tmp_path / "pipeline.meta")
    tf.train.export_meta_graph(path)
    with tf.Graph().as_default():
        tf.train.import_meta_graph(path, import_scope=scope)
        runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        prefix = f"{scope}/" if scope else ""
        assert [x.close_op.name for x in runners] == [
            f"{prefix}input_producer/input_producer_Close",
            f"{prefix}batch/fifo_queue_Close",
        ]
        assert runners[0].queue_closed_exception_types == (OutOfRangeError,)
        if not scope:
            with tf.Session() as session:
                assert drained(session) == [[0, 1], [2, 0], [1, 2]]


def test_runners_of_queues_are_told_by_the_names_of_their_nodes() -> None:
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]], name="numbers")
    kinds = (OutOfRangeError, CancelledError)
    made = tf.train.QueueRunner(
        queue, [queue.enqueue(1.0)], queue_closed_exception_types=kinds
    )
    told = made.to_proto()
    assert told.queue_name == "numbers"
    assert list(told.enqueue_op_name) == ["numbers_enqueue"]
    assert (told.close_op_name, told.cancel_op_name) == (
        "numbers_Close",
        "numbers_Close_1",
    )
    assert list(told.queue_closed_exception_types) == [11, 1]
    assert made.to_proto("elsewhere") is None
    again = tf.train.QueueRunner.from_proto(told)
    assert (again.name, again.cancel_op.name) == ("numbers", "numbers_Close_1")
    assert again.queue_closed_exception_types == kinds
    with pytest.raises(DTypeError, match="makes no queue"):
        tf.train.QueueRunner.from_proto(told._replace(queue_name="numbers_enqueue"))


def partitioned() -> Any:
    """Build what trains a matrix in two parts; return its parts."""
    with tf.variable_scope("m", partitioner=tf.fixed_size_partitioner(2)):
        whole = tf.get_variable("w", [4, 2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(tf.square(tf.convert_to_tensor(whole)))
    tf.add_to_collection("train", tf.train.AdamOptimizer(0.5).minimize(loss))
    return list(whole)


def test_slots_of_parts_are_saved_as_parts_of_the_whole(tmp_path: Path) -> None:
    parts = partitioned()
    path = str(tmp_path / "model")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.get_collection("train"))
        tf.train.Saver().save(session, path)
        session.run(tf.get_collection("train"))
        wanted = session.run(parts)
    kept = tf.train.NewCheckpointReader(path).get_variable_to_shape_map()
    assert kept == {
        "m/w": [4, 2],
        "m/w/Adam": [4, 2],
        "m/w/Adam_1": [4, 2],
        "beta1_power": [],
        "beta2_power": [],
    }
    for build in (partitioned, lambda: tf.train.import_meta_graph(f"{path}.meta")):
        with tf.Graph().as_default():
            build()
            assert {
                x._save_slice_info.full_name for x in tf.global_variables()[:2]
            } == {"m/w"}
            with tf.Session() as session:
                tf.train.Saver().restore(session, path)
                session.run(tf.get_collection("train"))
                found = session.run(tf.trainable_variables())
        np.testing.assert_array_equal(found, wanted)


def test_the_variable_that_a_checkpoint_does_not_fit_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    for shape in ((2, 3), (2, 4)):
        with tf.Graph().as_default(), tf.Session() as session:
            weights = tf.get_variable("layer/weights", shape)
            if shape == (2, 3):
                session.run(weights.initializer)
                tf.train.Saver().save(session, path)
                continue
            with pytest.raises(
                tf.errors.InvalidArgumentError, match="'layer/weights'"
            ):
                tf.train.Saver().restore(session, path)


def test_loops_and_branches_are_noted_and_run_again(tmp_path: Path) -> None:
    x = tf.placeholder(tf.float32, (2,), "x")

    def turn(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(i > 1, lambda: y * 0.5, lambda: tf.sin(y) + x)

    y = tf.identity(tf.while_loop(lambda i, y: i < 4, turn, (0, x))[1], "y")
    (dx,) = tf.gradients(y, x)
    with tf.Session() as session:
        wanted = session.run([y, dx], {x: [1.0, 2.0]})
    path = tmp_path / "model.meta"
    noted = tf.train.export_meta_graph(str(path))
    assert "Merge" in {node.op for node in noted.graph_def.node}
    assert list(noted.collection_def) == ["while_context"]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(str(path), import_scope="again")
        get = tf.get_default_graph().get_tensor_by_name
        xs = get("again/x:0")
        found = session.run(
            [get("again/y:0"), *tf.gradients(get("again/y:0"), xs)], {xs: [1.0, 2.0]}
        )
        again = tf.train.export_meta_graph(collection_list=None)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert "while_context" in again.collection_def


def test_gradients_of_what_was_read_are_exported_again() -> None:
    x = tf.placeholder(tf.float32, (3,), "x")
    branch = tf.cond(tf.less(0.3, 0.5), lambda: x + 1.0, lambda: x * 2.0)
    turn = tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * x), (0, x))[1]
    tf.identity(branch + turn, "y")
    noted = tf.train.export_meta_graph()
    given = np.array([1.0, 2.0, 3.0], np.float32)
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(noted)
        get = graph.get_tensor_by_name
        (dx,) = tf.gradients(get("y:0"), get("x:0"))
        name, second = dx.name, tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(second)
        gate = graph.get_operation_by_name("cond/Switch")
        assert [one.name for one in gate.inputs] == ["Less:0", "Less:0"]
        found = session.run(["y:0", name], {"x:0": given})
    np.testing.assert_allclose(found, [given + 1 + given**3, 1 + 3 * given**2])


def test_sizes_of_draws_in_loops_wait_for_their_turn() -> None:
    def body(i: Any, drawn: Any) -> Any:
        logits = tf.fill([3, 4], 0.25)
        return i + 1, tf.cond(i < 1, lambda: tf.multinomial(logits, 1), lambda: drawn)

    tf.while_loop(lambda i, _: i < 3, body, [0, tf.zeros([3, 1], tf.int64)])
    made = {x.name: x for x in tf.train.export_meta_graph().graph_def.node}
    size = made["while/cond/multinomial/Multinomial/num_samples"]
    assert list(size.input) == ["^while/cond/switch_t"]
