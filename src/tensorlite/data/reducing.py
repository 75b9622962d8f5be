"""What graphs compute of whole datasets: reductions, how many elements there are, the only one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import call, calls, interpreted_by
from tensorlite.core.dtypes import int64, variant
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.data.base import Pipeline
from tensorlite.data.elements import returned
from tensorlite.data.functions import Prepared
from tensorlite.data.given import known_as
from tensorlite.data.iterators import known, only
from tensorlite.data.variants import (
    Held,
    as_inputs,
    as_tensor,
    element_given,
    held,
    leaf_specs,
    leaves_of,
)
from tensorlite.function.compile import Compiled


class Reduction(NamedTuple):
    """A dataset, what makes the next state of a state and an element, and a state's structure."""

    dataset: Pipeline[Any]
    ready: Prepared
    like: Any


def folded(dataset: Pipeline[Any], ready: Prepared, state: Any, specs: Any) -> Any:
    """Return what a graph computes of a dataset that its nodes make."""
    assert ready.compiled is not None
    leaves = leaves_of(state)
    op = ReduceDataset(ready.compiled, len(leaves), leaf_specs(specs))
    given = as_inputs(dataset, leaves, "initial_state")
    return element_given(specs, list(calls(op, *given, *ready.given)))


def only_element(dataset: Pipeline[Any], spec: Any) -> Any:
    """Return the element, of a spec, that a graph finds in a dataset that its nodes make."""
    found = calls(OnlyElement(leaf_specs(spec)), as_tensor(dataset))
    return element_given(spec, found)


def cardinality_of(dataset: Pipeline[Any]) -> Tensor:
    """Return how many elements a dataset has that a graph makes."""
    return call(DatasetCardinality(), as_tensor(dataset))


def _check(op: Op, dataset: TensorSpec) -> None:
    """Raise DTypeError for what is no dataset, as damaged graphs may have it."""
    if dataset.dtype is not variant:
        raise DTypeError(f"{op.name} takes a dataset, a variant, not {dataset}")


class ReduceDataset(Op):
    """The state after all elements, which a function of a graph makes of a state and an element."""

    effect = Effect.IO
    differentiable = False
    f: Compiled
    states: int
    output_types: tuple[TensorSpec, ...]

    def infer(
        self, dataset: TensorSpec, *given: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the state's specs; DTypeError for what is no dataset."""
        _check(self, dataset)
        return self.output_types

    def kernel(self, xp: Xp, dataset: Held, *given: Array) -> tuple[Array, ...]:
        """Run through the dataset."""
        state, captured = given[: self.states], given[self.states :]
        with interpreted_by(None):
            for element in dataset.dataset.source():
                leaves = [held(x).array for x in leaves_of(element)]
                state = tuple(self.f.run([*state, *leaves, *captured]))
        return tuple(state)


class DatasetCardinality(Op):
    """How many elements a dataset has, -1 for no end, -2 where that is not known."""

    differentiable = False

    def infer(self, dataset: TensorSpec) -> TensorSpec:
        """Return the spec of a number; DTypeError for what is no dataset."""
        _check(self, dataset)
        return TensorSpec((), int64)

    def kernel(self, xp: Xp, dataset: Held) -> Array:
        """Return it."""
        return xp.asarray(dataset.dataset.cardinality(), np.int64)


class OnlyElement(Op):
    """The element of a dataset that has one."""

    effect = Effect.IO
    differentiable = False
    output_types: tuple[TensorSpec, ...]

    def infer(self, dataset: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the element's specs; DTypeError for what is no dataset."""
        _check(self, dataset)
        return self.output_types

    def kernel(self, xp: Xp, dataset: Held) -> tuple[Array, ...]:
        """Return the element; InvalidArgumentError when there is none, or another."""
        with interpreted_by(None):
            element = only(dataset.dataset.source())
            return tuple([held(x).array for x in leaves_of(element)])


class DatasetReduction(Op):
    """The state after all elements, of a first one and of what the dataset was made with."""

    by_dtype = True
    effect = Effect.IO
    differentiable = False
    reduction: Any
    keys: tuple[int, ...]
    output_types: tuple[TensorSpec, ...]

    def infer(self, *given: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the state's specs."""
        return self.output_types

    def kernel(self, xp: Xp, *given: Array) -> tuple[Array, ...]:
        """Run through the dataset."""
        count = len(self.keys)
        dataset, ready, like = self.reduction
        state = nest.pack_like(like, [EagerTensor(x) for x in given[count:]])
        with interpreted_by(None), known_as(known(self.keys, given[:count])):
            for element in dataset.source():
                state = returned(ready.call(state, element))
        return tuple([leaf.array for leaf in nest.flatten(state)])
