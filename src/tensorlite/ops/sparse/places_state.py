"""Parts of variables at coordinates: replaced, added to, bounded, as those of tensors are.

Whole rows are written in state.py; what is done at the coordinates, in arrays/scatter.py.
"""

from __future__ import annotations

from typing import ClassVar

from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.scatter import (
    TensorScatter,
    TensorScatterAdd,
    TensorScatterMax,
    TensorScatterMin,
    TensorScatterSub,
    TensorScatterUpdate,
)
from tensorlite.ops.state.resource import VariableState


class _ResourceScatterNd(Op, abstract=True):
    """Brings updates into a variable at the coordinates that rows of indices say."""

    effect = Effect.WRITE
    differentiable = False
    rule: ClassVar[type[TensorScatter]]
    """What does the same to a tensor."""
    returns: bool = False
    """Whether the new value comes back, as that of TensorFlow 1's references does."""

    def infer(
        self, handle: TensorSpec, indices: TensorSpec, updates: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the variable's spec if that comes back; errors when the updates do not fit."""
        self.rule().infer(handle.inner[0], indices, updates)
        return (handle.inner[0],) if self.returns else ()

    def kernel(
        self, xp: Xp, handle: VariableState, indices: Array, updates: Array
    ) -> tuple[Array, ...]:
        """Bring the updates into a copy of the variable's array, which it has from now on."""
        with handle.lock:
            made = self.rule().kernel(xp, handle.value(), indices, updates)
            handle.array = made
        return (made,) if self.returns else ()


class ResourceScatterNdUpdate(_ResourceScatterNd):
    """Replaces parts of a variable; of those at one place the last stays."""

    rule = TensorScatterUpdate


class ResourceScatterNdAdd(_ResourceScatterNd):
    """Adds to parts of a variable."""

    rule = TensorScatterAdd


class ResourceScatterNdSub(_ResourceScatterNd):
    """Subtracts from parts of a variable."""

    rule = TensorScatterSub


class ResourceScatterNdMax(_ResourceScatterNd):
    """Makes parts of a variable at least as large as the updates."""

    rule = TensorScatterMax


class ResourceScatterNdMin(_ResourceScatterNd):
    """Makes parts of a variable at most as large as the updates."""

    rule = TensorScatterMin
