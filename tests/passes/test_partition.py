"""Partition by graphs made by hand: what is sent, what is copied, and what is told."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphError
from tensorlite.core.xp import set_cpu_count
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.passes.partition import partition
from tensorlite.runtime.parts import run_parts
from tests.passes.cutting import (
    SCALAR,
    Array,
    at,
    check,
    cut,
    names,
    of_kind,
    parts,
    settled,
    value,
)

raw = tl.raw_ops


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(4)
    yield
    set_cpu_count(1)


def test_an_edge_is_cut_once_for_each_device() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        y = raw.Exp(x=x)
        with at(1):
            ends = [raw.Neg(x=y), raw.Sin(x=y), y + y]
        with at(2):
            ends += [raw.Cos(x=y), y * y]
        ends += [raw.Tan(x=y)]
    division = check(graph, {x: value(0.5)}, ends)
    assert names(division, 0)["Send"] == 2
    assert names(division, 1)["Recv"] == names(division, 2)["Recv"] == 1


def test_each_output_of_a_node_is_sent_for_itself() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(tl.TensorSpec((4,)))
        first, second = tl.split(x, 2)
        with at(1):
            ends = [tl.sum(first), tl.sum(second)]
    feed = np.arange(4, dtype=np.float32)
    division = check(graph, {x: feed}, ends)
    assert names(division, 1)["Recv"] == 2


def test_constants_and_inputs_are_copied_and_not_sent() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        c = tl.constant(2.0)
        a = x * c
        with at(1):
            b = x + c
    division = check(graph, {x: value(3)}, [a, b])
    assert not of_kind(division, "Send")
    assert len(of_kind(division, "Const")) == 2
    assert list(division.inputs.values()) == [[0], [0]]


def test_inputs_go_where_they_are_used() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x, y, z = (graph.add_input(SCALAR) for _ in range(3))
        a = x + z
        with at(1):
            b = z - y
    division = check(graph, {x: value(1), y: value(2), z: value(4)}, [a, b])
    assert sorted(division.inputs.values()) == [[0, 2], [2, 1]]
    assert len(graph.inputs) == 3


def test_inputs_and_constants_may_be_fetched() -> None:
    graph = ManualGraph()
    with graph.as_default():
        x = graph.add_input(SCALAR)
        x.node.device = tl.DeviceName.parse("/device:CPU:1")
        with at(1):
            c = tl.constant(5.0)
        with at(0):
            y = raw.Neg(x=x)
    division = check(graph, {x: value(3)}, [x, c, y, x])
    assert [str(device) for device, _ in division.outputs] == [
        "/device:CPU:1",
        "/device:CPU:1",
        "/device:CPU:0",
        "/device:CPU:1",
    ]


def test_a_node_waits_for_nodes_elsewhere_by_tokens() -> None:
    v = tl.Variable(1.0)
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        write = v.assign_add(1.0)
        with at(1), tl.control_dependencies([write]):
            y = raw.Sin(x=x)
        with at(2), tl.control_dependencies([write, y]):
            z = raw.Exp(x=x)
        with tl.control_dependencies([z]):
            read = raw.Tan(x=x)
    division = cut(graph, [y, z, read])
    assert names(division, 0)["Token"] == 1
    assert names(division, 0)["Send"] == 2
    for name, waits in (("Sin", 1), ("Exp", 2), ("Tan", 1)):
        (node,) = of_kind(division, name)
        assert [one.op.name for one in node.control] == ["Recv"] * waits


@pytest.mark.parametrize("seed", range(10))
def test_who_waits_by_a_token_runs_later(seed: int) -> None:
    order: list[str] = []

    def told(name: str, x: tl.Tensor) -> tl.Tensor:
        def kernel(x: Array) -> Array:
            order.append(name)
            return x

        made: tl.Tensor = tl.numpy_function(kernel, [x], tl.float32)
        return made

    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        first = told("first", x)
        with at(1), tl.control_dependencies([first]):
            second = told("second", x)
        with at(2), tl.control_dependencies([second]):
            third = told("third", x)
    settled(graph)
    with tl.debugging.faults(seed):
        run_parts(parts(graph, cut(graph, [third, second])), [value(1)])
    assert order == ["first", "second", "third"]


def test_effects_are_kept_where_they_are() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        tl.print(x)
        with at(1):
            tl.print(x)
    printing = [node for node in graph.nodes if "Print" in node.op.name]
    assert len(printing) == 2
    graph.effects[:] = printing
    division = cut(graph)
    for part in division.graphs.values():
        assert len([node for node in part.effects if "Print" in node.op.name]) == 1


def test_send_and_recv_keep_the_line_of_what_they_carry() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        y = raw.Exp(x=x)
        with at(1):
            z = raw.Neg(x=y)
    division = cut(graph, [z])
    for node in (*of_kind(division, "Send"), *of_kind(division, "Recv")):
        assert node.line == symbolic(y).node.line
        assert node.name.startswith(symbolic(y).node.name)
        assert "test_partition.py" in str(node.line)


def symbolic(x: tl.Tensor) -> SymbolicTensor:
    assert isinstance(x, SymbolicTensor)
    return x


def test_specs_go_over_with_the_values() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(tl.TensorSpec((None, 3)))
        y = raw.Exp(x=x)
        with at(1):
            z = raw.Neg(x=y)
    division = cut(graph, [z])
    (recv,) = of_kind(division, "Recv")
    assert recv.outputs[0].shape == (None, 3)


def test_a_graph_on_one_device_is_one_part() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(2):
        x = graph.add_input(SCALAR)
        y = raw.Exp(x=x)
    graph.outputs = [y]
    ((device, part),) = partition(settled(graph)).items()
    assert str(device) == "/device:CPU:2"
    assert [node.op.name for node in part.nodes] == [n.op.name for n in graph.nodes]


def test_a_node_without_a_device_is_told() -> None:
    graph = ManualGraph()
    with graph.as_default():
        with at(0):
            x = graph.add_input(SCALAR)
        raw.Exp(x=x)
    with pytest.raises(GraphError) as caught:
        partition(settled(graph))
    assert str(caught.value).startswith("Exp, made at ")
    assert "test_partition.py" in str(caught.value)
    assert str(caught.value).endswith("has no device; place the graph first")


@pytest.mark.parametrize("name", ["/job:worker", "/task:0"])
def test_a_partial_name_of_a_device_is_not_enough(name: str) -> None:
    graph = ManualGraph()
    with graph.as_default(), tl.device(name):
        raw.Exp(x=graph.add_input(SCALAR))
    with pytest.raises(GraphError, match=r"Exp, made at .* has no device"):
        partition(settled(graph))
