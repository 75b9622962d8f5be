"""scaling: training on clusters as the messages that it sends, played on the simulated network.

What a step computes is given in seconds here, not as a graph, which is cluster.py's matter; the
question is what the sending costs: how the time of a step grows with the number of tasks. A message
takes the processors of both its ends, and the network between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.passes.cluster import Cluster, Slow, summary
from tensorlite.passes.cost import Costs, Fixed, Link
from tensorlite.passes.machines import Machines, Network
from tensorlite.passes.simulate import Load, Played, Player, Simulation
from tensorlite.passes.unroll import Run, Tasks

Mode: TypeAlias = Literal["sync", "async", "ring", "tree"]
ROUNDS = 3
"""How often each worker steps where all step by themselves; the first time does not count."""
COMMAND = 64
"""Bytes of a message that says what to do, or that it is done."""
INDEX = 8
"""Bytes by which a row is named."""


class Messages(NamedTuple):
    """What messages cost the processors of tasks, beside what the network takes.

    >>> tl.placement.Messages(each=1e-4, bandwidth=1e9).seconds(1_000_000)
    0.0011
    """

    each: float = 5e-5
    """Seconds to send one, or to take it."""
    bandwidth: float = 4e9
    """Bytes a second that are copied, added up or applied, at each end."""
    cores: int | None = None
    """How many tasks work at once, when all are on one machine; None: each has its own."""

    def seconds(self, size: float) -> float:
        """Return what a message of `size` bytes costs one of its ends."""
        return self.each + size / self.bandwidth


@dataclass(frozen=True)
class Exchange:
    """A training step as what it sends; `simulate` plays it on a cluster.

    `parameters` bytes lie on the servers, an equal share on each. A worker reads all of them, or
    `rows` of `row` bytes each, computes for `seconds` and sends as much back. 'sync': a client
    tells all tasks to step, and the servers wait for all workers but the backups; 'async': each
    worker steps by itself; 'ring' and 'tree': the workers add up `parameters` bytes among
    themselves, without servers.

    >>> null = tl.placement.Exchange(parameters=100_000_000)
    >>> few, many = [
    ...     tl.placement.simulate(null, tl.placement.cluster(workers=n, ps=16)).seconds
    ...     for n in (1, 100)
    ... ]
    >>> 3 < many / few < 12
    True
    """

    parameters: int = 4
    seconds: float = 0.0
    rows: int | None = None
    row: int = 0
    mode: Mode = "sync"
    messages: Messages = field(default_factory=Messages)

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            allowed = ", ".join(map(repr, get_args(Mode)))
            raise InvalidArgumentError(
                f"Exchange: mode={self.mode!r}; allowed are {allowed}"
            )
        amounts = (self.parameters, self.seconds, self.rows or 0, self.row)
        if min(amounts) < 0:
            raise InvalidArgumentError(
                f"{self}: bytes, rows and seconds are 0 or more"
            )
        each, bandwidth, cores = self.messages
        if each < 0 or bandwidth <= 0 or (cores is not None and cores < 1):
            raise InvalidArgumentError(
                f"Exchange: {self.messages}: each is 0 seconds or more, bandwidth above 0 bytes "
                "a second, cores 1 or more, or None"
            )

    def share(self, servers: int) -> tuple[int, int]:
        """Return how many servers a worker talks to, and the bytes that it reads from each."""
        if self.rows is None:
            return servers, math.ceil(self.parameters / servers)
        used = max(1, min(servers, self.rows))
        return used, math.ceil(self.rows / used) * self.row


class Steps:
    """The tasks of one step of all workers, or of some steps of each."""

    def __init__(self, exchange: Exchange, machines: Cluster) -> None:
        self.exchange = exchange
        self.cluster = machines
        self.count = machines.workers + machines.backup
        self.net = Network(_table(exchange, machines), _FREE)
        self.client = self.count + machines.ps
        self.used, self.size = exchange.share(machines.ps)
        self.tasks = Tasks()
        self.names: list[str] = []
        self.seconds: list[float] = []
        self.place: list[int] = []
        self.rank: list[float] = []
        self.round = 0
        """Of the steps that a worker makes by itself; devices do what is of earlier ones first."""
        self.last: list[int] = []
        """With which the step ends."""
        self.ends: list[list[int]] = []
        """With which each worker's steps end, where it steps by itself."""
        if exchange.mode == "async":
            self._apart()
        else:
            self._together()

    def _add(self, name: str, place: int, seconds: float, *before: int) -> int:
        """Add a task that comes after others of its own device, and return its number."""
        self.names.append(name)
        self.place.append(place)
        self.seconds.append(seconds)
        self.rank.append(-float(self.round))
        made = self.tasks.add(len(self.names) - 1, _ONCE)
        self.tasks.order(made, before)
        return made

    def _send(
        self, name: str, source: int, target: int, size: int, *after: int
    ) -> int:
        """Add a message, sent after tasks at its source; return the task that takes it."""
        seconds = self.exchange.messages.seconds(size)
        sent = self._add(f"send {name}", source, seconds, *after)
        taken = self._add(f"take {name}", target, seconds)
        self.tasks.feed(taken, (self.tasks.message(sent, size),))
        return taken

    def _server(self, worker: int, number: int) -> int:
        """Return a server that a worker talks to; workers that need few begin at different ones."""
        first = 0 if self.exchange.rows is None else worker
        return self.count + (first + number) % self.cluster.ps

    def _together(self) -> None:
        """Add a step that the client begins, and that ends when it knows that all is done."""
        begun = [
            self._send("command", self.client, place, COMMAND)
            for place in range(self.client)
        ]
        updates: list[list[int]] = [[] for _ in range(self.cluster.ps)]
        for worker in range(self.count):
            taken = []
            for number in range(self.used):
                server = self._server(worker, number)
                asked = begun[server]
                if self.exchange.rows is not None:
                    asked = self._ask(worker, server, begun[worker])
                taken.append(
                    self._send("parameters", server, worker, self.size, asked)
                )
            computed = self._add(
                "compute", worker, self.exchange.seconds, begun[worker], *taken
            )
            for number in range(self.used):
                server = self._server(worker, number)
                sent = self._send("update", worker, server, self.size, computed)
                updates[server - self.count].append(sent)
            if not self.cluster.backup:
                self.last.append(
                    self._send("done", worker, self.client, COMMAND, computed)
                )
        for number, came in enumerate(updates):
            self._apply(self.count + number, begun[self.count + number], came)

    def _ask(self, worker: int, server: int, after: int) -> int:
        """Add the message that names the rows that a worker wants."""
        rows = math.ceil((self.exchange.rows or 0) / self.used)
        return self._send("rows wanted", worker, server, INDEX * rows, after)

    def _apply(self, server: int, begun: int, came: list[int]) -> None:
        """Add what a server does when it has as many updates as it waits for."""
        seconds = self.size / self.exchange.messages.bandwidth
        applied = self._add("apply", server, seconds, begun, *came)
        share = self.cluster.workers / self.count
        self.tasks.needs[applied] = 1 + round(share * len(came))
        self.last.append(self._send("done", server, self.client, COMMAND, applied))

    def _apart(self) -> None:
        """Add some steps of each worker, which asks the servers itself."""
        asking = COMMAND + INDEX * math.ceil((self.exchange.rows or 0) / self.used)
        applying = self.size / self.exchange.messages.bandwidth
        for worker in range(self.count):
            before: list[int] = []
            self.ends.append([])
            for self.round in range(ROUNDS):
                servers = [self._server(worker, i) for i in range(self.used)]
                taken = []
                for server in servers:
                    asked = self._send("command", worker, server, asking, *before)
                    taken.append(
                        self._send("parameters", server, worker, self.size, asked)
                    )
                computed = self._add("compute", worker, self.exchange.seconds, *taken)
                before = []
                for server in servers:
                    came = self._send("update", worker, server, self.size, computed)
                    done = self._add("apply", server, applying, came)
                    before.append(self._send("done", server, worker, COMMAND, done))
                self.ends[-1].append(self._add("step", worker, 0.0, *before))
        self.last = [ends[-1] for ends in self.ends]

    def play(self, number: int) -> Played:
        """Return one step, with the stragglers of its number."""
        slow = self.cluster.stragglers.draw(self.count, number) / self.cluster.speed
        self.net.slow[: self.count] = slow.tolist()
        load = Load(self.seconds, [0.0] * len(self.seconds), self.place)
        return Player(self.tasks, load, self.rank, self.net).play()

    def times(self, played: Played) -> list[float]:
        """Return the seconds that a step took, or each that a worker made by itself."""
        if not self.ends:
            return [max(played.end[task] for task in self.last)]
        return [
            (played.end[ends[-1]] - played.end[ends[0]]) / (ROUNDS - 1)
            for ends in self.ends
        ]


