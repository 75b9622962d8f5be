"""Steps played on tables of devices, against closed forms and bounds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core.errors import DeviceError, InvalidArgumentError
from tensorlite.graph.graph import Graph
from tensorlite.graph.trace import trace
from tensorlite.passes.cost import Fixed, Link, Rates
from tensorlite.passes.machines import Machines, Network, this_machine
from tensorlite.passes.simulate import Workload, told
from tensorlite.passes.units import Units
from tests.passes.playing import (
    APART,
    CPUS,
    LINK,
    VECTOR,
    Program,
    costs_of,
    network,
    timeline,
)


def test_kernels_of_one_device_run_one_after_the_other() -> None:
    program = Program(lambda x: [tl.exp(x), tl.sin(x), tl.cos(x)], network())
    assert program.time() == 3.0


def test_independent_kernels_on_two_devices_run_at_once() -> None:
    program = Program(lambda x: [tl.exp(x), tl.sin(x), tl.cos(x)], network())
    assert program.time(Sin=1) == 2.0


def test_a_transfer_takes_latency_and_its_bytes() -> None:
    program = Program(lambda x: [tl.sin(tl.exp(x))], network(), spec=VECTOR)
    assert program.time() == 2.0
    assert program.time(Sin=1) == 1 + 0.5 + 40 / 80 + 1


def test_a_tensor_that_two_tasks_want_travels_once() -> None:
    program = Program(
        lambda x: [f(tl.exp(x)) for f in (tl.sin, tl.cos)], network(), spec=VECTOR
    )
    played = program.work.play(program.at(Sin=1, Cos=1))
    assert played.seconds == 1 + 1 + 2
    assert len(played.transfers) == 1


def test_a_link_carries_one_tensor_after_another() -> None:
    near = Network(Machines(CPUS[:2], links={(CPUS[0], CPUS[1]): LINK}), costs_of())
    for net in (near, network()):  # in one task, and between two
        program = Program(lambda x: [tl.atan2(*tl.split(x, 2))], net, spec=VECTOR)
        # Both halves leave at once and take a quarter of a second each, beside the latency.
        assert program.time(Atan2=1) == pytest.approx(1 + 2 * 0.25 + 0.5 + 1)


def test_a_port_is_shared_by_all_that_a_task_sends_to() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        y = tl.exp(x)
        return [tl.sin(y), tl.cos(y), tl.tan(y)]

    made = Program(program, network(4), spec=VECTOR)
    # Three copies leave one port, half a second each; the last is there after two and waits none.
    assert made.time(Sin=1, Cos=2, Tan=3) == pytest.approx(1 + 3 * 0.5 + 0.5 + 1)


def test_inputs_and_constants_are_at_hand_everywhere() -> None:
    program = Program(lambda x: [tl.exp(x + 1.0)], network(), spec=VECTOR)
    assert program.time(arg=0, Const=0, AddV2=1, Exp=1) == 2.0


def test_the_longest_way_goes_first() -> None:
    """Of two that are ready, the one that more depends on: in the other order it takes 4."""

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.cos(x), tl.tan(tl.sin(tl.exp(x)))]

    made = Program(program, network(2, Link(0.0)))
    assert made.time(Sin=1, Tan=1) == 3.0


def test_the_newest_goes_first_where_that_is_asked_for() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.tan(tl.sin(tl.exp(x))), tl.cos(x)]

    net = network(2, Link(0.0), newest_first=True)
    made = Program(program, net)
    names = [span.name for span in timeline(made, made.at())]
    assert names == ["Cos", "Exp", "Sin", "Tan"]
    assert made.time(Sin=1, Tan=1) == 4.0


def test_what_arrives_waits_until_a_device_has_nothing_else() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.sin(tl.exp(x)), tl.atan(tl.tan(tl.cos(x)))]

    net = network(2, Link(0.0), newest_first=True)
    made = Program(program, net)
    spans = timeline(made, made.at(Exp=1))
    assert [s.name for s in spans if s.device == APART[0]] == [
        "Cos",
        "Tan",
        "Atan",
        "Sin",
    ]


def test_the_interpreter_is_held_by_one_device_of_a_process_at_a_time() -> None:
    costs = costs_of(rates={"CPU": Rates(1e9, 1e9, call=0.25)})
    net = Network(Machines(CPUS[:2]), costs)
    program = Program(lambda x: [tl.exp(x), tl.sin(x)], net)
    assert program.time(Sin=1) == pytest.approx(1.25)
    small = Program(lambda x: [tl.exp(x), tl.sin(x)], net, spec=VECTOR)
    assert small.time(Sin=1) == pytest.approx(2.0)
    apart = Network(Machines(APART[:2]), costs)
    assert Program(lambda x: [tl.exp(x), tl.sin(x)], apart, spec=VECTOR).time(
        Sin=1
    ) == pytest.approx(1.0)


def test_no_more_kernels_run_than_there_are_cores() -> None:
    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.exp(x), tl.sin(x), tl.cos(x), tl.tan(x)]

    for cores, expected in ((1, 4.0), (2, 2.0), (3, 2.0), (4, 1.0), (None, 1.0)):
        net = Network(Machines(CPUS, cores=cores), costs_of())
        made = Program(program, net)
        assert made.time(Sin=1, Cos=2, Tan=3) == pytest.approx(expected)


def test_the_machine_takes_time_for_nodes_and_transfers() -> None:
    costs = costs_of(fixed=Fixed(node=0.125, transfer=0.25))
    costs.links["CPU", "CPU"] = Link(0.5)
    net = Network(Machines(CPUS[:2]), costs)
    program = Program(lambda x: [tl.sin(tl.exp(x))], net)
    assert program.time() == 2 * 1.125
    assert program.time(Sin=1) == 1.125 + 0.25 + 0.5 + 1.125


def test_a_faster_device_takes_less_time() -> None:
    net = network(speed=[1.0, 4.0])
    program = Program(lambda x: [tl.exp(x)], net)
    assert program.time(Exp=1) == 0.25


def test_a_link_of_its_own_goes_before_the_network() -> None:
    table = Machines(
        APART[:2], links={(APART[0], APART[1]): Link(2.0)}, network=Link(0.5)
    )
    program = Program(lambda x: [tl.sin(tl.exp(x))], Network(table, costs_of()))
    assert program.time(Sin=1) == 4.0
    assert program.time(Exp=1) == 4.0


# Whatever the graph, a schedule is one that could be run.


@st.composite
def programs(draw: st.DrawFn) -> tuple[Graph, list[int], int]:
    """Draw a graph of binary kernels, a device for each node, and how many devices there are."""
    count = draw(st.integers(1, 4))
    choices = draw(
        st.lists(
            st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=25
        )
    )

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        made = [x]
        for i, (a, b) in enumerate(choices):
            one, other = made[a % len(made)], made[b % len(made)]
            made.append(tl.atan2(one, other + float(i)))
        return made[1:]

    graph = trace(program, [VECTOR]).graph
    size = len(graph.nodes)
    place = draw(st.lists(st.integers(0, count - 1), min_size=size, max_size=size))
    return graph, place, count


@given(programs(), st.booleans())
@settings(deadline=None, max_examples=80)
def test_every_schedule_could_be_run(
    drawn: tuple[Graph, list[int], int], newest: bool
) -> None:
    graph, place, count = drawn
    net = network(count, newest_first=newest)
    work = Workload(Units(graph), net)
    played, load = work.play(place), work.load(place)
    tasks = work.tasks
    sent = {(one.task, one.target): one.end for one in played.transfers}
    for task in range(len(tasks)):
        assert played.end[task] == played.start[task] + load.seconds[task]
        for target, _ in tasks.outs[task]:
            away = load.place[target] != load.place[task]
            there = sent[task, load.place[target]] if away else played.end[task]
            assert played.start[target] >= there
    for device in range(count):
        own = sorted(
            (played.start[task], played.end[task])
            for task in range(len(tasks))
            if load.place[task] == device
        )
        assert all(a[1] <= b[0] for a, b in pairwise(own))
    whole = sum(load.seconds)
    assert whole / count <= played.seconds or not whole
    assert played.seconds <= whole + sum(
        one.end - one.start for one in played.transfers
    )


@given(programs())
@settings(deadline=None, max_examples=30)
def test_the_critical_path_leads_from_the_start_to_the_end(
    drawn: tuple[Graph, list[int], int],
) -> None:
    graph, place, count = drawn
    work = Workload(Units(graph), network(count))
    found = told(work, work.play(place), work.load(place))
    path = found.critical_path
    assert path[-1].end == found.seconds
    assert path[0].start == 0.0
    assert all(a.end <= b.start for a, b in pairwise(path))
    assert all(0.0 <= share <= 1.0 + 1e-9 for share in found.busy.values())


def test_a_graph_of_nothing_takes_no_time() -> None:
    made = Program(lambda x: [x], network())
    assert made.time() == 0.0
    found = told(made.work, made.work.play([0]), made.work.load([0]))
    assert found.critical_path == ()
    assert str(found).startswith("0.000 ms a step")


# Tables.


@pytest.mark.parametrize(
    ("arguments", "error", "why"),
    [
        ({"devices": []}, InvalidArgumentError, "there are no devices"),
        ({"devices": ["/cpu:0", "/cpu:0"]}, InvalidArgumentError, "is there twice"),
        ({"devices": ["/job:ps"]}, DeviceError, "names no single device"),
        ({"devices": ["cpu zero"]}, DeviceError, "is no device name"),
        ({"devices": ["/cpu:0"], "speed": 0.0}, InvalidArgumentError, "above 0"),
        (
            {"devices": ["/cpu:0"], "speed": [1.0, 2.0]},
            InvalidArgumentError,
            "2 speeds",
        ),
        ({"devices": ["/cpu:0"], "cores": 0}, InvalidArgumentError, "cores=0"),
        (
            {"devices": ["/cpu:0"], "links": {("/cpu:0", "/cpu:1"): Link(1.0)}},
            DeviceError,
            "no device of the table",
        ),
    ],
)
def test_tables_that_are_none(
    arguments: dict[str, Any], error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        Machines(**arguments)


def test_this_machine_has_its_cores() -> None:
    table = this_machine(CPUS[:2])
    assert table.names == tuple(CPUS[:2])
    assert table.cores is not None
