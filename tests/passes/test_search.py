"""Placements that are chosen by simulated time, against all there are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import (
    DeviceError,
    InvalidArgumentError,
    NotFoundError,
    PlacementError,
)
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph
from tensorlite.graph.trace import trace
from tensorlite.passes import search
from tensorlite.passes.atoms import Problem
from tensorlite.passes.cost import Costs, Link
from tensorlite.passes.frozen import Frozen, names_of
from tensorlite.passes.machines import Machines
from tensorlite.passes.place import Placement
from tensorlite.passes.units import Units
from tests import networks

CPUS = [DeviceName(kind="CPU", index=i) for i in range(3)]
NETWORKS = {
    "MLP": lambda: networks.mlp(batch=256, units=256, layers=1),
    "CNN": lambda: networks.cnn(batch=16, size=32, channels=8, depth=2),
    "LSTM, a loop": lambda: networks.lstm(
        32, 128, layers=4, turns=40, unrolled=False
    ),
    "LSTM, unrolled": lambda: networks.lstm(
        32, 128, layers=3, turns=3, unrolled=True
    ),
}


def graph_of(name: str) -> Graph:
    program, specs = NETWORKS[name]()  # made now: no tensors live between tests
    return trace(program, specs).graph


class Asked:
    """A choice that notes what it was asked, and lets it be answered by any search."""

    def __init__(
        self, costs: Costs | None = None, machines: Machines | None = None
    ) -> None:
        self.costs, self.machines = costs or Costs(), machines
        self.problem: Problem | None = None

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> list[DeviceName]:
        self.problem = Problem(units, groups, allowed, self.costs, self.machines)
        return self.problem.answer(search.first_choice(self.problem, 200).chosen)


def problem_of(graph: Graph, count: int = 2, costs: Costs | None = None) -> Problem:
    asked = Asked(costs)
    Placement(graph, CPUS[:count], CPUS[0], choose=asked)
    assert asked.problem is not None
    asked.problem.tried.clear()
    return asked.problem


@pytest.mark.parametrize("name", NETWORKS)
def test_the_first_choice_is_within_five_percent_of_the_best(name: str) -> None:
    problem = problem_of(graph_of(name))
    alone = problem.time(problem.fitting([0] * len(problem.atoms)))
    chosen = search.first_choice(problem, 300).best
    problem.tried.clear()
    if problem.count <= 2**13:
        best = search.exhaustive(problem).best
        assert len(problem.tried) == problem.count
    else:
        best = search.long_search(problem, 4000, float("inf"), seed=3).best
    assert best <= chosen <= 1.05 * best
    assert best < 0.75 * alone  # two devices are of use here


@pytest.mark.parametrize("name", NETWORKS)
def test_a_search_gets_better_all_the_time_and_is_the_same_for_its_seed(
    name: str,
) -> None:
    first, again = [
        search.long_search(problem_of(graph_of(name)), 400, float("inf"), seed=7)
        for _ in range(2)
    ]
    assert first.chosen == again.chosen
    assert first.history == again.history
    seconds = [one for _, one in first.history]
    assert seconds == sorted(seconds, reverse=True)
    assert not first.cut
    assert "placements" in str(first)
    more = search.long_search(problem_of(graph_of(name)), 900, float("inf"), seed=7)
    assert more.best <= first.best


def test_a_limit_of_seconds_cuts_a_search_and_is_told() -> None:
    problem = problem_of(graph_of("CNN"))
    found = search.long_search(problem, 10**6, seconds=0.0, seed=0)
    assert found.cut
    assert "cut short by the limit of seconds" in str(found)
    assert len(found.chosen) == len(problem.atoms)


def test_atoms_hold_all_groups_once_and_few_that_are_costly() -> None:
    for name in NETWORKS:
        problem = problem_of(graph_of(name))
        held = [group for atom in problem.atoms for group in atom]
        assert sorted(held) == list(range(len(problem.groups)))
        assert len(problem.atoms) < len(problem.groups)
    loop = problem_of(graph_of("LSTM, a loop"))
    costly = [x for x in loop.seconds if x > 0.1 * max(loop.seconds)]
    assert len(costly) == 4  # a layer each
    assert max(costly) < 1.1 * min(costly)


def test_what_is_too_small_to_travel_stays_together() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.exp(x) + tl.sin(x)]

    graph = trace(program, [TensorSpec((4,))]).graph
    problem = problem_of(graph)
    found = search.first_choice(problem, 100)
    assert len(set(problem.place(found.chosen))) == 1


def test_constraints_are_kept() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        with tl.device("/cpu:0"):
            a = x @ x
        b = a @ x
        with tl.device("/cpu:0"), tl.colocate_with(b):
            c = b @ b
        return [c, x @ a]

    graph = trace(program, [TensorSpec((300, 300))]).graph
    asked = Asked()
    placement = Placement(graph, CPUS[:2], CPUS[0], choose=asked)
    where = {
        node.name: placement.devices[unit]
        for unit, node in enumerate(placement.units.nodes)
    }
    assert where["MatMul"] == CPUS[0]
    assert where["MatMul_1"] == where["MatMul_2"] == CPUS[0]
    assert where["MatMul_3"] == CPUS[1]
    assert asked.problem is not None
    for move in search.neighbours(asked.problem):
        moved = move(asked.problem.fitting([0] * len(asked.problem.atoms)))
        for device, may in zip(moved, asked.problem.options, strict=True):
            assert device in may


def test_a_small_kernel_that_may_go_nowhere_does_not_bind_a_large_one() -> None:
    """The read of a variable stays where that is; the product of what is read may go anywhere."""
    variables = [tl.Variable(tl.ones((400, 400))) for _ in range(2)]

    @tl.function
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [x @ variable for variable in variables]

    concrete = program.get_concrete_function(TensorSpec((400, 400)))
    asked = Asked()
    given_ = [CPUS[0]] * len(concrete.graph.inputs)
    placement = Placement(
        concrete.graph, CPUS[:2], CPUS[0], choose=asked, given=given_
    )
    places = {
        placement.devices[unit]
        for unit, node in enumerate(placement.units.nodes)
        if node.op.name == "MatMul"
    }
    assert places == set(CPUS[:2])


def test_a_faster_device_gets_the_work() -> None:
    table = Machines(CPUS[:2], speed=[1.0, 10.0])
    asked = Asked(machines=table)
    graph = trace(lambda x: [x @ x], [TensorSpec((500, 500))]).graph
    placement = Placement(graph, CPUS[:2], CPUS[0], choose=asked)
    assert placement.devices[placement.units.outer[graph.outputs[0].node]] == CPUS[1]


def test_devices_that_the_table_lacks_are_told() -> None:
    asked = Asked(machines=Machines(["/task:1/cpu:0"]))
    with pytest.raises(DeviceError, match="CPU:0 is not in the table of machines"):
        Placement(graph_of("CNN"), CPUS[:2], CPUS[0], choose=asked)


def test_slow_links_keep_everything_on_one_device() -> None:
    costs = Costs()
    costs.links["CPU", "CPU"] = Link(latency=10.0)
    for name in NETWORKS:
        problem = problem_of(graph_of(name), costs=costs)
        assert len(set(search.first_choice(problem, 100).chosen)) == 1


def test_three_devices_are_better_than_two() -> None:
    graph = graph_of("CNN")
    costs = Costs()
    two = search.first_choice(problem_of(graph, 2, costs), 300).best
    table = Machines(CPUS, cores=3)
    asked = Asked(costs, table)
    Placement(graph, CPUS, CPUS[0], choose=asked)
    assert asked.problem is not None
    three = search.first_choice(asked.problem, 600).best
    assert three <= two


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=15)
def test_random_graphs_are_placed_within_five_percent_of_the_best(seed: int) -> None:
    draw = np.random.default_rng(seed)

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        made = [x]
        for i in range(int(draw.integers(2, 8))):
            one, other = (made[int(j)] for j in draw.integers(0, len(made), 2))
            made.append(
                one @ other if draw.random() < 0.6 else one + other + float(i)
            )
        return made[1:]

    problem = problem_of(trace(program, [TensorSpec((200, 200))]).graph)
    chosen = search.first_choice(problem, 300).best
    assert chosen <= 1.05 * search.exhaustive(problem).best


# Placements in files.


def frozen_of(graph: Graph) -> tuple[Frozen, Placement]:
    placement = Placement(graph, CPUS[:2], CPUS[0], choose=Asked())
    return Frozen.of(placement.units, placement.devices, "by hand"), placement


@pytest.mark.parametrize("name", NETWORKS)
def test_a_frozen_placement_is_the_same_again(name: str, tmp_path: Path) -> None:
    frozen, placement = frozen_of(graph_of(name))
    read = Frozen.from_file(frozen.to_file(tmp_path / "placement.json"))
    assert read == frozen
    again = Placement(graph_of(name), CPUS[:2], CPUS[0], choose=read)
    assert again.devices == placement.devices
    names = names_of(placement.units)
    assert len(set(names)) == len(names)


def test_a_changed_graph_is_refused_with_what_changed() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.exp(x) @ x]

    def other(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.sin(x) @ x]

    frozen, _ = frozen_of(trace(program, [TensorSpec((20, 20))]).graph)
    with pytest.raises(PlacementError, match="changed: MatMul; new: Sin; gone: Exp"):
        Placement(
            trace(other, [TensorSpec((20, 20))]).graph,
            CPUS[:2],
            CPUS[0],
            choose=frozen,
        )
    with pytest.raises(PlacementError, match="changed: arg, Exp, MatMul"):
        Placement(
            trace(program, [TensorSpec((30, 30))]).graph,
            CPUS[:2],
            CPUS[0],
            choose=frozen,
        )


def test_a_device_that_is_gone_is_an_error() -> None:
    graph = graph_of("LSTM, unrolled")
    frozen, placement = frozen_of(graph)
    assert CPUS[1] in placement.devices
    with pytest.raises(PlacementError, match="on /device:CPU:1; allowed here"):
        Placement(graph, CPUS[:1], CPUS[0], choose=frozen)


@pytest.mark.parametrize(
    ("parts", "error", "why"),
    [
        ({"format": "something"}, InvalidArgumentError, "format"),
        ({"devices": ["/cpu:0"]}, InvalidArgumentError, "a part is missing"),
        ({"nodes": {"arg": 3}}, InvalidArgumentError, "a part is missing"),
        ({"about": None}, InvalidArgumentError, "a part is missing"),
        ({"nodes": {}}, InvalidArgumentError, "not every node"),
        (
            {"devices": {"arg": "nowhere"}, "nodes": {"arg": ""}},
            DeviceError,
            "no device",
        ),
    ],
)
def test_a_file_that_holds_no_placement_is_refused(
    parts: dict[str, Any], error: type[Exception], why: str, tmp_path: Path
) -> None:
    frozen, _ = frozen_of(graph_of("CNN"))
    path = frozen.to_file(tmp_path / "placement.json")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | parts), "utf-8")
    with pytest.raises(error, match=why):
        Frozen.from_file(path)


def test_torn_and_missing_files_are_refused(tmp_path: Path) -> None:
    frozen, _ = frozen_of(graph_of("CNN"))
    path = frozen.to_file(tmp_path / "placement.json")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InvalidArgumentError, match="holds no placement"):
        Frozen.from_file(path)
    with pytest.raises(NotFoundError, match="there is no file"):
        Frozen.from_file(tmp_path / "none.json")
    with pytest.raises(InvalidArgumentError, match="cannot be written"):
        frozen.to_file(tmp_path / "none" / "placement.json")
