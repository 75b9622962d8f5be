"""The table of a profile: what took how long, by operator, node, line or device."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.provenance import Line
from tensorlite.runtime.rows import Event

_KEYS: dict[str, Callable[[Event], str]] = {
    "op": lambda event: event.op,
    "node": lambda event: event.name,
    "line": lambda event: str(event.line),
    "device": lambda event: str(event.device),
}


@dataclass(frozen=True)
class TableRow:
    """What the table says of one operator, node, line or device. Times are in nanoseconds.

    >>> with tl.profiler.trace() as profile:
    ...     y = tl.exp(tl.zeros(1000))
    >>> row = profile.table()[0]
    >>> row.count, row.total >= row.own > 0
    (1, True)
    """

    key: str
    count: int
    """How often it ran."""
    total: int
    """How long, with what ran within: a loop has the time of its body."""
    own: int
    """How long, without that."""
    share: float
    """The part that `own` is of that of all rows, from 0 to 1."""
    nbytes: int
    """Of all that it gave."""
    line: Line
    """Where in the user's program the most of it was made, by time."""

    @property
    def mean(self) -> float:
        """How long it ran each time, on average."""
        return self.total / self.count


class Table(Sequence[TableRow]):
    """A profile's table: rows, those that took longest first, and the text of it.

    >>> with tl.profiler.trace() as profile:
    ...     y = tl.exp(tl.zeros(1000))
    >>> sorted(row.key for row in profile.table("op"))
    ['Exp', 'Fill']
    """

    def __init__(self, by: str, listed: Sequence[TableRow]) -> None:
        self.by = by
        self.rows = tuple(listed)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: Any) -> Any:
        return Table(self.by, self.rows[i]) if isinstance(i, slice) else self.rows[i]

    def __str__(self) -> str:
        head = (self.by, "count", "total ms", "own ms", "mean ms", "share", "bytes")
        lines: list[tuple[str, ...]] = [
            (*head, "" if self.by == "line" else "mostly from")
        ]
        lines += [
            (
                row.key,
                f"{row.count:,}",
                *[f"{x / 1e6:,.3f}" for x in (row.total, row.own, row.mean)],
                f"{row.share:.1%}",
                f"{row.nbytes:,}",
                "" if self.by == "line" else _short(row.line),
            )
            for row in self.rows
        ]
        wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join([_aligned(line, wide) for line in lines])

    __repr__ = __str__


def _aligned(cells: Sequence[str], wide: Sequence[int]) -> str:
    """Return a line of text: the first and the last column at the left, numbers at the right."""
    first, *numbers, last = [
        cell.ljust(w) if i == 0 else cell.rjust(w)
        for i, (cell, w) in enumerate(zip(cells, (*wide[:-1], 0), strict=True))
    ]
    return "  ".join([first, *numbers, last]).rstrip()


def _short(line: Line) -> str:
    """Return a line with the name of its file, but not of the folders."""
    return str(line._replace(file=Path(line.file).name))


def table_of(events: Sequence[Event], by: str) -> Table:
    """Return the table of `events`; InvalidArgumentError when there is none `by` that."""
    key = _KEYS.get(by)
    if key is None:
        listed = ", ".join(map(repr, _KEYS))
        raise InvalidArgumentError(f"table(by={by!r}); there are tables by {listed}")
    groups: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        groups[key(event)].append(event)
    whole = sum([event.own for event in events])
    found = [_row(name, group, whole) for name, group in groups.items()]
    return Table(by, sorted(found, key=lambda row: (-row.own, row.key)))


def _row(key: str, events: list[Event], whole: int) -> TableRow:
    lines: Counter[Line] = Counter()
    for event in events:
        lines[event.line] += event.own
    own = lines.total()
    return TableRow(
        key,
        len(events),
        sum([event.duration for event in events]),
        own,
        own / whole if whole else 0.0,
        sum([event.nbytes for event in events]),
        lines.most_common(1)[0][0],
    )
