"""`tl.placement`: where nodes run, why, and what it costs. Names, and `explain` for functions."""

from __future__ import annotations

from tensorlite.core.device import DeviceName
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import CPU
from tensorlite.function.compile import ConcreteFunction
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.passes.cost import Costs
from tensorlite.passes.explain import Explained, Explanation
from tensorlite.passes.place import Choice, Placement
from tensorlite.runtime.devices import logical_devices, settings

__all__ = ["Choice", "Explained", "Explanation", "explain"]


def explain(
    program: ConcreteFunction | Graph,
    costs: Costs | None = None,
    choose: Choice | None = None,
) -> Explanation:
    """Return where each node of a traced function or graph runs, and why; it prints as a table.

    With `costs` it says what each node would cost on the other devices that it may have, its
    inputs' transfers included, all other nodes staying. `choose` asks how another choice than the
    program's own would place it. Raises PlacementError when its devices contradict each other.

    >>> @tl.function
    ... def f(x):
    ...     with tl.device("/cpu:0"):
    ...         y = x + x
    ...     return tl.exp(y)
    >>> print(tl.placement.explain(f.get_concrete_function(tl.ones(2))))
    node   op           device         why
    x      Placeholder  /device:CPU:0  its value is on /device:CPU:0
    AddV2  AddV2        /device:CPU:0  tl.device asks for /device:CPU:0, at ...
    Exp    Exp          /device:CPU:0  default
    """
    return Explanation(_placement(program, choose), costs)


def _placement(program: ConcreteFunction | Graph, choose: Choice | None) -> Placement:
    """Return the placement that a program runs with, or that another choice would give it."""
    if isinstance(program, Graph):
        return _placed(program, CPU, choose)
    home = _home(program)
    if choose is None:
        return program.callee.placed(home).placement
    return _placed(program.callee.optimised, home, choose)


def _placed(graph: Graph, default: DeviceName, choose: Choice | None) -> Placement:
    return Placement(
        graph,
        logical_devices(),
        default,
        soft=settings.soft_placement,
        choose=choose,
        given=[_given(x, default) for x in graph.inputs],
    )


def _given(x: SymbolicTensor, default: DeviceName) -> DeviceName:
    """Return where a graph's input is: a trace notes where state is that is not on the CPU."""
    if x.node.device.kind is not None:
        return x.node.device
    return CPU if x.dtype.kind == "R" else default


def _home(concrete: ConcreteFunction) -> DeviceName:
    """Return where what asks for no device runs: on the first device that data is on."""
    held = [x.device for x in concrete.captured if isinstance(x, EagerTensor)]
    return next((device for device in held if device != CPU), CPU)
