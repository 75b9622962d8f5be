"""Steps played on tables of devices, against closed forms and bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DeviceError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph
from tensorlite.graph.trace import trace
from tensorlite.passes.cost import Costs, Fixed, Link, Rates
from tensorlite.passes.machines import Machines, Network, this_machine
from tensorlite.passes.simulate import Span, Workload, told
from tensorlite.passes.units import Units
from tensorlite.passes.unroll import JOIN, UNROLLED

CPUS = [DeviceName(kind="CPU", index=i) for i in range(4)]
APART = [DeviceName("worker", None, i, "CPU", 0) for i in range(4)]
LINK = Link(latency=0.5, bandwidth=80.0)
"""A vector of ten float32 takes a second, of which it is on the way for a half."""
VECTOR = TensorSpec((10,))
LONG = TensorSpec((10_000,))


def second(op: Op, specs: Sequence[TensorSpec], device: DeviceName) -> float:
    """Return the time of every kernel here."""
    return 1.0


def costs_of(**changes: Any) -> Costs:
    """Return costs at which each kernel takes a second, none of which holds the interpreter."""
    usual = {"rates": {"CPU": Rates(1e9, 1e9, 0.0)}, "fixed": Fixed(0.0, 0.0)}
    return Costs(second, **(usual | changes))


def network(count: int = 2, link: Link = LINK, **changes: Any) -> Network:
    table = Machines(APART[:count], network=link, **changes)
    return Network(table, costs_of())


class Program:
    """A graph, and its workload on a table."""

    def __init__(
        self,
        function: Callable[..., Any],
        net: Network,
        inputs: int = 1,
        spec: TensorSpec = LONG,
    ) -> None:
        self.graph = trace(function, [spec] * inputs).graph
        self.units = Units(self.graph)
        self.work = Workload(self.units, net)

    def at(self, **devices: int) -> list[int]:
        """Return the device of each unit: those named, and all others on the first."""
        return [
            devices.get(node.name, 0) if self.units.parent[unit] < 0 else 0
            for unit, node in enumerate(self.units.nodes)
        ]

    def time(self, **devices: int) -> float:
        return self.work.time(self.at(**devices))


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


def timeline(program: Program, place: list[int]) -> tuple[Span, ...]:
    work = program.work
    return told(work, work.play(place), work.load(place)).timeline


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


# Loops and branches.


def loop(turns: int, parallel: int = 10, layers: int = 2) -> Callable[..., Any]:
    """Return a program whose loop has layers, each a kernel that follows its own last turn's."""

    def body(i: tl.Tensor, *hs: tl.Tensor) -> tuple[tl.Tensor, ...]:
        made = []
        below = hs[0]
        for h in hs:
            below = tl.atan2(h, below)
            made.append(below)
        return (i + 1, *made)

    def program(*hs: tl.Tensor) -> list[tl.Tensor]:
        return list(
            tl.while_loop(
                lambda i, *hs: i < turns,
                body,
                (tl.asarray(0), *hs[:layers]),
                parallel_iterations=parallel,
            )[1:]
        )

    return program


def kernels_only(op: Op, specs: Sequence[TensorSpec], device: DeviceName) -> float:
    return 1.0 if op.name == "Atan2" else 0.0


def looped(
    turns: int, parallel: int = 10, layers: int = 2
) -> tuple[Program, list[int]]:
    """Return the loop, and a placement that has each layer on a device of its own."""
    costs = costs_of()
    costs.measure = kernels_only
    net = Network(Machines(APART[:layers], network=Link(0.0)), costs)
    program = Program(loop(turns, parallel, layers), net, layers)
    place = [0] * len(program.units)
    (tables,) = program.units.inner.values()
    (node,) = [n for n in program.graph.nodes if n.op.regions()]
    body = node.op.regions()[1]
    for layer in range(layers):
        place[tables[1][body.inputs[1 + layer].node]] = layer
        place[tables[1][body.outputs[1 + layer].node]] = layer
    return program, place


@pytest.mark.parametrize("turns", [0, 1, 2, 5, UNROLLED, UNROLLED + 1, 50, 1000])
def test_a_loop_on_one_device_takes_all_its_turns(turns: int) -> None:
    program, _ = looped(turns)
    assert program.work.time([0] * len(program.units)) == pytest.approx(2 * turns)


@pytest.mark.parametrize("turns", [1, 2, UNROLLED, 50, 1000])
@pytest.mark.parametrize("layers", [2, 3])
def test_turns_overlap_across_devices(turns: int, layers: int) -> None:
    """A pipeline: filled once, then a turn a second."""
    program, place = looped(turns, layers=layers)
    assert program.work.time(place) == pytest.approx(turns + layers - 1)


def test_turns_do_not_overlap_when_only_one_may_be_under_way() -> None:
    program, place = looped(50, parallel=1)
    assert program.work.time(place) == pytest.approx(2 * 50)
    two, place = looped(50, parallel=2)
    assert two.work.time(place) == pytest.approx(51)


