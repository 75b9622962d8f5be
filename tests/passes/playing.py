"""Programs whose kernels take a second each, and the tables that the tests play them on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core.device import DeviceName
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.trace import trace
from tensorlite.passes.cost import Costs, Fixed, Link, Rates
from tensorlite.passes.machines import Machines, Network
from tensorlite.passes.simulate import Span, Workload, told
from tensorlite.passes.units import Units

CPUS = [DeviceName(kind="CPU", index=i) for i in range(4)]
APART = [DeviceName("worker", None, i, "CPU", 0) for i in range(4)]
LINK = Link(latency=0.5, bandwidth=80.0)
"""A vector of ten float32 takes a second, of which it is on the way for a half."""
VECTOR = TensorSpec((10,))
LONG = TensorSpec((10_000,))


def second(op: Op, specs: Sequence[TensorSpec], device: DeviceName) -> float:
    """Return the time of every kernel here."""
    return 1.0


def costs_of(**changes: Any) -> Costs:
    """Return costs at which each kernel takes a second, none of which holds the interpreter."""
    usual = {"rates": {"CPU": Rates(1e9, 1e9, 0.0)}, "fixed": Fixed(0.0, 0.0)}
    return Costs(second, **(usual | changes))


def network(count: int = 2, link: Link = LINK, **changes: Any) -> Network:
    table = Machines(APART[:count], network=link, **changes)
    return Network(table, costs_of())


class Program:
    """A graph, and its workload on a table."""

    def __init__(
        self,
        function: Callable[..., Any],
        net: Network,
        inputs: int = 1,
        spec: TensorSpec = LONG,
    ) -> None:
        self.graph = trace(function, [spec] * inputs).graph
        self.units = Units(self.graph)
        self.work = Workload(self.units, net)

    def at(self, **devices: int) -> list[int]:
        """Return the device of each unit: those named, and all others on the first."""
        return [
            devices.get(node.name, 0) if self.units.parent[unit] < 0 else 0
            for unit, node in enumerate(self.units.nodes)
        ]

    def time(self, **devices: int) -> float:
        return self.work.time(self.at(**devices))


def timeline(program: Program, place: list[int]) -> tuple[Span, ...]:
    work = program.work
    return told(work, work.play(place), work.load(place)).timeline


def kernels_only(op: Op, specs: Sequence[TensorSpec], device: DeviceName) -> float:
    return 1.0 if op.name == "Atan2" else 0.0
