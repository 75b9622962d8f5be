"""The functions that programs give to datasets: called on each element, or traced in graphs.

Where a dataset is made eagerly, its functions run eagerly on every element. Where it is made in a
trace or in a graph, they are traced once, with what they capture of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor, tracer
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.data.base import Pipeline
from tensorlite.data.elements import returned
from tensorlite.data.given import known_as, value_of, values
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


def prepared(fn: Callable[..., Any], specs: Callable[[], Sequence[Any]]) -> Prepared:
    """Return a function as this place calls it; `specs` are those of its arguments."""
    if tracer() is None:
        return Prepared(
            lambda *arguments: returned(fn(*arguments)),
            (),
            lambda: traced_spec(fn, specs()),
        )
    staged = _Staged(fn, specs())
    return Prepared(staged, staged.captures, staged.spec)


def traced_spec(fn: Callable[..., Any], specs: Sequence[Any]) -> Any:
    """Return the specs of what a function returns, found by tracing it."""
    found = function(fn).get_concrete_function(*specs).structured_outputs
    return tuple(found) if isinstance(found, list) else found


class Preparing(Pipeline[T]):
    """What of a dataset makes functions ready; those of graphs with names have another way."""

    def _prepared(
        self, fn: Callable[..., Any], specs: Callable[[], Sequence[Any]]
    ) -> Prepared:
        return prepared(fn, specs)


class _Staged:
    """A function traced to a graph, which runs once for every element."""

    def __init__(self, fn: Callable[..., Any], specs: Sequence[Any]) -> None:
        self._specs = specs
        self._fn = converted(fn)
        traced = trace(
            self._outputs, nest.flatten(tuple(specs)), getattr(fn, "__name__", "fn")
        )
        self.captures = tuple(
            [x for x in traced.captured if not isinstance(x, EagerTensor)]
        )
        self._captured = traced.captured
        self._compiled = Compiled(traced.graph)

    def _outputs(self, *leaves: Tensor) -> list[Tensor]:
        """Call the function with symbolic tensors; return the tensors of what it returns."""
        self._result = returned(
            self._fn(*nest.pack_like(tuple(self._specs), list(leaves)))
        )
        outputs: list[Tensor] = []
        for leaf in nest.flatten(self._result):
            outputs.extend(
                leaf.captures if isinstance(leaf, Pipeline) else [to_tensor(leaf)]
            )
        return outputs

    def spec(self) -> Any:
        """Return the specs of the result; a dataset stands for itself."""
        return nest.map_structure(
            lambda leaf: (
                leaf.spec.without_value() if isinstance(leaf, Tensor) else leaf
            ),
            self._result,
        )

    def __call__(self, *arguments: Any) -> Any:
        given = [to_tensor(leaf).array for leaf in nest.flatten(arguments)]
        captured = [value_of(x).array for x in self._captured]
        outputs = iter(
            [EagerTensor(x) for x in self._compiled.run([*given, *captured])]
        )
        leaves = [self._leaf(leaf, outputs) for leaf in nest.flatten(self._result)]
        return nest.pack_like(self._result, leaves)

    def _leaf(self, leaf: Any, outputs: Iterator[Tensor]) -> Any:
        if not isinstance(leaf, Pipeline):
            return next(outputs)
        known = {id(x): next(outputs) for x in leaf.captures}
        return bound(leaf, {**(values.get() or {}), **known}) if known else leaf


def bound(dataset: Pipeline[Any], known: dict[int, Tensor]) -> Pipeline[Any]:
    """Return a dataset that was made with tensors of a graph, which have these values."""

    def source() -> Iterator[Any]:
        with known_as(known):
            items = dataset.source()
        while True:
            with known_as(known):
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item

    made: Pipeline[Any] = dataset._altered(source=source, captures=())  # noqa: SLF001  a kin
    return made
