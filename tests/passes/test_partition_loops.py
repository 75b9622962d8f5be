"""Partition of loops and branches made by hand: where each is entered, and what is dead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphError
from tensorlite.core.xp import set_cpu_count
from tensorlite.graph.manual import ManualGraph
from tensorlite.passes.partition import partition
from tests.passes.cutting import (
    FLAG,
    SCALAR,
    at,
    check,
    names,
    of_kind,
    settled,
    true,
    value,
)

raw = tl.raw_ops


@pytest.fixture(autouse=True)
def _devices() -> Iterator[None]:
    set_cpu_count(4)
    yield
    set_cpu_count(1)


def halving(graph: ManualGraph, split: bool) -> tuple[list[Any], Any]:
    """Return inputs and result of: while x > low: x = x / 2, the halving on another device."""
    x, low = graph.add_input(SCALAR), graph.add_input(SCALAR)
    y = raw.Enter(data=x, frame_name="loop")
    least = raw.Enter(data=low, frame_name="loop", is_constant=True)
    y, _ = raw.Merge(inputs=[y, y])
    go_on = raw.LoopCond(input=y > least)
    leaves, stays = raw.Switch(data=y, pred=go_on)
    with at(1 if split else 0):
        half = stays * 0.5
    y.node.set_input(1, raw.NextIteration(data=half))
    return [x, low], raw.Exit(data=leaves)


@pytest.mark.parametrize("start", [0.5, 1.5, 1000.0])
def test_a_loop_gets_a_control_loop_where_it_has_no_variable(start: float) -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        inputs, result = halving(graph, split=True)
    feeds = dict(zip(inputs, [value(start), value(1)], strict=True))
    division = check(graph, feeds, [result])
    for device in (0, 1):
        assert names(division, device)["Merge"] == 1
        assert names(division, device)["NextIteration"] == 1
    assert names(division, 1)["LoopCond"] == 0
    assert names(division, 1)["Exit"] == 0


def test_a_loop_on_one_device_stays_there_whole() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        inputs, result = halving(graph, split=False)
        with at(1):
            end = result * 3.0
    feeds = dict(zip(inputs, [value(9), value(1)], strict=True))
    division = check(graph, feeds, [end])
    assert names(division, 1)["Merge"] == 0
    assert names(division, 0)["Send"] == 1


def counting(graph: ManualGraph) -> tuple[list[Any], list[Any]]:
    """Return a loop whose two variables are on two devices, and an invariant used on three."""
    n, x = graph.add_input(SCALAR), graph.add_input(SCALAR)
    c = raw.Exp(x=x)
    i = raw.Enter(data=tl.constant(0.0), frame_name="loop")
    with at(1):
        y = raw.Enter(data=x, frame_name="loop")
    most = raw.Enter(data=n, frame_name="loop", is_constant=True)
    factor = raw.Enter(data=c, frame_name="loop", is_constant=True)
    i, _ = raw.Merge(inputs=[i, i])
    with at(1):
        y, _ = raw.Merge(inputs=[y, y])
    go_on = raw.LoopCond(input=i < most)
    i_leaves, i_stays = raw.Switch(data=i, pred=go_on)
    with at(1):
        y_leaves, y_stays = raw.Switch(data=y, pred=go_on)
    i.node.set_input(1, raw.NextIteration(data=i_stays + raw.Sign(x=factor)))
    with at(2):
        more = raw.Sin(x=y_stays) * factor
    with at(1):
        y.node.set_input(1, raw.NextIteration(data=more + factor))
    return [n, x], [raw.Exit(data=i_leaves), raw.Exit(data=y_leaves)]


@pytest.mark.parametrize("n", [0, 1, 7])
def test_invariants_are_brought_in_wherever_they_are_used(n: int) -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        inputs, results = counting(graph)
    feeds = dict(zip(inputs, [value(n), value(0.5)], strict=True))
    division = check(graph, feeds, results)
    for device, lasting in ((0, 2), (1, 1), (2, 1)):
        (part,) = [g for d, g in division.graphs.items() if d.index == device]
        enters = [node for node in part.nodes if node.op.name == "Enter"]
        found = [node for node in enters if node.op.attributes()["is_constant"]]
        assert len(found) == lasting
        assert names(division, device)["Merge"] == 1
    sent = {node.op.attributes()["tensor_name"] for node in of_kind(division, "Send")}
    assert not [name for name in sent if " into " in name], "it is entered for sure"
    outside = [name for name in sent if "Exp" in name]
    assert len(outside) == 1, (
        "the invariant is sent before the loop, once to each device"
    )


def test_what_passes_values_on_stands_beside_whom_it_serves() -> None:
    graph = ManualGraph()
    with graph.as_default():
        with at(0):
            x = graph.add_input(SCALAR)
        with at(3):
            y = raw.Enter(data=x, frame_name="loop")
        with at(0):
            y, _ = raw.Merge(inputs=[y, y])
            leaves, stays = raw.Switch(data=y, pred=raw.LoopCond(input=y < 100.0))
        with at(3):
            y.node.set_input(1, raw.NextIteration(data=stays * 3.0))
            result = raw.Exit(data=leaves)
    division = check(graph, {x: value(2)}, [result])
    assert names(division, 0)["Exit"] == names(division, 0)["NextIteration"] == 1
    assert names(division, 3)["Exit"] == 0


def nested(graph: ManualGraph, places: Sequence[int]) -> tuple[list[Any], Any]:
    """Return: for i < n: y = x + i; while y < 100: y *= 2; total += y; places: four parts'."""
    outer, start, inner, end = places
    n, x = graph.add_input(SCALAR), graph.add_input(SCALAR)
    i = raw.Enter(data=tl.constant(0.0), frame_name="outer")
    total = raw.Enter(data=tl.constant(0.0), frame_name="outer")
    limit = raw.Enter(data=n, frame_name="outer", is_constant=True)
    begin = raw.Enter(data=x, frame_name="outer", is_constant=True)
    with at(outer):
        i, _ = raw.Merge(inputs=[i, i])
        go_on = raw.LoopCond(input=i < limit)
        _, i_stays = raw.Switch(data=i, pred=go_on)
    with at(end):
        total, _ = raw.Merge(inputs=[total, total])
        total_leaves, total_stays = raw.Switch(data=total, pred=go_on)
    with at(start):
        first = begin + i_stays
    with at(outer):
        y = raw.Enter(data=first, frame_name="inner")
        y, _ = raw.Merge(inputs=[y, y])
        y_leaves, y_stays = raw.Switch(data=y, pred=raw.LoopCond(input=y < 100.0))
    with at(inner):
        twice = y_stays * 2.0
    y.node.set_input(1, raw.NextIteration(data=twice))
    grown = raw.Exit(data=y_leaves)
    with at(end):
        more = total_stays + grown
        total.node.set_input(1, raw.NextIteration(data=more))
    with at(start):
        i_next = i_stays + 1.0
    i.node.set_input(1, raw.NextIteration(data=i_next))
    return [n, x], raw.Exit(data=total_leaves)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "places", [(0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 1, 2, 3), (3, 2, 2, 0)]
)
def test_loops_in_loops_are_cut_in_both(n: int, places: Sequence[int]) -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        inputs, result = nested(graph, places)
    feeds = dict(zip(inputs, [value(n), value(3)], strict=True))
    division = check(graph, feeds, [result])
    inner = places[2]
    if inner != places[0]:
        merges = names(division, inner)["Merge"]
        assert merges == 2 + (inner == places[3]), (
            "a control loop for each of the frames"
        )


