"""The picture of a timeline: rows of boxes, arrows for transfers, an axis, as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tensorlite.core.device import DeviceName
from tensorlite.runtime.rows import Box, Event, Row
from tensorlite.runtime.timeline import Transfer

COLOURS = [
    *["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2"],
    *["#edc948", "#b07aa1", "#ff9da7", "#9c755f"],
]
"""For the operators that take longest, in that order; Tableau's, told apart by most eyes."""
REST, PYTHON = "#bab0ac", "#e8e8e8"
BAR, GAP, TOP = 18, 12, 34
"""Pixels: the height of a box, between rows, above them."""
NAMES, WIDEST = 22, 40
"""Letters: the column of names, and how wide it may become for names of tasks."""
LETTER = 6.2
CLEAR, FAINT = 0.8, 0.35
"""How strong colours are: of what works, and of what others work in, such as a loop."""
VISIBLE = 0.3
"""Boxes narrower than this are left out where they would lie on their neighbour."""
STYLE = (
    "text{font:11px sans-serif;fill:#222}.n{text-anchor:end}.m{text-anchor:middle}"
    "rect{stroke:#fff;stroke-width:.3}line{stroke:#ddd}"
    "path.a{fill:none;stroke:#444;stroke-width:.8;opacity:.7}"
)
ARROW = (
    '<defs><marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" '
    'orient="auto"><path d="M0 0L6 3L0 6z" fill="#444"/></marker></defs>'
)


def svg(rows: Sequence[Row], transfers: Sequence[Transfer], width: int) -> str:
    """Return the picture, `width` pixels wide; boxes tell what they are when pointed at."""
    picture = _Picture.of(rows, transfers, width)
    size = f'width="{width}" height="{picture.height}"'
    view = f'viewBox="0 0 {width} {picture.height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}>',
        f"<style>{STYLE}</style>{ARROW}",
        f'<rect {size} fill="#fff"/>',
        *picture.legend(),
        *picture.axis(),
        *[part for i in range(len(rows)) for part in picture.row(i)],
        *picture.arrows(transfers),
        "</svg>",
    ]
    return "\n".join(parts)


