"""Placed: a graph for the devices of this process: placed, cut where it spans several, planned.

A graph that asks for no device needs none of this; see compile.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tensorlite.core.collecting import uncollected
from tensorlite.core.device import ANYWHERE, DeviceName, placement_log
from tensorlite.core.errors import DeviceError, InvalidArgumentError, PlacementError
from tensorlite.core.op import Role
from tensorlite.core.remote import Home, Runnable, devices, home_of
from tensorlite.core.xp import CPU, Array
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.passes.lower import lower
from tensorlite.passes.partition import Division, divide, spans_devices
from tensorlite.passes.place import Choice, Placement
from tensorlite.passes.prune import prune
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.devices import logical_devices, settings
from tensorlite.runtime.parts import Parts, part_of, run_parts
from tensorlite.runtime.plan import Arrays, Plan
from tensorlite.runtime.step import run_plan


class Placed:
    """One placement of a graph, and the means to run it."""

    def __init__(
        self,
        graph: Graph,
        runner: str | None,
        default: DeviceName = CPU,
        policy: Choice | None = None,
        captured: int = 0,
    ) -> None:
        self.runner = runner
        self._home: tuple[DeviceName, Home] | None = None
        """A device of another task that this runs on, and the cluster that it was of."""
        self.captured = captured
        self.default = default
        self.placement = Placement(
            graph,
            [*logical_devices(), *devices()],
            default,
            soft=settings.soft_placement,
            choose=policy,
            log=placement_log.warning,
            given=[_given(x, default) for x in graph.inputs],
        )
        if settings.log_placement:
            for unit, node in enumerate(self.placement.units.nodes):
                where = self.placement.devices[unit]
                placement_log.info("%s (%s): %s", node.name, node.op.name, where)

    @cached_property
    def graph(self) -> Graph:
        """The graph in which every node has its device."""
        return self.placement.placed()

    @cached_property
    def lowered(self) -> Graph:
        """The graph whose inner graphs each lie on one device, and hold nothing that may wait."""
        if self.runner == "frames":
            return prune(lower(self.graph))
        return prune(lower(self.graph, _must_be_lowered))

    @cached_property
    def division(self) -> Division:
        """The part of the graph on each device."""
        return divide(self.lowered)

    @cached_property
    def step(self) -> Parts | Plan | Runnable:
        """What runs: a plan where one device does, which waits for nothing; else the parts.

        What has a part in another task is run by the cluster.
        """
        with uncollected():
            return self._compiled()

    def _compiled(self) -> Parts | Plan | Runnable:
        division = self.division
        away = [device for device in division.graphs if device.job is not None]
        if away:
            home = home_of(away[0])
            others = [x for x in away if home_of(x) is not home]
            if others:
                raise PlacementError(
                    f"{self.graph.name} runs on {away[0]} and on {others[0]}, which are of two "
                    "clusters: a function or session spans one; bring values over by tl.to_device"
                )
            self._home = away[0], home
            return home.prepare(
                self.graph.name, len(self.graph.inputs), division, self.captured
            )
        if len(division.graphs) <= 1 and not waits(self.lowered):
            return compile_plan(self.lowered)
        if self.runner not in (None, "frames"):
            raise InvalidArgumentError(
                f"{self.graph.name} runs on {' and '.join(map(str, division.graphs))}, or may have "
                f"to wait for others, which runner={self.runner!r} cannot; leave the runner out"
            )
        devices = list(division.graphs)
        return Parts(
            self.graph.name,
            len(self.graph.inputs),
            tuple(
                [
                    part_of(part, device, division.inputs[device])
                    for device, part in division.graphs.items()
                ]
            ),
            tuple([(devices.index(device), i) for device, i in division.outputs]),
        )

    @property
    def is_outdated(self) -> bool:
        """Whether the tasks that this runs on are of another cluster now, or of none."""
        if self._home is None:
            return False
        device, home = self._home
        try:
            return home_of(device) is not home
        except DeviceError:
            return True

    @cached_property
    def devices(self) -> tuple[DeviceName, ...]:
        """The device of each output."""
        return tuple([device for device, _ in self.division.outputs])

    def run(self, arrays: Sequence[Array], *, values: bool = False) -> Arrays:
        """Return the outputs for one array per input of the graph.

        For large ones that are in another task handles come back, unless `values` are wanted.
        """
        step = self.step
        if isinstance(step, Parts):
            return run_parts(step, arrays)
        if not isinstance(step, Plan):
            return step.run(arrays, values=values)
        home = next(iter(self.division.graphs), self.default)
        return run_plan(
            step, arrays, self.runner, home if home.kind == "GPU" else CPU
        )


def _given(x: SymbolicTensor, default: DeviceName) -> DeviceName:
    """Return where an input is; a trace notes where handles lead unless that is the CPU."""
    if x.node.device.kind is not None:
        return x.node.device
    if default.kind == "GPU" and x.dtype.kind == "S":  # which are held by CPUs only
        return DeviceName(default.job, None, default.task, "CPU", 0)
    return CPU if x.dtype.kind == "R" else default


def log_unplaced(graph: Graph) -> None:
    """Tell where the nodes of a graph go that asks for no device, if that is to be told."""
    if settings.log_placement:
        told = "%s asks for no device: its %d nodes run where its data is"
        placement_log.info(told, graph.name, len(graph.nodes))


def asks(graph: Graph) -> bool:
    """Return whether a node, of inner graphs too, asks for a device, or may have to wait.

    One that asks to be where another is asks for nothing where there is one device only.
    """
    return _asks(graph, len(logical_devices()) + len(devices()) > 1)


def _asks(graph: Graph, has_choice: bool) -> bool:
    return any(
        node.device != ANYWHERE
        or (has_choice and node.group)
        or node.op.role is Role.ASYNC
        or node.op.moves
        or any(_asks(region, has_choice) for region in _own(node))
        for node in graph.nodes
    )


def waits(graph: Graph) -> bool:
    """Return whether a node, of inner graphs too, may have to wait for others."""
    return any(
        node.op.role is Role.ASYNC or any(waits(region) for region in _own(node))
        for node in graph.nodes
    )


def _own(node: Node) -> tuple[Graph, ...]:
    """Return the inner graphs of a node; a function that calls itself has no end of them."""
    regions: tuple[Graph, ...] = node.op.regions()
    return regions if node.op.role in (Role.IF, Role.WHILE) else ()


def _must_be_lowered(node: Node) -> bool:
    return spans_devices(node) or any(waits(region) for region in _own(node))
