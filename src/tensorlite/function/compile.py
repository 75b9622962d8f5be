"""A traced graph made ready to run: optimised, lowered if a runner wants that, and planned.

Compiled is what a PartitionedCall calls; ConcreteFunction is the same with Python's structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from tensorlite.core import nest
from tensorlite.core.collecting import uncollected
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import current
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.remote import RemoteResource
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import CPU, Array, cpu_count, device_of
from tensorlite.function.placed import Placed, asks, log_unplaced
from tensorlite.function.staged_list import StagedList
from tensorlite.function.values import Unusable
from tensorlite.graph.graph import Graph, SymbolicTensor
from tensorlite.graph.text import to_dot, to_svg, to_text
from tensorlite.ops.control.call_gradients import call_watched
from tensorlite.ops.control.regions import PartitionedCall
from tensorlite.passes import pipeline
from tensorlite.passes.place import Choice
from tensorlite.runtime.build import compile_plan
from tensorlite.runtime.plan import Plan
from tensorlite.runtime.step import RUNNERS, common_device, run_plan


def check_runner(runner: str | None) -> str | None:
    """Return the name of a runner; InvalidArgumentError when there is none of that name."""
    if runner is not None and runner not in RUNNERS:
        raise InvalidArgumentError(
            f"runner={runner!r}; allowed are {', '.join(RUNNERS)}"
        )
    return runner


watchers: list[Callable[[Graph], None]] = []
"""Who is told of each graph that runs, such as a trace for TensorBoard."""


class Compiled:
    """A graph and the means to run it: the callee of a PartitionedCall."""

    def __init__(
        self,
        graph: Graph,
        runner: str | None = None,
        placement: Choice | None = None,
    ) -> None:
        self.graph = graph
        self.runner = runner
        self.placement = placement
        """What chooses devices for nodes that ask for none; None: they run where the data is."""
        self.captured = 0
        """How many of the last inputs are what was captured, the same in most runs."""
        self._others: dict[int, Compiled] = {}
        self._placed: dict[DeviceName, Placed] = {}

    @cached_property
    def is_placed(self) -> bool:
        """Whether nodes have to be placed: if they do not all run where the data is."""
        return self.placement is not None or asks(self.optimised)

    def placed(self, default: DeviceName = CPU) -> Placed:
        """Return the graph placed, where what asks for nothing goes to `default`."""
        known = self._placed.get(default)
        if known is None or known.is_outdated:
            optimised = self.optimised
            with uncollected():
                known = self._placed[default] = Placed(
                    optimised, self.runner, default, self.placement, self.captured
                )
        return known

    @cached_property
    def lowered(self) -> Graph:
        """The graph of control-flow primitives, optimised."""
        with uncollected():
            return pipeline.lower(self.graph)

    @cached_property
    def optimised(self) -> Graph:
        """The graph with inner graphs, optimised."""
        with uncollected():
            return pipeline.optimise(self.graph)

    @cached_property
    def plan(self) -> Plan:
        """What runs."""
        log_unplaced(self.optimised)
        graph = self.lowered if self.runner == "frames" else self.optimised
        with uncollected():
            return compile_plan(graph)

    def run(
        self,
        arrays: Sequence[Array],
        default: DeviceName | None = None,
        *,
        values: bool = False,
    ) -> tuple[Array, ...]:
        """Return the outputs for one array per input of the graph.

        What asks for no device runs where the arrays are, or on `default`, which is of another
        task. What is large stays in the task that computed it, unless `values` are to come back.
        """
        for told in watchers:
            told(self.graph)
        if default is not None:
            return self.placed(default).run(arrays, values=values)
        home = common_device(arrays)
        if self.is_placed or home.job is not None:
            return self.placed(home).run(arrays, values=values)
        return run_plan(self.plan, arrays, self.runner)

    def with_graph(self, graph: Graph) -> Compiled:
        """Return a callee that runs another graph on the same runner; made once for each graph."""
        if graph is self.graph:
            return self
        known = self._others.get(id(graph))
        if known is None:
            known = self._others[id(graph)] = Compiled(
                graph, self.runner, self.placement
            )
        return known

    def __repr__(self) -> str:
        return self.graph.name


class Result:
    """The structure that a traced function returned: tensors, and Python values as they were."""

    def __init__(self, value: Any, name: str) -> None:
        self._leaves: list[Any] = []
        self.tensors: list[Tensor] = []
        self._value = nest.pack_like(
            value, [self._leaf(x, name) for x in nest.flatten(value)]
        )
        self._bare = self._value is _TENSOR

    def _leaf(self, leaf: Any, name: str) -> Any:
        if isinstance(leaf, Unusable):
            leaf.raise_()
        if isinstance(leaf, StagedList):
            self.tensors.append(leaf.stack())
            return _ROWS
        if isinstance(leaf, Tensor):
            self.tensors.append(leaf)
            return _TENSOR
        return leaf

    def pack(self, tensors: Sequence[Any]) -> Any:
        """Return the structure with other tensors."""
        if self._bare:
            return tensors[0]
        source = iter(tensors)
        return nest.pack_like(
            self._value, [_filled(leaf, source) for leaf in nest.flatten(self._value)]
        )


class _Slot:
    """Stands in a structure where a tensor belongs."""


_TENSOR, _ROWS = _Slot(), _Slot()


def _filled(leaf: Any, source: Any) -> Any:
    if leaf is _TENSOR:
        return next(source)
    if leaf is not _ROWS:
        return leaf
    stacked = next(source)
    return list(stacked) if isinstance(stacked, EagerTensor) else stacked


class ConcreteFunction:
    """One trace of a function: for arguments of these specs, this graph.

    >>> @tl.function
    ... def double(x):
    ...     return x + x
    >>> concrete = double.get_concrete_function(tl.TensorSpec((None,), tl.float32))
    >>> print(concrete(tl.asarray([1.0, 2.0])))
    [2. 4.]
    """

    def __init__(
        self,
        callee: Compiled,
        captured: list[Tensor],
        result: Result,
        structured_inputs: Any,
        binding: Callable[[Sequence[Any], Mapping[str, Any]], list[Tensor]],
    ) -> None:
        self.callee = callee
        self.captured = captured
        callee.captured = len(captured)
        self.result = result
        self.structured_inputs = structured_inputs
        """The arguments, with specs in place of tensors: (positional, by keyword)."""
        self.binding = binding
        self._op = PartitionedCall(callee)
        self._handles: tuple[Array, ...] | None = None
        if all(x.dtype.kind == "R" and isinstance(x, EagerTensor) for x in captured):
            self._handles = tuple([x.array for x in captured])

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.graph.name

    @property
    def graph(self) -> Graph:
        """The graph as it was traced: branches, loops and calls have inner graphs."""
        return self.callee.graph

    @property
    def lowered(self) -> Graph:
        """The graph of Switch, Merge, Enter, Exit, NextIteration and LoopCond."""
        return self.callee.lowered

    @property
    def placed(self) -> Graph:
        """The graph in which every node has its device, inner graphs too."""
        return self.callee.placed(self._home(())).graph

    @property
    def partitions(self) -> dict[DeviceName, Graph]:
        """The part of the graph on each device; Send and Recv join them."""
        return self.callee.placed(self._home(())).division.graphs

    def _home(self, tensors: Iterable[Tensor]) -> DeviceName:
        """Return where what asks for no device runs: on the first device that data is on."""
        for x in (*tensors, *self.captured):
            is_here = not isinstance(x, EagerTensor) or x.device == CPU
            if not (is_here or isinstance(x.array, RemoteResource)):
                return x.device
        return CPU

    @property
    def plan(self) -> Plan:
        """What runs."""
        return self.callee.plan

    @property
    def peak_bytes(self) -> int:
        """The most bytes that a step's own arrays take at once, as far as sizes are known."""
        return self.plan.peak_bytes

    @property
    def structured_outputs(self) -> Any:
        """What the function returns, with specs in place of tensors."""
        specs: list[Any] = [x.spec for x in self.graph.outputs]
        return self.result.pack(specs)

    def text(self) -> str:
        """Return the graph as text."""
        return to_text(self.graph)

    def dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        return to_dot(self.graph)

    def svg(self) -> str:
        """Return the graph as a picture; NotFoundError where Graphviz is not installed."""
        return to_svg(self.graph)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns for arguments that fit this trace."""
        return self.call_flat(self.binding(args, kwargs))

    def call_flat(self, tensors: Sequence[Tensor]) -> Any:
        """Return the function's result for one tensor per argument that is a tensor."""
        if current.get() is None:
            if self.callee.is_placed or cpu_count() > 1:
                return self._call_placed(tensors)
            handles = self._handles
            if handles is None:
                handles = tuple([x.array for x in self.captured])
            outputs = self.callee.run([*[x.array for x in tensors], *handles])
            return self.result.pack([_wrapped(y) for y in outputs])
        made = call_watched(self._op, (*tensors, *self.captured))
        return self.result.pack(made)

    def _call_placed(self, tensors: Sequence[Tensor]) -> Any:
        """Return the result of a call whose tensors may be on several devices of the CPU."""
        home = self._home(tensors)
        arrays = [x.array for x in (*tensors, *self.captured)]
        if not self.callee.is_placed:
            made = self.callee.run(arrays)
            places: Sequence[DeviceName] = [home] * len(made)
        else:
            placed = self.callee.placed(home)
            made, places = placed.run(arrays), placed.devices
        results = [
            EagerTensor(y, place if device_of(y) == CPU else device_of(y))
            for y, place in zip(made, places, strict=True)
        ]
        return self.result.pack(results)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name}{self.structured_inputs[0]}>"


def _wrapped(array: Array) -> EagerTensor:
    return EagerTensor(array, device_of(array))


def is_symbolic_capture(captured: Iterable[Tensor]) -> bool:
    """Return whether a trace captured tensors of an enclosing trace: it is of use there only."""
    return any(isinstance(x, SymbolicTensor) for x in captured)
