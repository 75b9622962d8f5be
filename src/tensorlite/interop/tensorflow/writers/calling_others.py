"""What is written for operators that TensorFlow does not have: calls of functions of its own.

Such a function is a graph of operators that TensorFlow has, so that it takes gradients of it as of
any. What is written as a few nodes is in decomposing.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.core.dtypes import int32, int64
from tensorlite.core.op import Op
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import Graph, Node
from tensorlite.graph.trace import trace
from tensorlite.interop.tensorflow.writers.counting import shapes_of
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.arrays.arrange import expand_dims, moveaxis
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.gather import gather, unsorted_segment_sum
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import repeat
from tensorlite.ops.arrays.search import argsort
from tensorlite.ops.arrays.segment import unsorted_segment_min
from tensorlite.ops.arrays.sets import unique
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.linear.diagonal import band_part
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.linear.solve import adjoint
from tensorlite.ops.linear.spectral import svd
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import (
    equal,
    less,
    logical_and,
    logical_or,
    where,
)
from tensorlite.ops.math.elementwise import exp, log, log1p, rsqrt, sqrt, square
from tensorlite.ops.math.reduce import any as any_of, max as greatest, mean
from tensorlite.ops.math.rounding import abs as magnitude, ceil, floor

Made = Callable[..., Tensor | Sequence[Tensor]]


def _standardized(op: Any, x: Tensor, axes: Tensor) -> Sequence[Tensor]:
    centre = mean(x, axis=axes, keepdims=True)
    away = x - centre
    variance = mean(square(away), axis=axes, keepdims=True)
    return away * rsqrt(variance + op.epsilon), centre, variance


def _standardized_back(
    _: Op, dy: Tensor, y: Tensor, scale: Tensor, axes: Tensor
) -> Tensor:
    slope = mean(dy * y, axis=axes, keepdims=True)
    return scale * (dy - mean(dy, axis=axes, keepdims=True) - y * slope)


def _log_sum(_: Op, x: Tensor, y: Tensor) -> Tensor:
    return where(less(x, y), y, x) + log1p(exp(-magnitude(x - y)))


def _is_negative(_: Op, x: Tensor) -> Tensor:
    """Return the sign's bit, which zero has as well."""
    is_zero = equal(x, zeros_like(x))
    return logical_or(less(x, 0), logical_and(is_zero, less(1 / x, 0)))


def _with_sign(op: Op, x: Tensor, y: Tensor) -> Tensor:
    size = magnitude(x)
    return where(_is_negative(op, y), -size, size)


def _towards_zero(_: Op, x: Tensor) -> Tensor:
    return where(less(x, 0), ceil(x), floor(x))


def _lower(op: Any, x: Tensor) -> Tensor:
    if op.k >= 0:
        return band_part(x, -1, op.k)
    return where(equal(band_part(ones_like(x), -op.k - 1, -1), 0), x, zeros_like(x))


def _upper(op: Any, x: Tensor) -> Tensor:
    if op.k <= 0:
        return band_part(x, -op.k, -1)
    return where(equal(band_part(ones_like(x), -1, op.k - 1), 0), x, zeros_like(x))


def _distinct(_: Op, x: Tensor) -> Sequence[Tensor]:
    """Return the distinct elements in order, where each is first, which each is, how often."""
    flat = reshape(x, [-1])
    values, appeared = unique(flat)
    order = argsort(values)
    numbers = astype(gather(argsort(order), appeared), int64)
    places = arange(astype(shape_of(flat)[0], int64), dtype=int64)
    count = shape_of(values)[0]
    first = unsorted_segment_min(places, numbers, count)
    often = unsorted_segment_sum(ones_like(places), numbers, count)
    return gather(values, order), first, reshape(numbers, shape_of(x)), often


def _pseudo_inverse(_: Op, x: Tensor, rtol: Tensor) -> Tensor:
    """Return what inverts where singular values are not small."""
    left, values, right = svd(x, full_matrices=False)
    longest = greatest(shape_of(x)[-2:])
    usual = astype(longest, x.dtype) * float(np.finfo(x.dtype.numpy).eps)
    limit = where(less(rtol, 0), usual, astype(rtol, x.dtype))
    most = greatest(values, axis=-1, keepdims=True)
    kept = less(expand_dims(limit, -1) * most, values)
    inverse = where(kept, 1 / where(kept, values, 1), zeros_like(values))
    scaled = adjoint(right) * expand_dims(inverse, -2)
    return matmul(scaled, adjoint(left))


def _is_in(_: Op, x: Tensor, among: Tensor) -> Tensor:
    pairs = equal(expand_dims(x, -1), reshape(among, [-1]))
    return any_of(pairs, axis=-1)


def _unrepeated(op: Any, dy: Tensor, repeats: Tensor, shape: Tensor) -> Tensor:
    """Return the sums of what each element was repeated as."""
    size = shape[op.axis]
    source = repeat(arange(size), repeats, axis=0)
    sums = unsorted_segment_sum(moveaxis(dy, op.axis, 0), source, size)
    return moveaxis(sums, 0, op.axis)


MADE_OF: dict[str, Made] = {
    "CopySign": _with_sign,
    "IsIn": _is_in,
    "PseudoInverse": _pseudo_inverse,
    "RepeatGrad": _unrepeated,
    "Hypot": lambda _, x, y: sqrt(square(x) + square(y)),
    "Log10": lambda _, x: log(x) * (1 / math.log(10)),
    "Log2": lambda _, x: log(x) * (1 / math.log(2)),
    "LogAddExp": _log_sum,
    "Signbit": _is_negative,
    "Standardize": _standardized,
    "StandardizeGrad": _standardized_back,
    "Tril": _lower,
    "Triu": _upper,
    "Trunc": _towards_zero,
    "UniqueAll": _distinct,
}
"""What operators are made of, by their names."""


def as_call(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a call of what an operator is made of.

    >>> graph = tl.Graph()
    >>> with graph.as_default():
    ...     y = tl.log2(tl.placeholder(tl.float32, (2,)))
    >>> as_call(y.node.op, y.node)[0].op
    'PartitionedCall'
    """
    made = _graph(node, lambda *xs: MADE_OF[op.name](op, *xs))
    given = {"f": made, "_output_shapes": shapes_of(node)}
    return (Spelled("PartitionedCall", given),)


def _graph(node: Node, function: Made, name: str = "") -> Graph:
    def listed(*tensors: Tensor) -> Sequence[Tensor]:
        found = function(*tensors)
        return [found] if isinstance(found, Tensor) else found

    specs = [x.spec.without_value() for x in node.inputs]
    return trace(listed, specs, name or node.op.name).graph


def bins(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return counts of numbers, up to the greatest that is there, which TensorFlow asks for."""
    x, least, weights = [y.dtype for y in node.inputs]
    if op.attributes()["fixed"]:
        return (Spelled("Bincount", {"T": weights}),)

    def size(numbers: Tensor, at_least: Tensor, _: Tensor) -> Tensor:
        most = greatest(numbers) + 1 if numbers.spec.size != 0 else at_least
        return maximum(astype(most, int32), astype(at_least, int32))

    call = {
        "f": _graph(node, size, "size_of_bins"),
        "Tin": (x, least, weights),
        "Tout": (int32,),
    }
    cast = Spelled("Cast", {"SrcT": x, "DstT": int32}, (0,), "numbers")
    numbers = 0 if x is int32 else "numbers"
    return (
        Spelled("PartitionedCall", call, (0, 1, 2), "size"),
        *([] if x is int32 else [cast]),
        Spelled("Bincount", {"T": weights}, (numbers, "size", 2)),
    )
