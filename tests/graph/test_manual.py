"""Graphs built by hand: what goes into them, and how they run."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError, SymbolicTensorError
from tensorlite.graph.manual import ManualGraph
from tensorlite.runtime.step import execute

VECTOR = tl.TensorSpec((2,))


def test_operators_called_inside_become_nodes() -> None:
    graph = ManualGraph("by hand")
    with graph.as_default() as same:
        x = graph.add_input(VECTOR, name="x")
        y = tl.sum(x * tl.asarray([1.0, 10.0]))
    assert same is graph
    assert [node.op.name for node in graph.nodes] == [
        "Placeholder",
        "Const",
        "Mul",
        "Const",
        "Sum",
    ]
    assert execute(graph, {x: [3.0, 4.0]}, [y]) == (43,)
    with pytest.raises(SymbolicTensorError, match="Sum:0"):
        y.numpy()


def test_a_graph_may_be_taken_up_again() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(VECTOR)
    with graph.as_default(), graph.as_default():
        y = x + 1.0
    with graph.as_default():
        z = y * 2.0
    assert execute(graph, {x: tl.asarray([1.0, 2.0])}, [z])[0].tolist() == [4, 6]


def test_variables_are_fed_by_themselves_and_writes_are_run_when_fetched() -> None:
    v = tl.Variable([1.0, 2.0])
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(VECTOR)
        v.assign_add(x)
        after = v.value()
    (write,) = graph.effects
    execute(graph, {x: [1.0, 1.0]}, [write])
    assert v.numpy().tolist() == [2, 3]
    assert execute(graph, {x: [1.0, 1.0]}, [after])[0].tolist() == [3, 4]


def test_fed_values_must_fit() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(VECTOR)
    with pytest.raises(InvalidArgumentError, match="is no tensor of a graph"):
        execute(graph, {x: [1.0, 2.0]}, [tl.asarray(1.0)])
    with pytest.raises(
        InvalidArgumentError, match=r"float32\[2\] and is fed float32\[3\]"
    ):
        execute(graph, {x: np.zeros(3, np.float32)}, [x])


def test_raw_operators_take_keywords_and_name_the_missing() -> None:
    assert tl.raw_ops.Sum(x=[[1.0, 2.0]], axes=[1], keep_dims=True).tolist() == [[3]]
    with pytest.raises(
        InvalidArgumentError, match=r"unknown are \['y'\], missing \['axes'\]"
    ):
        tl.raw_ops.Sum(x=[1.0], y=[0])
    with pytest.raises(AttributeError, match="near are MatMul"):
        tl.raw_ops.Matmul(a=1, b=2)
    assert "Switch" in dir(tl.raw_ops)
    assert repr(tl.raw_ops.Sum) == "<raw op Sum(x, axes, keep_dims)>"