@dataclass(frozen=True)
class _Picture:
    """Where everything is, and in which colour."""

    rows: Sequence[Row]
    tops: list[int]
    colours: dict[str, str]
    begin: int
    end: int
    width: int
    height: int
    letters: int
    """The width of the column of names."""

    @staticmethod
    def of(
        rows: Sequence[Row], transfers: Sequence[Transfer], width: int
    ) -> _Picture:
        """Return the picture of rows and arrows."""
        boxes = [box for row in rows for box, _ in row.boxes]
        times = [
            *[time for box in boxes for time in (box.start, box.end)],
            *[time for x in transfers for time in (x.sent, x.received)],
        ]
        taken: Counter[str] = Counter()
        for box in boxes:
            if isinstance(box, Event):
                taken[box.op] += box.own
        ops = [op for op, _ in taken.most_common(len(COLOURS))]
        tops, y = [], TOP
        for row in rows:
            tops.append(y)
            y += row.depth * BAR + GAP
        begin, end = min(times, default=0), max(times, default=1)
        colours = dict(zip(ops, COLOURS, strict=False))
        if len(taken) > len(ops):
            colours["others"] = REST
        longest = max([len(row.name) for row in rows], default=0)
        letters = max(NAMES, min(longest, WIDEST, width // 20))
        return _Picture(
            rows, tops, colours, begin, max(end, begin + 1), width, y + 22, letters
        )

    @property
    def left(self) -> float:
        """Where time begins: beside the names."""
        return round(LETTER * self.letters + 13.6, 1)

    def x(self, time: float) -> float:
        """Return where a time lies."""
        room = self.width - self.left - 16
        return round(
            self.left + room * (time - self.begin) / (self.end - self.begin), 2
        )

    def legend(self) -> Iterator[str]:
        """Yield the colours and what they stand for, as far as there is room."""
        x = self.left
        for op, colour in self.colours.items():
            wide = LETTER * len(op) + 26
            if x + wide > self.width:
                return
            at = f'x="{x:.1f}" y="8" width="11" height="11"'
            yield f'<rect {at} fill="{colour}" fill-opacity="{CLEAR}"/>'
            yield f'<text x="{x + 15:.1f}" y="17.5">{escape(op)}</text>'
            x += wide

    def axis(self) -> Iterator[str]:
        """Yield lines at round times."""
        unit, factor = _unit(self.end - self.begin)
        every = _round((self.end - self.begin) / 8)
        bottom = self.height - 22
        for i in range(int((self.end - self.begin) / every) + 1):
            x = self.x(self.begin + i * every)
            yield f'<line x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{bottom}"/>'
            label = f"{i * every / factor:g} {unit}"
            yield f'<text class="m" x="{x}" y="{bottom + 14}">{label}</text>'

    def row(self, i: int) -> Iterator[str]:
        """Yield the name and the boxes of a row."""
        row, top = self.rows[i], self.tops[i]
        name = escape(_cut(row.name, self.letters))
        yield f'<text class="n" x="{self.left - 8}" y="{top + 13}">{name}</text>'
        drawn: dict[int, float] = {}
        for box, depth in row.boxes:
            left, right = self.x(box.start), self.x(box.end)
            if right - left >= VISIBLE or left >= drawn.get(depth, 0.0):
                right = max(right, left + VISIBLE)
                drawn[depth] = right
                yield self.box(box, left, right, top + depth * BAR)

    def box(self, box: Box, left: float, right: float, y: int) -> str:
        """Return one box, with its name if there is room."""
        fill, label, told, opacity = PYTHON, box.name, box.name, 1.0
        if isinstance(box, Event):
            fill, label = self.colours.get(box.op, REST), box.op
            opacity = FAINT if box.inside else CLEAR
            told = f"{box.name} ({box.op}), made at {box.line}"
        elif box.kind == "step":
            label = f"{box.name} {box.number}"
        wide = right - left
        unit, factor = _unit(box.end - box.start)
        took = f"{(box.end - box.start) / factor:.4g} {unit}"
        made = (
            f'<rect x="{left}" y="{y}" width="{wide:.2f}" height="{BAR - 1}" '
            f'fill="{fill}" fill-opacity="{opacity}">'
            f"<title>{escape(told)}: {took}</title></rect>"
        )
        if wide > LETTER * 4:
            text = escape(_cut(label, int((wide - 4) / LETTER)))
            made += f'<text x="{left + 3:.2f}" y="{y + 13}">{text}</text>'
        return made

    def arrows(self, transfers: Sequence[Transfer]) -> Iterator[str]:
        """Yield an arrow per transfer, from row to row; of equal ones, one."""
        place: dict[DeviceName, int] = {}
        for i, row in enumerate(self.rows):
            if row.device is not None:
                place.setdefault(row.device, i)
        seen = set()
        for x in transfers:
            if x.source not in place or x.target not in place:
                continue  # nothing ran there in the step that is shown
            a, b = place[x.source], place[x.target]
            down = b > a
            y1 = self.tops[a] + (self.rows[a].depth * BAR if down else 0)
            y2 = self.tops[b] + (0 if down else self.rows[b].depth * BAR)
            x1, x2, middle = self.x(x.sent), self.x(x.received), (y1 + y2) / 2
            path = f"M{x1:.1f} {y1}C{x1:.1f} {middle} {x2:.1f} {middle} {x2:.1f} {y2}"
            if path not in seen:
                seen.add(path)
                yield (
                    f'<path class="a" d="{path}" marker-end="url(#tip)">'
                    f"<title>{escape(x.name)}, {x.nbytes} bytes</title></path>"
                )


def _unit(duration: float) -> tuple[str, float]:
    """Return the unit in which a time of so many nanoseconds reads well, and its length."""
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if duration >= factor:
            return unit, factor
    return "ns", 1.0


def _round(duration: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, ..."""
    power = 10.0 ** (len(str(max(int(duration), 1))) - 1)
    return next((k * power for k in (1, 2, 5) if k * power >= duration), 10 * power)


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: max(letters - 1, 1)] + "…"
