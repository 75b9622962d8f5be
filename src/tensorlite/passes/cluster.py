"""cluster: synchronous training on many workers, simulated: stragglers, backup workers, servers.

As in the OSDI'16 paper, section 4.4: variables lie on parameter servers; every worker reads them,
computes gradients of its own batch and sends them; a step ends when each variable is updated with
the gradients of the first `workers`, those of the `backup` slowest being left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Protocol

import numpy as np

from tensorlite.core.check import one_of
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Effect
from tensorlite.graph.graph import Graph
from tensorlite.passes.cost import Costs, Link, size_of
from tensorlite.passes.machines import (
    ETHERNET,
    Machines,
    Network,
    check_link,
    this_machine,
)
from tensorlite.passes.simulate import (
    Load,
    Played,
    Player,
    Simulation,
    Span,
    Workload,
    path_to,
)
from tensorlite.passes.units import Units
from tensorlite.passes.unroll import JOIN, Run, Tasks

Slow = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class Stragglers:
    """By what workers are slowed down, drawn anew for each of them in each step.

    All are by a factor whose logarithm is normal with the deviation `spread`; with the probability
    `share` a worker is slower by `factor` on top.

    >>> tl.placement.Stragglers(spread=0.0, share=0.0).draw(3, step=0).tolist()
    [1.0, 1.0, 1.0]
    """

    spread: float = 0.05
    share: float = 0.03
    factor: float = 2.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not (self.spread >= 0 and 0 <= self.share <= 1 and self.factor >= 1):
            raise InvalidArgumentError(
                f"{self}: spread is 0 or more, share from 0 to 1, factor 1 or more"
            )

    def draw(self, workers: int, step: int) -> Slow:
        """Return how many times as long each worker takes in a step."""
        draw = np.random.default_rng([self.seed, step])
        late = np.where(draw.random(workers) < self.share, self.factor, 1.0)
        slow: Slow = late * np.exp(self.spread * draw.standard_normal(workers))
        return slow


@dataclass(frozen=True)
class Cluster:
    """Workers and parameter servers; `cluster` makes one.

    >>> tl.placement.cluster(workers=50, ps=17, backup=3).backup
    3
    """

    workers: int
    """How many workers' gradients a step takes."""
    ps: int
    """How many servers hold the variables."""
    backup: int = 0
    """How many workers there are beside, so that a step need not wait for the slowest."""
    kind: str = "CPU"
    """The workers' kind of device."""
    speed: float = 1.0
    """How many times as fast as the costs say the workers are."""
    network: Link = ETHERNET
    """How a task sends to another: one tensor after the other, in and out."""
    stragglers: Stragglers = field(default_factory=Stragglers)

    def __post_init__(self) -> None:
        for name, least in (("workers", 1), ("ps", 1), ("backup", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise InvalidArgumentError(
                    f"cluster: {name}={value!r}; allowed are whole numbers from {least} on"
                )
        if self.kind not in ("CPU", "GPU"):
            raise InvalidArgumentError(
                f"cluster: kind={self.kind!r}; allowed are 'CPU' and 'GPU'"
            )
        if not 0 < self.speed < math.inf:
            raise InvalidArgumentError(
                f"cluster: speed={self.speed}; allowed are numbers above 0"
            )

    @property
    def machines(self) -> Machines:
        """The table of devices, the workers first, then the servers."""
        count = self.workers + self.backup
        workers = [DeviceName("worker", None, i, self.kind, 0) for i in range(count)]
        servers = [DeviceName("ps", None, i, "CPU", 0) for i in range(self.ps)]
        speed = [self.speed] * count + [1.0] * self.ps
        return Machines([*workers, *servers], speed, network=self.network)


def cluster(
    workers: int,
    ps: int = 1,
    backup: int = 0,
    *,
    kind: str = "CPU",
    speed: float = 1.0,
    network: Link = ETHERNET,
    stragglers: Stragglers | None = None,
) -> Cluster:
    """Return machines for synchronous training: `simulate` lets every worker take a batch.

    A step takes the gradients of `workers`; there are `backup` more, and the slowest are left out
    (OSDI'16, section 4.4). The variables lie on `ps` servers, the largest dealt out first.
    InvalidArgumentError for numbers that are no such thing.

    >>> str(tl.placement.cluster(workers=2, ps=1, backup=1).machines.devices[2])
    '/job:worker/task:2/device:CPU:0'
    """
    check_link("cluster", network)
    if stragglers is not None:
        one_of(
            stragglers, Stragglers, "cluster: stragglers", "tl.placement.Stragglers()"
        )
    return Cluster(
        workers, ps, backup, kind, speed, network, stragglers or Stragglers()
    )


class Block:
    """Kernels that a worker runs one after the other, without sending or receiving meanwhile."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.takes: list[tuple[int, int]] = []
        """The reads that it waits for, and the bytes of each."""
        self.gives: list[tuple[int, int]] = []
        """The updates that it sends to, and the bytes."""


class Replica:
    """One worker's part of a training step, and the reads and updates at the servers.

    A worker runs its kernels in the order in which it would alone.
    """

    def __init__(self, graph: Graph, kind: str, costs: Costs) -> None:
        device = DeviceName(kind=kind, index=0)
        units = self.units = Units(graph)
        self.workload = Workload(units, Network(this_machine([device]), costs))
        self.variable = _variables(units)
        tasks = self.workload.tasks
        self.updates = self._after_updates()
        if not self.updates:
            raise InvalidArgumentError(
                f"{graph.name} updates no variable; a cluster trains, so give a training step"
            )
        self.reads = {
            task
            for task, unit in enumerate(tasks.unit)
            if unit in self.variable and task not in self.updates
        }
        self.load = self.workload.load([0] * len(units))
        self.blocks = self._blocks()

    def _after_updates(self) -> set[int]:
        """Return the tasks that write variables, and all that follows them: they run once."""
        tasks, nodes = self.workload.tasks, self.units.nodes
        found: set[int] = set()
        for task, unit in enumerate(tasks.unit):
            writes = (
                unit in self.variable
                and nodes[unit].op.effect is Effect.WRITE
                and tasks.primitives[task] == 0
            )
            if writes or task in found:
                found.add(task)
                found.update(target for target, _ in tasks.outs[task])
        return found

    def _blocks(self) -> list[Block]:
        """Return a worker's blocks, timed as they run when all variables are there."""
        tasks, played = self.workload.tasks, self.workload.play([0] * len(self.units))
        own = [
            task
            for task in range(len(tasks))
            if task not in self.updates and task not in self.reads
        ]
        takes: dict[int, list[tuple[int, int]]] = {}
        gives: dict[int, list[tuple[int, int]]] = {}
        for task in range(len(tasks)):
            for target, message in tasks.outs[task]:
                size = tasks.sizes[message] if message >= 0 else 0
                if task in self.reads and target not in self.updates:
                    takes.setdefault(target, []).append((task, size))
                elif task not in self.updates and target in self.updates:
                    gives.setdefault(task, []).append((target, size))
        blocks: list[Block] = []
        before, open_ = 0.0, False
        for task in sorted(own, key=lambda task: (played.end[task], task)):
            if not open_ or task in takes:
                blocks.append(Block(0.0))
            block = blocks[-1]
            block.seconds += max(0.0, self._own_time(played, task, before))
            before = max(before, played.end[task])
            block.takes += takes.get(task, [])
            block.gives += gives.get(task, [])
            open_ = task not in gives
        return blocks

    def _own_time(self, played: Played, task: int, before: float) -> float:
        """Return the seconds by which a task ends later than those before it."""
        if self.load.place[task] == JOIN:
            return played.end[task] - before
        return min(played.end[task] - before, self.load.seconds[task])


def _variables(units: Units) -> dict[int, int]:
    """Return the unit that gives the handle, for each unit that works on one."""
    found: dict[int, int] = {}
    for giver, taker in units.handles:
        found.setdefault(taker, found.get(giver, giver))
    return found


class Steps(Protocol):
    """Steps that have been played."""

    net: Network
    names: list[str]
    place: list[int]
    last: list[int]
    """The tasks with which a step ends."""


class Training:
    """The tasks of one step on a cluster."""

    def __init__(self, replica: Replica, machines: Cluster, costs: Costs) -> None:
        self.replica = replica
        self.cluster = machines
        self.net = Network(machines.machines, costs)
        self.count = machines.workers + machines.backup
        self.tasks = Tasks()
        self.names: list[str] = []
        self.seconds: list[float] = []
        self.place: list[int] = []
        self.rank: list[float] = []
        self.server = self._servers()
        self.last: list[int] = []
        """The updates, with which the step ends."""
        self._put()

    def _servers(self) -> dict[int, int]:
        """Return the device that each variable lies on: the largest first, where least is."""
        nodes = self.replica.units.nodes
        sizes = {
            giver: size_of(nodes[giver].outputs[0].spec)
            for giver in self.replica.variable.values()
        }
        filled = [0] * self.cluster.ps
        found = {}
        for giver in sorted(sizes, key=lambda one: (-sizes[one], one)):
            server = filled.index(min(filled))
            filled[server] += sizes[giver]
            found[giver] = self.count + server
        return found

    def _put(self) -> None:
        updates = {task: self._update(task) for task in sorted(self.replica.updates)}
        for worker in range(self.count):
            self._worker(worker, updates)
        of_replica = self.replica.workload.tasks
        for task, made in updates.items():
            for target, message in of_replica.outs[task]:
                size = of_replica.sizes[message] if message >= 0 else 0
                self.tasks.feed(updates[target], (self.tasks.message(made, size),))
        self.last = list(updates.values())

    def _add(self, name: str, place: int, seconds: float, rank: float = 0.0) -> int:
        """Add a task, and return its number."""
        self.names.append(name)
        self.place.append(place)
        self.seconds.append(seconds)
        self.rank.append(rank)
        return self.tasks.add(len(self.names) - 1, _ONCE)

    def _at(self, task: int) -> int:
        """Return the server that a read or an update runs at."""
        units = self.replica.workload.tasks.unit
        giver = self.replica.variable.get(units[task], -1)
        return self.server.get(giver, self.count)

    def _name(self, task: int) -> str:
        unit = self.replica.workload.tasks.unit[task]
        return "join" if unit == JOIN else self.replica.units.nodes[unit].name

    def _update(self, task: int) -> int:
        seconds = self.replica.load.seconds[task]
        return self._add(self._name(task), self._at(task), seconds)

    def _worker(self, worker: int, updates: dict[int, int]) -> None:
        """Add one worker's reads and blocks, and what adds up its gradients at the servers."""
        tasks = self.tasks
        reads: dict[int, int] = {}
        gradients: dict[int, list[tuple[int, int]]] = {}
        before = -1
        for number, block in enumerate(self.replica.blocks):
            rank = -float(number)
            here = self._add(f"block {number}", worker, block.seconds, rank)
            if before >= 0:
                tasks.order(here, [before])
            before = here
            for read, size in block.takes:
                if read not in reads:
                    seconds = self.replica.load.seconds[read]
                    made = self._add(self._name(read), self._at(read), seconds, rank)
                    reads[read] = made
                tasks.feed(here, (tasks.message(reads[read], size),))
            for update, size in block.gives:
                gradients.setdefault(update, []).append((here, size))
        for update, sources in gradients.items():
            self._accumulate(updates[update], sources)

    def _accumulate(self, update: int, sources: list[tuple[int, int]]) -> None:
        """Add what takes one worker's gradient for an update, which awaits `workers` of them."""
        tasks = self.tasks
        size = sum([size for _, size in sources])
        seconds = 3 * size / self.net.costs.rates["CPU"].bandwidth
        taken = self._add("accumulate", self.place[update], seconds)
        for source, bytes_ in sources:
            tasks.feed(taken, (tasks.message(source, bytes_),))
        needs = tasks.needs[update]
        tasks.order(update, [taken])
        tasks.needs[update] = min(needs + 1, self.cluster.workers)

    def step(self, number: int) -> Played:
        """Return one step, with the stragglers of its number."""
        slow = self.cluster.stragglers.draw(self.count, number)
        base = [1.0 / self.cluster.speed * factor for factor in slow.tolist()]
        self.net.slow[: self.count] = base
        load = Load(self.seconds, [0.0] * len(self.seconds), self.place)
        return Player(self.tasks, load, self.rank, self.net).play()

    def ends(self, played: Played) -> float:
        """Return when a step has updated all that it updates."""
        return max(played.end[task] for task in self.last)


_ONCE = Run()


def train(
    graph: Graph, machines: Cluster, costs: Costs, steps: int = 1
) -> Simulation:
    """Return what synchronous steps of training would take on a cluster."""
    training = Training(Replica(graph, machines.kind, costs), machines, costs)
    first = training.step(0)
    seconds = [training.ends(first)]
    seconds += [training.ends(training.step(number)) for number in range(1, steps)]
    return summary(training, first, seconds)


def summary(training: Steps, played: Played, steps: Sequence[float]) -> Simulation:
    """Return the steps as a Simulation, whose first one is `played`."""
    net, whole = training.net, steps[0] or 1.0
    spans = [
        Span(name, net.devices[place], played.start[task], played.end[task])
        for task, (name, place) in enumerate(
            zip(training.names, training.place, strict=True)
        )
    ]
    busy = dict.fromkeys(net.devices, 0.0)
    for span in spans:
        busy[span.device] += max(0.0, min(span.end, whole) - min(span.start, whole))
    task = max(training.last, key=lambda task: played.end[task])
    travels = [
        Span(training.names[one.task], net.devices[one.target], one.start, one.end)
        for one in played.transfers
    ]
    return Simulation(
        median(steps),
        tuple(steps),
        {device: seconds / whole for device, seconds in busy.items()},
        tuple(spans[one] for one in path_to(played, task)),
        tuple(sorted(spans, key=lambda span: span.start)),
        tuple(travels),
    )