_ONCE = Run()
_FREE = Costs(fixed=Fixed(node=0.0, transfer=0.0))


def _table(exchange: Exchange, machines: Cluster) -> Machines:
    """Return workers, servers and a client, each a host of its own, or all on one."""
    client = DeviceName("client", None, 0, "CPU", 0)
    apart = [*machines.machines.names, client]
    speed = [*machines.machines.speed, 1.0]  # type: ignore[misc]  # made so there
    if exchange.messages.cores is None:
        return Machines(apart, speed, network=machines.network)
    names = [DeviceName(None, None, None, "CPU", i) for i in range(len(apart))]
    links: dict[tuple[DeviceName | str, DeviceName | str], Link] = {
        (a, b): machines.network for a in names for b in names
    }
    return Machines(names, speed, links, cores=exchange.messages.cores)


def exchanged(exchange: Exchange, machines: Cluster, steps: int) -> Simulation:
    """Return what steps of an exchange take on a cluster."""
    if exchange.mode in ("ring", "tree"):
        return _reduced(exchange, machines, steps)
    made = Steps(exchange, machines)
    first = made.play(0)
    times = made.times(first)
    for number in range(1, steps):
        times += made.times(made.play(number))
    return summary(made, first, times)


def _reduced(exchange: Exchange, machines: Cluster, steps: int) -> Simulation:
    """Return what steps take whose gradients the workers add up among themselves."""
    way = ring if exchange.mode == "ring" else tree
    times = []
    for number in range(steps):
        slow = machines.stragglers.draw(machines.workers, number) / machines.speed
        ready = exchange.seconds * slow
        times.append(float(way(exchange, machines, ready).max()))
    busy = dict.fromkeys(machines.machines.names[: machines.workers], 0.0)
    return Simulation(median(times), tuple(times), busy, (), (), ())


