"""One step: a plan run on the runner that fits it, or on the one that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import CPU, Array, device_of, xp_for
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.runtime import frames, straight
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.plan import Arrays, Plan

RUNNERS = ("straight", "structured", "frames")


def run_plan(
    plan: Plan,
    arrays: Sequence[Array],
    runner: str | None = None,
    device: DeviceName | None = None,
) -> Arrays:
    """Return the fetched values of `plan`, given one array (or handle) for each fed slot.

    Without a `runner` the plan runs on the one that it needs; with one it runs there, or
    InvalidArgumentError says why it cannot. Without a `device` it runs where the arrays are.
    """
    if len(arrays) != plan.feeds:
        raise InvalidArgumentError(f"{plan.name} takes {plan.feeds} arrays, not {len(arrays)}")
    if device is None:
        device = common_device(arrays)
    chosen = "frames" if plan.has_primitives else "structured"
    if runner is not None:
        chosen = _checked(plan, runner)
    run = frames.run if chosen == "frames" else straight.run
    return run(plan if device is CPU else plan.on(device), xp_for(device), arrays)


def common_device(arrays: Sequence[Array]) -> DeviceName:
    """Return the device that holds the arrays: a GPU if any of them is on one."""
    for array in arrays:
        device = device_of(array)
        if device is not CPU:
            return device
    return CPU


def _checked(plan: Plan, runner: str) -> str:
    if runner not in RUNNERS:
        raise InvalidArgumentError(f"runner={runner!r}; allowed are {', '.join(RUNNERS)}")
    if plan.has_primitives and runner != "frames":
        raise InvalidArgumentError(
            f"{plan.name} has control-flow primitives, which only runner='frames' runs"
        )
    if plan.has_regions and runner == "straight":
        raise InvalidArgumentError(
            f"{plan.name} has branches, loops or calls: runner='straight' runs none of these; take "
            "'structured' or, for the lowered graph, 'frames'"
        )
    return runner


def execute(
    graph: Graph,
    feeds: Mapping[SymbolicTensor, Array],
    fetches: Sequence[SymbolicTensor | Node],
    runner: str | None = None,
) -> Arrays:
    """Return the values of `fetches` (nodes are run and give none), given those of `feeds`."""
    for x, array in feeds.items():
        _check_feed(x, array)
    plan = compile_plan(graph, list(feeds), fetches)
    return run_plan(plan, list(feeds.values()), runner)


def _check_feed(x: SymbolicTensor, array: Array) -> None:
    given = EagerTensor(array).spec
    if not x.spec.accepts(given):
        raise InvalidArgumentError(f"{x.name} is {x.spec} and is fed {given}; feed what it takes")
