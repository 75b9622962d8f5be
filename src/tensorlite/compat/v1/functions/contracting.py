"""tf.tensordot, by the nodes of TensorFlow 1: a product of two matrices."""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np

from tensorlite.compat.adopting import holds_operand
from tensorlite.compat.shared.arrays import (
    concat,
    range as counted,
    rank,
    reshape,
    shape,
    stack,
    transpose,
)
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.picking import gather, setdiff1d
from tensorlite.compat.shared.reductions import reduce_prod
from tensorlite.compat.v1.functions.arrays import where
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.operand import Operand
from tensorlite.core.spec import normalise_axes
from tensorlite.graph_mode.graph import active_graph, name_scope

Sizes: TypeAlias = Any
"""Numbers, or a tensor of them."""


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Return sums of products of a and b over pairs of axes.

    axes is a number (so many last axes of a and first ones of b) or two lists of axes that go
    together.
    """
    if active_graph() is None:
        return matrices.tensordot(a, b, axes, name=name)
    told = _by_tensors(a, b, axes)
    pairs = None if told else _pairs(a, b, axes)
    if pairs is None and not told:
        return matrices.tensordot(a, b, axes, name=name)
    with name_scope(name, "Tensordot") as prefix:
        x, y = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        both: Any = pairs or _told(x, axes)
        left, rows = _as_matrix(x, both[0], comes_last=True)
        right, columns = _as_matrix(y, both[1], comes_last=False)
        product = matrices.matmul(left, right)
        title = prefix[:-1] and f"{prefix[:-1]}/"
        if isinstance(rows, list) and isinstance(columns, list):
            return reshape(product, rows + columns, name=title or None)
        sizes = [convert_to_tensor(x, int32) for x in (rows, columns)]
        made = reshape(product, concat(sizes, 0), name=title or None)
    free, other = _free(x, both[0]), _free(y, both[1])
    if free is not None and other is not None:
        made.set_shape(free + other)
    return made


def _by_tensors(a: Any, b: Any, axes: Any) -> bool:
    """Return whether axes are tensors in TensorFlow's graphs: given so, or of unknown ranks."""
    if isinstance(axes, (int, np.integer)):
        return bool(axes >= 0) and None in (_rank(a), _rank(b))
    if not isinstance(axes, (list, tuple)):
        return isinstance(axes, (np.ndarray, Operand))
    if len(axes) != 2 or len({_count(part) for part in axes} - {None}) > 1:
        return False
    return None in (_rank(a), _rank(b)) or any(
        isinstance(part, (np.ndarray, Operand)) for part in axes
    )


def _count(axes: Any) -> int | None:
    """Return how many axes there are, where that is known."""
    return len(axes) if isinstance(axes, (list, tuple)) else None


def _told(x: Any, axes: Any) -> tuple[Any, Any]:
    """Return the axes of both, as lists or as tensors, given the first operand."""
    if isinstance(axes, (int, np.integer)):
        count, known = int(axes), x.get_shape().rank
        if known is not None:
            return [*range(known - count, known)], [*range(count)]
        last = rank(x)
        return counted(last - count, last, dtype=int32), counted(count, dtype=int32)
    if isinstance(axes, (list, tuple)):
        one, other = axes
        return ([one], [other]) if isinstance(one, int) else (one, other)
    both = convert_to_tensor(axes, int32, name="axes")
    return both[0], both[1]


def _pairs(a: Any, b: Any, axes: Any) -> tuple[list[int], list[int]] | None:
    """Return the axes of both that are summed over; None where ranks or axes are not known."""
    ranks, is_listed = (
        [_rank(a), _rank(b)],
        isinstance(axes, (list, tuple, np.ndarray)),
    )
    if None in ranks:
        return None
    if isinstance(axes, (int, np.integer)):
        if not 0 <= axes <= min(ranks[0] or 0, ranks[1] or 0):
            return None
        last = ranks[0] or 0
        given: Any = [np.arange(last - int(axes), last), np.arange(int(axes))]
    else:
        given = [np.ravel(part) for part in axes] if is_listed else []
    if len(given) != 2 or any(part.dtype.kind != "i" for part in given):
        return None
    if len(given[0]) != len(given[1]):
        return None
    first, second = (
        list(normalise_axes(part.tolist(), n or 0))
        for part, n in zip(given, ranks, strict=True)
    )
    return first, second


