"""What ran, as TensorBoard's graph page shows it: RunMetadata with times, bytes and devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

from tensorlite.core.device import DeviceName
from tensorlite.graph.graph import Graph
from tensorlite.ops.summaries.event_messages import message
from tensorlite.train.summaries.pages import page_of, shown_names


class Ran(Protocol):
    """One run of an operator; times are in nanoseconds."""

    @property
    def name(self) -> str: ...
    @property
    def op(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def device(self) -> DeviceName: ...
    @property
    def thread(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def nbytes(self) -> int: ...


Names: TypeAlias = "dict[tuple[str, str, str], str]"
"""Names of nodes as shown, by the name of what they lie within, their own, and their operator's."""


def run_metadata(ran: Iterable[Ran], graphs: Sequence[Graph] = ()) -> Any:
    """Return a RunMetadata message: what ran on each device, how long, how large its outputs were.

    What ran several times, as in a loop, is told once, with the time of all. With the graphs that
    it belongs to, what ran in branches and loops has the names that `page_of` gives, and the graphs
    are part of the message.

    >>> with tl.profiler.trace() as profile:
    ...     x = tl.ones(2)
    >>> run_metadata(profile.events).step_stats.dev_stats[0].node_stats[0].node_name
    'Fill'
    """
    proto = message("RunMetadata")()
    for graph in graphs:
        page = page_of(graph)
        proto.function_graphs.add(pre_optimization_graph=page)
        proto.partition_graphs.add().CopyFrom(page)
    names = _names(graphs)
    stats: dict[str, dict[str, Any]] = {}
    threads: dict[int, int] = defaultdict(lambda: len(threads))
    around: dict[int, list[tuple[int, str]]] = defaultdict(list)
    # What runs within something begins after it, or with it and ends before.
    for event in sorted(ran, key=lambda x: (x.start, -x.end)):
        above = around[event.thread]
        while above and above[-1][0] < event.end:
            above.pop()
        outer = above[-1][1] if above else ""
        name = names.get((outer, event.name, event.op), event.name)
        above.append((event.end, name))
        device = str(event.device) or "/device:CPU:0"
        if device not in stats:
            stats[device] = {}
            proto.step_stats.dev_stats.add(device=device)
        # TensorBoard takes the time from the first start to the last end: so there is one of each.
        known = stats[device].get(name)
        if known is None:
            here = proto.step_stats.dev_stats[list(stats).index(device)].node_stats
            known = stats[device][name] = here.add(
                node_name=name,
                all_start_micros=event.start // 1000,
                all_start_nanos=event.start,
                thread_id=threads[event.thread],
                timeline_label=f"{name} = {event.op}",
            )
            known.memory.add(allocator_name="cpu")
        _add(known, event)
    return proto


def _add(stats: Any, event: Ran) -> None:
    """Add one run of a node to what is told of it."""
    stats.op_end_rel_nanos += event.end - event.start
    stats.all_end_rel_nanos = stats.op_end_rel_nanos
    stats.op_end_rel_micros = max(1, round(stats.op_end_rel_nanos / 1000))
    stats.all_end_rel_micros = stats.op_end_rel_micros
    stats.memory[0].total_bytes = max(stats.memory[0].total_bytes, event.nbytes)


def _names(graphs: Sequence[Graph]) -> Names:
    names: Names = {}
    for graph in graphs:
        outer: dict[Any, str] = {}
        for name, node, around in shown_names(graph):
            outer[node] = name
            within = outer[around[-1]] if around else ""
            names.setdefault((within, node.name, node.op.name), name)
    return names
