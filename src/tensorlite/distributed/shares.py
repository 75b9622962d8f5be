"""Share: what one task does of a graph that is cut over tasks, and what it has been sent for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.remote import RemoteArray
from tensorlite.distributed.registered import Piece, task_of
from tensorlite.passes.partition import Division


class Share:
    """What one task does of a graph."""

    def __init__(self, task: str) -> None:
        self.task = task
        self.pieces: list[Piece] = []
        self.inputs: list[int] = []
        """Which inputs of the whole its feeds are."""
        self.fetches: list[tuple[int, int]] = []
        self.outputs: list[int] = []
        """Which outputs of the whole its fetches are."""
        self.staying: list[int] = []
        """Which of the feeds were captured, and are arrays that are the same in most runs."""
        self.sent: dict[int, tuple[Any, RemoteArray]] = {}
        """Those that the task has been sent, each with the handle of what it has."""
        self.last: tuple[int, list[Any], np.ndarray[Any, Any]] | None = None
        """What was sent last for variables alone: in which life of the cluster, references to the
        handles, and the bytes."""

    def again(self, life: int, given: Sequence[Any]) -> np.ndarray[Any, Any] | None:
        """Return the feeds as they were sent for the same handles, in the same life."""
        last = self.last
        if last is None or last[0] != life:
            return None
        for now, before in zip(given, last[1], strict=True):
            if now is not before():
                return None
        return last[2]


def shares_of(division: Division, home: str, arguments: int) -> dict[str, Share]:
    """Return what each task does; the inputs behind the `arguments` are what was captured."""
    parts: dict[str, Share] = {}
    places: dict[DeviceName, tuple[Share, int]] = {}
    for device, graph in division.graphs.items():
        task = task_of(device, home)
        part = parts.setdefault(task, Share(task))
        for i in division.inputs[device]:
            if i not in part.inputs:
                part.inputs.append(i)
        feeds = [part.inputs.index(i) for i in division.inputs[device]]
        for at, x in zip(feeds, graph.inputs, strict=True):
            stays = part.inputs[at] >= arguments and x.dtype.kind not in "RV"
            if stays and at not in part.staying:
                part.staying.append(at)
        places[device] = part, len(part.pieces)
        part.pieces.append((device, graph, feeds))
    for output, (device, i) in enumerate(division.outputs):
        part, piece = places[device]
        part.fetches.append((piece, i))
        part.outputs.append(output)
    return parts
