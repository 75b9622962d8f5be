"""The diary of a traced function: why each trace was made, what it cost, how to avoid it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tensorlite.core.errors import RetraceWarning, SideEffectWarning
from tensorlite.core.provenance import Line
from tensorlite.core.spec import TensorSpec
from tensorlite.function.signature import Arguments, generalised, told

MANY = 5


@dataclass(frozen=True)
class Trace:
    """One trace of a function."""

    reason: str
    """Which arguments changed, and how; for the first trace, that it is the first."""
    argument: str
    """The path of the first argument that changed; empty for the first trace."""
    old: str
    new: str
    line: Line
    """The line of the call that made the trace."""
    milliseconds: float
    nodes: int
    avoided_by: str
    """The signature that would have made this trace unnecessary; empty if there is none."""
    arguments: Arguments


class Traces(list[Trace]):
    """The traces of a function, oldest first; printed as a table."""

    def __repr__(self) -> str:
        head = ("#", "ms", "nodes", "called at", "why")
        rows = [head, *(self._row(i, trace) for i, trace in enumerate(self, 1))]
        widths = [max(len(row[i]) for row in rows) for i in range(len(head) - 1)]
        lines = []
        for row, trace in zip(rows, [None, *self], strict=True):
            cells = [
                cell.ljust(width) for cell, width in zip(row, widths, strict=False)
            ]
            lines.append("  ".join([*cells, row[-1]]).rstrip())
            if trace is not None and trace.avoided_by:
                indent = " " * (sum(widths) + 2 * len(widths))
                lines.append(f"{indent}avoided by {trace.avoided_by}")
        return "\n".join(lines)

    __str__ = __repr__

    @staticmethod
    def _row(number: int, trace: Trace) -> tuple[str, ...]:
        place = f"{trace.line.file.rsplit('/', 1)[-1]}:{trace.line.number}"
        return (
            str(number),
            f"{trace.milliseconds:.1f}",
            str(trace.nodes),
            place,
            trace.reason,
        )


def explain(known: Sequence[Trace], new: Arguments) -> tuple[str, str, str, str, str]:
    """Return reason, argument, old and new part, and remedy of a trace for new arguments."""
    if not known:
        return "first trace", "", "", "", ""
    nearest = max(known, key=lambda trace: _likeness(trace.arguments, new))
    old = nearest.arguments
    if old.device != new.device:
        return "another device scope", "", str(old.device), str(new.device), ""
    if old.shape != new.shape:
        return (
            "the structure of the arguments changed",
            "",
            str(old.paths),
            str(new.paths),
            "",
        )
    differ = [
        (path, a, b)
        for path, a, b in zip(new.paths, old.parts, new.parts, strict=True)
        if a != b
    ]
    if not differ:
        return "traced for another context", "", "", "", ""
    listed = "; ".join(f"{path}: {told(a)} -> {told(b)}" for path, a, b in differ)
    path, a, b = differ[0]
    return listed, path, told(a), told(b), _remedy(old, new)


def _likeness(old: Arguments, new: Arguments) -> int:
    if old.shape != new.shape:
        return -1
    return sum(a == b for a, b in zip(old.parts, new.parts, strict=True))


def _remedy(old: Arguments, new: Arguments) -> str:
    parts = generalised(old.parts, new.parts)
    if parts is None:
        return ""
    if all(isinstance(part, TensorSpec) for part in parts):
        listed = ", ".join(
            f"tl.TensorSpec({part.shape}, {part.dtype!r})" for part in parts
        )
        return f"input_signature=[{listed}], or reduce_retracing=True"
    return "reduce_retracing=True"


def warn_of_many(name: str, traces: Traces) -> None:
    """Warn that a function is traced again and again, saying why it was the last time."""
    if len(traces) < MANY or len(traces) % MANY:
        return
    last = traces[-1]
    remedy = f" It is avoided by {last.avoided_by}." if last.avoided_by else ""
    text = (
        f"{name} was traced {len(traces)} times; this time because {last.reason}.{remedy} "
        f"{name}.traces() lists them all"
    )
    warnings.warn_explicit(text, RetraceWarning, last.line.file, last.line.number)


def warn_of_effects(name: str, seen: Sequence[tuple[str, int]], called: Line) -> None:
    """Warn of writes to Python's state that happened while tracing, and will not happen again.

    The warning is of the first one's line; where that is not known, of the line of the call.
    """
    if not seen:
        return
    listed = ", ".join(
        f"{what} (line {line})" if line else what for what, line in seen
    )
    text = (
        f"{name} does to Python's state, once per trace and not at each call: {listed}. Use "
        "tl.Variable for state, tl.print to print, or return the value"
    )
    warnings.warn_explicit(
        text, SideEffectWarning, called.file, seen[0][1] or called.number
    )


def size_of(graph: Any) -> int:
    """Return the number of nodes in a graph and its inner graphs."""
    return sum(
        1
        + sum(
            size_of(inner)
            for inner in node.op.regions()
            if node.op.name != "PartitionedCall"
        )
        for node in graph.nodes
    )
