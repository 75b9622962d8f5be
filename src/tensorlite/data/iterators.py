"""How a graph reads a dataset: a handle of an iterator, made anew in each run, and what is next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import call, calls, interpreted_by, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.function.loops import Stream


class IteratorState(Resource):
    """A place in a dataset."""

    __slots__ = ("items",)

    def __init__(self, items: Iterator[Any]) -> None:
        self.items = items

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle."""
        return TensorSpec((), dtypes.resource)

    def __repr__(self) -> str:
        return "<iterator>"


class MakeIterator(Op):
    """A new iterator over a dataset."""

    effect = Effect.IO
    differentiable = False
    dataset: Any

    def infer(self) -> TensorSpec:
        """Return the spec of a handle."""
        return TensorSpec((), dtypes.resource)

    def kernel(self, xp: Xp) -> IteratorState:
        """Return a handle of an iterator at the dataset's beginning."""
        return IteratorState(iter(self.dataset))


class IteratorGetNext(Op):
    """Whether an iterator has another element, and its tensors: zeros if it has not."""

    effect = Effect.WRITE
    differentiable = False
    output_types: tuple[TensorSpec, ...]

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of a flag, and the elements' specs."""
        return TensorSpec((), dtypes.bool_), *self.output_types

    def kernel(self, xp: Xp, handle: IteratorState) -> tuple[Array, ...]:
        """Return the next element; InvalidArgumentError when it is not what the dataset says."""
        with interpreted_by(None):
            try:
                element = next(handle.items)
            except StopIteration:
                return np.asarray(False), *[
                    _zeros(xp, spec) for spec in self.output_types
                ]
            leaves = [to_tensor(leaf) for leaf in nest.flatten(element)]
        specs = [leaf.spec for leaf in leaves]
        pairs = list(zip(self.output_types, specs, strict=False))
        if len(specs) != len(self.output_types) or not all(
            a.accepts(b) for a, b in pairs
        ):
            raise InvalidArgumentError(
                f"the dataset gives {specs}; its element_spec says {list(self.output_types)}"
            )
        return np.asarray(True), *[leaf.array for leaf in leaves]


def _zeros(xp: Xp, spec: TensorSpec) -> Array:
    shape = () if spec.shape is None else tuple([size or 0 for size in spec.shape])
    return xp.zeros(shape, spec.dtype.numpy)


class Elements(Stream):
    """A dataset's elements, in a graph."""

    def __init__(self, dataset: Any) -> None:
        self._spec = dataset.element_spec
        self._handle = call(MakeIterator(dataset))

    def following(self) -> tuple[Tensor, Any]:
        """Return whether there is a next element, and that."""
        op = IteratorGetNext(tuple(nest.flatten(self._spec)))
        more, *leaves = calls(op, self._handle)
        return more, nest.pack_like(self._spec, leaves)
