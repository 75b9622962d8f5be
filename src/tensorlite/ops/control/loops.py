"""while_loop: a body that runs as long as a tensor says so. Branches are in branches.py.

Eagerly a loop is Python's own; in a trace body and condition are traced and become graphs of a
While. What changes its size from turn to turn is generalised until nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tensorlite.core import nest, operand
from tensorlite.core.check import a_function, whole
from tensorlite.core.dispatch import call, calls, constant, to_tensor, tracer
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    LoopError,
    StructureError,
)
from tensorlite.core.provenance import user_line
from tensorlite.core.spec import TensorSpec, join
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph.trace import Tracer
from tensorlite.ops.arrays.identity import StopGradient
from tensorlite.ops.control.branches import (
    NUMBERS,
    Traced,
    as_condition,
    case,
    cond,
    const_of,
    describe,
    give_inputs,
    is_tensor_like,
    label,
    number_fits,
    switch_case,
    trace_leaves,
    waiting_for,
)
from tensorlite.ops.control.regions import VARIABLE, While

__all__ = ["case", "cond", "switch_case", "while_loop"]

T = TypeVar("T")


def while_loop(
    cond: Callable[..., TensorLike],
    body: Callable[..., Any],
    loop_vars: T,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: int | Tensor | None = None,
    swap_memory: bool = False,
    names: Sequence[str] = (),
    back_prop: bool = True,
) -> T:
    """Return the loop variables after `body` ran as long as `cond` held.

    `loop_vars` is a list or tuple of structures; both functions take its members, and `body`
    returns as many. In a trace a variable keeps its dtype and rank; sizes that change are unknown
    in the loop, as are those that `shape_invariants` (TensorSpecs or shapes, one per variable)
    leaves open. LoopError names the variable (by `names`, where given) that does not keep to it.

    At most `maximum_iterations` turns run. `parallel_iterations` turns may be in flight at once;
    with `swap_memory` what gradients need leaves memory past the budget of `tl.config.set_swap`.
    Without `back_prop` no gradients flow through the loop.

    >>> i, total = tl.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t + i), (0, 0))
    >>> print(total)
    6
    """
    variables = _checked(cond, body, loop_vars, parallel_iterations)
    _check_swapping(swap_memory)
    if maximum_iterations is not None:
        counted = _Counted(cond, body, maximum_iterations)
        _, *last = while_loop(
            counted.cond,
            counted.body,
            (0, *variables),
            None if shape_invariants is None else (None, *shape_invariants),
            parallel_iterations,
            swap_memory=swap_memory,
            names=counted.names(names),
            back_prop=back_prop,
        )
        rebuilt: T = nest.rebuild(loop_vars, last)
        return rebuilt
    if tracer() is None:
        return _run(cond, body, loop_vars, back_prop)
    loop = _Loop(cond, body, loop_vars, names)
    if shape_invariants is not None:
        loop.limit(shape_invariants)
    staged: T = loop.staged(parallel_iterations, swap_memory, back_prop)
    return staged


def _check_swapping(swap_memory: object) -> None:
    if not isinstance(swap_memory, bool):
        raise DTypeError(
            f"while_loop: swap_memory={swap_memory!r}; give True or False"
        )


def _checked(
    cond: Any, body: Any, loop_vars: Any, parallel_iterations: Any
) -> Sequence[Any]:
    """Return the loop variables, all arguments being of a kind that is allowed."""
    a_function(cond, "while_loop: cond")
    a_function(body, "while_loop: body")
    whole(parallel_iterations, "while_loop: parallel_iterations", least=1)
    if not isinstance(loop_vars, (list, tuple)):
        raise InvalidArgumentError(
            f"loop_vars is {nest.describe(loop_vars)}; give a list or tuple of variables"
        )
    return loop_vars


@dataclass(frozen=True)
class _Counted:
    """A loop's condition and body with a counter before the variables."""

    holds: Callable[..., TensorLike]
    step: Callable[..., Any]
    most: int | Tensor

    def __post_init__(self) -> None:
        whole(self.most, "while_loop: maximum_iterations", least=0)

    def names(self, given: Sequence[str]) -> Sequence[str]:
        """Return the names of the variables, the counter's first, if they have any."""
        return ("the number of turns", *given) if given else ()

    def cond(self, turn: Tensor, *variables: Any) -> TensorLike:
        """Return whether another turn is allowed, and wanted."""
        allowed = operand.operators.less(turn, self.most)
        if tracer() is None:
            return bool(allowed) and self.holds(*variables)
        wanted = as_condition(self.holds(*variables), "the condition of while_loop")
        return operand.operators.logical_and(allowed, wanted)

    def body(self, turn: Tensor, *variables: Any) -> Any:
        """Return the variables after one turn."""
        following = turn + 1
        after = self.step(*variables)
        return (following, *_as_variables(after, len(variables)))