def test_a_device_is_busy_for_the_turns_that_are_not_played_too() -> None:
    program, place = looped(1000)
    work = program.work
    found = told(work, work.play(place), work.load(place))
    assert found.busy[APART[0]] == pytest.approx(1.0, rel=0.01)
    assert found.busy[APART[1]] == pytest.approx(1.0, rel=0.01)
    assert {span.name for span in found.timeline} >= {"Atan2@0", "Atan2_1@3"}


def test_what_follows_a_loop_waits_for_its_end() -> None:
    costs = costs_of()
    net = Network(Machines(APART[:1]), costs)

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        _, y = tl.while_loop(
            lambda i, y: i < 100, lambda i, y: (i, tl.exp(y)), (tl.asarray(0), x)
        )
        return [tl.sin(y)]

    made = Program(program, net)
    played = made.work.play([0] * len(made.units))
    ends = {
        made.units.nodes[unit].op.name: played.end[task]
        for task, unit in enumerate(made.work.tasks.unit)
        if unit != JOIN
    }
    assert ends["Sin"] == played.seconds


def test_loops_in_loops_take_the_product_of_their_turns() -> None:
    costs = costs_of()
    costs.measure = kernels_only
    net = Network(Machines(APART[:1]), costs)

    def inner(y: tl.Tensor) -> tl.Tensor:
        found: tl.Tensor = tl.while_loop(
            lambda j, y: j < 20,
            lambda j, y: (j + 1, tl.atan2(y, y)),
            (tl.asarray(0), y),
        )[1]
        return found

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [
            tl.while_loop(
                lambda i, y: i < 30,
                lambda i, y: (i + 1, inner(y)),
                (tl.asarray(0), x),
            )[1]
        ]

    made = Program(program, net)
    assert made.time() == pytest.approx(600)


def test_a_branch_takes_what_is_to_be_expected() -> None:
    costs = costs_of()
    costs.measure = lambda op, specs, device: {"Exp": 4.0, "Sin": 2.0}.get(
        op.name, 0.0
    )
    net = Network(Machines(APART[:2], network=Link(0.0)), costs)

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        return [tl.cond(x[0] > 0.0, lambda: tl.exp(x), lambda: tl.sin(x))]

    made = Program(program, net)
    assert made.time() == pytest.approx(3.0)
    place = [
        int(node.op.name == "Sin") for node in made.units.nodes
    ]  # one branch elsewhere changes nothing: only one of them is taken
    assert made.work.time(place) == pytest.approx(3.0)


Plan = st.recursive(
    st.integers(1, 3),  # so many kernels
    lambda inner: st.lists(
        st.tuples(st.sampled_from(["if", "while"]), st.integers(0, 15), inner, inner),
        min_size=1,
        max_size=2,
    ),
    max_leaves=5,
)


def planned(plan: Any, x: tl.Tensor) -> tl.Tensor:
    """Return what a drawn nest of kernels, branches and loops makes of a tensor."""
    if isinstance(plan, int):
        for _ in range(plan):
            x = tl.atan2(x, x)
        return x
    for kind, turns, one, other in plan:
        if kind == "if":
            x = tl.cond(
                x[0] > 0.0, partial(planned, one, x), partial(planned, other, x)
            )
        else:
            _, x = tl.while_loop(
                partial(lambda turns, i, _: i < turns, turns),
                partial(lambda one, i, x: (i + 1, planned(one, x)), one),
                (tl.asarray(0), x),
            )
    return x


def expected(plan: Any) -> float:
    """Return how many kernels of a drawn nest are to be expected to run."""
    if isinstance(plan, int):
        return plan
    return sum(
        (expected(one) + expected(other)) / 2
        if kind == "if"
        else turns * expected(one)
        for kind, turns, one, other in plan
    )


@given(Plan)
@settings(deadline=None, max_examples=60)
def test_one_device_takes_the_kernels_that_are_to_be_expected(plan: Any) -> None:
    costs = costs_of()
    costs.measure = kernels_only
    net = Network(Machines(APART[:1]), costs)
    made = Program(lambda x: [planned(plan, x)], net)
    assert made.time() == pytest.approx(expected(plan))
    work = made.work
    place = [0] * len(made.units)
    busy = told(work, work.play(place), work.load(place)).busy[APART[0]]
    assert busy == pytest.approx(float(expected(plan) > 0))


def test_effects_in_a_loop_keep_turns_apart() -> None:
    variable = tl.Variable(tl.zeros(10_000))

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        def body(i: tl.Tensor) -> tuple[tl.Tensor]:
            variable.assign_add(tl.atan2(x, x + tl.astype(i, tl.float32)))
            return (i + 1,)

        return [tl.while_loop(lambda i: i < 3, body, (tl.asarray(0),))[0]]

    made = Program(program, network())
    played = made.work.play([0] * len(made.units))
    unit, nodes = made.work.tasks.unit, made.units.nodes
    added = [
        task
        for task in range(len(unit))
        if unit[task] != JOIN and nodes[unit[task]].op.name == "AssignAddVariableOp"
    ]
    assert len(added) == 3
    assert all(played.end[a] <= played.start[b] for a, b in pairwise(added))


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
