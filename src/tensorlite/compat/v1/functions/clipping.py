"""Tensors cut to a norm, by the nodes of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared.arrays import (
    identity,
    ones_like,
    range as counted,
    rank,
    size,
    stack,
)
from tensorlite.compat.shared.elementwise import (
    cast,
    is_finite,
    maximum,
    minimum,
    rsqrt,
    sqrt,
)
from tensorlite.compat.shared.linear import norms
from tensorlite.compat.shared.nn import l2_loss
from tensorlite.compat.v1.functions.arrays import where
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import active_graph, name_scope


@at_home
def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Any:
    """Return t scaled down so that its L2 norm along the axes is at most clip_norm.

    An IndexedSlices stays one; the norm is that of its values.
    """
    if active_graph() is None:
        return norms.clip_by_norm(t, clip_norm, axes, name=name)
    with name_scope(name, "clip_by_norm") as prefix:
        x = convert_to_tensor(_values(t), name="t")
        squares = reduce_sum(x * x, axes, keepdims=True)
        is_any = squares > 0
        root = sqrt(where(is_any, squares, ones_like(squares, None)))
        norm = where(is_any, root, squares)
        cut = x * clip_norm
        x.get_shape().merge_with(cut.get_shape())
        clipped = identity(cut / maximum(norm, clip_norm), name=prefix or None)
    return replace(t, values=clipped) if isinstance(t, IndexedSlices) else clipped


@at_home
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Return the tensor scaled down so that its average norm is clip_norm at most.

    The average norm is the Euclidean norm divided by how many elements there are.
    """
    if active_graph() is None:
        return norms.clip_by_average_norm(t, clip_norm, name)
    with name_scope(name, "clip_by_average_norm") as prefix:
        x = convert_to_tensor(t, name="t")
        count = cast(size(x), x.dtype)
        inverse = rsqrt(reduce_sum(x * x, counted(rank(x))))
        cut = x * clip_norm
        share = minimum(inverse * count, constant(1.0, x.dtype) / clip_norm)
        return identity(cut * share, name=prefix or None)


@at_home
def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Return the L2 norm of all tensors of the list together, a scalar; None is passed over."""
    if active_graph() is None or not _are_tensors(t_list):
        return norms.global_norm(t_list, name=name)
    given = [_values(x) for x in t_list if x is not None]
    with name_scope(name, "global_norm"):
        half = reduce_sum(stack([l2_loss(x) for x in given]))
        return sqrt(half * constant(2.0, half.dtype), name="global_norm")


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> Any:
    """Return (tensors scaled down by one factor to a common norm of clip_norm, their norm).

    use_norm is taken in place of tf.global_norm(t_list) if given. None stays None; where the norm
    is infinite or NaN, so are the results NaN.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     [x.tolist() for x in session.run(tf.clip_by_global_norm([[3.0], [4.0]], 1.0)[0])]
    [[0.6000000238418579], [0.800000011920929]]
    """
    if active_graph() is None or not _are_tensors(t_list):
        return norms.clip_by_global_norm(t_list, clip_norm, use_norm, name=name)
    norm = (
        global_norm(t_list, name) if use_norm is None else convert_to_tensor(use_norm)
    )
    with name_scope(name, "clip_by_global_norm") as prefix:
        share = clip_norm * minimum(1.0 / norm, constant(1.0, norm.dtype) / clip_norm)
        scale = where(is_finite(norm), share, constant(nan, norm.dtype))
        return [
            _scaled(x, scale, f"{prefix}_{i}") for i, x in enumerate(t_list)
        ], norm


def _scaled(x: Any, scale: Any, name: str) -> Any:
    if x is None:
        return None
    made = identity(_values(x) * scale, name=name)
    return replace(x, values=made) if isinstance(x, IndexedSlices) else made


def _are_tensors(t_list: Any) -> bool:
    """Return whether these are members of graphs, of which one is there."""
    if not isinstance(t_list, Sequence) or not any(x is not None for x in t_list):
        return False
    kinds = (Operand, IndexedSlices, type(None))
    return all(isinstance(x, kinds) for x in t_list)


def _values(x: Any) -> Any:
    return x.values if isinstance(x, IndexedSlices) else x