def _as_variables(result: Any, number: int) -> Sequence[Any]:
    """Return a body's result as a sequence; a single variable may come bare."""
    if isinstance(result, (list, tuple)) and len(result) == number:
        return result
    if number == 1:
        return (result,)
    given = (
        len(result) if isinstance(result, (list, tuple)) else nest.describe(result)
    )
    raise LoopError(
        f"the body of the loop at {user_line()} returns {given} for {number} loop variables"
    )


def _run(
    cond: Callable[..., TensorLike],
    body: Callable[..., Any],
    loop_vars: T,
    back_prop: bool,
) -> T:
    """Run a loop eagerly."""
    variables: Any = nest.map_structure(_value, loop_vars)
    while as_condition(cond(*variables), "the condition of while_loop"):
        result = nest.rebuild(
            loop_vars, list(_as_variables(body(*variables), len(variables)))
        )
        try:
            nest.assert_same(variables, result)
        except StructureError as error:
            raise LoopError(
                f"the loop at {user_line()} changes a structure: {error}"
            ) from None
        variables = nest.map_structure(_value, result)
    last: T = variables if back_prop else nest.map_structure(_stopped, variables)
    return last


def _stopped(leaf: Any) -> Any:
    return call(StopGradient(), leaf) if isinstance(leaf, Tensor) else leaf


def _value(leaf: Any) -> Any:
    return (
        to_tensor(leaf) if is_tensor_like(leaf) or isinstance(leaf, NUMBERS) else leaf
    )


