"""Whatever is asked of a program's nodes: placement meets all of it, or names a contradiction.

Held against a second reading of the rules, which tries each device for each set of tied nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

import tensorlite as tl
from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.errors import PlacementError
from tensorlite.core.op import Effect, Role
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.trace import trace
from tensorlite.ops.control.branches import cond
from tensorlite.ops.control.loops import while_loop
from tensorlite.passes.lower import lower
from tensorlite.passes.place import place
from tensorlite.passes.verify import verify
from tests.programs import FLOAT

DEVICES = [
    DeviceName.parse(name) for name in ("/cpu:0", "/cpu:1", "/gpu:0", "/device:GPU:1")
]
ASKED = ["", "/cpu:0", "/cpu:1", "/gpu:0", "/device:CPU:*", "/device:GPU:*"]


def program() -> Graph:
    """Return a graph with two variables, a loop, branches in it, prints, constants."""
    v, w = tl.Variable(1.0), tl.Variable(2.0)

    def body(x: tl.Tensor) -> list[tl.Tensor]:
        def turn(i: tl.Tensor, y: tl.Tensor) -> tuple[tl.Tensor, tl.Tensor]:
            def double() -> tl.Tensor:
                w.assign_add(y)
                return y * 2.0

            return i + 1, cond(y > v, double, lambda: y + w)

        _, y = while_loop(lambda i, z: (i < 3) & (z < v), turn, (0, tl.exp(x)))
        tl.print(y)
        v.assign(y * w)
        return [y + tl.sin(x)]

    return trace(body, [FLOAT]).graph


def every(graph: Graph) -> Iterator[Node]:
    """Yield the nodes of a graph and of its inner graphs."""
    for node in graph.nodes:
        yield node
        for region in node.op.regions():
            yield from every(region)


SIZE = len(list(every(program())))


class Asked(NamedTuple):
    """What is asked of the nodes of the program, by their place in `every`."""

    scopes: dict[int, str]
    labels: dict[int, str]
    handles: tuple[int, int]
    """The devices of the two variables."""
    default: int


@st.composite
def demands(draw: st.DrawFn) -> Asked:
    """Draw demands: few, so that many can be met."""
    places = st.integers(0, SIZE - 1)
    number = st.integers(0, len(DEVICES) - 1)
    return Asked(
        draw(st.dictionaries(places, st.sampled_from(ASKED), max_size=6)),
        draw(st.dictionaries(places, st.sampled_from("ab"), max_size=6)),
        (draw(number), draw(number)),
        draw(number),
    )


def asked_of(asked: Asked, lowered: bool) -> tuple[Graph, list[DeviceName]]:
    """Return the program with the demands, each node named alone, and where its inputs are."""
    graph = lower(program()) if lowered else program()
    for i, node in enumerate(every(graph)):
        node.device = DeviceName.parse(asked.scopes.get(i, ""))
        node.group = asked.labels.get(i, "")
        node.name = f"n{i}"
    for x in graph.inputs:
        x.node.device = ANYWHERE
    return graph, [ANYWHERE, *[DEVICES[i] for i in asked.handles]]


def handles(graph: Graph) -> set[tuple[Node, Node]]:
    """Return the pairs of nodes of which the second works on the handle that the first gives."""
    found = set()
    for node in every(graph):
        values = node.inputs[1:] if node.op.role is Role.IF else node.inputs
        pairs = [
            (x, inner.node)
            for region in node.op.regions()
            for x, inner in zip(values, region.inputs, strict=True)
        ] or [(x, node) for x in node.inputs]
        found |= {(x.node, taker) for x, taker in pairs if x.dtype.kind == "R"}
    return found


def ties(graph: Graph) -> set[tuple[Node, Node]]:
    """Return the pairs of nodes that must share a device."""
    nodes = [node for node in every(graph) if node.group]
    labelled = {(a, b) for a in nodes for b in nodes if a.group == b.group}
    return handles(graph) | labelled


def together(nodes: list[Node], tied: set[tuple[Node, Node]]) -> list[set[Node]]:
    """Return the sets of nodes that ties among them join."""
    sets = [{node} for node in nodes]
    for one, other in tied:
        joined = [found for found in sets if one in found or other in found]
        if one in nodes and other in nodes:
            sets = [found for found in sets if found not in joined]
            sets.append(set().union(*joined))
    return sets


def allows(
    node: Node, device: DeviceName, place_of: dict[Node, DeviceName], wish: bool
) -> bool:
    """Return whether a node, by itself, may be on a device."""
    if node in place_of:
        return place_of[node] == device
    acts = node.op.effect is Effect.IO and not node.op.regions()
    return (device.kind == "CPU" or not acts) and (
        wish or node.device.matches(device)
    )


def feasible(
    nodes: set[Node], graph: Graph, given: list[DeviceName]
) -> set[DeviceName]:
    """Return the devices that all of `nodes` may be on at once."""
    place_of = {
        x.node: place
        for x, place in zip(graph.inputs, given, strict=True)
        if place != ANYWHERE
    }
    takers = {taker for _, taker in handles(graph)}
    return {
        device
        for device in DEVICES
        if all(allows(node, device, place_of, node in takers) for node in nodes)
    }


@pytest.mark.parametrize("lowered", [False, True])
@given(asked=demands())
def test_all_demands_are_met_or_a_contradiction_is_named(
    lowered: bool, asked: Asked
) -> None:
    graph, given_ = asked_of(asked, lowered)
    nodes, tied = list(every(graph)), ties(graph)
    possible = [
        (found, feasible(found, graph, given_)) for found in together(nodes, tied)
    ]
    try:
        placed = verify(place(graph, DEVICES, DEVICES[asked.default], given=given_))
    except PlacementError as error:
        named = set(re.findall(r"^  (n\d+)[ ,]", str(error), re.MULTILINE))
        blamed = {node for node in nodes if node.name in named}
        assert not feasible(blamed, graph, given_)
        assert len(together(list(blamed), tied)) == 1
        return
    assert all(devices for _, devices in possible)
    found = {node.name: node.device for node in every(placed)}
    assert len(found) == len(nodes)
    for group, devices in possible:
        assert len({found[node.name] for node in group}) == 1
        assert {found[node.name] for node in group} <= devices
