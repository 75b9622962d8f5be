"""Gradient clipping by norm; gradients may be None or sparse, and stay so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Gradient
from tensorlite.core.tensor import IndexedSlices, Tensor, TensorLike
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.arithmetic import add_n, sum
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import isfinite, where
from tensorlite.ops.math.elementwise import sqrt, square
from tensorlite.ops.math.rounding import abs

__all__ = ["clip_by_global_norm", "clip_by_norm", "global_norm"]


def _values(gradient: Tensor | IndexedSlices) -> Tensor:
    return (
        gradient.values
        if isinstance(gradient, IndexedSlices)
        else to_tensor(gradient)
    )


def _scaled(gradient: Gradient, factor: Tensor) -> Gradient:
    if gradient is None:
        return None
    scaled = _values(gradient) * astype(factor, gradient.dtype)
    return (
        replace(gradient, values=scaled)
        if isinstance(gradient, IndexedSlices)
        else scaled
    )


def global_norm(gradients: Sequence[Gradient]) -> Tensor:
    """Return the Euclidean norm of all gradients together; None counts as zero.

    >>> print(tl.global_norm([tl.asarray([3.0]), None, tl.asarray([4.0])]))
    5.0
    """
    squares = [sum(square(abs(_values(g)))) for g in gradients if g is not None]
    return sqrt(add_n(squares)) if squares else constant(0.0)


def clip_by_global_norm(
    gradients: Sequence[Gradient],
    clip_norm: TensorLike,
    use_norm: Tensor | None = None,
) -> tuple[list[Gradient], Tensor]:
    """Return the gradients scaled so that their common norm is at most `clip_norm`, and the norm.

    Where the norm is not finite every gradient becomes NaN, as in TensorFlow, so that it shows.

    >>> clipped, norm = tl.clip_by_global_norm([tl.asarray([3.0]), tl.asarray([4.0])], 1.0)
    >>> print(clipped[0], norm)
    [0.6] 5.0
    """
    norm = global_norm(gradients) if use_norm is None else use_norm
    factor = _limit(clip_norm, norm) / maximum(norm, _limit(clip_norm, norm))
    safe = where(isfinite(norm), factor, float("nan"))
    return [_scaled(g, safe) for g in gradients], norm


def _limit(clip_norm: TensorLike, norm: Tensor) -> Tensor:
    if isinstance(clip_norm, (int, float)) and not clip_norm > 0:
        raise InvalidArgumentError(f"clip_norm={clip_norm}: it must be positive")
    return astype(to_tensor(clip_norm), norm.dtype)


def clip_by_norm(
    x: TensorLike | IndexedSlices,
    clip_norm: TensorLike,
    axis: int | Sequence[int] | None = None,
) -> Gradient:
    """Return `x` scaled so that its norm (over `axis`, if given) is at most `clip_norm`.

    >>> print(tl.clip_by_norm([3.0, 4.0], 1.0))
    [0.6 0.8]
    """
    gradient = x if isinstance(x, IndexedSlices) else to_tensor(x)
    squares = sum(
        square(abs(_values(gradient))), axis=axis, keepdims=axis is not None
    )
    # The root of 0 has no derivative: there the norm is the sum, whose derivative is 0.
    norm = where(squares > 0, sqrt(where(squares > 0, squares, 1.0)), squares)
    limit = _limit(clip_norm, norm)
    return _scaled(gradient, limit / maximum(norm, limit))
