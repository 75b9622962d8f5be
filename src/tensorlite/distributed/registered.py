"""Registered: a task's part of a graph as its client registered it, ready to be run many times."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorlite.core.device import DeviceName, local
from tensorlite.core.errors import ProtocolError
from tensorlite.core.op import Effect, Role
from tensorlite.core.xp import Array
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import Graph
from tensorlite.graph.wire import from_bytes, to_bytes
from tensorlite.ops.control.effects import Print, PrintPieces, PrintV2
from tensorlite.ops.control.transfer import Recv, Send
from tensorlite.runtime.memory import size_of
from tensorlite.runtime.parts import Part, part_of
from tensorlite.runtime.plan import CONTROL, PRIMITIVE, Plan, Task
from tensorlite.runtime.rendezvous import name_of

_HEAD = struct.Struct("<Q")
LIGHT = 1 << 18
"""Bytes that the kernels of a plan may read and write in all for it to run at once."""


class Route(NamedTuple):
    """Where a transfer goes to or comes from."""

    task: str
    is_variant: bool
    """Whether it is of lists or bundles, which are packed to travel."""


Routes: TypeAlias = Mapping[str, Route]


class Registered:
    """One task's part of a step, whoever runs it."""

    def __init__(
        self,
        name: str,
        parts: tuple[Part, ...],
        fetches: tuple[tuple[int, int], ...],
        routes: Routes,
    ) -> None:
        self.name = name
        self.parts = parts
        self.fetches = fetches
        """For each value fetched: the part, and which of its fetches."""
        self.routes = routes
        """For the name of each transfer with another task: that task, and what goes."""
        self.is_light = all(_is_light(part.plan) for part in parts)
        """Whether it is quick enough to run on a thread that has other things to do."""
        self.goes_straight_on = len(parts) == 1 and _goes_straight_on(
            parts[0], routes
        )
        """Whether relay.py can run it."""
        self.is_alone = len(parts) == 1 and not routes and _waits_not(parts[0].plan)
        """Whether it is one plan that neither meets others nor waits."""


def _waits_not(plan: Plan) -> bool:
    return not (plan.may_wait or plan.has_primitives)


def _is_light(plan: Plan) -> bool:
    """Return whether a plan surely takes not long, as far as the sizes of its values tell."""
    return is_light(plan, plan.tasks)


def is_light(plan: Plan, tasks: Sequence[Task]) -> bool:
    """Return whether some tasks of a plan surely take not long."""
    total = 0
    for task in tasks:
        if _moves(task.op.role):
            continue
        if task.op.role in CONTROL or task.op.effect is Effect.IO:
            return False
        for slot in (*task.inputs, *task.outputs):
            size = bytes_in(plan, slot)
            if size is None:
                return False
            total += size
    return total <= LIGHT


def bytes_in(plan: Plan, slot: int) -> int | None:
    """Return the bytes of the value in a slot, None when they are unknown; state has none."""
    spec = plan.specs[slot]
    return 0 if spec.dtype.kind in "RV" else size_of(spec)


def _goes_straight_on(part: Part, routes: Routes) -> bool:
    """Return whether a plan is of the CPU alone, and waits for nothing but other tasks' values.

    What is printed is waited for, too.
    """
    plan = part.plan
    if part.device.kind != "CPU" or plan.moved or plan.is_scattered:
        return False
    for task in plan.tasks:
        role = task.op.role
        if role in CONTROL or role in PRIMITIVE or role is Role.ASYNC:
            return False
        if isinstance(task.op, (Print, PrintPieces, PrintV2)):
            return False
        if _moves(role):
            route = routes.get(name_of(task.op))
            if route is None or route.is_variant:
                return False
    return True


def _moves(role: Role) -> bool:
    return role in (Role.SEND, Role.RECV)


Piece = tuple[DeviceName, Graph, Sequence[int]]
"""A device, its graph, and which feeds of the task its inputs are."""


def routes_of(pieces: Sequence[Piece], home: str) -> dict[str, Route]:
    """Return, for each transfer of one task's graphs with another, that task.

    A device without a job is one of the client, which is `home`.
    """
    own = {task_of(device, home) for device, _, _ in pieces}
    routes: dict[str, Route] = {}
    for _, graph, _ in pieces:
        for node in graph.nodes:
            op = node.op
            if isinstance(op, Send | Recv):
                ends = op.send_device, op.recv_device
                other = task_of(ends[isinstance(op, Send)], home)
                if other not in own:
                    spec = op.spec if isinstance(op, Recv) else node.inputs[0].spec
                    routes[name_of(op)] = Route(other, spec.dtype.kind == "V")
    return routes


def task_of(device: DeviceName, home: str) -> str:
    """Return the task of a device; one without a job is the client's."""
    if device.job is None:
        return home
    return f"/job:{device.job}/task:{device.task or 0}"


def assembled(
    name: str,
    pieces: Sequence[Piece],
    fetches: Sequence[tuple[int, int]],
    routes: Routes,
) -> Registered:
    """Return the part of a task, compiled."""
    parts = [
        part_of(graph, local(device.kind or "CPU", device.index or 0), feeds)
        for device, graph, feeds in pieces
    ]
    return Registered(name, tuple(parts), tuple(fetches), dict(routes))


def packed(
    name: str,
    pieces: Sequence[Piece],
    fetches: Sequence[tuple[int, int]],
    routes: Routes,
) -> np.ndarray[Any, Any]:
    """Return what a task is to register, as bytes; GraphError for what cannot travel."""
    graphs = [to_bytes(graph) for _, graph, _ in pieces]
    head = {
        "name": name,
        "parts": [
            {"device": str(device), "feeds": list(feeds), "size": len(data)}
            for (device, _, feeds), data in zip(pieces, graphs, strict=True)
        ],
        "fetches": [list(one) for one in fetches],
        "routes": routes,
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    whole = b"".join([_HEAD.pack(len(text)), text, *graphs])
    return np.frombuffer(whole, np.uint8)


def unpacked(data: Array | None, own: DeviceName) -> Registered:
    """Return what `packed` packed for a task; GraphError for operators that do not exist here."""
    view = memoryview(b"" if data is None else data.tobytes())
    try:
        (size,) = _HEAD.unpack_from(view)
        head = json.loads(bytes(view[_HEAD.size : _HEAD.size + size]))
    except (struct.error, ValueError) as error:
        raise ProtocolError(f"this is no part of a graph: {error}") from None
    at = _HEAD.size + size
    pieces: list[Piece] = []
    called: list[Graph] = []
    """Functions; their graphs are empty until all is read."""

    def callee(graph: Graph) -> Compiled:
        called.append(graph)
        return Compiled(graph)

    for part in head["parts"]:
        graph = from_bytes(view[at : at + part["size"]], callee=callee)
        pieces.append((DeviceName.parse(part["device"]), graph, part["feeds"]))
        at += part["size"]
    for graph in called:
        _at_home(graph, own)
    fetches = [(int(part), int(i)) for part, i in head["fetches"]]
    routes = {name: Route(*route) for name, route in head["routes"].items()}
    return assembled(head["name"], pieces, fetches, routes)


def _at_home(graph: Graph, own: DeviceName) -> None:
    """Let nodes of a function that a task calls, and that are on it, name no task."""
    for node in graph.nodes:
        device = node.device
        if (device.job, device.task) == (own.job, own.task):
            node.device = DeviceName(kind=device.kind, index=device.index)
        if node.op.role in (Role.IF, Role.WHILE):
            for region in node.op.regions():
                _at_home(region, own)
