"""What masks choose, and masks of sequences' lengths: by TensorFlow's nodes in graphs."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    reshape,
    shape,
    squeeze,
)
from tensorlite.compat.shared.elementwise import cast, less, maximum
from tensorlite.compat.shared.picking import gather, places_of
from tensorlite.compat.shared.reductions import reduce_max, reduce_prod
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import as_dtype, bool_
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.operand import Operand
from tensorlite.core.spec import merge as merged
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays.shape import Cast
from tensorlite.ops.math.arithmetic import Range


@named("boolean_mask", None)
def boolean_mask(
    tensor: Any, mask: Any, axis: int | None = None, name: str | None = "boolean_mask"
) -> Any:
    """Return the elements, or slices, for which a mask is True, along a first axis of them.

    The mask fits the axes from `axis` (0) on. ShapeError if it is a scalar, or of unknown rank.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.boolean_mask([10, 20, 30], [True, False, True]).numpy().tolist()
    [10, 30]
    """
    x, chosen = converted(tensor, None, "tensor"), converted(mask, None, "mask")
    if chosen.dtype.is_numeric:
        chosen = tl.not_equal(chosen, 0)
    if chosen.spec.rank == 0:
        raise ShapeError("mask cannot be scalar.")
    if chosen.spec.rank is None:
        raise ShapeError(
            "Number of mask dimensions must be specified, even if some dimensions are None."
        )
    first = axis or 0
    if active_graph() is None or x.spec.rank is None or first < 0:
        return _chosen(x, chosen, axis)
    behind = first + chosen.spec.rank
    merged(x.spec.dims[first:behind], chosen.spec.shape)
    count = reduce_prod(shape(x)[first:behind], [0])
    sizes = concat([shape(x)[:first], [count], shape(x)[behind:]], 0)
    rows = reshape(x, sizes)
    places = squeeze(places_of(reshape(chosen, [-1])), [1])
    return gather(rows, places, axis=first)


def _chosen(x: Any, chosen: Any, axis: int | None) -> Any:
    if not axis:
        return tl.boolean_mask(x, chosen)
    along = axis % x.ndim
    rows = list(range(along, along + chosen.ndim))
    front = tl.moveaxis(x, rows, list(range(chosen.ndim)))
    return tl.moveaxis(tl.boolean_mask(front, chosen), 0, along)


@named("SequenceMask", None)
def sequence_mask(
    lengths: Any, maxlen: Any = None, dtype: Any = bool_, name: str | None = None
) -> Any:
    """Return masks [..., maxlen] whose first elements, as many as lengths say, are True.

    maxlen is the greatest length unless given, InvalidArgumentError if below 0; `dtype` may be one
    of numbers.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.sequence_mask([1, 3], dtype=tf.int32).numpy().tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    counts = given_constant(lengths)
    _check_length(maxlen)
    if active_graph() is None or counts.dtype.is_floating:
        if counts.dtype.is_floating:
            counts = tl.astype(tl.ceil(plain(counts)), tl.int64)
        return tl.sequence_mask(counts, maxlen, as_dtype(dtype))
    if maxlen is None:
        most = reduce_max(counts)
        most = maximum(given_constant(0, most.dtype), most)
    else:
        most = given_constant(maxlen)
    if most.shape.rank:
        raise ShapeError(f"sequence_mask: maxlen must be scalar, not of {most.shape}")
    ends = [given_constant(i, most.dtype) for i in (0, 1)]
    row = _operator(Range(), ends[0], most, ends[1])
    made = less(row, _operator(Cast(most.dtype), expand_dims(counts, -1)))
    return made if made.dtype is as_dtype(dtype) else cast(made, dtype)


def _check_length(maxlen: Any) -> None:
    """Raise InvalidArgumentError for a length below 0, where it is known."""
    if isinstance(maxlen, Operand):
        maxlen = maxlen.__tensor__().spec.scalar()
    if isinstance(maxlen, int) and maxlen < 0:
        raise InvalidArgumentError(
            f"sequence_mask: Requires start <= limit when delta > 0: 0/{maxlen}"
        )


def _operator(op: Op, *inputs: Any) -> Any:
    """Return the output of an operator, called by its name where there may be less to do."""
    return in_graph(lambda: call(op, *map(plain, inputs)), op.name)
