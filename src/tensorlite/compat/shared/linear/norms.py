"""Norms of tensors, and tensors of given norms, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.arguments import keep_name
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared.reductions import reduce_max, reduce_sum
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import merge
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.graph_mode.variables import GraphVariable


@named("norm", None)
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return the norm of a tensor's vectors or matrices, or of all elements at once.

    `axis` None is all elements, a number vectors, a pair matrices. `ord` is 'euclidean', 'fro', 1,
    np.inf or a positive number; for matrices 1, 2, np.inf, 'euclidean' or 'fro'. Others are an
    InvalidArgumentError.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.norm([[3.0, 4.0], [0.0, 2.0]], axis=1).numpy().tolist()
    [5.0, 2.0]
    """
    x = given_constant(tensor)
    if isinstance(tensor, GraphVariable) and isinstance(x, SymbolicTensor):
        keep_name(x.node)  # read by itself
    axes = tuple(axis) if isinstance(axis, (list, tuple)) else axis
    _check_norm(ord, axes)
    kept = bool(keepdims)
    if ord in ("fro", "euclidean", 2, 2.0) and not _is_matrix_two(ord, axes):
        # Of complex numbers the norm is complex, too, as TensorFlow's is.
        squared = x * tl.conj(x) if x.dtype.is_complex else x * x
        found = tl.sqrt(converted(reduce_sum(squared, axes, True)))
        return found if kept else tl.squeeze(found, axes)
    return _other_norm(tl.abs(x), x, ord, axes, kept)


def _check_norm(ord: Any, axes: Any) -> None:
    """Raise InvalidArgumentError for axes of no vectors or matrices, and 'fro' of vectors."""
    if isinstance(axes, tuple):
        count = len(set(axes)) if all(isinstance(x, int) for x in axes) else 0
        if len(axes) != count or count not in {1, 2}:
            raise InvalidArgumentError(
                "'axis' must be None, an integer, or a tuple of 2 unique integers, got "
                f"{axes}"
            )
    if ord == "fro" and not (isinstance(axes, tuple) and len(axes) == 2):
        raise InvalidArgumentError(
            f"'ord' must be a supported vector norm, got {ord}; 'fro' is one of matrices"
        )


def _is_matrix_two(ord: Any, axes: Any) -> bool:
    return ord in (2, 2.0) and isinstance(axes, tuple) and len(axes) == 2


def _other_norm(sizes: Any, x: Any, ord: Any, axes: Any, kept: bool) -> Any:
    if isinstance(axes, tuple) and len(axes) == 2:
        if ord in (2, 2.0):
            return _spectral(x, axes, kept)
        if ord not in (1, np.inf):
            raise InvalidArgumentError(
                f"norm: 'ord' must be 1, 2, np.inf or 'euclidean' for matrices, got {ord!r}"
            )
        along, across = axes if ord == 1 else axes[::-1]
        total = tl.sum(sizes, axis=along, keepdims=True)
        found = tl.max(total, axis=across, keepdims=True)
        return found if kept else tl.squeeze(found, axes)
    if ord == np.inf:
        found = plain(reduce_max(sizes, axes, True))
        return found if kept else tl.squeeze(found, axes)
    if not isinstance(ord, (int, float, np.number)) or ord <= 0:
        raise InvalidArgumentError(
            f"norm: 'ord' must be a supported vector norm, got {ord!r}"
        )
    powers = sizes if ord == 1 else tl.pow(sizes, float(ord))
    total = plain(reduce_sum(powers, axes, True))
    found = total if ord == 1 else tl.pow(total, 1.0 / ord)
    return found if kept else tl.squeeze(found, axes)


def _spectral(x: Any, axes: Any, kept: bool) -> Any:
    moved = tl.moveaxis(x, axes, (-2, -1))
    found = tl.max(tl.linalg.svdvals(moved), axis=-1)
    if not kept:
        return found
    return tl.expand_dims(found, tuple(sorted(a % x.ndim for a in axes)))


@named("l2_normalize")
def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None
) -> Any:
    """Return the tensor divided by its Euclidean norm along axes, or by that of all.

    The squared norm is taken to be at least epsilon.
    """
    operand = converted(x)
    squares = tl.square(tl.abs(operand) if operand.dtype.is_complex else operand)
    total = plain(reduce_sum(squares, axis, True))
    return operand * tl.astype(tl.rsqrt(tl.maximum(total, epsilon)), operand.dtype)


@named("normalize")
def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> Any:
    """Return the tensor divided by its norm along an axis, and that norm, axes kept.

    Arguments are those of `norm`.
    """
    x = converted(tensor)
    size = norm(x, ord, axis, True)
    return x / size, size


@named("global_norm", "global_norm")
def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Return the Euclidean norm of all elements of a list of tensors together.

    None in the list is left out. DTypeError for what is no list or tuple.
    """
    return tl.global_norm([x for x in _tensors(t_list) if x is not None])


def _tensors(t_list: Sequence[Any]) -> list[Any]:
    if isinstance(t_list, (Operand, str)) or not isinstance(t_list, (list, tuple)):
        raise DTypeError(
            f"t_list={t_list!r}: t_list should be a sequence; give a list of tensors"
        )
    return [x if x is None or not _is_value(x) else converted(x) for x in t_list]


def _is_value(x: Any) -> bool:
    return isinstance(x, (Operand, np.ndarray, list, float, int))


@named("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> Any:
    """Return tensors scaled down so that their norm together is clip_norm at most.

    Also returns that norm as it was before. None in the list stays None. use_norm is the norm where
    it is known already.
    """
    given = _tensors(t_list)
    wanted = [x for x in given if x is not None]
    clipped, total = tl.clip_by_global_norm(wanted, clip_norm, use_norm)
    rest = iter(clipped)
    return [None if x is None else next(rest) for x in given], total


@named("clip_by_norm")
def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Any:
    """Return the tensor scaled down so that its Euclidean norm is at most clip_norm.

    With axes the norm is that of each slice along them.
    """
    if not _is_value(t):
        return tl.clip_by_norm(t, clip_norm, axes)
    x = converted(t)
    clipped: Any = tl.clip_by_norm(x, converted(clip_norm, x.dtype), axes)
    merge(x.spec.shape, clipped.spec.shape)
    return clipped


@named("clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Any:
    """Return the tensor scaled down so that its average norm is clip_norm at most.

    The average norm is the Euclidean norm divided by how many elements there are.
    """
    x = converted(t)
    count = tl.astype(tl.size(x), float32)
    mean = tl.sqrt(tl.sum(tl.square(x))) / tl.astype(count, x.dtype)
    return x * clip_norm * tl.minimum(1.0 / mean, 1.0 / converted(clip_norm, x.dtype))
