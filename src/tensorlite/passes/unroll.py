"""unroll: a graph as the tasks of one step, for simulation: loops some turns long, branches both.

A loop is unrolled by so many turns that devices overlap as they will; how long the turns beyond
take is extrapolated while the tasks are played (simulate.py). The branches of a conditional take
turns, each at half its length, which gives the time to be expected. What a variable of a loop or
an input of a branch takes is as in lower.py: Merge, Switch and Exit stand where the variable does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from tensorlite.core.op import Effect, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.passes.cost import moved_size
from tensorlite.passes.turns import turns
from tensorlite.passes.units import Table, Units

UNROLLED = 6
"""How many turns of a loop are played; of one inside another, half as many."""
JOIN = -1
"""The unit of tasks that only wait for others, which no device runs."""
NO_MESSAGE = -1
"""What goes from one task to another where the order alone matters."""


class Source(NamedTuple):
    """Where a tensor comes from: a task, and the number of what it sends."""

    task: int
    message: int


Value = tuple[Source, ...]
"""What must have run for a tensor to be there: nothing, for what is at hand everywhere."""


class Rest(NamedTuple):
    """The turns of a loop that are not played, by those from one join to another."""

    first: int
    last: int
    between: int
    """How many turns there are from the first join to the last."""
    turn: range
    """The tasks of the last turn."""
    left: float
    """How many turns are not played."""


@dataclass(eq=False)
class Tasks:
    """What runs in one step, in an order in which it can run."""

    unit: list[int] = field(default_factory=list)
    """The unit that each task is a run of, or JOIN."""
    primitives: list[int] = field(default_factory=list)
    """How many primitives of control flow a task stands for; 0: it runs its unit's kernel."""
    scale: list[float] = field(default_factory=list)
    """How likely each task runs: what its time, and that of what it sends, is multiplied by."""
    weight: list[float] = field(default_factory=list)
    """How many runs each task stands for where a device's work is summed."""
    turn: list[int] = field(default_factory=list)
    """Which turn of the innermost loop around it each is in; -1 outside loops."""
    outs: list[list[tuple[int, int]]] = field(default_factory=list)
    """What waits for each task: the other task, and the message that it waits for."""
    needs: list[int] = field(default_factory=list)
    """How many messages each task waits for."""
    latest: list[int] = field(default_factory=list)
    """The last of the tasks that each waits for."""
    sizes: list[int] = field(default_factory=list)
    """The bytes of each message."""
    rests: dict[int, Rest] = field(default_factory=dict)
    loops: list[list[range]] = field(default_factory=list)
    """The tasks of each turn, by loop."""

    def __len__(self) -> int:
        return len(self.unit)

    def add(self, unit: int, run: Run, primitives: int = 0) -> int:
        """Add a task, and return its number."""
        self.unit.append(unit)
        self.primitives.append(primitives)
        self.scale.append(run.scale)
        self.weight.append(run.weight)
        self.turn.append(run.turn)
        self.outs.append([])
        self.needs.append(0)
        self.latest.append(-1)
        return len(self.unit) - 1

    def message(self, task: int, size: int) -> Source:
        """Return something that a task sends, which is new."""
        self.sizes.append(size)
        return Source(task, len(self.sizes) - 1)

    def feed(self, task: int, value: Value) -> None:
        """Let a task wait for a value."""
        for source, message in value:
            self.outs[source].append((task, message))
            self.needs[task] += 1
            self.latest[task] = max(self.latest[task], source)

    def order(self, task: int, before: Iterable[int]) -> None:
        """Let a task wait for others, from which nothing travels."""
        self.feed(task, tuple([Source(one, NO_MESSAGE) for one in before]))


class Run(NamedTuple):
    """In what a task runs: how likely, for how many runs it stands, in which turn."""

    scale: float = 1.0
    weight: float = 1.0
    turn: int = -1
    turns: int = UNROLLED


class Level(NamedTuple):
    """One graph at one place where it is run, and what its tensors and nodes have become."""

    table: Table
    values: dict[tuple[Node, int], Value]
    done: dict[Node, list[int]]
    """What to wait for, for each node that may be waited for."""

    def value(self, x: SymbolicTensor) -> Value:
        """Return where a tensor comes from; the back edge of a hand-made loop is left out."""
        return self.values.get((x.node, x.index), ())


