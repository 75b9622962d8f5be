"""ReduceDataset: what a graph computes of all elements of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array, Xp
from tensorlite.data.base import Pipeline
from tensorlite.data.elements import tensors
from tensorlite.data.given import known_as
from tensorlite.data.iterators import known


class Reduction(NamedTuple):
    """A dataset, what makes the next state of a state and an element, and a state's structure."""

    dataset: Pipeline[Any]
    step: Callable[[Any, Any], Any]
    like: Any


class ReduceDataset(Op):
    """The state after all elements, of a first one and of what the dataset was made with."""

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
        dataset, step, like = self.reduction
        state = nest.pack_like(like, [EagerTensor(x) for x in given[count:]])
        with interpreted_by(None), known_as(known(self.keys, given[:count])):
            for element in dataset.source():
                found = step(state, element)
                state = tensors(tuple(found) if isinstance(state, tuple) else found)
        return tuple([leaf.array for leaf in nest.flatten(state)])
