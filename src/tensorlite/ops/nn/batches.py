"""Several axes of batches before those of images: they are one axis while a convolution runs."""

from __future__ import annotations

from collections.abc import Callable

from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import reshape, shape_of


def over_batches(
    x: Tensor, axes: int, convolve: Callable[[Tensor], Tensor]
) -> Tensor:
    """Return what a function makes of a tensor with one axis of batches, for one with several.

    `axes` are those behind the batches, of which the result has as many.
    """
    rank = x.spec.rank
    if rank is None or rank <= axes + 1:
        return convolve(x)
    known = x.spec.shape
    if known is not None and None not in known:
        made = convolve(reshape(x, (-1, *known[-axes:])))
        sizes = made.spec.shape
        if sizes is not None and None not in sizes:
            return reshape(made, (*known[:-axes], *sizes[1:]))
    whole = shape_of(x)
    made = convolve(reshape(x, concat([[-1], whole[-axes:]])))
    return reshape(made, concat([whole[:-axes], shape_of(made)[1:]]))
