"""explain: say of each node of a placement where it is, why, and what it would cost elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Role
from tensorlite.core.provenance import Line
from tensorlite.passes.colocate import Constraint, Devices
from tensorlite.passes.cost import Costs, moved_size
from tensorlite.passes.place import Placement
from tensorlite.passes.units import NOWHERE

_UNPRICED = (Role.INPUT, Role.IF, Role.WHILE)


@dataclass(frozen=True)
class Explained:
    """A node, its device, and the reason: a row of what `tl.placement.explain` returns.

    >>> concrete = tl.function(tl.exp).get_concrete_function(tl.ones(2))
    >>> row = tl.placement.explain(concrete).nodes[1]
    >>> print(row.name, row.device, row.why)
    Exp /device:CPU:0 default
    """

    name: str
    op: str
    device: DeviceName
    why: str
    """The scope, the colocation, or the policy that put it there."""
    line: Line
    """The user's line that made the node."""
    depth: int
    """In how many branches and loops it is."""
    seconds: dict[DeviceName, float] = field(default_factory=dict)
    """What its runs of one step take on each device that it could have, inputs' transfers included.

    Empty for what has no kernel, for constants, and for branches and loops: see what is inside.
    """


class Explanation:
    """Where each node of a graph is, and why; prints as a table.

    >>> concrete = tl.function(tl.exp).get_concrete_function(tl.ones(2))
    >>> tl.placement.explain(concrete)
    node  op           device         why
    x     Placeholder  /device:CPU:0  its value is on /device:CPU:0
    Exp   Exp          /device:CPU:0  default
    """

    def __init__(self, placement: Placement, costs: Costs | None = None) -> None:
        reasons = _Reasons(placement)
        prices = None if costs is None else _Prices(placement, costs)
        self.nodes: list[Explained] = [
            reasons.row(unit, {} if prices is None else prices.of(unit))
            for unit in _as_written(placement)
        ]
        """In the order of the program, a branch or loop before what is inside."""

    def __str__(self) -> str:
        header = ("node", "op", "device", "why")
        rows = [header, *[_cells(one) for one in self.nodes]]
        if any(one.seconds for one in self.nodes):
            prices = ["cost", *[_price(one) for one in self.nodes]]
            rows = [(*row, price) for row, price in zip(rows, prices, strict=True)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(
                f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)
            ).rstrip()
            for row in rows
        )

    __repr__ = __str__


def _cells(row: Explained) -> tuple[str, ...]:
    return "  " * row.depth + row.name, row.op, str(row.device), row.why


def _price(row: Explained) -> str:
    """Return a node's cost here and, the cheapest first, on some other devices."""
    if not row.seconds:
        return ""
    others = sorted(
        (seconds, str(device))
        for device, seconds in row.seconds.items()
        if device != row.device
    )
    elsewhere = [f"{_time(seconds)} on {device}" for seconds, device in others[:3]]
    return ", ".join([f"{_time(row.seconds[row.device])} here", *elsewhere])


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def _as_written(placement: Placement) -> Iterator[int]:
    """Yield the units, each branch or loop before what is inside."""
    children = placement.units.children()
    waiting = children.get(NOWHERE, [])[::-1]
    while waiting:
        unit = waiting.pop()
        yield unit
        waiting.extend(children.get(unit, ())[::-1])


class _Reasons:
    """Why the units of a placement are where they are, in words."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        groups = self.groups = placement.groups
        self.asked: dict[int, list[str]] = {}
        """What is asked of each unit that anything is asked of."""
        self.binding: dict[int, list[int]] = {}
        """The units of each group whose constraints say where the group is."""
        for one in groups.constraints:
            self._note(one)
        settled = set(self.binding)
        for one in groups.wishes:
            if groups.of[one.unit] not in settled and self._is_met(one):
                self._note(one)

    def _is_met(self, one: Constraint) -> bool:
        device = self.placement.devices[one.unit]
        return self.groups.devices.index(device) in one.allowed

    def _note(self, one: Constraint) -> None:
        """Keep what a constraint asks, and whether it says where its group is."""
        told = self._told(one)
        if self._is_met(one):
            self.binding.setdefault(self.groups.of[one.unit], []).append(one.unit)
        else:
            told = f"in vain, {told}"
        self.asked.setdefault(one.unit, []).append(told)

    def row(self, unit: int, seconds: dict[DeviceName, float]) -> Explained:
        """Return what is to be said of a unit."""
        units = self.placement.units
        node, depth, parent = units.nodes[unit], 0, units.parent[unit]
        while parent != NOWHERE:
            depth, parent = depth + 1, units.parent[parent]
        device = self.placement.devices[unit]
        why = self.why(unit)
        return Explained(
            node.name, node.op.name, device, why, node.line, depth, seconds
        )

    def _told(self, one: Constraint) -> str:
        """Return a constraint in words, with the user's line if a scope made it."""
        line = self.placement.units.nodes[one.unit].line
        return one.why if one.firm else f"{one.why}, at {line.file}:{line.number}"

    def why(self, unit: int) -> str:
        """Return why a unit is where it is."""
        if unit in self.placement.reasons:
            return self.placement.reasons[unit]
        if unit in self.asked:
            return " and ".join(self.asked[unit])
        binding = self.binding.get(self.groups.of[unit])
        if not binding:
            return "the only device"
        chain = self.groups.path(unit, binding[0])
        name = self.placement.units.nodes[binding[0]].name
        ties = {tie for tie, _ in chain}
        tie = ties.pop() if len(ties) == 1 else "tied, through others, to"
        return f"{tie} {name}: {self.asked[binding[0]][0]}"


class _Prices:
    """What the units of a placement would cost on each device, all others staying."""

    def __init__(self, placement: Placement, costs: Costs) -> None:
        self.placement = placement
        self.costs = costs
        self.inputs: dict[int, dict[int, int]] = {}
        """For each unit, the bytes that come from each other unit."""
        self.devices = placement.groups.devices
        self.possible: dict[int, Devices] = {}
        """The devices that each group may have, whatever scopes ask for, where not all."""
        for one in placement.groups.constraints:
            if one.firm:
                group = placement.groups.of[one.unit]
                left = self.possible.get(group, one.allowed)
                self.possible[group] = left & one.allowed
        for source, target, spec in placement.units.edges:
            sources = self.inputs.setdefault(target, {})
            sources[source] = sources.get(source, 0) + moved_size(spec)

    def of(self, unit: int) -> dict[DeviceName, float]:
        """Return the seconds a step that a unit takes on each device it may have."""
        placement = self.placement
        node, repeats = placement.units.nodes[unit], placement.units.repeats[unit]
        if placement.units.free[unit] or node.op.role in _UNPRICED:
            return {}
        group = placement.groups.of[unit]
        possible = self.possible.get(group, frozenset(range(len(self.devices))))
        places = [device for i, device in enumerate(self.devices) if i in possible]
        return {
            device: repeats
            * (self.costs.node(node, device).seconds + self._transfers(unit, device))
            for device in places
        }

    def _transfers(self, unit: int, device: DeviceName) -> float:
        """Return the seconds until a unit's inputs are on a device."""
        return sum(
            self.costs.link(place, device).seconds(size)
            for source, size in self.inputs.get(unit, {}).items()
            if (place := self.placement.devices[source]) != device
        )
