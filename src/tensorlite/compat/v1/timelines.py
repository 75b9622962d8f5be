"""Timeline: what a run took, as a trace that Chrome and Perfetto show."""

from __future__ import annotations

import json
from typing import Any


class Timeline:
    """The nodes of a run on their devices, by the `step_stats` of a RunMetadata."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._devices = list(step_stats.dev_stats)

    def generate_chrome_trace_format(
        self,
        show_dataflow: bool = True,
        show_memory: bool = False,
        op_time: str = "schedule",
    ) -> str:
        """Return the trace as JSON; times are in microseconds."""
        events: list[dict[str, Any]] = []
        for number, device in enumerate(self._devices):
            told = {"name": device.device}
            events.append(
                {"ph": "M", "name": "process_name", "pid": number, "args": told}
            )
            events += [_event(number, node) for node in device.node_stats]
        return json.dumps({"traceEvents": events}, indent=4)


def _event(number: int, node: Any) -> dict[str, Any]:
    name, _, said = node.timeline_label.partition(" = ")
    kind = said.partition("(")[0] or name or node.node_name
    return {
        "ph": "X",
        "cat": "Op",
        "name": kind,
        "pid": number,
        "tid": int(node.thread_id),
        "ts": int(node.all_start_micros),
        "dur": int(node.all_end_rel_micros),
        "args": {"name": node.node_name, "op": kind},
    }
