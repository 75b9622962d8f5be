"""place: give every node, those of inner graphs too, the device that it will run on.

What is allowed at all is found in colocate.py; what is taken of it, in policy.py, unless another
choice is handed in, such as that by simulated finish time.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DeviceError, DTypeError, PlacementError
from tensorlite.core.op import Op
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.passes.colocate import Groups, Log, nearest, told
from tensorlite.passes.policy import Usual
from tensorlite.passes.units import Table, Units


def check_choice(choose: object, what: str) -> None:
    """Raise DTypeError for what cannot choose devices, such as a class of policies itself."""
    if choose is not None and (isinstance(choose, type) or not callable(choose)):
        raise DTypeError(
            f"{what}={choose!r}; give a policy, such as tl.placement.EarliestFinish(), or None"
        )


class Choice(Protocol):
    """What chooses among the devices that groups of units may have.

    A unit is a node, of inner graphs too; a group is a list of units that stand together.

    >>> def last(units, groups, allowed):
    ...     return [devices[-1] for devices in allowed]
    >>> concrete = tl.function(tl.exp).get_concrete_function(tl.ones(2))
    >>> print(tl.placement.explain(concrete, choose=last).nodes[1].device)
    /device:CPU:0
    """

    def __call__(
        self,
        units: Units,
        groups: Sequence[Sequence[int]],
        allowed: Sequence[Sequence[DeviceName]],
    ) -> Sequence[DeviceName]:
        """Return one device for each group, of those that it is allowed."""


@runtime_checkable
class Reasoned(Protocol):
    """A choice that can say why it chose as it did."""

    def why(self, group: int) -> str:
        """Return why a group, by its position in what was last chosen for, is where it is."""


def place(
    graph: Graph,
    devices: Sequence[DeviceName],
    default: DeviceName,
    *,
    soft: bool = False,
    choose: Choice | None = None,
    log: Log | None = None,
    given: Sequence[DeviceName] = (),
) -> Graph:
    """Return a copy of `graph` in which every node has one of `devices`, inner graphs too.

    Without `choose`, what nothing constrains goes to `default`, but for what is cheap and belongs
    to its input or to its only user. `given` says where the graph's inputs are, as far as that is
    known. Raises PlacementError for constraints that contradict each other, as a chain of
    nodes. With `soft`, scopes that cannot be met give way to the nearest device that can, and
    `log`, or a warning, says so.
    """
    return Placement(
        graph, devices, default, soft=soft, choose=choose, log=log, given=given
    ).placed()


class Placement:
    """A decision where each unit of a graph stands, and why: arguments as for `place`."""

    def __init__(
        self,
        graph: Graph,
        devices: Sequence[DeviceName],
        default: DeviceName,
        *,
        soft: bool = False,
        choose: Choice | None = None,
        log: Log | None = None,
        given: Sequence[DeviceName] = (),
    ) -> None:
        _check(devices, default)
        self.units = Units(graph)
        self.default = default
        self.groups = Groups(self.units, devices, given, soft, log or _warn, default)
        self.allowed = [
            [devices[i] for i in sorted(allowed)] for allowed in self.groups.allowed
        ]
        self.reasons: dict[int, str] = {}
        """Why a unit is where it is, in words, where constraints do not say it."""
        if choose is None:
            usual = Usual(self.units, self.groups, self.allowed, default)
            chosen, self.reasons = usual.devices, usual.reasons
        else:
            chosen = self._chosen(choose)
        self.devices = [self._of(unit, chosen) for unit in range(len(self.units))]
        self._place_constants()

    def _of(self, unit: int, chosen: dict[int, DeviceName]) -> DeviceName:
        """Return a unit's device; a constant's only for now."""
        return chosen.get(self.groups.of[unit], self.default)

    def _chosen(self, choose: Choice) -> dict[int, DeviceName]:
        """Return what `choose` takes for each group, having checked it."""
        numbers = [
            number
            for number, group in enumerate(self.groups.members)
            if not self.units.free[group[0]]
        ]
        groups = [self.groups.members[number] for number in numbers]
        allowed = [self.allowed[number] for number in numbers]
        made: object = choose(self.units, groups, allowed)
        if not isinstance(made, Sequence) or len(made) != len(groups):
            raise PlacementError(
                f"the choice of placement gives {made!r}; it has to give a list of one device for "
                f"each of {len(groups)} groups"
            )
        chosen = dict(zip(numbers, made, strict=True))
        for i, (number, group) in enumerate(zip(numbers, groups, strict=True)):
            if chosen[number] not in self.allowed[number]:
                listed = ", ".join(map(str, self.allowed[number]))
                raise PlacementError(
                    f"the choice of placement puts {told(self.units.nodes[group[0]])} on "
                    f"{chosen[number]}; allowed there: {listed}"
                )
            reason = choose.why(i) if isinstance(choose, Reasoned) else "chosen"
            if len(allowed[i]) > 1:
                self.reasons.update(dict.fromkeys(group, reason))
        return chosen

    def _place_constants(self) -> None:
        """Put each constant with most of its users; all of them get copies."""
        users: dict[int, list[int]] = {}
        for constant, user in self.units.uses:
            users.setdefault(constant, []).append(user)
        for unit, free in enumerate(self.units.free):
            if not free:
                continue
            allowed = self.allowed[self.groups.of[unit]]
            votes = Counter([self.devices[user] for user in users.get(unit, ())])
            there = [place for place, _ in votes.most_common() if place in allowed]
            self.devices[unit] = there[0] if there else nearest(self.default, allowed)
            self.reasons[unit] = "constant: wherever it is used"

    def placed(self) -> Graph:
        """Return the graph with every node on its device."""
        return self._copy(self.units.graph, self.units.outer)

    def _copy(self, graph: Graph, table: Table) -> Graph:
        """Return a copy of a graph whose nodes are the units of `table`."""
        copy = Graph(graph.name)
        nodes: dict[Node, Node] = {}
        tensors: dict[int, SymbolicTensor] = {}
        for node in graph.nodes:
            unit = table[node]
            specs = [y.spec for y in node.outputs]
            made = nodes[node] = Node(copy, self._op(unit), (), specs)
            made.device, made.group, made.line = (
                self.devices[unit],
                node.group,
                node.line,
            )
            made.name = copy.free_name(node.name)
            copy.nodes.append(made)
            for x, y in zip(node.outputs, made.outputs, strict=True):
                tensors[id(x)] = y
        for node, made in nodes.items():  # now that those of back edges are there
            made.inputs = tuple([tensors[id(x)] for x in node.inputs])
            made.control = tuple([nodes[one] for one in node.control])
        copy.inputs = [tensors[id(x)] for x in graph.inputs]
        copy.outputs = [tensors[id(y)] for y in graph.outputs]
        copy.effects = [nodes[node] for node in graph.effects]
        copy.open = False
        return copy

    def _op(self, unit: int) -> Op:
        """Return a unit's operator, its inner graphs placed."""
        op = self.units.nodes[unit].op
        tables = self.units.inner.get(unit)
        if tables is None:
            return op
        regions = zip(op.regions(), tables, strict=True)
        return op.with_regions(tuple([self._copy(*one) for one in regions]))


def _check(devices: Sequence[DeviceName], default: DeviceName) -> None:
    """Raise DeviceError unless there are devices, all named in full, and the default is one."""
    listed = ", ".join(map(str, devices)) or "none"
    partial = [one for one in devices if one.kind is None or one.index is None]
    if partial:
        raise DeviceError(
            f"nothing can be placed on {str(partial[0])!r}: name kind and number of each device"
        )
    if default not in devices:
        raise DeviceError(
            f"the default device {default} is not there; there are {listed}"
        )


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)
