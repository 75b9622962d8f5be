"""Parts of variables that keys of basic indexing select: replaced without reading the rest.

Rows are written in sparse/state.py, what stands at coordinates in sparse/places_state.py.
"""

from __future__ import annotations

from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Effect
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.slicing import Strided, fits
from tensorlite.ops.state.resource import VariableState


class ResourceStridedSliceAssign(Strided):
    """Replaces the part of a variable that a key of basic indexing selects."""

    effect = Effect.WRITE
    differentiable = False
    host = (1, 2, 3)
    returns: bool = False
    """Whether the new value comes back, as that of TensorFlow 1's references does."""

    def infer(
        self,
        handle: TensorSpec,
        begin: TensorSpec,
        end: TensorSpec,
        strides: TensorSpec,
        value: TensorSpec,
    ) -> tuple[TensorSpec, ...]:
        """Return the variable's spec if that comes back; errors when the value does not fit."""
        whole = handle.inner[0]
        if value.dtype is not whole.dtype:
            raise DTypeError(
                f"{self.name}: the variable holds {whole.dtype!r}, the value is {value.dtype!r}; "
                "cast it with tl.astype"
            )
        fits(self.name, value, self.sliced(whole, begin, end, strides).shape)
        return (whole,) if self.returns else ()

    def kernel(
        self,
        xp: Xp,
        handle: VariableState,
        begin: Array,
        end: Array,
        strides: Array,
        value: Array,
    ) -> tuple[Array, ...]:
        """Replace the part in the variable's array."""
        with handle.rewritten() as whole:
            part = self.view(whole, begin, end, strides)
            fits(self.name, TensorSpec(value.shape), part.shape)
            part[...] = value
        return (handle.value(),) if self.returns else ()