def _rank(x: Any) -> int | None:
    if isinstance(x, (list, tuple)) and holds_operand(x):
        inner = _rank(x[0])
        return None if inner is None else inner + 1
    return x.get_shape().rank if hasattr(x, "get_shape") else np.ndim(x)


def _free(x: Any, axes: Any) -> list[int | None] | None:
    """Return the sizes of axes that are not summed over; None where these are not known."""
    order = _order(x, axes)
    return None if order is None else [x.get_shape().as_list()[i] for i in order[0]]


def _order(x: Any, axes: Any) -> tuple[list[int], list[int]] | None:
    """Return the axes that are left and those summed over; None where that is not known."""
    if isinstance(axes, Operand):
        axes = axes.__tensor__().spec.constant()
    elif isinstance(axes, np.ndarray):
        axes = axes.tolist()
    count = x.get_shape().rank
    if count is None or not isinstance(axes, (list, tuple)):
        return None
    summed = list(normalise_axes(list(axes), count))
    return [i for i in range(count) if i not in summed], summed


def _as_matrix(x: Any, axes: Any, comes_last: bool) -> tuple[Any, Sizes]:
    """Return a matrix whose rows or columns are those elements that are summed over.

    With it come the sizes of all other axes.
    """
    if x.get_shape().rank is None or not isinstance(axes, (list, tuple)):
        return _as_matrix_by_tensors(x, axes, comes_last)
    dims, (free, axes) = x.get_shape().as_list(), _order(x, axes) or ([], [])
    if None in dims:
        return _as_unknown_matrix(x, axes, free, comes_last)
    rest, summed = prod(dims[i] for i in free), prod(dims[i] for i in axes)
    order = [*free, *axes] if comes_last else [*axes, *free]
    sizes = [rest, summed] if comes_last else [summed, rest]
    return reshape(transpose(x, order), sizes), [dims[i] for i in free]


def _as_unknown_matrix(
    x: Any, axes: list[int], free: list[int], comes_last: bool
) -> tuple[Any, Sizes]:
    """Return the same of a tensor whose sizes are known later."""
    summed = constant(np.asarray(axes, np.int32), name="axes")
    others = constant(np.asarray(free, np.int32), name="free")
    turned, both, rest = _parts(x, shape(x), others, summed, comes_last)
    return reshape(turned, both), rest


def _as_matrix_by_tensors(x: Any, axes: Any, comes_last: bool) -> tuple[Any, Sizes]:
    """Return the same by axes that are known later, or of a tensor of unknown rank."""
    sizes, last = shape(x), rank(x)
    given = convert_to_tensor(axes, int32, name="axes")
    summed = where(given >= 0, given, given + last)
    others, _ = setdiff1d(counted(last), summed)
    turned, both, rest = _parts(x, sizes, others, summed, comes_last)
    order = _order(x, axes)
    if order is not None:
        dims = x.get_shape().as_list()
        ordered = [*order[0], *order[1]] if comes_last else [*order[1], *order[0]]
        turned.set_shape([dims[i] for i in ordered])
    return reshape(turned, both), rest


def _parts(
    x: Any, sizes: Any, others: Any, summed: Any, comes_last: bool
) -> tuple[Any, Any, Any]:
    """Return the tensor by its new order, the sizes of the matrix, and those of other axes."""
    rest, along = gather(sizes, others), gather(sizes, summed)
    many, few = reduce_prod(rest), reduce_prod(along)
    order = concat([others, summed] if comes_last else [summed, others], 0)
    both = stack([many, few] if comes_last else [few, many])
    return transpose(x, order), both, rest
