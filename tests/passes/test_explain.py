"""What is said of a placement is true of it: device, reason, line, cost elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.constant import Const
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import PlacementError
from tensorlite.core.xp import cpu_count, set_cpu_count
from tensorlite.graph.graph import Graph
from tensorlite.passes.cost import Costs, Link
from tensorlite.passes.explain import Explanation
from tensorlite.passes.place import Placement
from tests.passes.test_place import CPU, DEVICES, HANDLE, OTHER, Build
from tests.programs import FLOAT, INT, graph_of, nested


@pytest.fixture
def two_cpus() -> Iterator[None]:
    """Have two logical devices of the CPU."""
    before = cpu_count()
    set_cpu_count(2)
    yield
    set_cpu_count(before)


def explained(graph: Graph, **options: object) -> Explanation:
    """Return what is said of a graph on three devices."""
    return Explanation(Placement(graph, DEVICES, CPU, **options))  # type: ignore[arg-type]


def test_each_reason_is_told() -> None:
    made = Build()
    w = made.input(HANDLE, "w")
    x = made.node("ReadVariableOp", w, at="/gpu:0")
    y = made.node("Exp", x, at="/gpu:0")
    made.node("Shape", y)
    made.node("Sin", y, group="a")
    made.node("Cos", y, group="a", at="/device:CPU:*")
    made.node("Tan", x)
    made.graph.add(Const(np.asarray(2.0)), ())
    found = {row.name: row.why for row in explained(made.graph, given=[OTHER]).nodes}
    assert found == {
        "w": "its value is on /device:CPU:1",
        "ReadVariableOp": "works on the handle of w: its value is on /device:CPU:1",
        "Exp": "tl.device asks for /device:GPU:0, at model.py:3",
        "Shape": "with its inputs",
        "Sin": "is in the group 'a' with Cos: tl.device asks for /device:CPU:*, "
        "at model.py:6",
        "Cos": "tl.device asks for /device:CPU:*, at model.py:6",
        "Tan": "default",
        "Const": "constant: wherever it is used",
    }


def test_a_scope_that_gave_way_is_told() -> None:
    made = Build()
    made.node("Exp", made.input(), at="/gpu:9")
    rows = explained(made.graph, soft=True, log=lambda _: None).nodes
    assert rows[-1].why == "in vain, tl.device asks for /device:GPU:9, at model.py:2"


def test_the_table_shows_inner_graphs_under_what_holds_them() -> None:
    shown = explained(graph_of(nested, [INT, FLOAT]))
    lines = str(shown).splitlines()
    assert len(lines) == 1 + len(shown.nodes)
    assert lines[0].split() == ["node", "op", "device", "why"]
    loop = next(i for i, row in enumerate(shown.nodes) if row.op == "While")
    assert shown.nodes[loop].depth == 0
    assert shown.nodes[loop + 1].depth == 1
    assert max(row.depth for row in shown.nodes) == 3
    inner = next(row for row in shown.nodes if row.op == "Mul")
    assert inner.why == "inside If"
    assert inner.line.file == graph_of.__code__.co_filename


def test_costs_elsewhere_have_the_inputs_transfers_and_the_turns() -> None:
    made = Build()
    x = made.input(tl.TensorSpec((100, 100)))
    y = made.node("Exp", x, at="/cpu:1")
    made.node("MatMul", y, y, at="/cpu:1")
    costs = Costs()
    costs.links["CPU", "CPU"] = Link(0.5, 1e6)
    costs.links["CPU", "GPU"] = Link(0.25)
    rows = Explanation(Placement(made.graph, DEVICES, CPU), costs).nodes
    assert not rows[0].seconds
    product = rows[2].seconds
    assert set(product) == set(DEVICES)
    kernel = {
        device: costs.node(made.graph.nodes[-1], device).seconds for device in DEVICES
    }
    once = 40_000 / 1e6  # both operands are one tensor
    assert product[OTHER] == kernel[OTHER]
    assert product[CPU] == pytest.approx(kernel[CPU] + 0.5 + once)
    assert product[DEVICES[2]] == pytest.approx(kernel[DEVICES[2]] + 0.25)
    shown = str(Explanation(Placement(made.graph, DEVICES, CPU), costs))
    assert "ms here, 250 ms on /device:GPU:0, 540 ms on /device:CPU:0" in shown


def test_state_has_no_cost_elsewhere() -> None:
    made = Build()
    made.node("ReadVariableOp", made.input(HANDLE, "w"))
    placement = Placement(made.graph, DEVICES, CPU, given=[OTHER])
    assert set(Explanation(placement, Costs()).nodes[-1].seconds) == {OTHER}


@pytest.mark.usefixtures("two_cpus")
def test_a_function_is_explained_as_it_runs() -> None:
    @tl.function
    def f(x: tl.Tensor) -> tl.Tensor:
        with tl.device("/cpu:1"):
            y = tl.exp(x)
        return tl.sin(y)

    concrete = f.get_concrete_function(tl.ones(2))
    rows = tl.placement.explain(concrete).nodes
    placed = {node.name: node.device for node in concrete.placed.nodes}
    assert {row.name: row.device for row in rows} == placed
    assert placed["Exp"] == OTHER
    assert rows[1].line.file == __file__
    only = tl.placement.explain(
        concrete, choose=lambda units, groups, allowed: [one[-1] for one in allowed]
    )
    assert {row.device for row in only.nodes} == {DeviceName.parse("/cpu:1"), CPU}


@pytest.mark.usefixtures("two_cpus")
def test_a_function_whose_demands_contradict_is_refused() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = graph.add_input(tl.TensorSpec(()))
        with tl.device("/cpu:0"):
            y = tl.exp(x)
        with tl.colocate_with(y), tl.device("/cpu:1"):
            tl.sin(y)
    with pytest.raises(PlacementError, match="which is in the group 'Exp' with"):
        tl.placement.explain(graph)
