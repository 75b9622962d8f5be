"""One step: a plan run on the runner that fits it, or on the one that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorlite.core.constant import array_of
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.opaque import Opaque
from tensorlite.core.remote import RemoteResource
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import CPU, Array, device_of, is_array, xp_for
from tensorlite.graph.graph import Graph, Node, SymbolicTensor
from tensorlite.graph.manual import ManualGraph
from tensorlite.runtime import frames, straight
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.instruments import marked, observed
from tensorlite.runtime.parts import alone, run_parts
from tensorlite.runtime.plan import Arrays, Plan
from tensorlite.runtime.team import misbehaves

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
        raise InvalidArgumentError(
            f"{plan.name} takes {plan.feeds} arrays, not {len(arrays)}"
        )
    if device is None:
        device = common_device(arrays)
    chosen = "frames" if plan.has_primitives else "structured"
    if runner is not None:
        chosen = _checked(plan, runner)
    run = frames.run if chosen == "frames" else straight.run
    if device is not CPU or plan.is_scattered:
        plan = plan.on(device)
    if plan.may_wait or misbehaves():
        return run_parts(alone(plan), arrays)
    return marked(run, plan.name)(observed(plan), xp_for(device), arrays)


def common_device(arrays: Sequence[Array]) -> DeviceName:
    """Return the device that holds the arrays: a GPU or another task's if any is on one.

    What works on state of another task is placed beside that, and nothing else for its sake.
    """
    for array in arrays:
        device = device_of(array)
        if device is not CPU and not isinstance(array, RemoteResource):
            return device
    return CPU


def _checked(plan: Plan, runner: str) -> str:
    if runner not in RUNNERS:
        raise InvalidArgumentError(
            f"runner={runner!r}; allowed are {', '.join(RUNNERS)}"
        )
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
    feeds: Mapping[SymbolicTensor, Any] | Mapping[Tensor, Any],
    fetches: Sequence[Tensor | Node],
    runner: str | None = None,
) -> Arrays:
    """Return the values of `fetches` (nodes are run and give none), given those of `feeds`.

    Fed may be arrays, eager tensors, and numbers. What a hand-made graph took from outside, such
    as variables, is fed by itself. Raises InvalidArgumentError for a value that does not fit.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     x = graph.add_input(tl.TensorSpec((2,)))
    ...     y = x * 10.0
    >>> execute(graph, {x: [1.0, 2.0]}, [y])
    (array([10., 20.], dtype=float32),)
    """
    given = {_symbolic(x): _fitting(x, value) for x, value in feeds.items()}
    wanted = [x if isinstance(x, Node) else _symbolic(x) for x in fetches]
    if isinstance(graph, ManualGraph):
        given |= {
            x: outer.array for x, outer in graph.captured.items() if x not in given
        }
    return run_plan(
        compile_plan(graph, list(given), wanted), list(given.values()), runner
    )


def _symbolic(x: Tensor) -> SymbolicTensor:
    if not isinstance(x, SymbolicTensor):
        raise InvalidArgumentError(
            f"{x!r} is no tensor of a graph; it has its value already"
        )
    return x


def _fitting(x: Tensor, value: Any) -> Array:
    """Return a value as an array that may be fed for `x`."""
    tensor = value if isinstance(value, Tensor) else EagerTensor(_array(value, x))
    if not x.spec.accepts(tensor.spec):
        raise InvalidArgumentError(
            f"{_symbolic(x).name} is {x.spec} and is fed {tensor.spec}; feed what it takes"
        )
    return tensor.array


def _array(value: Any, x: Tensor) -> Array:
    return (
        value
        if is_array(value) or isinstance(value, Opaque)
        else array_of(value, x.dtype)
    )
