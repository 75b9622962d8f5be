"""atoms: what the search of a placement moves as one, and how long a step takes for a choice.

An atom is a group of units that constraints tie together, and what is so cheap beside it that a
transfer costs more: a search over atoms is small, and loses next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DeviceError
from tensorlite.core.op import Role
from tensorlite.passes.cost import Costs, moved_size
from tensorlite.passes.machines import Machines, Network, this_machine
from tensorlite.passes.simulate import Workload
from tensorlite.passes.units import Units
from tensorlite.passes.unroll import JOIN

NO_GROUP = -1
Assignment = tuple[int, ...]
"""The device of each atom, by number."""


class Problem:
    """A placement that is sought: atoms, the devices that each may have, and what a step takes."""

    def __init__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
        costs: Costs,
        machines: Machines | None = None,
    ) -> None:
        self.units = units
        self.groups = groups
        self.devices = list(dict.fromkeys(one for row in allowed for one in row))
        table = machines or this_machine(
            self.devices or [DeviceName(kind="CPU", index=0)]
        )
        net = Network(table, costs)
        number = {device: i for i, device in enumerate(net.devices)}
        absent = [device for device in self.devices if device not in number]
        if absent:
            listed = ", ".join(map(str, net.devices[:8]))
            raise DeviceError(
                f"{absent[0]} is not in the table of machines, which has {listed}; add it"
            )
        self.workload = Workload(units, net)
        self.group = [NO_GROUP] * len(units)
        for i, members in enumerate(groups):
            for unit in members:
                self.group[unit] = i
        options = [frozenset(number[one] for one in row) for row in allowed]
        atoms = _Merging(self, options)
        self.atoms, self.options = atoms.atoms, atoms.options
        """The groups of each atom, in the order of the program; the devices that it may have."""
        self.seconds = atoms.work
        """What each atom's kernels take in a step, on the mean device."""
        self.count = prod(map(len, self.options))
        """How many placements there are."""
        self.tried: dict[Assignment, float] = {}
        self._atom = [0] * len(groups)
        for i, members in enumerate(self.atoms):
            for group in members:
                self._atom[group] = i
        self._unit_atom = [
            self._atom[group] if group != NO_GROUP else len(self.atoms)
            for group in self.group
        ]

    def place(self, chosen: Assignment) -> list[int]:
        """Return the device of each unit, by number."""
        devices = [*chosen, 0]  # the last is for constants, which are everywhere
        return [devices[atom] for atom in self._unit_atom]

    def time(self, chosen: Assignment) -> float:
        """Return the seconds of a step; what was asked before is remembered."""
        found = self.tried.get(chosen)
        if found is None:
            found = self.tried[chosen] = self.workload.time(self.place(chosen))
        return found

    def answer(self, chosen: Assignment) -> list[DeviceName]:
        """Return the device of each group, as `place` in place.py wants them."""
        names = self.workload.net.devices
        return [names[chosen[self._atom[i]]] for i in range(len(self.groups))]

    def fitting(self, wanted: Sequence[int]) -> Assignment:
        """Return an assignment in which each atom has the device wanted, or its first."""
        pairs = zip(wanted, self.options, strict=True)
        return tuple([one if one in may else may[0] for one, may in pairs])


class _Tie(NamedTuple):
    """Another unit, and the bytes that it shares with one."""

    other: int
    size: int


