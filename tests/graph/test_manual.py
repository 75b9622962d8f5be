"""Graphs built by hand: what goes into them, and how they run."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    LeakedTensorError,
    NotFoundError,
    SymbolicTensorError,
)
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
        write = v.assign_add(x)
        before = v.value()
        with tl.control_dependencies([write]):
            after = v.value()
    assert isinstance(write, tl.SymbolicTensor)
    assert graph.effects == [write.node]
    assert before.node.control == ()  # type: ignore[attr-defined]
    assert execute(graph, {x: [1.0, 1.0]}, [before])[0].tolist() == [1, 2]
    execute(graph, {x: [1.0, 1.0]}, [write.node])
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


def test_placeholders_bear_the_names_of_their_specs_and_scopes() -> None:
    with ManualGraph().as_default() as graph:
        x = tl.placeholder(tl.float32)
        with tl.name_scope("in"):
            y = tl.placeholder(tl.TensorSpec((None,), tl.int32, name="y"))
            z = tl.placeholder("int64", (2, 3))
    assert [t.name for t in graph.inputs] == [
        "Placeholder:0",
        "in/y:0",
        "in/Placeholder:0",
    ]
    assert (x.spec.shape, y.shape, z.shape) == (None, (None,), (2, 3))
    assert z.dtype is tl.int64
    assert (
        x.node.line.function
        == test_placeholders_bear_the_names_of_their_specs_and_scopes.__name__
    )
    with graph.as_default(), pytest.raises(DTypeError, match="has its shape"):
        tl.placeholder(tl.TensorSpec(()), ())


@pytest.mark.parametrize(
    "shape", [2.5, "ab", (-1,), (2.5,), (True,), ["a"]], ids=repr
)
def test_a_shape_of_what_is_no_size_is_refused(shape: Any) -> None:
    graph = tl.Graph()
    with graph.as_default(), pytest.raises(tl.errors.ShapeError, match="allowed are"):
        tl.placeholder(tl.float32, shape)
    with graph.as_default(), pytest.raises(tl.errors.ShapeError):
        tl.placeholder_with_default(1.0, shape)
    assert [node.op.name for node in graph.nodes] in ([], ["Const"])


def test_names_are_text() -> None:
    wrong: Any = 3
    for ask in (
        tl.Graph,
        tl.Graph().get_operation_by_name,
        tl.Graph().get_tensor_by_name,
    ):
        with pytest.raises(DTypeError, match="is no name; give a str"):
            ask(wrong)


def test_a_tensor_of_another_graph_is_told_to_be_fed() -> None:
    one, two = tl.Graph("one"), tl.Graph("two")
    with one.as_default():
        x = tl.placeholder(tl.float32, ())
    with (
        two.as_default(),
        pytest.raises(tl.errors.LeakedTensorError, match="feed the value"),
    ):
        x + 1.0


def test_placeholders_are_made_in_a_graph_and_nowhere_else() -> None:
    def inside() -> tl.Tensor:
        return tl.placeholder(tl.float32, ())

    with pytest.raises(FailedPreconditionError, match="as_default"):
        inside()
    with ManualGraph().as_default(), pytest.raises(FailedPreconditionError):
        tl.function(inside)()
    with ManualGraph().as_default() as graph, pytest.raises(FailedPreconditionError):
        tl.cond(graph.add_input(tl.TensorSpec((), tl.bool)), inside, inside)


def test_a_finalized_graph_takes_no_more_nodes() -> None:
    graph = ManualGraph("done")
    with graph.as_default():
        x = tl.placeholder(tl.float32, ())
        y = x + 1.0
    assert not graph.finalized
    graph.finalize()
    graph.finalize()
    assert graph.finalized
    for adding in (lambda: y * 2.0, lambda: x + 1.0, lambda: tl.gradients(y, x)):
        size = len(graph.nodes)
        match = r"at .*test_manual\.py:\d+ .* done takes no more nodes, it was finalized at .*py"
        with graph.as_default(), pytest.raises(FailedPreconditionError, match=match):
            adding()
        assert len(graph.nodes) == size
    assert tl.Session(graph).run(y, {x: 1.0}) == 2.0


def test_nodes_and_tensors_are_found_by_name() -> None:
    with ManualGraph("named").as_default() as graph:
        x = tl.placeholder(tl.TensorSpec((4,), tl.float32, name="x"))
        a, b = tl.split(x, 2)
    assert graph.get_tensor_by_name("x:0") is x
    assert graph.get_operation_by_name("Split") is a.node  # type: ignore[attr-defined]
    assert graph.get_tensor_by_name("Split:1") is b
    with graph.as_default():
        c = tl.exp(x)
    assert graph.get_tensor_by_name("Exp:0") is c
    with pytest.raises(NotFoundError, match=r"no node 'Spilt'; .*: Split"):
        graph.get_operation_by_name("Spilt")
    with pytest.raises(NotFoundError, match="has 2 outputs"):
        graph.get_tensor_by_name("Split:2")
    for bad in ("Split", "Split:", "Split:b", "Split:-1"):
        with pytest.raises(InvalidArgumentError, match="names no tensor"):
            graph.get_tensor_by_name(bad)


def test_variables_made_in_a_graph_have_their_values_at_once() -> None:
    with ManualGraph().as_default() as graph:
        tl.random.set_seed(3)
        drawn = tl.Variable(tl.random.normal((1000,)))
        zeros = tl.Variable(lambda: tl.zeros((2, 2)))
        more = tl.Variable(zeros + 1.0)
        n = tl.constant(4)
        _, power = tl.while_loop(
            lambda i, p: i < n, lambda i, p: (i + 1, p * 2.0), (0, 1.0)
        )
        looped = tl.Variable(power)
        chosen = tl.Variable(tl.cond(n > 3, lambda: zeros + 5.0, lambda: zeros - 5.0))
    assert abs(float(tl.mean(drawn))) < 0.2
    assert abs(float(tl.std(drawn)) - 1.0) < 0.1
    assert zeros.numpy().tolist() == [[0, 0], [0, 0]]
    assert more.numpy().tolist() == [[1, 1], [1, 1]]
    assert looped.item() == 16.0
    assert chosen.numpy().tolist() == [[5, 5], [5, 5]]
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((2,), tl.float32, name="x"))
        match = r"the first value of the variable 'w' depends on x:0, made at .*test_manual\.py"
        with pytest.raises(SymbolicTensorError, match=match):
            tl.Variable(x * zeros, name="w")


def test_a_tensor_outside_its_graph_is_refused() -> None:
    with ManualGraph("first").as_default():
        x = tl.placeholder(VECTOR)
    with pytest.raises(SymbolicTensorError, match="a session gives it one"):
        x + 1.0
    with ManualGraph("second").as_default() as second:
        with pytest.raises(LeakedTensorError, match="while tracing first, is used"):
            x + 1.0
        with (
            pytest.raises(InvalidArgumentError, match="no node of second"),
            tl.control_dependencies([x]),
        ):
            tl.zeros(3)
    assert second.nodes == [] or all(node.graph is second for node in second.nodes)


def test_graphs_nest_and_each_takes_up_its_own() -> None:
    first, second = ManualGraph(), ManualGraph()
    with first.as_default():
        a = tl.placeholder(VECTOR)
        with second.as_default():
            b = tl.placeholder(VECTOR)
            with first.as_default():
                c = a * 2.0
            d = b * 2.0
        e = c + 1.0
    assert [node.op.name for node in first.nodes] == [
        "Placeholder",
        "Const",
        "Mul",
        "Const",
        "AddV2",
    ]
    assert d.node.graph is second  # type: ignore[attr-defined]
    assert e.node.graph is first  # type: ignore[attr-defined]


def test_several_threads_may_have_one_graph_as_default() -> None:
    graph, together = ManualGraph(), Barrier(2)

    def build(name: str) -> None:
        with graph.as_default():
            together.wait(10)
            tl.placeholder(tl.TensorSpec((), tl.float32, name=name))
            together.wait(10)

    threads = [Thread(target=build, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(x.name for x in graph.inputs) == ["a:0", "b:0"]