def ring(exchange: Exchange, machines: Cluster, ready: Slow) -> Slow:
    """Return when each worker has the sum, when each has its own at `ready`.

    A chunk goes round twice: once it is added up, once handed out.
    """
    count = machines.workers
    chunk = exchange.parameters / count
    for _ in range(2 * (count - 1)):
        ready = _hop(exchange, machines, ready, np.roll(ready, 1), chunk, count)
    return ready


def tree(exchange: Exchange, machines: Cluster, ready: Slow) -> Slow:
    """Return the same where sums go up a binomial tree, and the whole down again."""
    count, size = machines.workers, exchange.parameters
    ready = ready.copy()
    strides = [1 << level for level in range((count - 1).bit_length())]
    for stride in strides:
        to = np.arange(0, count - stride, 2 * stride)
        ready[to] = _hop(
            exchange, machines, ready[to], ready[to + stride], size, len(to)
        )
    for stride in reversed(strides):
        to = np.arange(stride, count, 2 * stride)
        ready[to] = _hop(
            exchange, machines, ready[to], ready[to - stride], size, len(to)
        )
    return ready


def _hop(
    exchange: Exchange,
    machines: Cluster,
    here: Slow,
    there: Slow,
    size: float,
    at_once: int,
) -> Slow:
    """Return when tasks have taken what others sent, as many at once as there are."""
    messages = exchange.messages
    own = messages.seconds(size)
    arrives = there + own + machines.network.seconds(size)
    taken: Slow = np.maximum(here, arrives) + own
    if messages.cores is None:
        return taken
    worked = 2 * own * at_once / messages.cores
    crowded: Slow = np.maximum(taken, np.minimum(here, there) + worked)
    return crowded
