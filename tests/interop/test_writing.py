"""Graphs written as GraphDefs, and read again: what runs is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import MissingOperatorError
from tests.interop.graphdefs import Called, Program, Session, counter
from tests.interop.test_reading import functions, variable


def again(graph: tl.Graph) -> Session:
    """Return a session of a graph that was written and read."""
    data = tl.interop.tensorflow.to_graphdef(graph).SerializeToString()
    return Session(tl.interop.tensorflow.from_graphdef(data))


def test_a_graph_built_here_is_written_with_tensorflows_attributes() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((None, 3), tl.float32, name="x"))
        y = tl.astype(tl.nn.relu(tl.matmul(x, tl.ones((3, 2)))), tl.float64)
    assert isinstance(y, tl.SymbolicTensor)
    proto = tl.interop.tensorflow.to_graphdef(graph)
    by_op = {node.op: node for node in proto.node}
    assert [size.size for size in by_op["Placeholder"].attr["shape"].shape.dim] == [
        -1,
        3,
    ]
    assert by_op["MatMul"].attr["T"].type == 1
    assert (by_op["Cast"].attr["SrcT"].type, by_op["Cast"].attr["DstT"].type) == (
        1,
        2,
    )
    found = again(graph).run(y.name, {"x:0": np.ones((1, 3), np.float32)})
    np.testing.assert_array_equal(found, [[3.0, 3.0]])
    assert found.dtype == np.float64


def test_branches_and_loops_become_functions() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((), tl.float32, name="x"))
        y = tl.cond(x > 0.0, lambda: x * 2.0, lambda: -x)
        _, z = tl.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * x), (0, y))
    assert isinstance(z, tl.SymbolicTensor)
    proto = tl.interop.tensorflow.to_graphdef(graph)
    assert {"StatelessIf", "StatelessWhile"} <= {node.op for node in proto.node}
    assert len(proto.library.function) == 4
    session = again(graph)
    for value, wanted in ((2.0, 32.0), (-1.0, -1.0)):
        assert session.run(z.name, {"x:0": value}) == wanted


def test_functions_of_a_library_are_written_again() -> None:
    made = functions()
    made.const("zero", np.int32(0))
    from_library: dict[str, Any] = {"cond": Called("cond"), "body": Called("body")}
    made.node("While", "w", "zero", "x", T=(tl.int32, tl.float32), **from_library)
    session = again(made.session().graph)
    np.testing.assert_array_equal(session.run("w:1", {"x:0": [1.0]}), [8.0])


def test_a_loop_of_primitives_keeps_its_names() -> None:
    made = Program()
    counter(made)
    first = made.session()
    session = again(first.graph)
    assert {x.name for x in first.graph.nodes} <= {
        x.name for x in session.graph.nodes
    }
    assert session.run(["i/Exit:0", "s/Exit:0"], {"n:0": 4}) == [4, 6.0]


def test_a_constant_within_a_loop_is_pinned_there() -> None:
    made = Program()
    counter(made)
    graph = made.session().graph
    with graph.as_default():
        graph.get_operation_by_name("s/add").set_input(1, tl.constant(2.0))  # type: ignore[arg-type]
    nodes = {
        node.name: node for node in tl.interop.tensorflow.to_graphdef(graph).node
    }
    assert list(nodes[nodes["s/add"].input[1]].input) == ["^s/Identity"]


def test_variables_of_both_kinds_are_handles() -> None:
    made = Program()
    variable(made, "v", 1.0)
    variable(made, "r", 2.0, "VarHandleOp")
    made.node("AssignAdd", "add", "v", "r/read", T=tl.float32)
    session = again(made.session().graph)
    for target in ("v/Assign", "r/Assign", "add"):
        session.run(target)
    assert session.run("v:0") == 3.0


def test_a_variable_from_outside_is_a_handle_of_its_name() -> None:
    graph = tl.Graph()
    with graph.as_default():
        w = tl.Variable(3.0, name="w")
        y = w * 2.0
    handle = next(
        x
        for x in tl.interop.tensorflow.to_graphdef(graph).node
        if x.op == "VarHandleOp"
    )
    assert handle.attr["shared_name"].s == b"w"
    assert isinstance(y, tl.SymbolicTensor)


def test_what_tensorflow_has_not_is_told_before() -> None:
    graph = tl.Graph()
    with graph.as_default():
        tl.linalg.expm(tl.placeholder(tl.float32, (2, 2)))
    nodes = r"no operator for 1 nodes: MatrixExponential \(1: MatrixExponential\)"
    with pytest.raises(MissingOperatorError, match=nodes):
        tl.interop.tensorflow.to_graphdef(graph)


@pytest.mark.parametrize("name", ["model.pb", "model.pbtxt"])
def test_files_are_of_bytes_or_text(name: str, tmp_path: Path) -> None:
    graph = tl.Graph()
    with graph.as_default():
        tl.exp(tl.placeholder(tl.float32, (2,)))
    tl.interop.tensorflow.save(graph, tmp_path / name)
    assert [x.op.name for x in tl.interop.tensorflow.load(tmp_path / name).nodes] == [
        "Placeholder",
        "Exp",
    ]


def test_bitwise_operators_of_truth_values_are_logical_ones() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((2,), tl.bool, name="x"))
        made = [x & True, x | False, x ^ True, ~x]
    names = [one.name for one in made if isinstance(one, tl.SymbolicTensor)]
    ops = {node.op for node in tl.interop.tensorflow.to_graphdef(graph).node}
    assert {"LogicalAnd", "LogicalOr", "NotEqual", "LogicalNot"} <= ops
    found = again(graph).run(names, {"x:0": [True, False]})
    assert [one.tolist() for one in found] == [
        [True, False],
        [True, False],
        [False, True],
        [False, True],
    ]


def test_what_tensorflow_1_does_not_know_is_left_out_at_its_default() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.TensorSpec((1, 4, 4, 1), tl.float32, name="x"))
        tl.nn.max_pool2d(x, 2, 2, padding="VALID")
        tl.gather_nd(x, [[0, 1]])
    proto = tl.interop.tensorflow.to_graphdef(graph)
    by_op = {node.op: node for node in proto.node}
    assert "explicit_paddings" not in by_op["MaxPool"].attr
    assert "bad_indices_policy" not in by_op["GatherNd"].attr
    assert by_op["MaxPool"].attr["data_format"].s == b"NHWC"