class Unrolling:
    """The making of the tasks of one step."""

    def __init__(self, units: Units, unrolled: int = UNROLLED) -> None:
        self.units = units
        self.tasks = Tasks()
        self._signals: dict[int, Source] = {}
        self.level(units.graph, Level(units.outer, {}, {}), Run(turns=unrolled))

    def level(self, graph: Graph, here: Level, run: Run) -> None:
        """Add the tasks of one graph."""
        for node in graph.nodes:
            unit = here.table[node]
            if node.op.role is Role.INPUT or self.units.free[unit]:
                here.done[node] = []
            elif node.op.role is Role.IF:
                self.branch(node, here, run)
            elif node.op.role is Role.WHILE:
                _Loop(self, node, here, run).put()
            else:
                self.plain(node, here, run)

    def plain(self, node: Node, here: Level, run: Run) -> None:
        """Add the task of one node."""
        tasks = self.tasks
        task = tasks.add(here.table[node], run)
        for x in node.inputs:
            tasks.feed(task, here.value(x))
        self.wait(task, self.before(node, here))
        for i, y in enumerate(node.outputs):
            sent = tasks.message(task, moved_size(y.spec))
            here.values[node, i] = (sent,)
        here.done[node] = [task]

    def before(self, node: Node, here: Level) -> list[int]:
        """Return the tasks that a node must wait for, beside its inputs'."""
        return [task for one in node.control for task in here.done.get(one, ())]

    def wait(self, task: int, before: Iterable[int]) -> None:
        """Let a task wait for others, which send it word if they are elsewhere."""
        for one in dict.fromkeys(before):
            if one not in self._signals:
                self._signals[one] = self.tasks.message(one, 0)
            self.tasks.feed(task, (self._signals[one],))

    def passing(
        self, unit: int, run: Run, size: int, primitives: int, values: Sequence[Value]
    ) -> Source:
        """Add a task that passes a value on once all of `values` are there."""
        task = self.tasks.add(unit, run, primitives)
        for value in values:
            self.tasks.feed(task, value)
        return self.tasks.message(task, size)

    def branch(self, node: Node, here: Level, run: Run) -> None:
        """Add a conditional: one branch, then the other, each at half its length."""
        pred = here.value(node.inputs[0])
        then, other = node.op.regions()
        tables = self.units.inner[here.table[node]]
        switched: list[Value] = []
        for x, inside in zip(node.inputs[1:], then.inputs, strict=True):
            given = here.value(x)
            place, size = tables[0][inside.node], moved_size(x.spec)
            sent = self.passing(place, run, size, 1, (given, pred)) if given else None
            switched.append((sent,) if sent else ())
        half = run._replace(scale=run.scale / 2)
        before, done = self.before(node, here), [one.task for one in pred]
        found: list[Value] = [()] * len(node.outputs)
        gate: list[int] = []
        for region, table in zip((then, other), tables, strict=True):
            start = len(self.tasks)
            inside = _bound(table, region, switched)
            self.level(region, inside, half)
            for task in self.entries(start):
                self.tasks.feed(task, pred)
                self.tasks.order(task, gate)
                self.wait(task, before)
            gate = [self.join(start, half)]
            done += self.effects(start)
            found = [
                (*value, *inside.value(y))
                for value, y in zip(found, region.outputs, strict=True)
            ]
        for i, value in enumerate(found):
            here.values[node, i] = tuple(dict.fromkeys(value or pred))
        here.done[node] = done

    def entries(self, start: int) -> list[int]:
        """Return the tasks from `start` on that wait for none of each other."""
        latest = self.tasks.latest
        return [
            task for task in range(start, len(self.tasks)) if latest[task] < start
        ]

    def effects(self, start: int) -> list[int]:
        """Return the tasks from `start` on that have effects which others must wait for."""
        nodes, unit = self.units.nodes, self.tasks.unit
        return [
            task
            for task in range(start, len(self.tasks))
            if unit[task] != JOIN
            and nodes[unit[task]].op.effect not in (Effect.NONE, Effect.DRAW)
        ]

    def join(self, start: int, run: Run) -> int:
        """Add a task that waits for all from `start` on."""
        outs = self.tasks.outs
        ends = [task for task in range(start, len(self.tasks)) if not outs[task]]
        task = self.tasks.add(JOIN, run)
        self.tasks.order(task, ends)
        return task


def _bound(table: Table, region: Graph, values: Sequence[Value]) -> Level:
    """Return an inner graph with values for its inputs."""
    given = zip(region.inputs, values, strict=True)
    return Level(table, {(x.node, x.index): value for x, value in given}, {})


