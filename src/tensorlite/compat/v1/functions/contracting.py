"""tf.tensordot, by the nodes of TensorFlow 1: a product of two matrices."""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

import numpy as np

from tensorlite.compat.adopting import holds_operand
from tensorlite.compat.shared.arrays import concat, reshape, shape, stack, transpose
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.picking import gather
from tensorlite.compat.shared.reductions import reduce_prod
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.spec import normalise_axes
from tensorlite.graph_mode.graph import active_graph, name_scope

Sizes: TypeAlias = Any
"""Numbers, or a tensor of them."""


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Return sums of products of a and b over pairs of axes.

    axes is a number (so many last axes of a and first ones of b) or two lists of axes that go
    together.
    """
    pairs = None if active_graph() is None else _pairs(a, b, axes)
    if pairs is None:
        return matrices.tensordot(a, b, axes, name=name)
    with name_scope(name, "Tensordot") as prefix:
        x, y = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        left, rows = _as_matrix(x, pairs[0], comes_last=True)
        right, columns = _as_matrix(y, pairs[1], comes_last=False)
        product = matrices.matmul(left, right)
        title = prefix[:-1] and f"{prefix[:-1]}/"
        if isinstance(rows, list) and isinstance(columns, list):
            return reshape(product, rows + columns, name=title or None)
        sizes = [convert_to_tensor(x, int32) for x in (rows, columns)]
        made = reshape(product, concat(sizes, 0), name=title or None)
    made.set_shape([*_free(x, pairs[0]), *_free(y, pairs[1])])
    return made


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


def _free(x: Any, axes: list[int]) -> list[int | None]:
    return [n for i, n in enumerate(x.get_shape().as_list()) if i not in axes]


def _as_matrix(x: Any, axes: list[int], comes_last: bool) -> tuple[Any, Sizes]:
    """Return a matrix whose rows or columns are those elements that are summed over.

    With it come the sizes of all other axes.
    """
    dims = x.get_shape().as_list()
    free = [i for i in range(len(dims)) if i not in axes]
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
    sizes = shape(x)
    rest, along = gather(sizes, others), gather(sizes, summed)
    many, few = reduce_prod(rest), reduce_prod(along)
    order = concat([others, summed] if comes_last else [summed, others], 0)
    both = stack([many, few] if comes_last else [few, many])
    return reshape(transpose(x, order), both), rest
