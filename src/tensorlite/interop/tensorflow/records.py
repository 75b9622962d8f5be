"""Nodes of a GraphDef before they are believed: their names, what they use, and in which order.

Nothing is made of them here; that is reading.py's business.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any

from tensorlite.core.errors import CycleError, GraphDefError, NameClashError
from tensorlite.interop.tensorflow.attributes import value_of
from tensorlite.interop.tensorflow.signatures import Signature, signature_of

_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_MERGES = {"Merge", "RefMerge"}
_NEXT = {"NextIteration", "RefNextIteration"}


@dataclass(frozen=True)
class Source:
    """An output of a node: by number, or in functions by the output's name and number."""

    node: str
    output: int = 0
    name: str = ""

    def __str__(self) -> str:
        return f"{self.node}{f':{self.name}' * bool(self.name)}:{self.output}"


@dataclass(frozen=True)
class Record:
    """A node of a GraphDef."""

    name: str
    op: str
    inputs: tuple[Source, ...]
    control: tuple[str, ...]
    device: str
    place: int
    proto: Any

    @cached_property
    def signature(self) -> Signature | None:
        """What is known of the operator."""
        return signature_of(self.op)

    @cached_property
    def given(self) -> dict[str, Any]:
        """The attributes that are written, but for those that other programs keep for themselves.

        Those that are read only by their own name, such as a tensor, are read when asked for.
        """
        return {key: x for key, x in self.proto.attr.items() if key[:1] != "_"}

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The values of the attributes, defaults where nothing is written."""
        signature = self.signature
        known = {} if signature is None else signature.attributes
        found = {key: one.default for key, one in known.items() if one.is_optional}
        for key, proto in self.given.items():
            try:
                found[key] = value_of(proto)
            except GraphDefError as error:
                raise type(error)(f"{self}: its attribute {key!r}: {error}") from None
        return found

    def __str__(self) -> str:
        return f"{self.name} ({self.op})"


def records_of(nodes: Iterable[Any], arguments: Iterable[str] = ()) -> list[Record]:
    """Return nodes, each after what it uses, and otherwise in the order in which they are given.

    `arguments` are names that may be used beside theirs. GraphDefError for names that are no names
    or are taken twice, for uses of what is not there, and for circles without a NextIteration.
    """
    records = [_record(i, proto) for i, proto in enumerate(nodes)]
    known = {one.name: one for one in records}
    _check_names(records, known, arguments)
    return _ordered(records, known)


def _record(place: int, proto: Any) -> Record:
    inputs: list[Source] = []
    control: list[str] = []
    for given in proto.input:
        if given.startswith("^"):
            control.append(given[1:])
        elif control:
            raise GraphDefError(
                f"{proto.name} ({proto.op}): the input {given!r} comes after control inputs"
            )
        else:
            inputs.append(_source(given, proto))
    return Record(
        proto.name,
        proto.op,
        tuple(inputs),
        tuple(dict.fromkeys(control)),
        proto.device,
        place,
        proto,
    )


def _source(given: str, proto: Any) -> Source:
    node, *rest = given.split(":")
    number = rest.pop() if rest else "0"
    if len(rest) > 1 or not number.isdecimal() or len(number) > 9 or not node:
        raise GraphDefError(
            f"{proto.name} ({proto.op}): {given!r} names no output; allowed are 'node' and 'node:1'"
        )
    return Source(node, int(number), rest[0] if rest else "")


def _check_names(
    records: Sequence[Record], known: dict[str, Record], arguments: Iterable[str]
) -> None:
    for record in records:
        if not _NAME.fullmatch(record.name):
            raise GraphDefError(f"{record.name[:80]!r} is no name of a node")
        if not record.op:
            raise GraphDefError(f"{record.name} has no operator")
    if len(known) < len(records):
        name, times = Counter(one.name for one in records).most_common(1)[0]
        raise NameClashError(f"{times} nodes are named {name!r}")
    there = {*known, *arguments}
    for record in records:
        for source in (*[x.node for x in record.inputs], *record.control):
            if source not in there:
                raise GraphDefError(
                    f"{record} uses {source!r}, and there is no such node"
                )


def _ordered(records: Sequence[Record], known: dict[str, Record]) -> list[Record]:
    before = {one.name: _needed(one, known) for one in records}
    after: dict[str, list[Record]] = {one.name: [] for one in records}
    for record in records:
        for source in before[record.name]:
            after[source].append(record)
    left = {name: len(sources) for name, sources in before.items()}
    ready = [(one.place, one) for one in records if not left[one.name]]
    heapify(ready)
    done: list[Record] = []
    while ready:
        _, record = heappop(ready)
        done.append(record)
        for one in after[record.name]:
            left[one.name] -= 1
            if not left[one.name]:
                heappush(ready, (one.place, one))
    if len(done) < len(records):
        raise _circle(before, {name for name, count in left.items() if count})
    return done


def _needed(record: Record, known: dict[str, Record]) -> set[str]:
    """Return the nodes that must be made before one: all that it uses, but for back edges."""
    is_merge = record.op in _MERGES
    found = {
        x.node
        for x in record.inputs
        if x.node in known and not (is_merge and known[x.node].op in _NEXT)
    }
    return found | {name for name in record.control if name in known}


def _circle(before: dict[str, set[str]], left: set[str]) -> CycleError:
    name, path = min(left), dict[str, None]()
    while name not in path:
        path[name] = None
        name = min(before[name] & left)
    listed = list(path)
    circle = listed[listed.index(name) :]
    shown = ", ".join(circle[:5]) + ", ..." * (len(circle) > 5)
    return CycleError(
        f"{len(circle)} nodes use each other in a circle without a NextIteration: {shown}"
    )


def groups_of(records: Sequence[Record]) -> dict[str, str]:
    """Return the group of each node that is to be placed beside others."""
    beside: dict[str, str] = {}
    for record in records:
        for one in (
            record.proto.attr["_class"].list.s
            if "_class" in record.proto.attr
            else ()
        ):
            if one.startswith(b"loc:@"):
                beside[record.name] = one[5:].decode(errors="replace")
    found: dict[str, str] = {}
    for name, first in beside.items():
        seen, end = {name}, first
        while end in beside and beside[end] not in seen:
            seen.add(end)
            end = beside[end]
        found[name] = found[end] = end
    return found
