"""Where units may stand: which must share a device, and which devices each may have.

The feasible sets of the OSDI'16 paper (section 3.2.1), found by union-find. Which of them is
taken is place.py's matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import NamedTuple, TypeAlias

from tensorlite.core.device import ANYWHERE, DeviceName
from tensorlite.core.errors import PlacementError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.remote import sight
from tensorlite.graph.graph import Node
from tensorlite.ops.arrays.identity import Copy
from tensorlite.ops.control.effects import PyFunc
from tensorlite.passes.units import Units

Log: TypeAlias = Callable[[str], None]
Devices: TypeAlias = frozenset[int]
"""Positions in the list of devices that there are."""
REPAIR = (
    "Give both the same device, or copy with tl.identity in another tl.device scope"
)


class Link(NamedTuple):
    """Two units that must share a device, and how each is tied to the other."""

    one: int
    other: int
    why: str
    back: str


class Constraint(NamedTuple):
    """The devices that something allows a unit."""

    unit: int
    allowed: Devices
    why: str
    firm: bool
    """Whether soft placement cannot do otherwise either."""


class Groups:
    """Units that stand together, and the devices that each such group may have.

    `given` names where the graph's inputs are (ANYWHERE: not known). PlacementError tells what
    contradicts what; with `soft`, scopes give way, and `log` is told.
    """

    def __init__(
        self,
        units: Units,
        devices: Sequence[DeviceName],
        given: Sequence[DeviceName],
        soft: bool,
        log: Log,
        default: DeviceName = ANYWHERE,
    ) -> None:
        self.units = units
        self.devices = devices
        self.links = [*_by_handle(units), *_by_label(units)]
        self.members = _joined(len(units), self.links)
        self.of = [0] * len(units)
        for number, group in enumerate(self.members):
            for unit in group:
                self.of[unit] = number
        self.constraints, self.wishes = _constraints(units, devices, given, default)
        self._soft = soft
        self._log = log
        self._given_ways: dict[str, list[Node]] = {}
        """Nodes that do not get what their scopes ask for, by what they get and why."""
        self.allowed = self._settled()
        self._tell()

    def _settled(self) -> list[Devices]:
        """Return the devices that each group may have."""
        allowed = [frozenset(range(len(self.devices)))] * len(self.members)
        met: dict[int, list[Constraint]] = {}
        for one in sorted(self.constraints, key=lambda one: not one.firm):
            group = self.of[one.unit]
            met.setdefault(group, []).append(one)
            left = allowed[group] & one.allowed
            if not left and (one.firm or not self._soft):
                raise self._conflict(met[group])
            allowed[group] = left or self._given_way(one, met[group], allowed[group])
        for one in self.wishes:
            group = self.of[one.unit]
            allowed[group] = allowed[group] & one.allowed or allowed[group]
        return allowed

    def _given_way(
        self, asked: Constraint, met: list[Constraint], allowed: Devices
    ) -> Devices:
        """Return the device of `allowed` that is nearest to what a scope asks for in vain."""
        met.remove(asked)
        node = self.units.nodes[asked.unit]
        place = nearest(node.device, [self.devices[i] for i in sorted(allowed)])
        blocked = self._smallest([*met, asked])
        reasons = [one.why for one in blocked if one is not asked]
        why = f" ({'; '.join(reasons)})" if reasons else " (there is none such)"
        way = f"{node.device} gives way to {place}{why}"
        self._given_ways.setdefault(way, []).append(node)
        return frozenset([self.devices.index(place)])

    def _tell(self) -> None:
        """Log each way once, however many nodes it is for."""
        for way, (node, *others) in self._given_ways.items():
            more = f" and {len(others)} more nodes" if others else ""
            self._log(f"{told(node)}{more}: {way}")

    def _smallest(self, met: list[Constraint]) -> list[Constraint]:
        """Return constraints of `met` that contradict each other, none of which could be left out.

        The last one is among them.
        """
        kept = list(met)
        for one in met[:-1]:
            others = [other for other in kept if other is not one]
            if not frozenset.intersection(*[other.allowed for other in others]):
                kept = others
        return kept

    def _conflict(self, met: list[Constraint]) -> PlacementError:
        """Return the error that tells a contradiction as a chain of nodes."""
        found = self._smallest(met)
        lines, here = [], found[0].unit
        asked: dict[int, list[str]] = {}
        for one in found:
            asked.setdefault(one.unit, []).append(one.why)
        lines.append(f"  {self._asked(here, asked)}")
        for target in list(asked)[1:]:
            for tie, unit in self.path(here, target):
                lines += [f"  which {tie}", f"  {self._asked(unit, asked)}"]
            here = target
        head = "no device meets all that is asked of " + (
            "nodes that must stand together:" if len(asked) > 1 else "a node:"
        )
        listed = ", ".join(map(str, self.devices))
        repair = REPAIR if len(asked) > 1 else "Ask for another device"
        return PlacementError(
            "\n".join([head, *lines, f"{repair}; there are {listed}"])
        )

    def _asked(self, unit: int, asked: dict[int, list[str]]) -> str:
        reasons = asked.get(unit)
        node = told(self.units.nodes[unit])
        return node if not reasons else f"{node}: {', but '.join(reasons)}"

    def path(self, start: int, end: int) -> list[tuple[str, int]]:
        """Return the shortest chain of ties from one unit of a group to another."""
        ties: dict[int, list[tuple[str, int]]] = {}
        for link in self.links:
            if self.of[link.one] == self.of[start]:
                ties.setdefault(link.one, []).append((link.why, link.other))
                ties.setdefault(link.other, []).append((link.back, link.one))
        chains: dict[int, list[tuple[str, int]]] = {start: []}
        waiting = deque([start])
        while end not in chains:
            here = waiting.popleft()
            for tie, unit in ties.get(here, ()):
                if unit not in chains:
                    chains[unit] = [*chains[here], (tie, unit)]
                    waiting.append(unit)
        return chains[end]


def told(node: Node) -> str:
    """Return a node as messages name it."""
    kind = "" if node.name == node.op.name else f" ({node.op.name})"
    return f"{node.name}{kind}, made at {node.line}"


def nearest(wanted: DeviceName, devices: Sequence[DeviceName]) -> DeviceName:
    """Return the device that shares most with `wanted`: first the machine, then kind and number."""

    def distance(one: DeviceName) -> tuple[bool | int, ...]:
        device = _in_full(one)
        machine = [
            mine not in (None, theirs)
            for mine, theirs in (
                (wanted.job, device.job),
                (wanted.replica, device.replica),
                (wanted.task, device.task),
                (wanted.kind, device.kind),
            )
        ]
        return *machine, abs((wanted.index or 0) - (device.index or 0))

    return min(devices, key=distance)


def matching(
    asked: DeviceName, devices: Sequence[DeviceName], default: DeviceName = ANYWHERE
) -> Devices:
    """Return the devices that a name, whole or in part, stands for.

    A name without job and task stands for devices of the task that `default` is of; so does
    `/job:localhost/replica:0/task:0` for those of this process, and the name of the task that
    this process is to a session.
    """
    wanted, stays = asked, False
    if asked.job in (None, "localhost") and not asked.replica and not asked.task:
        home = default if asked.job is None else ANYWHERE
        wanted = DeviceName(home.job, None, home.task, asked.kind, asked.index)
        stays = home.job is None
    return frozenset(
        [
            i
            for i, one in enumerate(devices)
            if wanted.matches(_in_full(one)) and not (stays and one.job is not None)
        ]
    )


def _in_full(device: DeviceName) -> DeviceName:
    """Return the name of a device as a session sees it, in which this process may be a task."""
    seen = sight.get()
    if device.job is not None or seen is None or seen.own is None:
        return device
    return seen.own.merge(device)


def _by_handle(units: Units) -> Iterable[Link]:
    """Yield the ties between what gives a handle and what takes it."""
    for giver, taker in units.handles:
        yield Link(taker, giver, "works on the handle of", "gives its handle to")


def _by_label(units: Units) -> Iterable[Link]:
    """Yield the ties of nodes that bear one label."""
    first: dict[str, int] = {}
    for unit, node in enumerate(units.nodes):
        if node.group and first.setdefault(node.group, unit) != unit:
            tie = f"is in the group {node.group!r} with"
            yield Link(unit, first[node.group], tie, tie)


def _joined(number: int, links: Iterable[Link]) -> list[list[int]]:
    """Return the units that links join, each group in order, by union-find."""
    roots = list(range(number))

    def root(unit: int) -> int:
        while roots[unit] != unit:
            roots[unit] = roots[roots[unit]]
            unit = roots[unit]
        return unit

    for link in links:
        one, other = sorted((root(link.one), root(link.other)))
        roots[other] = one
    members: dict[int, list[int]] = {}
    for unit in range(number):
        members.setdefault(root(unit), []).append(unit)
    return list(members.values())


def _constraints(
    units: Units,
    devices: Sequence[DeviceName],
    given: Sequence[DeviceName],
    default: DeviceName,
) -> tuple[list[Constraint], list[Constraint]]:
    """Return what must be met, and what is met where that leaves a choice.

    State does not move: an operator on a handle runs where that is, whatever scope it is in, as it
    does eagerly. Its scope counts where nothing else tells where the state is.
    """
    firm: list[Constraint] = []
    wishes: list[Constraint] = []
    there = {
        units.outer[x.node]: place
        for x, place in zip(units.graph.inputs, given, strict=False)
        if place != ANYWHERE
    }
    for unit, place in there.items():
        why = f"its value is on {place}"
        found = matching(place, devices)
        # A scope of a device that is not there may have said so.
        firm.append(Constraint(unit, found, why, bool(found)))
    host = frozenset([i for i, one in enumerate(devices) if one.kind != "GPU"])
    here = frozenset([i for i, one in enumerate(devices) if one.job is None])
    takers = {taker for _, taker in units.handles}
    known: dict[DeviceName, Devices] = {}
    for unit, node in enumerate(units.nodes):
        why = _host_only(node)
        if why and len(host) < len(devices):
            firm.append(Constraint(unit, host, why, True))
        if len(here) < len(devices) and _is_bound(node.op):
            why = f"{node.op.name} calls Python of this process"
            firm.append(Constraint(unit, here, why, True))
        asked, why = _asked(node)
        if asked is ANYWHERE or asked == ANYWHERE or unit in there:
            continue
        if asked not in known:
            known[asked] = matching(asked, devices, default)
        one = Constraint(unit, known[asked], why, False)
        (wishes if unit in takers and one.allowed else firm).append(one)
    return firm, wishes


def _asked(node: Node) -> tuple[DeviceName, str]:
    """Return the device that a node asks for, and how: a copy by itself, others by a scope."""
    if isinstance(node.op, Copy):
        return DeviceName.parse(node.op.device), f"it copies to {node.op.device}"
    return node.device, f"tl.device asks for {node.device}"


def _host_only(node: Node) -> str:
    """Return why a node's kernel is there for host memory only, or nothing."""
    op = node.op
    if op.role not in (Role.IF, Role.WHILE, Role.CALL) and _acts(op):
        return f"{op.name} runs on CPUs only"
    strings = any(x.dtype.kind == "S" for x in (*node.inputs, *node.outputs))
    return "strings are held by CPUs only" if strings else ""


def _is_bound(op: Op) -> bool:
    """Return whether an operator calls a Python function, which no other process has."""
    return any(
        isinstance(value, FunctionType | MethodType | partial)
        for value in op.attributes().values()
    )


def _acts(op: Op) -> bool:
    """Return whether an operator does something beside computing: prints, waits, calls Python."""
    moves = op.role in (Role.SEND, Role.RECV)
    waits = op.role is Role.ASYNC
    return waits or isinstance(op, PyFunc) or (op.effect is Effect.IO and not moves)
