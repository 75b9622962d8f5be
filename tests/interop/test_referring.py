"""Variables of TensorFlow 1's programs are written as references, and read as variables again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.interop.tensorflow.stored.metagraphs import variable_info


def kinds(graph: Any) -> dict[str, str]:
    """Return the types of a graph's nodes as they are written."""
    return {node.name: node.op for node in graph.as_graph_def().node}


def train(rows: bool = False) -> tuple[Any, Any]:
    """Build a step of training of one variable."""
    w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
    used = tf.nn.embedding_lookup(w, [1]) if rows else w
    loss = tf.reduce_sum(tf.square(used), name="loss")
    return loss, tf.train.AdamOptimizer(0.1).minimize(loss, name="train")


def test_what_takes_a_variable_takes_a_reference() -> None:
    # The names and types that TensorFlow 1.15 writes.
    with tf.Graph().as_default() as graph:
        train()
        w = tf.trainable_variables()[0]
        w.assign_add([[1.0, 1.0], [1.0, 1.0]])
        tf.is_variable_initialized(w, name="known")
        tf.scatter_sub(w, [0], [[1.0, 1.0]])
    found = kinds(graph)
    assert {found[x] for x in ("w", "w/Adam", "beta1_power")} == {"VariableV2"}
    assert found["w/Assign"] == found["train/Assign"] == "Assign"
    assert found["w/read"] == "Identity"
    assert found["train/update_w/ApplyAdam"] == "ApplyAdam"
    assert found["AssignAdd"] == "AssignAdd"
    assert "ScatterSub" in found.values()
    assert not {x for x in found.values() if "VariableOp" in x or x == "VarHandleOp"}


def test_rows_are_gathered_along_the_axis_that_the_graph_has() -> None:
    with tf.Graph().as_default() as graph:
        train(rows=True)
    (gather,) = [x for x in graph.as_graph_def().node if x.op == "GatherV2"]
    assert gather.input[0] == "w/read"
    assert gather.input[2] == "embedding_lookup/axis"
    assert "SparseApplyAdam" not in kinds(graph)  # TensorFlow 1 has no such operator


def test_operations_say_the_types_that_are_written() -> None:
    with tf.Graph().as_default() as graph:
        train()
    written = kinds(graph)
    listed = {op.name: op.type for op in graph.get_operations()}
    assert listed == written


def test_a_variable_that_a_function_takes_stays_a_resource() -> None:
    with tf.Graph().as_default() as graph:
        w = tf.get_variable("w", initializer=2.0)
        v = tf.get_variable("v", initializer=2.0)
        v.assign(3.0)
        resource = tf.get_variable("r", initializer=1.0, use_resource=True)
        tf.cond(tf.constant(True), lambda: w.assign_add(1.0), lambda: w.assign(0.0))
        resource.assign(1.0)
    found = kinds(graph)
    assert found["r"] == "VarHandleOp"
    assert found["v"] == "VariableV2"
    assert found["w"] == "VariableV2"
    assert "RefSwitch" in found.values()


@pytest.mark.parametrize("rows", [False, True])
def test_a_meta_graph_is_trained_on_where_it_is_read(
    rows: bool, tmp_path: Path
) -> None:
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        loss, step = train(rows)
        session.run(tf.global_variables_initializer())
        session.run(step)
        tf.train.Saver().save(session, path)
        session.run(step)
        expected = session.run(loss)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        saver: Any = tf.train.import_meta_graph(f"{path}.meta")
        saver.restore(session, path)
        session.run("train")
        np.testing.assert_allclose(session.run("loss:0"), expected, rtol=1e-6)
        names = [x.op.name for x in tf.global_variables()]
        assert names == ["w", "beta1_power", "beta2_power", "w/Adam", "w/Adam_1"]
        again: Any = tf.train.Saver().save(session, f"{path}_again")
        assert kinds(graph)["w"] == "VariableV2"
    assert sorted(x for x, _ in tf.train.list_variables(again)) == sorted(names)


def test_notes_of_variables_say_what_these_are() -> None:
    with tf.Graph().as_default() as graph:
        tf.get_variable("w", initializer=1.0)
        tf.get_variable("r", initializer=1.0, use_resource=True)
        meta = tf.train.export_meta_graph(graph=graph)
    notes = meta.collection_def["variables"].bytes_list.value
    assert [variable_info(x).is_resource for x in notes] == [False, True]
    variables = [x.to_proto() for x in graph.get_collection("variables")]
    assert [x.is_resource for x in variables] == [False, True]


def test_a_constant_of_another_dtype_is_not_taken_for_a_part() -> None:
    with tf.Graph().as_default() as graph:
        tf.signal.irfft(tf.ones([2, 3], tf.complex64), [4])
    (node,) = [x for x in graph.as_graph_def().node if x.op == "IRFFT"]
    (length,) = [x for x in graph.as_graph_def().node if x.name == node.input[1]]
    assert length.attr["dtype"].type == tf.int32.as_datatype_enum
