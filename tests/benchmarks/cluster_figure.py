"""The scaling curves as a picture: measured here, foretold to a thousand tasks, and the paper's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from tensorlite.placement import Messages
from tests.benchmarks import cluster_model
from tests.benchmarks.cluster_model import Curves
from tests.benchmarks.cluster_steps import MEGABYTES_5, SCALAR

WIDTH, HEIGHT = 300, 250
LEFT, TOP, BETWEEN = 52, 40, 62
COLOURS = ("#0b62a4", "#c44e00", "#2e7d32", "#7b3fa0", "#6d6d6d")
STYLE = """<style>
  text { font: 11px sans-serif; fill: #333; } .title { font-weight: bold; }
  .grid { stroke: #ddd; stroke-width: 1; } path { fill: none; stroke-width: 1.6; }
  .model { stroke-dasharray: 4 3; }
</style>"""


@dataclass(frozen=True)
class Line:
    """A curve of steps a second by workers; dots are measured, dashes foretold."""

    name: str
    points: Mapping[int, float]
    colour: str
    measured: bool


@dataclass(frozen=True)
class Panel:
    """Axes and their curves, both logarithmic."""

    title: str
    lines: Sequence[Line]

    def frame(self) -> tuple[float, float, float, float]:
        """Return the least and greatest powers of ten, of workers and of steps a second."""
        across = [n for line in self.lines for n in line.points]
        up = [rate for line in self.lines for rate in line.points.values()]
        return (
            0.0,
            math.log10(max(*across, 10)),
            math.floor(math.log10(min(up))),
            math.ceil(math.log10(max(up))),
        )


def svg(measured: Curves, costs: dict[str, Messages]) -> str:
    """Return the picture."""
    panels = [
        Panel("this machine: 2 servers, scalars", [*_here(measured, costs, 0)]),
        Panel("this machine: 2 servers, 5 MB each", [*_here(measured, costs, 1)]),
        Panel("ours, foretold: 16 servers, 10 Gbit/s", [*_extended(costs)]),
        Panel("OSDI'16, figure 6: synchronous", [*_paper()]),
    ]
    width = len(panels) * (WIDTH + BETWEEN) + LEFT
    keys = 18 * max(len(_keys(panel)) for panel in panels)
    height = TOP + HEIGHT + 46 + keys
    size = f'width="{width}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">',
        STYLE,
        f'<rect {size} fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        lines += _drawn(panel, LEFT + number * (WIDTH + BETWEEN))
    return "\n".join([*lines, "</svg>", ""])


def _here(measured: Curves, costs: dict[str, Messages], which: int) -> Iterator[Line]:
    """Yield what was measured with one size of the parameters, and the model's."""
    floats = (SCALAR, MEGABYTES_5)[which]
    colours = iter(COLOURS)
    for (who, size, mode), points in measured.items():
        if size != floats or not any(points.values()):
            continue
        colour = next(colours)
        yield Line(f"{who}, {mode}", points, colour, measured=True)
        if who in costs:
            model = {n: cluster_model.rate(size, mode, n, costs[who]) for n in points}
            yield Line(f"{who}, {mode}", model, colour, measured=False)


def _extended(costs: dict[str, Messages]) -> Iterator[Line]:
    for colour, (floats, mode, points) in zip(
        COLOURS, cluster_model.extended(costs), strict=False
    ):
        size = "scalars" if floats == 1 else "5 MB each"
        yield Line(f"{size}, {mode}", points, colour, measured=False)


def _paper() -> Iterator[Line]:
    for colour, (name, (size, rows, points)) in zip(
        COLOURS, cluster_model.FIGURE_6.items(), strict=False
    ):
        yield Line(name, points, colour, measured=True)
        model = {
            n: cluster_model.paper(size, rows, n) for n in (1, 5, 10, 25, 50, 100)
        }
        yield Line(name, model, colour, measured=False)


def _keys(panel: Panel) -> dict[str, str]:
    return {line.name: line.colour for line in panel.lines}


def _drawn(panel: Panel, left: float) -> Iterator[str]:
    """Yield a panel's elements."""
    _, wide, low, high = panel.frame()

    def x(workers: float) -> float:
        return left + WIDTH * math.log10(workers) / wide

    def y(rate: float) -> float:
        return TOP + HEIGHT * (high - math.log10(rate)) / (high - low)

    yield f'<text class="title" x="{left}" y="{TOP - 16}">{escape(panel.title)}</text>'
    for power in range(int(low), int(high) + 1):
        at = y(10.0**power)
        yield f'<path class="grid" d="M{left},{at:.1f}h{WIDTH}"/>'
        yield f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{_amount(power)}</text>'
    for workers in _ticks(10**wide):
        at = x(workers)
        yield f'<path class="grid" d="M{at:.1f},{TOP}v{HEIGHT}"/>'
        yield (
            f'<text x="{at:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">'
            f"{workers:,}</text>"
        )
    yield (
        f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 32}" text-anchor="middle">'
        "workers (steps a second upwards)</text>"
    )
    for line in panel.lines:
        places = [(x(n), y(rate)) for n, rate in line.points.items()]
        yield from _curve(line, places)
    for number, (name, colour) in enumerate(_keys(panel).items()):
        at = TOP + HEIGHT + 54 + 18 * number
        yield f'<circle cx="{left + 6}" cy="{at - 4}" r="4" fill="{colour}"/>'
        yield f'<text x="{left + 18}" y="{at}">{escape(name)}</text>'


def _curve(line: Line, places: Iterable[tuple[float, float]]) -> Iterator[str]:
    if line.measured:
        for across, up in places:
            yield f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3.5" fill="{line.colour}"/>'
        return
    path = "L".join(f"{across:.1f},{up:.1f}" for across, up in places)
    yield f'<path class="model" d="M{path}" stroke="{line.colour}"/>'


def _ticks(most: float) -> list[int]:
    """Return workers to be marked."""
    if most > 10:
        return [n for n in (1, 10, 100, 1000) if n <= most * 1.01]
    return [1, 2, 4, 8]


def _amount(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"
