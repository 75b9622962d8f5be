"""Units: a graph with its inner graphs as one flat list without cycles, as placement sees it.

Where the units may stand is colocate.py's matter, where they do place.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tensorlite.core.constant import Const
from tensorlite.core.op import Role
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.passes.turns import GUESS, turns

Table = dict[Node, int]
"""Which unit each node of one graph is, at one place where that graph is run."""
NOWHERE = -1
"""The parent of a unit of the outermost graph."""


class Edge(NamedTuple):
    """A tensor that goes from one unit to another."""

    source: int
    target: int
    spec: TensorSpec


class Units:
    """The nodes of a graph and of the graphs inside it, but for those of called functions.

    They stand in an order in which they can run: a branch or loop, whose unit stands for what it
    returns, after what is inside. A graph that two operators hold gives units for each.

    >>> from tensorlite.passes.units import Units
    >>> double = tl.function(lambda x: x + x).get_concrete_function(tl.ones(2))
    >>> [node.op.name for node in Units(double.graph).nodes]
    ['Placeholder', 'AddV2']
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        """Data, inputs and outputs of inner graphs included; constants are at hand everywhere."""
        self.back: list[Edge] = []
        """Data for a loop's next turn."""
        self.control: list[tuple[int, int]] = []
        """Which unit runs before which, beside data: a branch waits for its predicate."""
        self.repeats: list[float] = []
        """How often each unit runs in a step, as far as loops tell it; else a guess."""
        self.parent: list[int] = []
        """The unit of the branch or loop that each is in; NOWHERE for the outermost graph."""
        self.free: list[bool] = []
        """Which units are constants, which every device that uses them has a copy of."""
        self.uses: list[tuple[int, int]] = []
        """Which constant is used by which unit."""
        self.handles: list[tuple[int, int]] = []
        """Units of which the second takes a handle that the first gives."""
        self.inner: dict[int, tuple[Table, ...]] = {}
        """The units in a branch's or loop's graphs, by its own unit."""
        self._givers: dict[tuple[int, int], list[int]] = {}
        self.outer = self._level(graph, 1.0)

    def __len__(self) -> int:
        return len(self.nodes)

    def children(self) -> dict[int, list[int]]:
        """Return the units directly in each branch, loop or the outermost graph, in order."""
        found: dict[int, list[int]] = {}
        for unit, parent in enumerate(self.parent):
            found.setdefault(parent, []).append(unit)
        return found

    def _level(self, graph: Graph, repeats: float) -> Table:
        """Add the nodes of one graph, which runs `repeats` times a step."""
        table: Table = {}
        depths: dict[Node, int] = {}
        open_inputs = []
        for node in graph.nodes:
            depth = depths[node] = _depth(node, depths)
            times = repeats * GUESS**depth
            inner: tuple[Table, ...] = ()
            if node.op.role in (Role.IF, Role.WHILE):
                inner = self._regions(node, table, times)
            unit = table[node] = self._add(node, times)
            if inner:
                self._adopt(unit, inner)
                continue
            self.control.extend((table[one], unit) for one in node.control)
            for x in {id(x): x for x in node.inputs}.values():  # each goes there once
                if x.node in table:
                    self._feed(table[x.node], unit, x)
                else:
                    open_inputs.append((x, unit))
        for x, unit in open_inputs:
            self._feed(table[x.node], unit, x, self.back)
        return table

    def _add(self, node: Node, repeats: float) -> int:
        self.nodes.append(node)
        self.repeats.append(repeats)
        self.parent.append(NOWHERE)
        self.free.append(isinstance(node.op, Const) and not node.group)
        return len(self.nodes) - 1

    def _feed(
        self,
        source: int,
        target: int,
        x: SymbolicTensor,
        edges: list[Edge] | None = None,
    ) -> None:
        """Let `x`, an output of `source`, go to `target`."""
        if x.dtype.kind == "R":
            self._take(source, target, x)
        if self.free[source]:
            self.uses.append((source, target))
        else:
            edges = self.edges if edges is None else edges
            edges.append(Edge(source, target, x.spec))

    def _take(self, source: int, target: int, x: SymbolicTensor) -> None:
        """Note that a handle is taken; a region only passes it on to what is inside."""
        givers = self._givers.get((source, x.index), [source])
        if self.nodes[target].op.role not in (Role.IF, Role.WHILE, Role.CALL):
            self.handles.extend((giver, target) for giver in givers)

    def _regions(self, node: Node, table: Table, repeats: float) -> tuple[Table, ...]:
        """Add what is inside a branch or a loop, before it."""
        regions = node.op.regions()
        before = [table[one] for one in node.control]
        if node.op.role is Role.WHILE:
            values, count = node.inputs, turns(node)
            times = [repeats * (count + 1), repeats * count]
        else:
            values, times = node.inputs[1:], [repeats, repeats]
            before.append(table[node.inputs[0].node])
        tables: list[Table] = []
        for region, often in zip(regions, times, strict=True):
            inside = self._level(region, often)
            for inner, x in zip(region.inputs, values, strict=True):
                self._feed(table[x.node], inside[inner.node], x)
            self._after(inside.values(), before)
            if (
                node.op.role is Role.WHILE
            ):  # what the condition gives, the body waits for
                before.append(inside[region.outputs[0].node])
            tables.append(inside)
        if node.op.role is Role.WHILE:
            self._turn(regions, tables)
        return tuple(tables)

    def _turn(self, regions: Sequence[Graph], tables: Sequence[Table]) -> None:
        """Let what a loop's body returns go to the next turn."""
        body = regions[1]
        for i, y in enumerate(body.outputs):
            for region, inside in zip(regions, tables, strict=True):
                variable = region.inputs[i]
                if y is not body.inputs[i]:
                    source = tables[1][y.node]
                    self._feed(source, inside[variable.node], y, self.back)

    def _after(self, units: Iterable[int], before: Sequence[int]) -> None:
        """Let what an inner graph begins with wait for what decides whether it runs."""
        self.control.extend(
            (one, unit)
            for unit in units
            if not self.nodes[unit].inputs and not self.free[unit]
            for one in before
            if not self.free[one]
        )

    def _adopt(self, unit: int, tables: tuple[Table, ...]) -> None:
        """Let a region's unit follow what is inside, and give what that returns."""
        node = self.nodes[unit]
        self.inner[unit] = tables
        for inside in tables:
            for one in inside.values():
                self.parent[one] = unit
        regions = list(zip(node.op.regions(), tables, strict=True))
        if node.op.role is Role.WHILE:
            cond, inside = regions.pop(0)
            self.control.append((inside[cond.outputs[0].node], unit))
        for region, inside in regions:
            for i, y in enumerate(region.outputs):
                source = inside[y.node]
                self._feed(source, unit, y)
                if y.dtype.kind == "R":
                    givers = self._givers.get((source, y.index), [source])
                    self._givers.setdefault((unit, i), []).extend(givers)
            effects = [inside[one] for one in region.effects]
            self.control.extend((one, unit) for one in effects)


def _depth(node: Node, depths: dict[Node, int]) -> int:
    """Return in how many frames of primitive loops a node is, in its graph."""
    before = [*[x.node for x in node.inputs], *node.control]
    depth = max([depths.get(one, 0) for one in before], default=0)
    role = node.op.role
    return depth + 1 if role is Role.ENTER else depth - (role is Role.EXIT)