class _Loop:
    """The tasks of one loop."""

    def __init__(
        self, unrolling: Unrolling, node: Node, here: Level, run: Run
    ) -> None:
        self.unrolling = unrolling
        self.tasks = unrolling.tasks
        self.node = node
        self.here = here
        self.run = run
        self.cond, self.body = node.op.regions()
        self.tables = unrolling.units.inner[here.table[node]]
        self.count = turns(node)
        self.played = min(ceil(self.count), run.turns)
        self.begun = max(1, self.played // 3)
        """Until the end of which turn devices are taken to fall into step."""
        self.steady = max(1, self.played - self.begun)
        self.rest = self.count - self.played
        self.parallel: int = node.op.attributes().get("parallel_iterations", 10)
        pairs = zip(self.body.inputs, self.body.outputs, strict=True)
        self.changing = [x is not y for x, y in pairs]
        self.ends: list[int] = []
        """What joins each turn's tasks."""
        self.ranges: list[range] = []

    def put(self) -> None:
        """Add the loop's turns, and give its outputs their values."""
        values = [self.here.value(x) for x in self.node.inputs]
        waited = self.unrolling.before(self.node, self.here)
        for turn in range(self.played):
            values, waited = self.turn(turn, values, waited)
        run = self.turn_run(self.played)
        merged, holds = self.head(run, self.played, values, waited)
        self.tasks.loops.append(self.ranges)
        rest = self.remaining(run)
        exits = []
        for i, value in enumerate(merged):
            self.here.values[self.node, i] = value
            if self.changing[i]:
                left = self.pass_on(i, self.run, 1, (value, holds))
                self.tasks.order(left.task, rest)
                self.here.values[self.node, i] = (left,)
                exits.append(left.task)
        self.here.done[self.node] = exits

    def remaining(self, run: Run) -> list[int]:
        """Add what stands for the turns that are not played, if there are any."""
        if self.rest <= 0:
            return []
        first, last = self.ends[self.begun - 1], self.ends[-1]
        task = self.tasks.add(JOIN, run)
        self.tasks.order(task, [first, last])
        rest = Rest(first, last, self.steady, self.ranges[-1], self.rest)
        self.tasks.rests[task] = rest
        return [task]

    def turn_run(self, turn: int) -> Run:
        """Return what the tasks of a turn have in common; later turns stand for the rest too."""
        steady = self.begun <= turn < self.played and self.rest > 0
        weight = self.run.weight * (1 + self.rest / self.steady if steady else 1)
        return Run(self.run.scale, weight, turn, max(2, self.run.turns // 2))

    def turn(
        self, turn: int, values: list[Value], waited: list[int]
    ) -> tuple[list[Value], list[int]]:
        """Add a turn; return the variables after it, and what the next must wait for."""
        run, start = self.turn_run(turn), len(self.tasks)
        merged, holds = self.head(run, turn, values, waited)
        taken = [
            (self.pass_on(i, run, 2, (value, holds)),) if self.changing[i] else value
            for i, value in enumerate(merged)
        ]
        begun = len(self.tasks)
        inside = _bound(self.tables[1], self.body, taken)
        self.unrolling.level(self.body, inside, run)
        for task in range(begun, len(self.tasks)):
            if self.tasks.latest[task] < start:
                self.tasks.feed(task, holds)
        effects = self.unrolling.effects(begun)
        self.ends.append(self.unrolling.join(start, run))
        self.ranges.append(range(start, len(self.tasks)))
        return [inside.value(y) for y in self.body.outputs], effects

    def head(
        self, run: Run, turn: int, values: list[Value], waited: list[int]
    ) -> tuple[list[Value], Value]:
        """Add what a turn begins with; return the variables, and whether there is a turn."""
        start = len(self.tasks)
        merged = list(values)
        for i, value in enumerate(values):
            if self.changing[i]:
                head = self.pass_on(i, run, 1, (value,))
                self.unrolling.wait(head.task, waited)
                if turn >= self.parallel:
                    self.tasks.order(head.task, [self.ends[turn - self.parallel]])
                merged[i] = (head,)
        begun = len(self.tasks)
        inside = _bound(self.tables[0], self.cond, merged)
        self.unrolling.level(self.cond, inside, run)
        if begun > start:
            for task in range(begun, len(self.tasks)):
                if self.tasks.latest[task] < start:
                    self.unrolling.wait(task, [start])
        return merged, inside.value(self.cond.outputs[0])

    def pass_on(
        self, position: int, run: Run, primitives: int, values: Sequence[Value]
    ) -> Source:
        """Add what brings a variable on, where the variable stands."""
        x = self.body.inputs[position]
        size = moved_size(x.spec)
        unit = self.tables[1][x.node]
        return self.unrolling.passing(unit, run, size, primitives, values)


def unroll(units: Units, unrolled: int = UNROLLED) -> Tasks:
    """Return the tasks of one step of a graph."""
    return Unrolling(units, unrolled).tasks
