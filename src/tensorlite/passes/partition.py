"""partition: cut a placed graph into one graph per device, joined by Send and Recv.

Every edge that crosses becomes a Send on the device that has the value and a Recv on each device
that wants it, under one name; equal transfers are made once. Constants and inputs are copied to
wherever they are used, and so is what brings a loop's invariants in.

A loop that has nodes on several devices runs on each of them, without a coordinator: a device with
nodes of a frame but no variable of it gets a *control loop*, whose condition is that of the loop,
received in every turn. What a device receives within a frame it receives once in every turn, be
it a value or that there is none, after the first Merge of the frame on that device.

    device A                                     device B
    x ──► Enter ─► Merge ─► Switch ─► body ─┐    token ─► Enter ─► Merge ─► Switch ─► Next ─┐
      │            ▲   │      ▲             │                      ▲  │       ▲             │
      ▼            │   ▼      │           Next                     │  ▼       │             │
    Token ─► Send  │  LoopCond┴─► Send      │                      │ Recv ────┘             │
                   └────────────────────────┘                      └────────────────────────┘

The graph must be lowered as far as its regions span devices, and placed: see lower.py, place.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import GraphError
from tensorlite.core.op import Op, Role
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.ops.control.dataflow import Enter, Merge, NextIteration, Switch
from tensorlite.ops.control.transfer import Recv, Send, Token
from tensorlite.passes.lower import is_free

REGIONS = (Role.IF, Role.WHILE)
Frame = tuple[str, ...]
"""The names of the frames around a node, outermost first."""
Partitions = dict[DeviceName, Graph]


@dataclass(frozen=True)
class Division:
    """The graphs of the devices, and where the inputs and outputs of the whole are in them."""

    graphs: Partitions
    inputs: dict[DeviceName, list[int]] = field(default_factory=dict)
    """Which inputs of the whole the inputs of each graph are."""
    outputs: list[tuple[DeviceName, int]] = field(default_factory=list)
    """For each output of the whole: the device, and which output of its graph."""


def spans_devices(node: Node) -> bool:
    """Return whether the inner graphs of a placed node have nodes on more than its own device."""
    return any(
        inner.device != node.device or spans_devices(inner)
        for region in (node.op.regions() if node.op.role in REGIONS else ())
        for inner in region.nodes
        if not is_movable(inner)
    )


def is_movable(node: Node) -> bool:
    """Return whether a node is copied to whatever device uses it: a constant or an input."""
    return node.op.role is Role.INPUT or (
        is_free(node.outputs[0]) if node.outputs else False
    )


def partition(graph: Graph) -> Partitions:
    """Return the part of a placed graph on each device."""
    return divide(graph).graphs


def divide(graph: Graph) -> Division:
    """Return the parts of a placed graph; GraphError when a node has no device."""
    return _Partitioning(graph).division()


class _Partitioning:
    """The cutting of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.frames = frames_of(graph)
        self.devices = _settled(graph)
        self.parts: Partitions = {}
        self.made: dict[tuple[int, DeviceName], SymbolicTensor] = {}
        """What stands for each tensor of the graph on each device."""
        self.nodes: dict[Node, Node] = {}
        self.tokens: dict[Node, SymbolicTensor] = {}
        """For nodes that others elsewhere wait for: what is sent to say that they have run."""
        self.heads: dict[tuple[DeviceName, Frame], Node] = {}
        """On each device the Merge of each frame that what is received there waits for."""
        self.conditions: dict[Frame, SymbolicTensor] = {}
        self.entries: dict[Frame, Node] = {}
        self.branches: dict[Node, int] = {}
        """How many branches, one in another, have to be taken for a node's frame to reach it."""
        self.entered: dict[Frame, int] = {}
        """The same for what enters each frame."""
        self.open: list[tuple[Node, int, SymbolicTensor]] = []
        self.controls: dict[Frame, list[tuple[Node, DeviceName]]] = {}
        """Control loops that are begun: they go on where the loop's condition is placed."""
        self.taken: dict[DeviceName, list[int]] = {}
        self.positions = {id(x): i for i, x in enumerate(graph.inputs)}

    def division(self) -> Division:
        """Return the parts."""
        for node in self.graph.nodes:
            self.survey(node)
        for node in self.graph.nodes:
            if not is_movable(node) and not _is_invariant(node):
                self.place(node)
        self.close()
        outputs = [self.output(x) for x in self.graph.outputs]
        for node in self.graph.effects:
            self.part(self.devices[node]).effects.append(self.nodes[node])
        return Division(self.parts, self.taken, outputs)

    def survey(self, node: Node) -> None:
        """Note what frames are made of: how each is entered, and what its condition is."""
        if node.op.role is Role.LOOP_COND:
            self.conditions[self.frames[node]] = node.outputs[0]
        elif node.op.role is Role.ENTER and not _is_invariant(node):
            self.entries.setdefault(after(node, self.frames), node)
        self.branches[node] = self.depth(node)

    def depth(self, node: Node) -> int:
        """Return how many branches of its frame are around what a node gives."""
        sources = [*[x.node for x in node.inputs], *node.control]
        around = max([self.branches.get(source, 0) for source in sources], default=0)
        role, frame = node.op.role, self.frames.get(node, ())
        if role is Role.ENTER:
            inside = after(node, self.frames)
            self.entered[inside] = max(around, self.entered.get(inside, 0))
            return 0
        if role is Role.EXIT:
            return self.entered.get(frame, 0)
        if role is Role.MERGE:
            return max(0, around - 1)
        if role is Role.SWITCH and node.inputs[1].node.op.role is not Role.LOOP_COND:
            return around + 1
        return around

    def is_conditional(self, node: Node) -> bool:
        """Return whether a branch may leave a node dead in a turn that is not the last."""
        return self.branches.get(node, 0) > 0

    def part(self, device: DeviceName) -> Graph:
        """Return the graph of a device."""
        graph = self.parts.get(device)
        if graph is None:
            graph = self.parts[device] = Graph(f"{self.graph.name}{device}")
            graph.open = False
            self.taken[device] = []
        return graph

    def add(
        self,
        beside: Node,
        device: DeviceName,
        op: Op,
        inputs: Iterable[SymbolicTensor] = (),
        control: Iterable[Node] = (),
        name: str = "",
    ) -> Node:
        """Add a node to the graph of a device, made where `beside` was."""
        return self.part(device).add(
            op,
            inputs,
            device=device,
            control=tuple(dict.fromkeys(control)),
            name=name or f"{beside.name}/{op.name}",
            line=beside.line,
        )

    def place(self, node: Node) -> None:
        """Copy a node to its device, bringing there what it needs."""
        device = self.devices[node]
        inputs = [self.input(node, i, x, device) for i, x in enumerate(node.inputs)]
        control = self.before(node, device)
        made = self.add(node, device, node.op, inputs, control, node.name)
        self.nodes[node] = made
        for x, y in zip(node.outputs, made.outputs, strict=True):
            y.respecify(x.spec)
            self.made[id(x), device] = y
        if node.op.role is Role.MERGE and self.frames.get(node):
            self.heads.setdefault((device, self.frames[node]), made)
        if node.op.role is Role.LOOP_COND:
            for merge, elsewhere in self.controls.pop(self.frames[node], ()):
                self.close_control(merge, self.frames[node], elsewhere)
        for i, x in enumerate(node.inputs):
            if self.is_ahead(x):
                self.open.append((made, i, x))

    def is_ahead(self, x: SymbolicTensor) -> bool:
        """Return whether a tensor comes from a node that is not placed yet: a loop's back edge."""
        node = x.node
        return (
            not is_movable(node)
            and not _is_invariant(node)
            and node not in self.nodes
        )

    def input(
        self, node: Node, position: int, x: SymbolicTensor, device: DeviceName
    ) -> SymbolicTensor:
        """Return an input as it is on a device; for a back edge, what enters the loop."""
        if not self.is_ahead(x):
            return self.local(x, device)
        known = [y for y in node.inputs if not self.is_ahead(y)]
        if node.op.role is not Role.MERGE or not known:
            raise GraphError(
                f"{node.name}: input {position}, {x.name}, comes after its use"
            )
        return self.local(known[0], device)

    def local(self, x: SymbolicTensor, device: DeviceName) -> SymbolicTensor:
        """Return what stands for a tensor on a device, brought there if it is elsewhere."""
        found = self.made.get((id(x), device))
        if found is None:
            found = self.made[id(x), device] = self.brought(x, device)
        return found

    def brought(self, x: SymbolicTensor, device: DeviceName) -> SymbolicTensor:
        """Bring a tensor to a device: a copy of what makes it where that is cheap, else a Recv."""
        node = x.node
        if node.op.role is Role.INPUT:
            self.part(device)
            self.taken[device].append(self.positions[id(x)])
            made = self.parts[device].add_input(x.spec, node.name)
            made.node.line, made.node.device = node.line, device
            return made
        if is_movable(node):
            return self.add(node, device, node.op, name=node.name).outputs[x.index]
        if _is_invariant(node):
            inside = self.local(node.inputs[0], device)
            control = self.before(node, device)
            return self.add(
                node, device, node.op, [inside], control, node.name
            ).outputs[0]
        home = self.devices[node]
        return self.sent(
            node,
            self.made[id(x), home],
            x.name,
            after(node, self.frames),
            device,
            self.is_conditional(node),
        )

    def sent(
        self,
        node: Node,
        value: SymbolicTensor,
        name: str,
        frame: Frame,
        device: DeviceName,
        conditional: bool = False,
    ) -> SymbolicTensor:
        """Send a value of a frame from its device to another; return it as it is there."""
        home = value.node.device
        send = self.add(node, home, Send(name, home, device), [value])
        self.part(home).effects.append(send)
        control = [self.head(device, frame)] if frame else []
        spec = value.spec.without_value()
        recv = Recv(name, home, device, spec, conditional)
        return self.add(node, device, recv, control=control).outputs[0]

    def before(self, node: Node, device: DeviceName) -> list[Node]:
        """Return what a node must wait for on a device, beside its inputs."""
        return [
            self.run_before(one, device)
            for one in node.control
            if not is_movable(one)
        ]

    def run_before(self, node: Node, device: DeviceName) -> Node:
        """Return what to wait for on a device instead of a node that may be elsewhere."""
        if _is_invariant(node):
            return self.local(node.outputs[0], device).node
        home = self.devices[node]
        if home == device:
            return self.nodes[node]
        token = self.tokens.get(node)
        if token is None:
            made = self.add(node, home, Token(), control=[self.nodes[node]])
            token = self.tokens[node] = made.outputs[0]
        key = id(token), device
        if key not in self.made:
            frame = after(node, self.frames)
            name = f"{token.name} of {node.name}"
            self.made[key] = self.sent(
                node, token, name, frame, device, self.is_conditional(node)
            )
        return self.made[key].node

    def head(self, device: DeviceName, frame: Frame) -> Node:
        """Return the Merge of a frame on a device, that of a new control loop if there is none."""
        found = self.heads.get((device, frame))
        if found is not None:
            return found
        entry = self.entries.get(frame)
        if entry is None or frame not in self.conditions:
            raise GraphError(
                f"{self.graph.name}: frame {frame[-1]!r} has nodes on {device} and no entry or "
                "LoopCond; a loop over several devices needs both"
            )
        begin = self.token_of(entry, frame[:-1], device)
        op = entry.op
        assert isinstance(op, Enter)  # survey has looked
        inside = Enter(op.frame_name, parallel_iterations=op.parallel_iterations)
        entered = self.add(entry, device, inside, [begin]).outputs[0]
        merge = self.add(entry, device, Merge(), [entered, entered])
        self.heads[device, frame] = merge
        if self.conditions[frame].node in self.nodes:
            self.close_control(merge, frame, device)
        else:
            self.controls.setdefault(frame, []).append((merge, device))
        return merge

    def token_of(
        self, entry: Node, frame: Frame, device: DeviceName
    ) -> SymbolicTensor:
        """Return on a device what says that a loop is entered there: small, dead if that is."""
        source = entry.inputs[0]
        if is_free(source) and not entry.control:
            # Alive whatever happens, as what enters the loop is.
            return self.add(
                entry, device, Token(), [self.local(source, device)]
            ).outputs[0]
        home = self.devices[entry]
        inside = self.local(source, home)
        before = self.before(entry, home)
        token = self.add(entry, home, Token(), [inside], before).outputs[0]
        if home == device:
            return token
        name = f"{token.name} into {entry.name}"
        return self.sent(entry, token, name, frame, device)

    def close_control(self, merge: Node, frame: Frame, device: DeviceName) -> None:
        """Let a control loop go on as its loop's condition says."""
        condition = self.conditions[frame]
        node = condition.node
        go_on = self.local(condition, device)
        switch = self.add(node, device, Switch(), [merge.outputs[0], go_on])
        again = self.add(node, device, NextIteration(), [switch.outputs[1]])
        merge.set_input(1, again.outputs[0])

    def close(self) -> None:
        """Close the loops: give Merges what comes back to them."""
        for made, position, x in self.open:
            made.set_input(position, self.local(x, made.device))

    def output(self, x: SymbolicTensor) -> tuple[DeviceName, int]:
        """Fetch an output of the whole on the device that has it."""
        device = self.devices[x.node]
        part = self.part(device)
        part.outputs.append(self.local(x, device))
        return device, len(part.outputs) - 1


