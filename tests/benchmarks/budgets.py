"""The budgets of time, and the table that holds measurements against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FRAME_NODES = 11
"""Of a turn: Less, LoopCond, Mul, two AddV2; Merge, Switch, NextIteration for both variables."""
Times = dict[str, float]
"""Microseconds by the name of the case."""


@dataclass(frozen=True)
class Budget:
    """What is allowed: microseconds (milliseconds for imports) above something, and measured."""

    what: str
    allowed: float
    measured: float
    unit: str = "us"

    @property
    def row(self) -> str:
        """A line of the table, marked when over."""
        mark = "ok" if self.measured <= self.allowed else "OVER"
        return f"{self.what:<52} {self.measured:8.2f} {self.allowed:8.2f} {self.unit:<3} {mark}"


def budgets(t: Times, import_ms: float) -> list[Budget]:
    """Return every budget with what was measured."""
    chain = (t["chain, tape"] - t["numpy chain"]) / 10
    call = t["call"] - t["plan of one node"]
    turn = t["turn, structured"] - t["numpy turn"]
    frames = (t["turn, machine"] - t["numpy turn"]) / FRAME_NODES
    return [
        Budget("x + y eager, above NumPy's own call", 0.5, t["add"] - t["numpy add"]),
        Budget("the same under a tape, in a chain of ten", 2.0, chain),
        Budget(
            "a straight plan, above its kernels, a node",
            0.15,
            t["plan"] - t["kernels"],
        ),
        Budget("a loop turn, structured, above its 4 kernels", 1.5, turn),
        Budget("a loop turn, frames, above its kernels, a node", 0.8, frames),
        Budget("calling a traced function, above its plan", 8.0, call),
        Budget("tracing, a node", 10.0, t["trace"]),
        Budget("import tensorlite, above import numpy", 60.0, import_ms, "ms"),
    ]


ROWS = {
    "add": "x + y, 8 elements",
    "scaled": "x * 2.0, 8 elements",
    "sum": "the sum of 8 elements",
    "reshape": "8 elements in another shape",
    "chain": "ten operators",
    "chain, tape": "ten operators under a tape",
    "chain, gradient": "ten operators and their gradient",
    "call": "call of a traced x + y",
    "turn": "a turn of a traced loop",
    "turn, structured": "  runner structured",
    "turn, frames": "  runner frames (TensorFlow: v1 control flow)",
    "turn, machine": "  the same, by the machine for any graph",
    "turn, two devices": "  over two devices (TensorFlow: v1 too)",
    "step, eager": "a training step of a CNN, eager",
    "step, traced": "a training step of a CNN, traced",
}
BASES = {"add": "numpy add", "chain": "numpy chain", "chain, tape": "numpy chain"} | {
    "scaled": "numpy scaled",
    "sum": "numpy sum",
    "reshape": "numpy reshape",
    "chain, gradient": "numpy chain",
    "call": "numpy add",
    "turn": "numpy turn",
    "turn, structured": "numpy turn",
    "turn, frames": "numpy turn",
    "turn, machine": "numpy turn",
    "turn, two devices": "numpy turn",
}


def comparison(t: Times, others: dict[str, dict[str, Any]]) -> list[str]:
    """Return the lines of a table: microseconds, and how often NumPy's time that is."""
    t = {**t, "turn": t["turn, structured"]}
    heads = [
        "numpy",
        "tensorlite",
        *[f"{name} {found['version']}" for name, found in others.items()],
    ]
    lines = [
        f"{'microseconds (times NumPy)':<46}"
        + "".join(f"{head:>20}" for head in heads)
    ]
    for case, words in ROWS.items():
        base = t.get(BASES.get(case, ""))
        measured = [
            base,
            t.get(case),
            *[found.get(case) for found in others.values()],
        ]
        lines.append(
            f"{words:<46}" + "".join(f"{cell(value, base):>20}" for value in measured)
        )
    return lines


def cell(value: float | None, base: float | None) -> str:
    """Return one entry of the table."""
    if value is None:
        return "-"
    text = f"{value:.2f}" if value < 100 else f"{value:,.0f}"
    return text if base is None or base == value else f"{text} ({value / base:.1f}x)"