@pytest.mark.parametrize("taken", [True, False])
def test_a_branch_that_is_not_taken_is_dead_on_all_devices(taken: bool) -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x, flag = graph.add_input(SCALAR), graph.add_input(FLAG)
        no, yes = raw.Switch(data=x, pred=flag)
        with at(1):
            a = raw.Exp(x=yes)
        with at(2):
            a = raw.Sin(x=a) + yes
            b = raw.Cos(x=no)
        with at(3):
            merged, which = raw.Merge(inputs=[b, a])
    check(graph, {x: value(2), flag: true(taken)}, [merged, which])


@pytest.mark.parametrize("taken", [True, False])
def test_a_loop_over_devices_in_a_branch_that_is_not_taken_is_dead(
    taken: bool,
) -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x, flag = graph.add_input(SCALAR), graph.add_input(FLAG)
        no, yes = raw.Switch(data=x, pred=flag)
        y = raw.Enter(data=yes, frame_name="loop")
        bound = raw.Enter(data=yes * 50.0, frame_name="loop", is_constant=True)
        y, _ = raw.Merge(inputs=[y, y])
        leaves, stays = raw.Switch(data=y, pred=raw.LoopCond(input=y < bound))
        with at(1):
            more = raw.Exp(x=stays * 0.0) + bound * 0.1
        with at(2):
            more = raw.Neg(x=raw.Neg(x=more)) + stays
        y.node.set_input(1, raw.NextIteration(data=more))
        merged, which = raw.Merge(inputs=[raw.Exit(data=leaves), no])
    check(graph, {x: value(3), flag: true(taken)}, [merged, which])


def test_control_edges_in_a_loop_go_over_devices_in_every_turn() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        y = raw.Enter(data=x, frame_name="loop")
        y, _ = raw.Merge(inputs=[y, y])
        leaves, stays = raw.Switch(data=y, pred=raw.LoopCond(input=y < 100.0))
        with at(1):
            beside = raw.Exp(x=stays * 0.0)
        with tl.control_dependencies([beside]):
            more = stays + 7.0
        y.node.set_input(1, raw.NextIteration(data=more))
        result = raw.Exit(data=leaves)
    division = check(graph, {x: value(2)}, [result])
    assert names(division, 1)["Token"] == 1
    (waiting,) = [
        node
        for node in of_kind(division, "AddV2")
        if any(one.op.name == "Recv" for one in node.control)
    ]
    assert waiting.device.index == 0


def test_the_graph_that_is_cut_stays_as_it_was() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        _, graph.outputs = counting(graph)
    before = tl.graphs.to_text(settled(graph))
    first = partition(graph)
    second = partition(graph)
    assert tl.graphs.to_text(graph) == before
    assert [tl.graphs.to_text(g) for g in first.values()] == [
        tl.graphs.to_text(g) for g in second.values()
    ]


def test_a_frame_over_two_devices_needs_a_condition() -> None:
    graph = ManualGraph()
    with graph.as_default(), at(0):
        x = graph.add_input(SCALAR)
        y = raw.Enter(data=x, frame_name="loop")
        y, _ = raw.Merge(inputs=[y, y])
        leaves, stays = raw.Switch(data=y, pred=y < 100.0)
        with at(1):
            more = stays + 7.0
        y.node.set_input(1, raw.NextIteration(data=more))
        raw.Exit(data=leaves)
    with pytest.raises(
        GraphError,
        match=r"frame 'loop' has nodes on /device:CPU:1 and no entry or LoopCond; a loop over "
        "several devices needs both",
    ):
        partition(settled(graph))