def _is_invariant(node: Node) -> bool:
    """Return whether a node brings a value into all turns of a loop."""
    return node.op.role is Role.ENTER and bool(node.op.attributes()["is_constant"])


def _settled(graph: Graph) -> dict[Node, DeviceName]:
    """Return the device of each node, those of what passes values on moved to where they serve.

    Enter and NextIteration stand beside the Merge that they serve, Exit beside its Switch.
    """
    devices = {node: node.device for node in graph.nodes}
    for node, device in devices.items():
        if device.kind is None or device.index is None:
            raise GraphError(
                f"{node.name}, made at {node.line}, has no device; place the graph first"
            )
    for node in graph.nodes:
        if node.op.role is Role.MERGE:
            for x in node.inputs:
                if x.node.op.role in (Role.ENTER, Role.NEXT):
                    devices[x.node] = devices[node]
        elif node.op.role is Role.EXIT:
            devices[node] = devices[node.inputs[0].node]
    return devices


def frames_of(graph: Graph) -> dict[Node, Frame]:
    """Return the frame that each node runs in; constants, which run in none, are left out."""
    frames: dict[Node, Frame] = {}
    for node in graph.nodes:
        sources = [*[x.node for x in node.inputs], *node.control]
        known = [source for source in sources if source in frames]
        if known or not is_movable(node):
            frames[node] = after(known[0], frames) if known else ()
    return frames


def after(node: Node, frames: dict[Node, Frame]) -> Frame:
    """Return the frame that the outputs of a node belong to."""
    here = frames.get(node, ())
    if node.op.role is Role.ENTER:
        return (*here, str(node.op.attributes()["frame_name"]))
    return here[:-1] if node.op.role is Role.EXIT else here
