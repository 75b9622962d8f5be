"""What a graph's operations take, by scopes of names or by types: parameters, floats, time, bytes.

The formulas for floats are in float_operations.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple, Self

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.float_operations import float_operations

ROOT = "_TFProfRoot"
TRAINABLE = "_trainable_variables"
"""The type that variables are accounted under which are trained."""


class Measures(NamedTuple):
    """What an operation, or several, take."""

    parameters: int = 0
    float_ops: int = 0
    micros: int = 0
    bytes: int = 0

    def plus(self, other: Measures) -> Measures:
        """Return the sum."""
        return Measures(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Measures()


@dataclass
class ProfileNode:
    """A scope, an operation or a type of operations: what it takes itself, and with its children.

    The attributes are those of TensorFlow's GraphNodeProto; times are in microseconds.
    """

    name: str
    own: Measures = NOTHING
    children: list[Self] = field(default_factory=list)
    total: Measures = NOTHING
    shape: tuple[int, ...] = ()
    accounted: bool = False

    parameters = property(lambda self: self.own.parameters)
    float_ops = property(lambda self: self.own.float_ops)
    exec_micros = property(lambda self: self.own.micros)
    requested_bytes = property(lambda self: self.own.bytes)
    total_parameters = property(lambda self: self.total.parameters)
    total_float_ops = property(lambda self: self.total.float_ops)
    total_exec_micros = property(lambda self: self.total.micros)
    total_requested_bytes = property(lambda self: self.total.bytes)

    def summed(self) -> Measures:
        """Return what it and its children take, and keep it."""
        self.total = self.own
        for child in self.children:
            self.total = self.total.plus(child.summed())
        return self.total


class Model(NamedTuple):
    """A graph's operations, and what is known of its variables and of a run."""

    operations: list[Any]
    variables: dict[str, tuple[int, ...]]
    """The shapes of its variables, by the names of their operations."""
    trained: set[str]
    """The names of those that are trained."""
    ran: Any = None
    """A RunMetadata message, or None."""


