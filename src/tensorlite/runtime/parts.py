"""Parts: a step as the plans of several devices, and running it. It is cut in passes/partition.py.

A plan that may have to wait for others, such as for a queue, runs here too, as the only part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tensorlite.core.device import DeviceName, seconds_to_wait
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.xp import Array, xp_for
from tensorlite.graph.graph import Graph
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.instruments import marked, observed
from tensorlite.runtime.plan import Arrays, Plan
from tensorlite.runtime.team import assembled


@dataclass(frozen=True, eq=False)
class Part:
    """What one device does in a step."""

    device: DeviceName
    plan: Plan
    feeds: tuple[int, ...]
    """Which of the step's feeds this part takes."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A whole step."""

    name: str
    feeds: int
    parts: tuple[Part, ...]
    fetches: tuple[tuple[int, int], ...]
    """For each value fetched: the part, and which of its fetches."""

    @property
    def devices(self) -> tuple[DeviceName, ...]:
        """The device of each value fetched."""
        return tuple([self.parts[part].device for part, _ in self.fetches])


def part_of(graph: Graph, device: DeviceName, feeds: Sequence[int]) -> Part:
    """Return the part that runs `graph` on `device`; its inputs are the step's feeds named."""
    plan = compile_plan(graph)
    moved = plan.on(device) if device.kind == "GPU" else replace(plan, device=device)
    return Part(device, moved, tuple(feeds))


def alone(plan: Plan) -> Parts:
    """Return the step that a plan is by itself."""
    part = Part(plan.device, plan, tuple(range(plan.feeds)))
    fetches = tuple([(0, i) for i in range(len(plan.fetches))])
    return Parts(plan.name, plan.feeds, (part,), fetches)


def run_parts(step: Parts, arrays: Sequence[Array]) -> Arrays:
    """Return the values that a step fetches, given one array for each of its feeds.

    The first error of any part ends the others and is raised.
    """
    if len(arrays) != step.feeds:
        raise InvalidArgumentError(
            f"{step.name} takes {step.feeds} arrays, not {len(arrays)}"
        )
    return marked(_run, step.name)(step, arrays)


def _run(step: Parts, arrays: Sequence[Array]) -> Arrays:
    team = assembled()
    try:
        for part in step.parts:
            machine = team.add(observed(part.plan), xp_for(part.device), part.device)
            machine.start([machine.here(arrays[i]) for i in part.feeds])
        team.run(seconds_to_wait())
        found = [machine.fetched() for machine in team.machines]
    finally:
        team.disband()
    return tuple([found[part][i] for part, i in step.fetches])
