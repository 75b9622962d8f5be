"""The usual policy: where things go that may go anywhere, as TensorFlow's placer has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Role
from tensorlite.graph.graph import Node
from tensorlite.ops.arrays.shape import Cast
from tensorlite.passes.colocate import Groups, nearest
from tensorlite.passes.units import NOWHERE, Units

_SMALL = 64
"""Elements up to which a cast is cheaper than a transfer of what it takes."""
_ABOUT_SHAPES = frozenset({"Shape", "Size", "Rank"})


class Usual:
    """A device for each group: the default's, but for what is cheap and belongs elsewhere.

    What is inside a branch or loop goes where that is. A cheap operator whose inputs are all on
    one other device stays with them; what has no inputs and one user goes to that; and a given
    value goes to most of its users.
    """

    def __init__(
        self,
        units: Units,
        groups: Groups,
        allowed: Sequence[Sequence[DeviceName]],
        default: DeviceName,
    ) -> None:
        self.units = units
        self.groups = groups
        self.allowed = allowed
        self.default = default
        self.devices: dict[int, DeviceName] = {}
        self.reasons: dict[int, str] = {}
        asked = [*groups.constraints, *groups.wishes]
        self.bound = {groups.of[one.unit] for one in asked}
        """The groups of which anything is asked."""
        self.sources: list[list[int]] = [[] for _ in units.nodes]
        self.users: list[list[int]] = [[] for _ in units.nodes]
        for source, target, _ in units.edges:
            self.sources[target].append(source)
            self.users[source].append(target)
        late = [unit for unit in self._outermost_first() if not self._decided(unit)]
        for unit in sorted(late, reverse=True):
            self._put_with_users(unit)

    def _outermost_first(self) -> list[int]:
        """Return the units, each branch or loop before what is inside."""
        children = self.units.children()
        found: list[int] = []
        waiting = children.get(NOWHERE, [])[::-1]
        while waiting:
            unit = waiting.pop()
            found.append(unit)
            waiting.extend(children.get(unit, ())[::-1])
        return found

    def _decided(self, unit: int) -> bool:
        """Return whether a unit has a device, now; not so if its users decide."""
        group = self.groups.of[unit]
        if self.units.free[unit] or group in self.devices:
            return True
        allowed = self.allowed[group]
        home, reason = self._home(unit)
        if group in self.bound:
            self.devices[group] = nearest(home, allowed)
            return True
        if len(self.groups.members[group]) == 1:
            if self._asks_users(unit):
                return False
            beside = self._inputs_device(unit)
            if beside is not None and beside != home:
                home, reason = beside, "with its inputs"
        self._put(group, home, reason)
        return True

    def _put(self, group: int, device: DeviceName, reason: str) -> None:
        self.devices[group] = device
        self.reasons.update(dict.fromkeys(self.groups.members[group], reason))

    def _home(self, unit: int) -> tuple[DeviceName, str]:
        """Return where a unit goes by itself, and why there."""
        parent = self.units.parent[unit]
        if parent == NOWHERE:
            return self.default, "default"
        around = self.units.nodes[parent].name
        return self.devices[self.groups.of[parent]], f"inside {around}"

    def _asks_users(self, unit: int) -> bool:
        """Return whether a unit goes where it is used: it is given, or made of nothing.

        What has regions does not: what is inside goes where it is.
        """
        node = self.units.nodes[unit]
        if node.op.role is Role.INPUT:
            return True
        if node.op.regions():
            return False
        return not self.sources[unit] and len(set(self.users[unit])) == 1

    def _inputs_device(self, unit: int) -> DeviceName | None:
        """Return the one device of all inputs of a cheap operator, if they are placed already."""
        if not _is_cheap(self.units.nodes[unit]):
            return None
        found = {self.devices.get(self.groups.of[one]) for one in self.sources[unit]}
        return found.pop() if len(found) == 1 else None

    def _put_with_users(self, unit: int) -> None:
        """Put a unit where most of its users are; what a region returns is only passed on."""
        home, reason = self._home(unit)
        parent = self.units.parent[unit]
        inside = [user for user in self.users[unit] if user != parent]
        places = [
            self.devices[group]
            for user in inside or self.users[unit]
            if (group := self.groups.of[user]) in self.devices
        ]
        votes = Counter(places)
        best = max(votes, key=lambda one: (votes[one], one == home), default=home)
        self._put(self.groups.of[unit], best, "with its users" if votes else reason)


def _is_cheap(node: Node) -> bool:
    """Return whether an operator costs next to nothing: a view, a shape, a cast of little."""
    if node.op.role is not Role.PLAIN:
        return False
    if isinstance(node.op, Cast):
        size = node.inputs[0].spec.size
        return size is not None and size <= _SMALL
    return node.op.aliases or node.op.name in _ABOUT_SHAPES
