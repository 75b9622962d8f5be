"""The order in which Keras has the layers of a model: by how far they are from the outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.models import sketch


def by_depth(outputs: Any, inputs: Iterable[sketch.KerasTensor]) -> list[Any]:
    """Return the layers between inputs and outputs as Keras orders them: the deepest first.

    Layers of one depth stand in the order in which they are met on the way from the outputs.
    """
    starts = list(inputs)
    ends = {id(x) for x in starts}
    met: dict[int, tuple[int, Any]] = {}
    behind: list[sketch.Node] = []
    for x in nests.flatten(outputs):
        if sketch.is_leaf(x):
            _walk(x, ends, met, behind, set())
    for x in starts:
        met.setdefault(id(x.node.layer), (-1, x.node.layer))
    depths: dict[int, int] = {}
    of_layers: dict[int, int] = {}
    for node in reversed(behind):
        key = id(node.layer)
        depth = max(depths.get(id(node), 0), of_layers.get(key, 0))
        of_layers[key] = depths[id(node)] = depth
        if any(id(x) in ends for x in nests.flatten(node.outputs)):
            continue
        for x in node.parents():
            parent = id(x.node)
            depths[parent] = max(depth + 1, depths.get(parent, 0))
    order = sorted(met, key=lambda key: (-of_layers.get(key, 0), met[key][0]))
    return [met[key][1] for key in order]


def _walk(
    start: sketch.KerasTensor,
    ends: set[int],
    met: Any,
    behind: list[sketch.Node],
    seen: set[int],
) -> None:
    """Note the layers on the way from a tensor back, and the calls, each behind its parents."""
    done = {id(node) for node in behind}
    waiting: list[tuple[sketch.KerasTensor, bool]] = [(start, False)]
    while waiting:
        x, is_done = waiting.pop()
        node = x.node
        if is_done:
            if id(node) not in done:
                done.add(id(node))
                behind.append(node)
            continue
        if id(node) in done or id(node) in seen:
            continue
        seen.add(id(node))
        met.setdefault(id(node.layer), (len(met), node.layer))
        waiting.append((x, True))
        if id(x) not in ends:
            waiting += [(parent, False) for parent in reversed(node.parents())]
