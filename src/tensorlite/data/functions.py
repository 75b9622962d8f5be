"""The functions that programs give to datasets: called on each element, or traced in graphs.

Where a dataset is made eagerly, its functions run eagerly on every element. Where it is made in a
trace or in a graph, they are traced once, with what they capture of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from tensorlite.core import nest
from tensorlite.core.check import a_function
from tensorlite.core.dispatch import tracer
from tensorlite.core.spec import TensorSpec, join
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import Pipeline
from tensorlite.data.elements import returned, spec_of
from tensorlite.data.given import is_symbolic, value_of
from tensorlite.data.variants import (
    element_given,
    element_of,
    held,
    is_dataset,
    leaf_of,
    leaf_specs,
    leaves_of,
    structured,
    tensors_of,
)
from tensorlite.function.compile import Compiled
from tensorlite.function.function import function
from tensorlite.function.staging import converted
from tensorlite.graph.trace import trace

T = TypeVar("T")


class Prepared(NamedTuple):
    """A function ready to be called with an element, and what it captured of a graph."""

    call: Callable[..., Any]
    captures: tuple[Tensor, ...] = ()
    spec: Callable[[], Any] = lambda: None
    """Returns the specs of what it returns."""
    compiled: Compiled | None = None
    """Its graph, if it was traced."""
    given: tuple[Tensor, ...] = ()
    """What that graph takes behind the arguments."""


def prepared(fn: Callable[..., Any], specs: Callable[[], Sequence[Any]]) -> Prepared:
    """Return a function as this place calls it; `specs` are those of its arguments."""
    a_function(fn, "the function for elements")
    if tracer() is None:
        return Prepared(
            lambda *arguments: returned(fn(*arguments)),
            (),
            lambda: traced_spec(fn, specs()),
        )
    staged = _Staged(fn, specs())
    return Prepared(
        staged, staged.captures, staged.spec, staged.compiled, staged.captured
    )


def settled(
    prepare: Callable[[Any], Prepared], specs: Any, following: Callable[[Any], Any]
) -> tuple[Prepared, Any]:
    """Return a function for states of specs that are wide enough for all, and these specs.

    `specs` are those of the first state, `following` takes those of the next one out of those of
    what the function returns.
    """
    while True:
        ready = prepare(specs)
        found = following(ready.spec())
        pairs = list(zip(nest.flatten(specs), nest.flatten(found), strict=False))
        if not all(_is_alike(a, b) for a, b in pairs):
            return ready, specs  # the run says what is wrong
        wider = nest.pack_like(specs, [join(a, b) for a, b in pairs])
        if nest.flatten(wider) == nest.flatten(specs):
            return ready, specs
        specs = wider


def _is_alike(a: Any, b: Any) -> bool:
    tensors = isinstance(a, TensorSpec) and isinstance(b, TensorSpec)
    return tensors and a.dtype is b.dtype


def traced_spec(fn: Callable[..., Any], specs: Sequence[Any]) -> Any:
    """Return the specs of what a function returns, found by tracing it."""
    found = function(fn).get_concrete_function(*specs).structured_outputs
    return spec_of(tuple(found) if isinstance(found, list) else found)


class Preparing(Pipeline[T]):
    """What of a dataset makes functions ready; those of graphs with names have another way."""

    def _prepared(
        self, fn: Callable[..., Any], specs: Callable[[], Sequence[Any]]
    ) -> Prepared:
        return prepared(fn, specs)


class _Staged:
    """A function traced to a graph, which runs once for every element."""

    def __init__(self, fn: Callable[..., Any], specs: Sequence[Any]) -> None:
        self._specs = tuple(specs)
        self._fn = converted(fn)
        traced = trace(
            self._outputs, leaf_specs(self._specs), getattr(fn, "__name__", "fn")
        )
        self.captures = tuple(
            [x for x in traced.captured if x.dtype.kind == "R" or is_symbolic(x)]
        )
        self.captured = tuple(traced.captured)
        self.compiled = Compiled(traced.graph)
        self.compiled.captured = len(self.captured)

    def _outputs(self, *leaves: Tensor) -> list[Tensor]:
        """Call the function with symbolic tensors; return the tensors of what it returns."""
        self._result = returned(self._fn(*element_given(self._specs, leaves)))
        return tensors_of(self._result)

    def spec(self) -> Any:
        """Return the specs of the result; a dataset stands for itself."""
        return spec_of(self._result)

    def __call__(self, *arguments: Any) -> Any:
        given = [held(leaf).array for leaf in leaves_of(arguments)]
        captured = [value_of(x).array for x in self.captured]
        outputs = self.compiled.run([*given, *captured])
        leaves = [
            structured(leaf_of(x), leaf.element_spec)
            if is_dataset(leaf)
            else leaf_of(x)
            for leaf, x in zip(leaves_of(self._result), outputs, strict=True)
        ]
        return element_of(self._result, leaves)
