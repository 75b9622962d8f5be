"""Select: `where` as TensorFlow 1 has it, whose condition may be of the first axes alone."""

from __future__ import annotations

from tensorlite.core.dispatch import call as called, constant
from tensorlite.core.dtypes import int32
from tensorlite.core.op import Call, Grads
from tensorlite.core.spec import TensorSpec, merge
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, size
from tensorlite.ops.arrays.create import Fill, zeros_like
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.compare import where


class Select(Composite):
    """Elements of one tensor or another; a vector chooses rows."""

    def compose(self, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Return `x` where the condition holds, else `y`."""
        return where(_spread(condition, x), x, y)

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return the spec of the tensors, of which a condition that chooses rows tells nothing."""
        (found,) = super().infer(*specs)
        shape, chosen = merge(specs[1].shape, specs[2].shape), specs[0].shape
        if chosen and shape is not None and (len(chosen) > 1 or not shape):
            shape = merge(shape, chosen)
        return (TensorSpec(shape, found.dtype),)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the gradient where each was chosen, and 0 elsewhere."""
        condition, zeros = call.inputs[0], zeros_like(dy)
        return (
            None,
            composed(Select(), condition, dy, zeros),
            composed(Select(), condition, zeros, dy),
        )


def _spread(condition: Tensor, x: Tensor) -> Tensor:
    """Return a condition with axes of size 1 for those of `x` that it lacks."""
    if condition.spec.rank is None or x.spec.rank is None:
        if condition.spec.rank == 0:
            return condition
        own = shape_of(condition)
        rest = size(shape_of(x)) - size(own)
        ones = called(Fill(), reshape(rest, [1]), constant(1, int32))
        return reshape(condition, concat([own, ones]))
    missing = x.spec.rank - condition.spec.rank if condition.spec.rank else 0
    for _ in range(missing):
        condition = expand_dims(condition, axis=-1)
    return condition


def select(condition: TensorLike, x: TensorLike, y: TensorLike) -> Tensor:
    """Return `x` where the condition holds, else `y`; a condition of one axis chooses rows.

    >>> from tensorlite.ops.arrays.selecting import select
    >>> print(select([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]))
    [[1 2]
     [7 8]]
    """
    made: Tensor = composed(Select(), condition, x, y)
    return made