@dataclass(frozen=True)
class Wanted:
    """Which nodes are told of: what they take at least, and what their names match."""

    least: Measures = NOTHING
    max_depth: int = 10000
    types: tuple[str, ...] = (".*",)
    begin: tuple[str, ...] = (".*",)
    trim: tuple[str, ...] = ()
    show: tuple[str, ...] = (".*",)
    hide: tuple[str, ...] = ()
    order_by: str = "name"

    def shows(self, node: ProfileNode, depth: int) -> bool:
        """Return whether a node is told of at a depth."""
        enough = all(a >= b for a, b in zip(node.own, self.least, strict=True))
        named = matches(node.name, self.show) and not matches(node.name, self.hide)
        return node.accounted and enough and named and depth <= self.max_depth

    def sorted(self, nodes: list[ProfileNode]) -> list[ProfileNode]:
        """Return nodes in the wanted order: by name, or what takes most first."""
        if self.order_by == "name":
            return sorted(nodes, key=lambda node: node.name)
        if self.order_by not in Measures._fields:
            raise InvalidArgumentError(
                f"order_by={self.order_by!r}: allowed are 'name', {', '.join(Measures._fields)}"
            )
        return sorted(nodes, key=lambda node: -getattr(node.total, self.order_by))


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether one of the regular expressions matches the whole name."""
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def by_scope(model: Model, wanted: Wanted) -> ProfileNode:
    """Return a tree of the scopes and operations that are wanted, and what they take."""
    root = ProfileNode(ROOT)
    found = {"": root}
    took = _took(model.ran)
    for operation in model.operations:
        node = _placed(found, operation.name)
        node.accounted = _is_accounted(operation, model.trained, wanted.types)
        if node.accounted:
            node.shape = model.variables.get(operation.name, ())
            node.own = _measured(operation, model, took)
    _account(root)
    root.accounted = True
    root.children = _begun(root.children, wanted.begin)
    root.children = _shown(root, wanted, 1)
    root.summed()
    _order(root, wanted)
    return root


def _placed(found: dict[str, ProfileNode], name: str) -> ProfileNode:
    """Return the node of a name, made with the scopes around it where they are not there."""
    if name not in found:
        found[name] = ProfileNode(name)
        _placed(found, name.rpartition("/")[0]).children.append(found[name])
    return found[name]


def _account(node: ProfileNode) -> bool:
    within = [_account(child) for child in node.children]
    node.accounted = node.accounted or any(within)
    return node.accounted


def _begun(nodes: list[ProfileNode], patterns: tuple[str, ...]) -> list[ProfileNode]:
    """Return the outermost nodes whose names match one of the patterns."""
    found = []
    for node in nodes:
        matched = matches(node.name, patterns)
        found.extend([node] if matched else _begun(node.children, patterns))
    return found


def _shown(node: ProfileNode, wanted: Wanted, depth: int) -> list[ProfileNode]:
    """Return what is told of below a node; what is not gives way to its own children."""
    found = []
    for child in [] if matches(node.name, wanted.trim) else node.children:
        below = _shown(child, wanted, depth + 1)
        if wanted.shows(child, depth):
            child.children = below
            found.append(child)
        else:
            found.extend(below)
    return found


def _order(node: ProfileNode, wanted: Wanted) -> None:
    node.children = wanted.sorted(node.children)
    for child in node.children:
        _order(child, wanted)


def by_type(model: Model, wanted: Wanted) -> ProfileNode:
    """Return one node for each type of operation, and what all of a type take together."""
    sums: dict[str, Measures] = defaultdict(Measures)
    took = _took(model.ran)
    for operation in model.operations:
        if _is_accounted(operation, model.trained, wanted.types):
            own = _measured(operation, model, took)
            sums[operation.type] = sums[operation.type].plus(own)
    root = ProfileNode(ROOT)
    for kind, own in sums.items():
        node = ProfileNode(kind, own, total=own, accounted=True)
        if wanted.shows(node, 1):
            root.children.append(node)
    root.children = wanted.sorted(root.children)
    root.summed()
    return root


def _is_accounted(
    operation: Any, trained: set[str], patterns: tuple[str, ...]
) -> bool:
    kinds = [operation.type, operation.device]
    if operation.name in trained:
        kinds.append(TRAINABLE)
    return any(matches(kind, patterns) for kind in kinds)


def _measured(
    operation: Any, model: Model, took: dict[str, tuple[int, int]]
) -> Measures:
    shape = model.variables.get(operation.name)
    parameters = 0 if shape is None else prod(shape)
    return Measures(
        parameters,
        float_operations(operation) or 0,
        *took.get(operation.name, (0, 0)),
    )


def _took(ran: Any) -> dict[str, tuple[int, int]]:
    """Return the microseconds and bytes of each node that a RunMetadata tells of."""
    found: dict[str, tuple[int, int]] = {}
    for device in () if ran is None else ran.step_stats.dev_stats:
        for node in device.node_stats:
            size = sum(x.total_bytes for x in node.memory)
            name = node.node_name.partition(":")[0]
            micros, before = found.get(name, (0, 0))
            found[name] = micros + node.all_end_rel_micros, max(before, size)
    return found


_UNITS = {"parameters": "params", "float_ops": "flops", "micros": "us", "bytes": "B"}


def scope_report(root: ProfileNode, select: tuple[str, ...]) -> list[str]:
    """Return the lines that show a tree of scopes; `select` names fields of `Measures`."""

    def lines(node: ProfileNode, depth: int) -> Iterable[str]:
        parts = ["x".join(map(str, node.shape))] if node.shape else []
        for name in select:
            own, total = getattr(node.own, name), getattr(node.total, name)
            mine = short(own) if own else "--"
            parts.append(f"{mine}/{short(total)} {_UNITS[name]}")
        yield f"{' ' * 2 * depth}{node.name} ({', '.join(parts)})"
        for child in node.children:
            yield from lines(child, depth + 1)

    heads = [_HEADS[name] for name in select]
    return [f"node name | {' | '.join(heads)}", *lines(root, 0)]


_HEADS = {
    "parameters": "# parameters",
    "float_ops": "# float_ops",
    "micros": "total execution time",
    "bytes": "requested bytes",
}


def type_report(root: ProfileNode, select: tuple[str, ...]) -> list[str]:
    """Return the lines that show types of operations, with their share of the whole."""
    lines = [f"node name | {' | '.join(_HEADS[name] for name in select)}"]
    left = dict.fromkeys(select, 1.0)
    for node in root.children:
        parts = []
        for name in select:
            own, whole = getattr(node.own, name), getattr(root.total, name) or 1
            share = f"({left[name]:.2%}, {own / whole:.2%})"
            left[name] -= own / whole
            parts.append(f"{short(own):>5} {_HEADS[name].lstrip('# ')} {share}")
        lines.append(f"{node.name:<25}{', '.join(parts)}")
    return lines


def short(number: int) -> str:
    """Return a number with few digits.

    >>> short(46656), short(904)
    ('46.66k', '904')
    """
    for unit, size in (("b", 10**9), ("m", 10**6), ("k", 10**3)):
        if number >= size:
            return f"{number / size:.2f}{unit}"
    return str(number)
