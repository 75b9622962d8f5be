"""simulate: how long the tasks of a step take on a table of devices, played event by event.

List scheduling: each device runs one kernel at a time, and of those that are ready the one from
which the longest way leads to the end; or, as the dataflow machine does, the one that was ready
last, looking at what comes from elsewhere when it has nothing else. What holds the interpreter is
run by one device of a process at a time, and no more kernels at once than it has cores. A tensor
that several tasks of a device want travels once; links carry one tensor after another, in the
order in which they are ready. What the tasks are is unroll.py's matter, where they run search.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace
from typing import NamedTuple

from tensorlite.core.device import DeviceName
from tensorlite.passes.cost import FREE, Cost, Costs
from tensorlite.passes.machines import Network
from tensorlite.passes.units import Units
from tensorlite.passes.unroll import JOIN, NO_MESSAGE, UNROLLED, Tasks, unroll

FIRST = -1
"""The cause of a task that nothing had to come before."""


class Span(NamedTuple):
    """Something that a device or a link was busy with, from one second to another.

    >>> span = tl.placement.Span("MatMul", tl.DeviceName.parse("/cpu:0"), start=0.5, end=2.0)
    >>> span.end - span.start
    1.5
    """

    name: str
    device: DeviceName
    start: float
    end: float


class Transfer(NamedTuple):
    """A tensor on its way: the task that sent it, where to, from when until when."""

    task: int
    target: int
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class Played:
    """When each task began and ended, what it had waited for last, and what travelled."""

    start: list[float]
    end: list[float]
    cause: list[int]
    transfers: list[Transfer]

    @property
    def seconds(self) -> float:
        """When the last task ended."""
        return max(self.end, default=0.0)


@dataclass(frozen=True, eq=False)
class Load:
    """What the tasks cost on the devices that they are on."""

    seconds: list[float]
    held: list[float]
    place: list[int]
    """The device of each task, by number; JOIN for those that no device runs."""


class Player:
    """One playing of tasks: the clock, and what every device is at."""

    def __init__(
        self, tasks: Tasks, load: Load, rank: Sequence[float], net: Network
    ) -> None:
        self.tasks, self.load, self.rank, self.net = tasks, load, rank, net
        count, hosts = len(tasks), net.hosts
        self.needs = list(tasks.needs)
        self.start, self.end = [0.0] * count, [0.0] * count
        self.cause = [FIRST] * count
        self.ready: list[list[tuple[float, int]]] = [[] for _ in range(len(net))]
        self.since = [0.0] * count
        self.running = [JOIN] * len(net)
        self.last = [FIRST] * len(net)
        self.interpreter = [0.0] * hosts
        self.cores = [[0.0] * n for n in net.cores]
        self.out, self.into = [0.0] * hosts, [0.0] * hosts
        self.pairs: dict[tuple[int, int], float] = {}
        self.sent: dict[tuple[int, int], float] = {}
        self.transfers: list[Transfer] = []
        self.arriving: list[tuple[int, int]] = []
        self.inbox: list[list[tuple[int, int]]] = [[] for _ in range(len(net))]
        """What has arrived at devices that do not look yet."""
        self.events: list[tuple[float, int]] = []
        self.count = 0

    def play(self) -> Played:
        """Run until nothing is left to run."""
        touched = {JOIN}
        for task, needs in enumerate(self.tasks.needs):
            if not needs:
                touched.add(self.be_ready(task, 0.0))
        self.begin_on(touched, 0.0)
        while self.events:
            now, number = heappop(self.events)
            if number >= 0:
                touched = self.finish(number, now)
                self.begin_on(touched, now)
                self.look(touched, now)
                continue
            task, source = self.arriving[~number]
            if self.net.newest_first:
                device = self.load.place[task]
                self.inbox[device].append((task, source))
                self.look([device], now)
            else:
                self.begin_on([self.receive(task, source, now)], now)
        return Played(self.start, self.end, self.cause, self.transfers)

    def be_ready(self, task: int, now: float) -> int:
        """Let a task wait for its device, which is returned; a join is done at once."""
        device = self.load.place[task]
        self.since[task] = now
        if device == JOIN:
            self.start[task] = now
            heappush(self.events, (now + self.rest(task), task))
        elif self.net.newest_first:
            self.count += 1
            heappush(self.ready[device], (-self.count, task))
        else:
            heappush(self.ready[device], (-self.rank[task], task))
        return device

    def look(self, devices: Iterable[int], now: float) -> None:
        """Let devices that have nothing to do take what has arrived."""
        for device in devices:
            if device != JOIN and self.running[device] == JOIN and self.inbox[device]:
                arrived, self.inbox[device] = self.inbox[device], []
                for task, source in arrived:
                    self.receive(task, source, now)
                self.begin_on([device], now)

    def rest(self, task: int) -> float:
        """Return how long the turns take that a join stands for.

        Each takes as long as those that were played, and no less than any device, or the
        interpreter, has to do in one: turns may end in bursts, and be measured within one.
        """
        rest = self.tasks.rests.get(task)
        if rest is None:
            return 0.0
        pace = (self.end[rest.last] - self.end[rest.first]) / rest.between
        return rest.left * max(pace, self.work_of(rest.turn))

    def work_of(self, turn: range) -> float:
        """Return the seconds that the busiest device or interpreter works in a turn."""
        net, weight, load = self.net, self.tasks.weight, self.load
        busy, held = [0.0] * len(net), [0.0] * net.hosts
        whole = weight[turn.start]
        for task in turn:
            device = load.place[task]
            if device != JOIN:
                times = net.slow[device] * weight[task] / whole
                busy[device] += load.seconds[task] * times
                if net.is_cpu[device]:
                    held[net.host[device]] += load.held[task] * times
        return max(*busy, *held)

    def receive(self, task: int, source: int, now: float) -> int:
        """Give a task something that it waits for; return the device, if it is ready now."""
        self.needs[task] -= 1
        if self.needs[task]:
            return JOIN
        self.cause[task] = source
        return self.be_ready(task, now)

    def finish(self, task: int, now: float) -> set[int]:
        """End a task, and give others what they wait for; return devices that may go on."""
        place, arriving = self.load.place, self.arriving
        here = place[task]
        self.end[task] = now
        touched = {here}
        if here != JOIN:
            self.running[here] = JOIN
            self.last[here] = task
        for target, message in self.tasks.outs[task]:
            there = place[target]
            if message == NO_MESSAGE or there == here:
                touched.add(self.receive(target, task, now))
                continue
            arrives = self.sent.get((message, there))
            if arrives is None:
                arrives = self.send(task, message, there, now)
            arriving.append((target, task))
            heappush(self.events, (arrives, -len(arriving)))
        return touched

    def send(self, task: int, message: int, there: int, now: float) -> float:
        """Send a message to a device; return when it is there."""
        net = self.net
        here = self.load.place[task]
        mine, theirs = net.host[here], net.host[there]
        scale = self.tasks.scale[task]
        latency, each = net.link(here, there)
        takes = scale * each * self.tasks.sizes[message]
        leaves = max(now, self.interpreter[mine])
        if net.is_cpu[here]:
            leaves += scale * net.costs.fixed.transfer
            self.interpreter[mine] = leaves
        if mine == theirs:
            begins = max(leaves, self.pairs.get((here, there), 0.0))
            free = self.pairs[here, there] = begins + takes
        else:  # out of one host's port, and, as it comes, into the other's
            begins = max(leaves, self.out[mine])
            self.out[mine] = begins + takes
            free = self.into[theirs] = max(begins, self.into[theirs]) + takes
        arrives = self.sent[message, there] = free + scale * latency
        self.transfers.append(Transfer(task, there, begins, arrives))
        return arrives

    def begin_on(self, devices: Iterable[int], now: float) -> None:
        """Let devices that are free begin what is ready."""
        for device in devices:
            if device != JOIN and self.running[device] == JOIN and self.ready[device]:
                self.begin(device, heappop(self.ready[device])[1], now)

    def begin(self, device: int, task: int, now: float) -> None:
        """Begin a task on a device, as soon as interpreter and a core are free."""
        net = self.net
        host = net.host[device]
        begin = now
        seconds = self.load.seconds[task] * net.slow[device]
        if net.is_cpu[device]:
            begin = max(now, self.interpreter[host])
            cores = self.cores[host]
            if cores:
                begin = max(begin, cores[0])
                heapreplace(cores, begin + seconds)
            self.interpreter[host] = begin + self.load.held[task] * net.slow[device]
        if now > self.since[task] and self.last[device] != FIRST:
            self.cause[task] = self.last[device]
        self.running[device] = task
        self.start[task] = begin
        heappush(self.events, (begin + seconds, task))


class Workload:
    """A graph's tasks, and what they cost on each device of a table: what placements are tried on.

    `play` takes the device of each unit, by number, and is quick: all that does not depend on where
    units are is found out once.
    """

    def __init__(self, units: Units, net: Network, unrolled: int = UNROLLED) -> None:
        self.units = units
        self.net = net
        self.tasks = unroll(units, unrolled)
        first = {_kind(one): one for one in reversed(net.devices)}
        kinds = sorted(first)
        self.kind = [kinds.index(_kind(one)) for one in net.devices]
        """Which row of the costs each device has."""
        costs = [self._costs(net.costs, first[kind]) for kind in kinds]
        self.seconds = [[cost.seconds for cost in row] for row in costs]
        self.held = [[cost.held for cost in row] for row in costs]
        self.rank = self._ranks()

    def _costs(self, costs: Costs, device: DeviceName) -> list[Cost]:
        """Return what each task costs on a kind of device, by how likely it runs."""
        tasks, nodes = self.tasks, self.units.nodes
        own = Cost(costs.fixed.node, costs.fixed.node)
        return [
            FREE
            if unit == JOIN
            else own.times(primitives * scale)
            if primitives
            else costs.node(nodes[unit], device).times(scale)
            for unit, primitives, scale in zip(
                tasks.unit, tasks.primitives, tasks.scale, strict=True
            )
        ]

    def _ranks(self) -> list[float]:
        """Return the seconds from the beginning of each task to the end, on the longest way."""
        net, tasks = self.net, self.tasks
        shares = [self.kind.count(row) / len(net) for row in range(len(self.seconds))]
        latency, each = net.link(0, len(net) - 1) if len(net) > 1 else (0.0, 0.0)
        away = 1 - 1 / len(net)
        travel = [away * (latency + each * size) for size in tasks.sizes]
        travel.append(0.0)  # what has no message, which is number -1, takes no time
        own = [
            sum(
                [seconds * share for seconds, share in zip(each, shares, strict=True)]
            )
            for each in zip(*self.seconds, strict=True)
        ]
        rank = [0.0] * len(tasks)
        for task in reversed(range(len(tasks))):
            after = [rank[target] + travel[i] for target, i in tasks.outs[task]]
            rank[task] = own[task] + max(after, default=0.0)
        self._put_turns_in_order(rank)
        return rank

    def _put_turns_in_order(self, rank: list[float]) -> None:
        """Let each turn of a loop go before the next, so that turns end at a steady pace."""
        for turns in self.tasks.loops:  # inner ones first
            longest = max(
                (rank[task] for turn in turns for task in turn), default=0.0
            )
            for ahead, turn in enumerate(reversed(turns)):
                for task in turn:
                    rank[task] += ahead * longest

    def load(self, place: Sequence[int]) -> Load:
        """Return what the tasks cost when each unit is on the device that `place` numbers."""
        places = [*place, JOIN]  # the last one is the unit of joins
        where = [places[unit] for unit in self.tasks.unit]
        if len(self.seconds) == 1:
            return Load(self.seconds[0], self.held[0], where)
        rows = [JOIN if device == JOIN else self.kind[device] for device in where]
        seconds = [self.seconds[row][task] for task, row in enumerate(rows)]
        held = [self.held[row][task] for task, row in enumerate(rows)]
        return Load(seconds, held, where)

    def play(self, place: Sequence[int]) -> Played:
        """Return when everything runs."""
        return Player(self.tasks, self.load(place), self.rank, self.net).play()

    def time(self, place: Sequence[int]) -> float:
        """Return the seconds of a step."""
        return self.play(place).seconds


def _kind(device: DeviceName) -> str:
    return device.kind or "CPU"


@dataclass(frozen=True, eq=False)
class Simulation:
    """What a step would take, and what the devices would be doing.

    >>> step = tl.function(lambda x: tl.sum(x @ x)).get_concrete_function(tl.ones((64, 64)))
    >>> found = tl.placement.simulate(step, tl.placement.Machines(["/cpu:0"]))
    >>> [span.name for span in found.timeline]
    ['MatMul', 'Sum']
    >>> round(found.seconds, 6) == round(found.timeline[-1].end, 6)
    True
    """

    seconds: float
    """The median over the steps that were played."""
    steps: tuple[float, ...]
    """The seconds of each of them; they differ where stragglers are drawn."""
    busy: dict[DeviceName, float]
    """Which share of a step each device works, in the first step."""
    critical_path: tuple[Span, ...]
    """What the end of the first step had to wait for, one after the other."""
    timeline: tuple[Span, ...]
    """What runs when in the first step; of a long loop, the turns that were played."""
    transfers: tuple[Span, ...]
    """What travels when, with the device that it goes to."""

    def __str__(self) -> str:
        lines = [f"{1e3 * self.seconds:.3f} ms a step"]
        for device, share in self.busy.items():
            lines.append(f"  {device} works {100 * share:.0f} % of it")
        return "\n".join(lines)


def told(workload: Workload, played: Played, load: Load) -> Simulation:
    """Return one step as a Simulation."""
    tasks, net = workload.tasks, workload.net
    order = sorted(range(len(tasks)), key=lambda task: played.start[task])
    busy = dict.fromkeys(net.devices, 0.0)
    for task, device in enumerate(load.place):
        if device != JOIN:
            seconds = load.seconds[task] * net.slow[device] * tasks.weight[task]
            busy[net.devices[device]] += seconds
    whole = played.seconds or 1.0
    spans = {
        task: _span(workload, played, load, task)
        for task in order
        if load.place[task] != JOIN
    }
    last = max(order, key=lambda task: played.end[task], default=FIRST)
    path = [spans[task] for task in path_to(played, last) if task in spans]
    return Simulation(
        played.seconds,
        (played.seconds,),
        {device: seconds / whole for device, seconds in busy.items()},
        tuple(path),
        tuple(spans.values()),
        tuple([_travel(workload, one) for one in played.transfers]),
    )


def _span(workload: Workload, played: Played, load: Load, task: int) -> Span:
    device = workload.net.devices[load.place[task]]
    return Span(name_of(workload, task), device, played.start[task], played.end[task])


def name_of(workload: Workload, task: int) -> str:
    """Return a task's name: its node's, with the turn behind it in a loop."""
    name = workload.units.nodes[workload.tasks.unit[task]].name
    turn = workload.tasks.turn[task]
    return name if turn < 0 else f"{name}@{turn}"


def _travel(workload: Workload, one: Transfer) -> Span:
    device = workload.net.devices[one.target]
    return Span(name_of(workload, one.task), device, one.start, one.end)


def path_to(played: Played, task: int) -> list[int]:
    """Return what a task had to wait for, first to last, and itself."""
    path = []
    while task != FIRST:
        path.append(task)
        task = played.cause[task]
    return path[::-1]
