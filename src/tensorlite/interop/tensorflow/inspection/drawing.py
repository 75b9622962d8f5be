"""A picture of a GraphDef: its name scopes as boxes, in the order in which data goes, as SVG.

It is drawn of the file itself, so that what cannot be read can be seen. What is in which box is
decided in scopes.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tensorlite.interop.tensorflow.inspection.scopes import Box, boxes, scope_of
from tensorlite.interop.tensorflow.records import Record

MOST = 36
"""How many boxes a picture has."""
LETTER, PAD = 6.6, 14
"""Pixels: how wide a letter is, and how much is left beside a text."""
HEIGHT, ACROSS, DOWN, MARGIN = 40, 26, 44, 24
"""Pixels: the height of a box, between boxes, between rows, around all."""
LONGEST = 34
"""Letters of a name that are shown; all are when the box is pointed at."""
ROUNDS = 6
"""How often rows are put in the order of what they are joined with."""
STYLE = (
    "text{font:12px sans-serif;fill:#222;text-anchor:middle}text.s{font-size:10px;fill:#555}"
    "rect.b{stroke:#777;stroke-width:.8}path{fill:none;stroke:#888}"
    "path.r{stroke:#c55;stroke-dasharray:4 3}text.k{text-anchor:start;font-size:11px}"
)
KINDS = {
    "input": "#cfe8cf",
    "variable": "#fbdcb4",
    "loop or conditional": "#cddff2",
    "not there": "#f4b6b6",
    "other": "#f4f4f4",
}
_INPUTS = {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"}
_VARIABLES = {"Variable", "VariableV2", "VarHandleOp"}
_CONTROL = {
    "Enter",
    "RefEnter",
    "Merge",
    "While",
    "StatelessWhile",
    "If",
    "StatelessIf",
}


def svg(records: Sequence[Record], absent: Collection[str] = ()) -> str:
    """Return the picture of nodes; `absent` names operators that are not there."""
    found = boxes(scope_of(records), MOST)
    picture = _Picture(found, _edges(found))
    width, height = picture.size()
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<style>{STYLE}</style><defs>{_TIP}</defs>",
        f'<rect {size} fill="#fff"/>',
        *picture.lines(),
        *[part for box in found for part in picture.box(box, _kind(box, absent))],
        *_legend(height),
        "</svg>",
    ]
    return "\n".join(parts)


_TIP = (
    '<marker id="t" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" '
    'orient="auto"><path d="M0 0L6 3L0 6z" style="fill:#888;stroke:none"/></marker>'
)


def _edges(found: Sequence[Box]) -> Counter[tuple[int, int]]:
    """Return how many tensors go from each box to each other."""
    place = {node.name: i for i, box in enumerate(found) for node in box.nodes}
    return Counter(
        [
            (place[x.node], i)
            for i, box in enumerate(found)
            for node in box.nodes
            for x in node.inputs
            if place.get(x.node, i) != i
        ]
    )


def _kind(box: Box, absent: Collection[str]) -> str:
    ops = {node.op for node in box.nodes}
    if ops & set(absent):
        return "not there"
    if ops & _INPUTS and ops <= {*_INPUTS, "Const"}:
        return "input"
    if ops & _CONTROL:
        return "loop or conditional"
    return "variable" if ops & _VARIABLES else "other"


@dataclass
class _Place:
    """Where a box is."""

    x: float
    y: float
    width: float


class _Picture:
    """Boxes in rows, each below those that it gets data from, where there is no way around."""

    def __init__(self, found: Sequence[Box], edges: Counter[tuple[int, int]]) -> None:
        self.found = found
        self.back = _back_edges(len(found), edges)
        self.edges = edges
        self.rows = self._rows()
        self.places: dict[int, _Place] = {}
        widths = [self._width(box) for box in found]
        totals = [
            sum(widths[i] for i in row) + ACROSS * len(row) for row in self.rows
        ]
        widest = max(totals, default=0.0)
        for number, row in enumerate(self.rows):
            x = MARGIN + (widest - totals[number]) / 2
            for i in row:
                y = MARGIN + number * (HEIGHT + DOWN)
                self.places[i] = _Place(x, y, widths[i])
                x += widths[i] + ACROSS

    def _width(self, box: Box) -> float:
        longest = max(len(_short(box.name)), len(box.operators) * 0.85, 6)
        return longest * LETTER + PAD

    def _rows(self) -> list[list[int]]:
        depth = dict.fromkeys(range(len(self.found)), 0)
        forward = [edge for edge in self.edges if edge not in self.back]
        for _ in self.found:
            for a, b in forward:
                depth[b] = max(depth[b], depth[a] + 1)
        rows: dict[int, list[int]] = defaultdict(list)
        for i, deep in depth.items():
            rows[deep].append(i)
        ordered = [rows[deep] for deep in sorted(rows)]
        for _ in range(ROUNDS):
            for row in ordered:
                self._order(row, ordered)
        return ordered

    def _order(self, row: list[int], rows: Sequence[list[int]]) -> None:
        """Put a row in the order of the middle of what each box is joined with."""
        across = {i: (k + 0.5) / len(one) for one in rows for k, i in enumerate(one)}
        joined = defaultdict(list)
        for a, b in self.edges:
            joined[a].append(across[b])
            joined[b].append(across[a])
        row.sort(key=lambda i: sum(joined[i]) / len(joined[i]) if joined[i] else 0.5)

    def size(self) -> tuple[float, float]:
        """Return width and height in pixels."""
        right = max([x.x + x.width for x in self.places.values()], default=200.0)
        return max(right + 2 * MARGIN, 560), MARGIN + len(self.rows) * (
            HEIGHT + DOWN
        ) + 20

    def box(self, box: Box, kind: str) -> Iterator[str]:
        """Return a box with its name, and what is in it."""
        place = self.places[self.found.index(box)]
        middle = place.x + place.width / 2
        count = f"{len(box.nodes)} nodes: " if box.is_scope else ""
        yield (
            f"<g><title>{escape(box.name)}\n{count}{escape(box.operators)}</title>"
            f'<rect class="b" x="{place.x:.1f}" y="{place.y:.1f}" width="{place.width:.1f}" '
            f'height="{HEIGHT}" rx="{8 if box.is_scope else 2}" fill="{KINDS[kind]}"/>'
            f'<text x="{middle:.1f}" y="{place.y + 17:.1f}">{escape(_short(box.name))}</text>'
            f'<text class="s" x="{middle:.1f}" y="{place.y + 31:.1f}">'
            f"{escape(box.operators)}</text></g>"
        )

    def lines(self) -> Iterator[str]:
        """Return the lines between boxes; the more tensors, the wider."""
        for (a, b), count in self.edges.items():
            start, end = self.places[a], self.places[b]
            x, z = start.x + start.width / 2, end.x + end.width / 2
            y, w = start.y + HEIGHT, end.y - 2
            kind = ""
            if (a, b) in self.back:
                kind, y, w = ' class="r"', start.y, end.y + HEIGHT + 2
            bend = DOWN * (0.7 if w > y else -0.7)
            width = 1 + min(count, 12) / 6
            yield (
                f'<path{kind} d="M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {z:.1f} {w - bend:.1f} '
                f'{z:.1f} {w:.1f}" style="stroke-width:{width:.1f}" marker-end="url(#t)"/>'
            )


def _back_edges(
    count: int, edges: Collection[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Return edges without which there are no circles: those back to what is being followed."""
    after = defaultdict(list)
    for a, b in sorted(edges):
        after[a].append(b)
    state = [0] * count
    back: set[tuple[int, int]] = set()
    targets = {b for _, b in edges}
    for start in sorted(range(count), key=lambda i: i in targets):
        waiting = [] if state[start] else [(start, iter(after[start]))]
        state[start] = state[start] or 1
        while waiting:
            here, rest = waiting[-1]
            there = next(rest, None)
            if there is None:
                state[here] = 2
                waiting.pop()
            elif state[there] == 1:
                back.add((here, there))
            elif state[there] == 0:
                state[there] = 1
                waiting.append((there, iter(after[there])))
    return back


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"...{name[3 - LONGEST :]}"


def _legend(height: float) -> Iterator[str]:
    x = float(MARGIN)
    for kind, colour in KINDS.items():
        y = height - 16
        place = f'x="{x:.0f}" y="{y - 9:.0f}" width="11" height="11"'
        yield f'<rect class="b" {place} fill="{colour}"/>'
        yield f'<text class="k" x="{x + 16:.0f}" y="{y:.0f}">{kind}</text>'
        x += len(kind) * 6 + 40
