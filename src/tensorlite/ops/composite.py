"""Composite: operators that are one in TensorFlow, and are made of others here.

Graphs that hold what programs called keep them as nodes, so that these have the names and types
that TensorFlow gives them; `composed` decides that. Everywhere else the parts are called
themselves, and passes/inline.py puts them in the nodes' places before such a graph runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

from tensorlite.core.dispatch import call, calls, interpreted_by, to_tensor
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.scope import Scope, scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, device_of
from tensorlite.graph.backprop import needs
from tensorlite.graph.graph import Graph
from tensorlite.graph.tape import GradientTape
from tensorlite.graph.trace import outermost, trace
from tensorlite.ops.arrays.identity import Identity

Made: TypeAlias = "Tensor | Sequence[Tensor]"
NOWHERE = Scope()


class Composite(Op, abstract=True):
    """An operator that says by `compose` which others it is made of; these do all the rest.

    A gradient that TensorFlow has as an operator of its own, too, is given by `grad`.
    """

    selective = True

    compose: ClassVar[Callable[..., Made]]
    """Returns the outputs, made of the inputs by other operators without effects."""

    def parts(self, specs: Sequence[TensorSpec], within: Scope = NOWHERE) -> Graph:
        """Return a graph of what this is made of, for inputs of some specs."""
        token = scope.set(within)
        try:
            with interpreted_by(None):
                made = trace(lambda *xs: _listed(self.compose(*xs)), specs, self.name)
        finally:
            scope.reset(token)
        return made.graph

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the specs of what the parts make."""
        return _inferred(self, tuple([(spec, spec.known) for spec in specs]))

    def kernel(self, xp: Xp, *arrays: Array) -> Any:
        """Return what the parts make."""
        with interpreted_by(None):
            given = [EagerTensor(x, device_of(x)) for x in arrays]
            made = [to_tensor(y).array for y in _listed(self.compose(*given))]
        return made[0] if len(made) == 1 else tuple(made)

    def grad(self, call: Call, *dys: Any) -> Grads:
        """Return the gradients of the parts, which are called again for them."""
        found = pulled(
            self,
            call.inputs,
            dys,
            [i for i in range(len(call.inputs)) if needs(call, i)],
        )
        return tuple([found.get(i) for i in range(len(call.inputs))])


def pulled(
    op: Composite,
    inputs: Sequence[Tensor],
    dys: Sequence[Tensor | None],
    places: Sequence[int],
) -> dict[int, Any]:
    """Return the gradients of some inputs of an operator, taken through its parts.

    One that is given twice has a gradient for each place.
    """
    counts = Counter(map(id, inputs))
    inputs = [call(Identity(), x) if counts[id(x)] > 1 else x for x in inputs]
    sources = {i: inputs[i] for i in places if inputs[i].dtype.is_differentiable}
    with GradientTape() as tape:
        tape.watch(list(sources.values()))
        made = _listed(op.compose(*inputs))
    pairs = [(y, dy) for y, dy in zip(made, dys, strict=True) if dy is not None]
    targets, flows = [y for y, _ in pairs], [dy for _, dy in pairs]
    found = tape.gradient(targets, list(sources.values()), flows)
    return dict(zip(sources, found, strict=True))


def flow_back(function: Callable[[Tensor], Tensor], x: Tensor, dy: Tensor) -> Tensor:
    """Return what flows to the argument of a function, given what flows to its result."""
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    found: Tensor = tape.gradient(y, x, dy)
    return found


def composed(op: Composite, *inputs: TensorLike) -> Any:
    """Return the output of an operator, or its outputs if there are several.

    >>> from tensorlite.ops.nn.channels import BiasAdd
    >>> print(composed(BiasAdd(), tl.ones((1, 2)), tl.asarray([1.0, 2.0])))
    [[2. 3.]]
    """
    tracer = outermost()
    if tracer is None or not tracer.graph.as_called:
        return op.compose(*map(to_tensor, inputs))
    outputs = calls(op, *inputs)
    return outputs[0] if len(outputs) == 1 else outputs


def _listed(made: Made) -> Sequence[Tensor]:
    return [made] if isinstance(made, Tensor) else made


@lru_cache(maxsize=4096)
def _inferred(
    op: Composite, given: tuple[tuple[TensorSpec, Any], ...]
) -> tuple[TensorSpec, ...]:
    return tuple(op.parts([spec for spec, _ in given]).output_specs)
