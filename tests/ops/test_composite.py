"""Operators made of others: one node where programs look at what they called, parts elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import ShapeError
from tensorlite.core.provenance import Line
from tensorlite.core.scope import device, name_scope
from tensorlite.graph_mode.graph import Graph
from tensorlite.ops.control.differentiate import gradients
from tensorlite.ops.nn.channels import BiasAdd, bias_add
from tensorlite.passes.inline import inline


def kinds(graph: tl.Graph) -> list[str]:
    return [node.op.name for node in graph.nodes]


def test_it_is_one_node_in_graphs_that_hold_what_was_called() -> None:
    with Graph().as_default() as graph:
        x = tl.placeholder(tl.float32, (None, 2))
        y = bias_add(x, [1.0, 2.0])
    assert kinds(graph) == ["Placeholder", "Const", "BiasAdd"]
    assert y.spec == tl.TensorSpec((None, 2))
    np.testing.assert_array_equal(
        tl.Session(graph).run(y, {x: [[3.0, 4.0]]}), [[4.0, 6.0]]
    )


def test_it_is_its_parts_elsewhere() -> None:
    with tl.Graph().as_default() as graph:
        bias_add(tl.placeholder(tl.float32, (None, 2)), [1.0, 2.0])
    assert "BiasAdd" not in kinds(graph)
    traced = tl.function(bias_add).get_concrete_function(tl.ones((1, 2)), tl.ones(2))
    assert [node.op.name for node in traced.graph.nodes][-1] == "AddV2"
    assert bias_add(tl.ones((1, 2)), [1.0, 2.0]).numpy().tolist() == [[2.0, 3.0]]


def test_its_gradient_has_the_operator_that_tensorflow_has_for_it() -> None:
    with Graph().as_default() as graph:
        x, b = tl.placeholder(tl.float32, (None, 2)), tl.placeholder(tl.float32, (2,))
        y = bias_add(x, b)
        with name_scope("gradients"):
            dx, db = gradients(y, [x, b])
    assert db.name == "gradients/BiasAdd_grad/BiasAddGrad:0"
    values = {x: np.ones((3, 2), np.float32), b: [1.0, 2.0]}
    found = tl.Session(graph).run([dx, db], values)
    assert found[0].shape == (3, 2)
    assert found[1].tolist() == [3.0, 3.0]


def test_what_it_cannot_be_given_is_told_where_it_is_called() -> None:
    with (
        Graph().as_default(),
        pytest.raises(ShapeError, match="3 elements do not fit 2 channels"),
    ):
        bias_add(tl.placeholder(tl.float32, (None, 2)), [1.0, 2.0, 3.0])


def test_parts_stand_where_it_stood() -> None:
    with Graph().as_default() as graph:
        x = tl.placeholder(tl.float32, (1, 2, 2, 2))
        first = tl.exp(tl.constant(1.0))
        with device("/device:CPU:0"), tl.control_dependencies([first]):
            y = bias_add(x, tl.constant([1.0, 2.0]), "NCHW")
    assert isinstance(y, tl.SymbolicTensor)
    node = y.node
    node.line = Line("program.py", 7, "main")
    graph.outputs = [y]
    parts = [one for one in inline(graph).nodes if one.name.startswith("BiasAdd/")]
    assert {one.op.name for one in parts} >= {"Reshape", "AddV2"}
    working = [one for one in parts if one.op.name != "Const"]
    assert all(one.line == node.line for one in parts)
    assert all(one.device == node.device for one in working)
    assert all([x.name for x in one.control] == ["Exp"] for one in working)


def test_it_runs_eagerly_by_itself_and_tapes_go_through_it() -> None:
    x, b = tl.ones((2, 2)), tl.asarray([1.0, 2.0])
    with tl.GradientTape() as tape:
        tape.watch([x, b])
        y = tl.extend.call(BiasAdd(), x, b)
    assert y.numpy().tolist() == [[2.0, 3.0]] * 2
    dx, db = tape.gradient(y, [x, b])
    assert (dx.shape, db.numpy().tolist()) == ((2, 2), [2.0, 2.0])
