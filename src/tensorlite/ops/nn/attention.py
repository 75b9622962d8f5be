"""Attention: each query's mean of values, weighted by how its key products compare."""

from __future__ import annotations

from math import sqrt

from tensorlite.core.dispatch import floating, to_tensor
from tensorlite.core.errors import DTypeError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, transpose
from tensorlite.ops.arrays.gather import size_at, sizes
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.compare import greater_equal, where
from tensorlite.ops.math.elementwise import rsqrt
from tensorlite.ops.nn.activations import softmax
from tensorlite.ops.nn.dropout import dropout
from tensorlite.ops.random.generators import Source

__all__ = ["attention", "multi_head_attention"]

_LEAST = {"float16": -6e4, "bfloat16": -1e38, "float32": -1e38, "float64": -1e300}
"""What masked products become: finite, so that a query with nothing to see gets a plain mean."""


def attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    mask: TensorLike | None = None,
    causal: bool = False,
    scale: float | None = None,
    dropout_rate: float = 0.0,
    generator: Source | None = None,
) -> Tensor:
    """Return softmax(query @ key.T * scale) @ value over the last two axes (Vaswani et al. 2017).

    `query` is (..., queries, depth), `key` (..., keys, depth), `value` (..., keys, results).
    `mask` broadcasts to (..., queries, keys): bools, True where a query may look, or numbers that
    are added. `causal` hides keys that come after the query, the last ones being at one time.
    `scale` is 1 / sqrt(depth) unless given.

    >>> x = tl.eye(2)
    >>> print(tl.nn.attention(x, x, x, causal=True))
    [[1.       0.      ]
     [0.330238 0.669762]]
    """
    q, k, v = (floating(to_tensor(x)) for x in (query, key, value))
    if not q.dtype.is_floating:
        raise DTypeError(
            f"attention takes real numbers, not {q.spec}; cast it with tl.astype"
        )
    products = matmul(_scaled(q, scale), k, transpose_b=True)
    if mask is not None:
        products = _masked(products, to_tensor(mask))
    if causal:
        products = _masked(products, _causal(q, k))
    weights = softmax(products)
    if dropout_rate:
        weights = dropout(weights, dropout_rate, generator=generator)
    return matmul(weights, v)


def _scaled(query: Tensor, scale: float | None) -> Tensor:
    if scale is not None:
        return query * scale
    depth = query.spec.shape[-1] if query.spec.shape else None
    if depth is not None:
        return query * (1 / sqrt(depth))
    return query * rsqrt(astype(size_at(query, -1), query.dtype))


def _masked(products: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype.kind != "b":
        return products + mask
    return where(mask, products, _LEAST[products.dtype.name])


def _causal(query: Tensor, key: Tensor) -> Tensor:
    queries, keys = size_at(query, -2), size_at(key, -2)
    now = arange(queries) + (keys - queries)
    return greater_equal(expand_dims(now, 1), expand_dims(arange(keys), 0))


def multi_head_attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    heads: int,
    mask: TensorLike | None = None,
    causal: bool = False,
    dropout_rate: float = 0.0,
    generator: Source | None = None,
) -> Tensor:
    """Return attention of `heads` parts of the last axis, each for itself, side by side again.

    Operands are (batch, length, heads * depth), already projected; `mask` broadcasts to
    (batch, heads, queries, keys). Raises ShapeError when the last axis does not divide.

    >>> x = tl.ones((1, 3, 4))
    >>> tl.nn.multi_head_attention(x, x, x, heads=2).shape
    (1, 3, 4)
    """
    q, k, v = (_parted(floating(to_tensor(x)), heads) for x in (query, key, value))
    found = attention(q, k, v, mask, causal, None, dropout_rate, generator)
    joined = transpose(found, (0, 2, 1, 3))
    batch, length, _, _ = sizes(joined)
    return reshape(joined, [batch, length, -1])


def _parted(x: Tensor, heads: int) -> Tensor:
    width = x.shape[-1] if x.ndim == 3 else 0
    if width == 0 or (width is not None and width % heads):
        raise ShapeError(
            f"multi_head_attention: {x.spec} must be (batch, length, width), with a width that "
            f"divides into {heads} heads"
        )
    batch, length, _ = sizes(x)
    return transpose(reshape(x, [batch, length, heads, -1]), (0, 2, 1, 3))
