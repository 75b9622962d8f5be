"""Loops and branches as tasks, against closed forms: how long they take when they are played."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.passes.cost import Link
from tensorlite.passes.machines import Machines, Network
from tensorlite.passes.simulate import told
from tensorlite.passes.unroll import JOIN, UNROLLED
from tests.passes.playing import APART, Program, costs_of, kernels_only, network


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
