"""The name scopes of a GraphDef: what is in each, as a tree, and which of them to show.

Pictures of them are drawn in drawing.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tensorlite.interop.tensorflow.records import Record

_HIDDEN = {"Const", "NoOp"}
SHOWN = 12
"""How many members of a scope are listed."""
DEEP = 3
"""How many scopes within each other are listed."""
LEAST = 4
"""How many nodes a scope has that is listed."""


@dataclass
class Scope:
    """A name scope: nodes, and scopes within."""

    name: str
    nodes: list[Record] = field(default_factory=list)
    """All nodes in there, at any depth."""
    own: list[Record] = field(default_factory=list)
    """Those that are in no scope further down."""
    within: dict[str, Scope] = field(default_factory=dict)

    def split(self) -> tuple[list[Scope], list[Record]]:
        """Return the scopes within that are worth a name, and all other nodes."""
        large = [one for one in self.within.values() if len(one.nodes) >= LEAST]
        large.sort(key=lambda one: -len(one.nodes))
        small = [one for one in self.within.values() if len(one.nodes) < LEAST]
        return large, [*self.own, *[node for one in small for node in one.nodes]]

    @property
    def size(self) -> int:
        """The bytes of the constants in there."""
        return sum([size_of(one) for one in self.nodes])

    def operators(self, most: int = 4) -> str:
        """Return the operators in there, those that are there most often."""
        counts = Counter([one.op for one in self.nodes])
        listed = [
            f"{op} {count}" if count > 1 else op for op, count in counts.most_common()
        ]
        return ", ".join(listed[:most]) + ", ..." * (len(listed) > most)


def size_of(record: Record) -> int:
    """Return how many bytes the constant of a node takes in the file."""
    return int(record.proto.attr["value"].ByteSize()) if record.op == "Const" else 0


def scope_of(records: Sequence[Record]) -> Scope:
    """Return the scope that has all nodes. A node that a scope is named as is in there."""
    whole = Scope("")
    prefixes = {
        one.name[:i] for one in records for i, x in enumerate(one.name) if x == "/"
    }
    for record in records:
        *parts, last = record.name.split("/")
        if record.name in prefixes:
            parts.append(last)
        here = whole
        here.nodes.append(record)
        for part in parts:
            name = f"{here.name}/{part}" if here.name else part
            here = here.within.setdefault(part, Scope(name))
            here.nodes.append(record)
        here.own.append(record)
    return whole


def tree(scope: Scope, depth: int = 0) -> Iterator[str]:
    """Return the lines of a tree of scopes, the largest first."""
    inner, _ = scope.split()
    for one in inner[:SHOWN]:
        indent = "  " * (depth + 1)
        size = f", {one.size:,} bytes" if one.size > 1024 else ""
        last = one.name.rpartition("/")[2]
        yield f"{indent}{last}/ ({len(one.nodes)} nodes{size}): {one.operators()}"
        if depth + 1 < DEEP:
            yield from tree(one, depth + 1)
    if len(inner) > SHOWN:
        yield f"{'  ' * (depth + 1)}and {len(inner) - SHOWN} more"


@dataclass
class Box:
    """What is one box of a picture: a scope, or a node by itself."""

    name: str
    nodes: list[Record]
    operators: str

    @property
    def is_scope(self) -> bool:
        """Whether it stands for a scope."""
        return len(self.nodes) > 1 or self.nodes[0].name != self.name


def boxes(whole: Scope, most: int) -> list[Box]:
    """Return at most so many boxes, for all but lone constants.

    Scopes are opened as long as there is room, the largest first.
    """
    shown = [*whole.within.values()]
    lone = [one for one in whole.own if one.op not in _HIDDEN]
    opened = _largest(shown)
    while opened is not None:
        inner, own = opened.split()
        if len(shown) + len(inner) + len(lone) > most:
            break
        shown.remove(opened)
        shown += inner
        if own:
            shown.append(Scope(opened.name, own, own))
        opened = _largest(shown)
    found = [Box(one.name, one.nodes, one.operators(2)) for one in shown]
    found += [Box(one.name, [one], one.op) for one in lone]
    found.sort(key=lambda box: -len(box.nodes))
    rest = [node for box in found[most:] for node in box.nodes]
    if not rest:
        return found
    name = f"{len(found) - most} more"
    return [*found[:most], Box(name, rest, Scope(name, rest).operators(2))]


def _largest(shown: Sequence[Scope]) -> Scope | None:
    closed = [one for one in shown if one.split()[0]]
    return max(closed, key=lambda one: len(one.nodes), default=None)