class _Loop:
    """A loop on its way into the graph."""

    def __init__(
        self,
        cond: Callable[..., TensorLike],
        body: Callable[..., Any],
        loop_vars: Any,
        names: Sequence[str],
    ) -> None:
        self.cond = cond
        self.body = body
        self.loop_vars = loop_vars
        self.line = user_line()
        self.leaves = nest.flatten(loop_vars)
        self.labels = [label(names, path) for path in nest.paths(loop_vars)]
        self.carried = [i for i, leaf in enumerate(self.leaves) if _is_variable(leaf)]
        """Places of leaves that are tensors in the loop; others are Python values that stay."""
        self.first = {i: to_tensor(self.leaves[i]) for i in self.carried}
        self.specs = {i: _open(self.first[i].spec) for i in self.carried}
        self.limited: set[int] = set()
        self.awaited: dict[Node, None] = {}
        """Nodes around the loop that something in it is to wait for."""

    def limit(self, invariants: Any) -> None:
        """Take the sizes that the caller leaves open; LoopError when a first value differs."""
        given = [leaf for one in invariants for leaf in _shapes(one)]
        if len(given) != len(self.leaves):
            raise LoopError(
                f"shape_invariants has {len(given)} shapes for {len(self.leaves)} loop variables"
            )
        for i in self.carried:
            if given[i] is None:
                continue
            wanted = given[i]
            spec = (
                wanted
                if isinstance(wanted, TensorSpec)
                else self.specs[i].with_shape(wanted)
            )
            if not spec.accepts(self.specs[i]):
                raise LoopError(
                    f"loop variable {self.labels[i]} starts as {self.specs[i]}, which is not "
                    f"compatible with its shape invariant {spec}"
                )
            self.specs[i] = spec
            self.limited.add(i)

    def staged(self, parallel: int, swap_memory: bool, back_prop: bool) -> Any:
        """Return the variables after a While node in the trace at hand."""
        cond, begun = self._traced(self._condition, "cond"), dict(self.specs)
        body = self._traced(self.body, "body")
        while self._settle(body):
            body = self._traced(self.body, "body")
        if self.specs != begun:
            cond = self._traced(self._condition, "cond")
        number = len(self.carried)
        own = [traced.graph.inputs[:number] for traced in (cond, body)]
        captured = give_inputs([cond, body], own)
        cond.graph.outputs = cond.leaves
        after = [self._after(body, i) for i in self.carried]
        body.graph.outputs = [*after, *body.graph.inputs[number:]]
        op = While(cond.graph, body.graph, parallel, swap_memory, back_prop)
        # What stands outside, and a turn waits for, runs once, before all turns.
        with waiting_for(self.awaited):
            outputs = calls(op, *self.first.values(), *captured)
        last = list(self.leaves)
        for i, y in zip(self.carried, outputs, strict=False):
            last[i] = y
        return nest.pack_like(self.loop_vars, last)

    def _traced(self, function: Callable[..., Any], name: str) -> Traced:
        tracer_ = Tracer(name)
        inside = list(self.leaves)
        for i in self.carried:
            inside[i] = tracer_.graph.add_input(self.specs[i], VARIABLE)
        traced = trace_leaves(
            tracer_, function, nest.pack_like(self.loop_vars, inside)
        )
        self.awaited.update(tracer_.awaited)
        return traced

    def _condition(self, *variables: Any) -> Tensor:
        return as_condition(self.cond(*variables), "the condition of while_loop")

    def _settle(self, body: Traced) -> bool:
        """Return whether specs had to be widened to cover what the body returns."""
        result = _as_variables(body.result, len(self.loop_vars))
        for before, after in zip(self.loop_vars, result, strict=True):
            try:
                nest.assert_same(before, after)
            except StructureError as error:
                raise LoopError(
                    f"a loop variable changes its structure in the loop at {self.line}: {error}"
                ) from None
        changes = [self._widen(i, leaf) for i, leaf in enumerate(body.leaves)]
        return any(changes)

    def _widen(self, i: int, leaf: Any) -> bool:
        if i not in self.specs:
            if isinstance(leaf, SymbolicTensor) or leaf != self.leaves[i]:
                self._refuse(i, repr(self.leaves[i]), describe(leaf))
            return False
        spec = self.specs[i]
        if not isinstance(leaf, SymbolicTensor):
            if not isinstance(leaf, NUMBERS) or not number_fits(leaf, spec.dtype):
                self._refuse(i, str(spec), describe(leaf))
            if spec.shape == ():
                return False
            self._refuse(i, str(spec), f"the scalar {leaf!r}")
        return self._cover(i, spec, leaf.spec)

    def _cover(self, i: int, spec: TensorSpec, after: TensorSpec) -> bool:
        if after.dtype is not spec.dtype:
            self._adapt(i, spec, after)
            return True
        if spec.accepts(after) and join(spec, after).inner == spec.inner:
            return False
        differ = (
            spec.rank is not None
            and after.rank is not None
            and spec.rank != after.rank
        )
        if i in self.limited and not spec.accepts(after):
            raise LoopError(
                f"loop variable {self.labels[i]} enters the loop with shape {spec.shape}, but has "
                f"shape {after.shape} after one turn, in the loop at {self.line}; give a shape "
                "invariant that covers both by shape_invariants"
            )
        if differ:
            self._refuse(i, str(spec), str(after))
        wider = join(spec, after)
        self.specs[i] = (
            wider if i not in self.limited else wider.with_shape(spec.shape)
        )
        return True

    def _adapt(self, i: int, spec: TensorSpec, after: TensorSpec) -> None:
        """Let a variable that starts as a Python number take the dtype it gets in the body."""
        start = self.leaves[i]
        if not isinstance(start, NUMBERS) or not number_fits(start, after.dtype):
            self._refuse(i, str(spec), str(after))
        self.first[i] = constant(start, after.dtype)
        self.specs[i] = TensorSpec((), after.dtype)

    def _refuse(self, i: int, before: str, after: str) -> None:
        raise LoopError(
            f"loop variable {self.labels[i]} is {before} before a turn and {after} after it, in "
            f"the loop at {self.line}; it must keep dtype and rank: start it as it goes on, cast "
            "it with tl.astype, or give shape_invariants"
        )

    def _after(self, body: Traced, i: int) -> SymbolicTensor:
        leaf = body.leaves[i]
        if isinstance(leaf, SymbolicTensor):
            return leaf
        return body.graph.add(const_of(leaf, self.specs[i].dtype), ()).outputs[0]


def _open(spec: TensorSpec) -> TensorSpec:
    """Return what a loop may rely on of a variable that starts as `spec`."""
    return TensorSpec(spec.shape, spec.dtype, None, spec.inner)


def _is_variable(leaf: Any) -> bool:
    return is_tensor_like(leaf) or isinstance(leaf, NUMBERS)


def _shapes(given: Any) -> list[Any]:
    """Return the shapes or specs of one loop variable's invariant."""
    if given is None or isinstance(given, TensorSpec):
        return [given]
    if isinstance(given, (list, tuple)) and all(
        size is None or isinstance(size, (int, np.integer)) for size in given
    ):
        return [tuple(given)]
    return [shape for one in nest.children(given) for shape in _shapes(one)]
