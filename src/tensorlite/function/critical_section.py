"""CriticalSection: functions that run one at a time, eagerly, in traces and in sessions.

The mutex behind it is in ops/queues/mutex.py, with the operator that calls a function under a lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from tensorlite.core import nest
from tensorlite.core.check import a_function
from tensorlite.core.dispatch import calls, current
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.function.compile import Compiled
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph.tape import GradientTape
from tensorlite.graph.trace import Tracer, outermost
from tensorlite.ops.control.branches import Traced, trace_leaves
from tensorlite.ops.fetchable import effect
from tensorlite.ops.queues.mutex import (
    ExecuteInCriticalSection,
    MutexV2,
    inside,
    locked,
    refuse_again,
)
from tensorlite.ops.state.making import made

__all__ = ["CriticalSection"]

T = TypeVar("T")


class Execution(NamedTuple):
    """What a critical section runs in a graph: the resources it uses, and whether for itself."""

    section: CriticalSection
    resources: tuple[SymbolicTensor, ...]
    is_exclusive: bool


class CriticalSection:
    """Runs functions one at a time, whatever thread or step asks for it.

    Source: TensorFlow's `tf.CriticalSection`.

    >>> section, total = tl.CriticalSection(), tl.Variable(0)
    >>> def doubled():
    ...     total.assign(total * 2 + 1)
    ...     return total.value()
    >>> print(section.execute(doubled), tl.function(lambda: section.execute(doubled))())
    1 3
    """

    def __init__(
        self, name: str = "critical_section", shared_name: str | None = None
    ) -> None:
        self.name = name
        self.handle = made(
            lambda: MutexV2(
                "critical section", debug_name=name, shared_name=shared_name or ""
            )
        )

    def execute(
        self, fn: Callable[[], T], exclusive_resource_access: bool = True
    ) -> T:
        """Return what `fn()` returns, while nothing else runs in this section.

        In a trace `fn` becomes a function of its own: what it needs from around is computed before
        the lock is asked for, and an error in it releases the lock. Inside it nothing may wait for
        what the same step does outside. Raises InvalidArgumentError when `fn` enters this section
        again, and in a trace when another section uses the same variable or other resource,
        unless both say exclusive_resource_access=False; there gradients through it are errors.

        >>> v = tl.Variable(1.0)
        >>> print(tl.CriticalSection().execute(lambda: v + 1.0))
        2.0
        """
        a_function(fn, f"{self.name}: fn")
        state = self.handle.array
        refuse_again(state)
        top = outermost()
        if top is not None:
            staged: T = self._staged(fn, exclusive_resource_access, top)
            return staged
        with locked(self.handle):
            return fn()

    def _staged(self, fn: Callable[[], Any], is_exclusive: bool, top: Tracer) -> Any:
        """Return the outputs of a node that calls the trace of `fn`."""
        with inside(self.handle.array):
            traced = trace_leaves(Tracer(self.name), fn, ())
        captured = [outer for outer, _ in traced.captures.values()]
        if any(x is self.handle for x in captured):
            raise InvalidArgumentError(
                f"{self.name}: a function that it executes enters it again, and would wait for "
                "itself. Execute once, around all that needs it"
            )
        self._claim(top, captured, is_exclusive)
        _watch(captured)
        traced.graph.outputs = _tensors(traced)
        op = ExecuteInCriticalSection(Compiled(traced.graph))
        inputs = (self.handle, *captured)
        if not traced.graph.outputs and traced.result is None:
            return effect(op, *inputs)
        outputs = iter(calls(op, *inputs))
        return nest.pack_like(
            traced.result,
            [
                next(outputs) if isinstance(x, SymbolicTensor) else x
                for x in traced.leaves
            ],
        )

    def _claim(self, top: Tracer, captured: list[Tensor], is_exclusive: bool) -> None:
        """Note which resources are used in a graph; an error if another section uses them too."""
        used = tuple([top.own(x) for x in captured if x.dtype.kind == "R"])
        known: list[Execution] = top.graph.kept.setdefault("critical sections", [])
        for other in known:
            shared = [x for x in used if any(x is y for y in other.resources)]
            alone = is_exclusive or other.is_exclusive
            if shared and alone and other.section is not self:
                raise InvalidArgumentError(
                    f"{self.name} and {other.section.name} both execute functions that use "
                    f"{_listed(shared)}, and would not keep each other out. Use one section, or "
                    "say exclusive_resource_access=False in both"
                )
        known.append(Execution(self, used, is_exclusive))

    def __repr__(self) -> str:
        return f"CriticalSection(name={self.name!r})"


def _watch(captured: list[Tensor]) -> None:
    """Let tapes know of the variables in a function, so that asking for gradients is an error."""
    trainable = [x for x in captured if x.spec.trainable]
    interpreter = current.get()
    while interpreter is not None:
        if (
            isinstance(interpreter, GradientTape)
            and interpreter.recording
            and interpreter.watch_accessed_variables
        ):
            interpreter.watch(trainable)
        interpreter = interpreter.below


def _tensors(traced: Traced) -> list[SymbolicTensor]:
    return [leaf for leaf in traced.leaves if isinstance(leaf, SymbolicTensor)]


def _listed(resources: list[SymbolicTensor]) -> str:
    return " and ".join([f"{x.name}, first used at {x.node.line}" for x in resources])
