"""`tl.placement`: where nodes run, why, and what it costs. Names, and what they do to functions."""

from __future__ import annotations

import logging

from tensorlite.core.check import one_of
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import CPU
from tensorlite.function.compile import ConcreteFunction
from tensorlite.function.policies import (
    Automatic,
    EarliestFinish,
    Search,
    known_costs,
    measured_costs,
)
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.passes.cluster import Cluster, Stragglers, cluster, train
from tensorlite.passes.cost import Cost, Costs, Link
from tensorlite.passes.explain import Explained, Explanation
from tensorlite.passes.frozen import Frozen
from tensorlite.passes.machines import Machines, Network, this_machine
from tensorlite.passes.place import Choice, Placement, check_choice
from tensorlite.passes.scaling import Exchange, Messages, exchanged
from tensorlite.passes.simulate import Simulation, Span, Workload, told
from tensorlite.runtime.devices import logical_devices, settings

__all__ = [
    "Choice",
    "Cluster",
    "Cost",
    "Costs",
    "EarliestFinish",
    "Exchange",
    "Explained",
    "Explanation",
    "Frozen",
    "Link",
    "Machines",
    "Messages",
    "Search",
    "Simulation",
    "Span",
    "Stragglers",
    "cluster",
    "explain",
    "freeze",
    "measured_costs",
    "simulate",
]


def __dir__() -> list[str]:
    return __all__


_log = logging.getLogger("tensorlite")


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
    if costs is not None:
        one_of(costs, Costs, "explain: costs", "tl.placement.Costs(), or None")
    return Explanation(_placement(program, choose), costs)


def freeze(program: ConcreteFunction | Graph, choose: Choice | None = None) -> Frozen:
    """Return a program's placement, or that of another choice, to be kept in a file.

    What comes back is itself a choice, for `tl.function(placement=...)`.

    >>> step = tl.function(lambda x: tl.exp(x) @ x).get_concrete_function(tl.ones((2, 2)))
    >>> frozen = tl.placement.freeze(step, tl.placement.Search(costs=tl.placement.Costs()))
    >>> import tempfile, os
    >>> path = frozen.to_file(os.path.join(tempfile.mkdtemp(), "placement.json"))
    >>> tl.placement.Frozen.from_file(path) == frozen
    True
    """
    placement = _placement(program, choose)
    about = choose.outcome if isinstance(choose, Automatic) else ""
    return Frozen.of(placement.units, placement.devices, about)


def simulate(
    program: ConcreteFunction | Graph | Exchange,
    machines: Machines | Cluster | None = None,
    *,
    choose: Choice | None = None,
    costs: Costs | None = None,
    steps: int = 1,
) -> Simulation:
    """Return what a step of a program would take on machines, which need not be there.

    On a table of devices the program is placed by `choose`, or by EarliestFinish for that table;
    without a table, it runs as it is placed here. On a `cluster` each worker takes a batch as large
    as the program's; `steps` of them draw stragglers anew each. Costs are this machine's,
    measured as needed, unless others are given. Nothing runs but what is measured. An `Exchange` in
    place of a program says what a step sends on a cluster, of up to thousands of tasks.

    >>> w = tl.Variable(tl.ones((100, 10)))
    >>> @tl.function
    ... def step(x):
    ...     w.assign_sub(0.1 * tl.matrix_transpose(x) @ (x @ w))
    >>> concrete = step.get_concrete_function(tl.ones((32, 100)))
    >>> costs = tl.placement.Costs()
    >>> ten = tl.placement.cluster(workers=10, ps=2, backup=1)
    >>> found = tl.placement.simulate(concrete, ten, costs=costs, steps=5)
    >>> len(found.steps), found.critical_path[-1].name
    (5, 'AssignSubVariableOp')
    """
    _check_simulation(machines, choose, costs, steps)
    if isinstance(program, Exchange):
        wanted = "tl.placement.cluster(...), for an Exchange"
        return exchanged(
            program, one_of(machines, Cluster, "simulate: machines", wanted), steps
        )
    with known_costs(costs) as known:
        if isinstance(machines, Cluster):
            return train(_graph(program), machines, known, steps)
        if machines is None:
            table = this_machine(logical_devices())
            placement = _placement(program, choose)
        else:
            table = machines
            placement = _imagined(program, table, choose, known)
        network = Network(table, known)
        place = [network.devices.index(device) for device in placement.devices]
        workload = Workload(placement.units, network)
        return told(workload, workload.play(place), workload.load(place))


def _check_simulation(
    machines: Machines | Cluster | None,
    choose: Choice | None,
    costs: Costs | None,
    steps: int,
) -> None:
    """Raise DTypeError or InvalidArgumentError unless the arguments of `simulate` are right."""
    if costs is not None:
        one_of(costs, Costs, "simulate: costs", "tl.placement.Costs(), or None")
    if machines is not None:
        tables = "tl.placement.Machines(...), tl.placement.cluster(...), or None"
        one_of(machines, (Machines, Cluster), "simulate: machines", tables)
    if isinstance(machines, Cluster) and choose is not None:
        raise InvalidArgumentError(
            "simulate: a cluster places the program on its workers; leave out choose"
        )
    if type(steps) is not int or steps < 1:
        raise InvalidArgumentError(
            f"simulate: steps={steps!r}; allowed are whole numbers from 1 on"
        )


def _imagined(
    program: ConcreteFunction | Graph,
    table: Machines,
    choose: Choice | None,
    costs: Costs,
) -> Placement:
    """Return a program's placement on machines; scopes that fit none of them give way."""
    check_choice(choose, "choose")
    return Placement(
        _graph(program),
        table.names,
        table.names[0],
        soft=True,
        choose=choose or EarliestFinish(costs, table),
        log=_log.info,
    )


def _graph(program: ConcreteFunction | Graph) -> Graph:
    return (
        program if isinstance(program, Graph) else _concrete(program).callee.optimised
    )


def _concrete(program: object) -> ConcreteFunction:
    if isinstance(program, ConcreteFunction):
        return program
    raise DTypeError(
        f"{program!r} has no graph to place; give a tl.Graph, or a trace of a tl.function, as "
        "function.get_concrete_function(x) returns for arguments like x"
    )


def _placement(program: ConcreteFunction | Graph, choose: Choice | None) -> Placement:
    """Return the placement that a program runs with, or that another choice would give it."""
    check_choice(choose, "choose")
    if isinstance(program, Graph):
        return _placed(program, CPU, choose)
    home = _home(_concrete(program))
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