class _Merging:
    """The joining of groups to atoms, by union-find."""

    def __init__(self, problem: Problem, options: list[frozenset[int]]) -> None:
        self.problem = problem
        self.units = problem.units
        self.roots = list(range(len(problem.groups)))
        self.allowed = options
        self.cost = self._costs()
        self.ties: list[list[_Tie]] = [[] for _ in range(len(self.units))]
        for edge in (*self.units.edges, *self.units.back):
            size = moved_size(edge.spec)
            self.ties[edge.source].append(_Tie(edge.target, size))
            self.ties[edge.target].append(_Tie(edge.source, size))
        self._join_cheap_ones(self._follow_variables())
        self._collect()

    def _costs(self) -> list[float]:
        """Return what each unit's runs take in a step, on the mean device."""
        work = self.problem.workload
        found = [0.0] * len(self.units)
        rows = len(work.seconds)
        for task, unit in enumerate(work.tasks.unit):
            if unit != JOIN:
                mean = sum([row[task] for row in work.seconds]) / rows
                found[unit] += mean * work.tasks.weight[task]
        return found

    def root(self, group: int) -> int:
        """Return what stands for the atom of a group."""
        while self.roots[group] != group:
            self.roots[group] = self.roots[self.roots[group]]
            group = self.roots[group]
        return group

    def join(self, unit: int, other: int) -> bool:
        """Put two units into one atom, unless no device may have both; return whether."""
        mine, theirs = self.problem.group[unit], self.problem.group[other]
        if NO_GROUP in (mine, theirs):
            return False
        one, two = sorted((self.root(mine), self.root(theirs)))
        both = self.allowed[one] & self.allowed[two]
        if not both:
            return False
        self.roots[two], self.allowed[one] = one, both
        return True

    def binds_less(self, unit: int, other: int) -> bool:
        """Return whether a unit stays as free as it was when it goes wherever another may."""
        mine, theirs = self.problem.group[unit], self.problem.group[other]
        if NO_GROUP in (mine, theirs):
            return False
        return self.allowed[self.root(mine)] <= self.allowed[self.root(theirs)]

    def _follow_variables(self) -> set[int]:
        """Join what decides nothing with what it follows (see lower.py); return such units.

        The inputs of a loop's condition are its body's; those stand where the next turn's values
        are made. A loop's own unit is its condition's.
        """
        followed: set[int] = set()
        for unit, tables in self.units.inner.items():
            node = self.units.nodes[unit]
            first, second = node.op.regions()
            pairs = [
                (tables[0][x.node], tables[1][y.node])
                for x, y in zip(first.inputs, second.inputs, strict=True)
            ]
            if node.op.role is Role.WHILE:
                pairs.append((unit, tables[0][first.outputs[0].node]))
                pairs += [
                    (tables[1][x.node], tables[1][y.node])
                    for x, y in zip(second.inputs, second.outputs, strict=True)
                    if x is not y
                ]
            followed.update([one for one, other in pairs if self.join(one, other)])
        return followed

    def _join_cheap_ones(self, followed: set[int]) -> None:
        """Join each unit that a transfer would cost more than with what it shares most bytes with.

        No more than one: so there is at most one unit in an atom that is not cheap, beside those
        that constraints tie together. What no device runs, such as an input, goes with a user.
        """
        work = self.problem.workload
        if len(work.net) < 2:
            return
        fixed = work.net.costs.fixed
        limit = work.net.link(0, 1)[0] + fixed.transfer + fixed.node
        for unit, cost in enumerate(self.cost):
            each = cost / max(1.0, self.units.repeats[unit])
            if each >= limit or self.units.free[unit] or unit in followed:
                continue
            for tie in sorted(self.ties[unit], key=lambda tie: -tie.size):
                if self.binds_less(tie.other, unit) and self.join(unit, tie.other):
                    break

    def _collect(self) -> None:
        """List the atoms in the order in which they begin."""
        begins = [len(self.units)] * len(self.roots)
        totals = [0.0] * len(self.roots)
        members: dict[int, list[int]] = {}
        for group, of_group in enumerate(self.problem.groups):
            root = self.root(group)
            members.setdefault(root, []).append(group)
            for unit in of_group:
                totals[root] += self.cost[unit]
                if self.cost[unit]:
                    begins[root] = min(begins[root], unit)
        order = sorted(members, key=lambda root: (begins[root], root))
        self.atoms = [members[root] for root in order]
        self.options = [sorted(self.allowed[root]) for root in order]
        self.work = [totals[root] for root in order]
