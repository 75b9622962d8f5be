"""Rows of gradients that flow into branches of tf.cond, or are added to dense gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf


def ops_of(graph: Any) -> dict[str, str]:
    return {node.name: node.op for node in graph.as_graph_def().node}


@pytest.mark.parametrize("taken", [True, False])
def test_rows_gathered_in_a_branch_flow_out_of_it(taken: bool) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 3], name="x")
        pred = tf.placeholder(tf.bool, [], name="pred")
        y = tf.cond(pred, lambda: 2.0 * tf.gather(x, [1, 1]), lambda: x[:2])
        dx = tf.gradients(y, x)[0]
        assert dx.name == "gradients/AddN:0"
        ops = ops_of(graph)
        copied: Any = tf.Graph()
        written = graph.as_graph_def()
        with tf.Session() as session:
            found = session.run(dx, {x: np.ones([4, 3]), pred: taken})
    rows = "gradients/cond/GatherV2/Switch_grad/cond_grad"
    assert [ops[f"{rows}/{x}"] for x in ("Merge", "Merge_1", "Merge_2", "range")] == [
        *("Merge", "Merge", "Merge", "Range")
    ]
    wanted = np.zeros([4, 3])
    wanted[1 if taken else slice(2)] = 4.0 if taken else 1.0
    np.testing.assert_allclose(found, wanted)
    with copied.as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        feed = {"x:0": np.ones([4, 3]), "pred:0": taken}
        again = session.run("gradients/AddN:0", feed)
    np.testing.assert_allclose(again, wanted)


def test_rows_beside_dense_gradients_are_operands_of_their_sum() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 3], name="x")
        one, other = tf.gather(x, [0, 0]), tf.gather(x, [3])
        dx = tf.gradients([x * 2.0, one, other], x)[0]
        ops = ops_of(graph)
        with tf.Session() as session:
            found = session.run(dx, {x: np.ones([4, 3])})
    assert dx.name == "gradients/AddN:0"
    sums = [key for key, op in ops.items() if op == "UnsortedSegmentSum"]
    assert sums == ["gradients/AddN/inputs_1", "gradients/AddN/inputs_2"]
    assert ops["gradients/AddN/strided_slice_1/stack"] == "Const"
    np.testing.assert_allclose(found[:, 0], [4.0, 2.0, 2.0, 3.0])
