"""What tests of partition share: graphs cut in parts, and compared with themselves in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.core.xp import CPU
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.manual import ManualGraph
from tensorlite.passes.partition import Division, divide
from tensorlite.passes.verify import verify
from tensorlite.runtime.parts import Parts, part_of, run_parts
from tensorlite.runtime.step import execute

SCALAR = tl.TensorSpec((), tl.float32)
FLAG = tl.TensorSpec((), tl.bool)
Array = np.ndarray[Any, Any]


def at(device: int) -> Any:
    """Return the scope of a CPU device."""
    return tl.device(f"/device:CPU:{device}")


def value(x: float) -> Array:
    return np.asarray(x, np.float32)


def true(x: bool) -> Array:
    return np.asarray(x)


def settled(graph: Graph) -> Graph:
    """Return a graph whose inputs are given on the first device, if nothing else is said."""
    for x in graph.inputs:
        if x.node.device.kind is None:
            x.node.device = CPU
    return graph


def cut(graph: Graph, fetches: Sequence[Any] = ()) -> Division:
    """Return the parts of a graph, after checking what holds for any."""
    graph.outputs = [*graph.outputs, *fetches]
    division = divide(verify(settled(graph)))
    sends: list[tuple[str, Any, Any]] = []
    recvs: list[tuple[str, Any, Any]] = []
    for device, part in division.graphs.items():
        verify(part)
        for node in part.nodes:
            assert node.device == device
            if node.op.name in {"Send", "Recv"}:
                given = node.op.attributes()
                key = (
                    given["tensor_name"],
                    given["send_device"],
                    given["recv_device"],
                )
                (sends if node.op.name == "Send" else recvs).append(key)
                assert device == given[f"{node.op.name.lower()}_device"]
                assert key[1] != key[2]
    assert len(set(sends)) == len(sends)
    assert sorted(map(str, sends)) == sorted(map(str, recvs))
    return division


def parts(graph: Graph, division: Division) -> Parts:
    """Return the step that the parts of a graph make."""
    devices = list(division.graphs)
    return Parts(
        graph.name,
        len(graph.inputs),
        tuple(
            [part_of(g, d, division.inputs[d]) for d, g in division.graphs.items()]
        ),
        tuple([(devices.index(device), i) for device, i in division.outputs]),
    )


def check(
    graph: ManualGraph, feeds: dict[Any, Array], fetches: Sequence[Any]
) -> Division:
    """Compare a graph cut in parts, in several orders of things, with the graph in one."""
    expected = execute(graph, feeds, fetches)
    division = cut(graph, fetches)
    step = parts(graph, division)
    arrays = [feeds[x] for x in graph.inputs]
    assert run_parts(step, arrays) == expected
    for seed in range(5):
        with tl.debugging.faults(seed):
            assert run_parts(step, arrays) == expected
    graph.outputs = []
    return division


def names(division: Division, device: int) -> Counter[str]:
    """Return how often each operator is on a device."""
    found = {str(d): g for d, g in division.graphs.items()}
    graph = found.get(f"/device:CPU:{device}")
    return Counter([node.op.name for node in graph.nodes] if graph else ())


def of_kind(division: Division, name: str) -> list[Node]:
    """Return the nodes of an operator, on all devices."""
    return [n for g in division.graphs.values() for n in g.nodes if n.op.name == name]
