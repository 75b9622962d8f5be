"""Layers on quantised numbers in GraphDefs, as TensorFlow 1's quantised graphs have them.

Each takes integers with the limits that the least and the greatest stand for, and gives such. How
numbers become integers is in quantised.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tensorlite.core.dispatch import call, constant
from tensorlite.core.dtypes import float32, float64, int32
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.linear.matmul import MatMul
from tensorlite.ops.math.arithmetic import multiply, negative
from tensorlite.ops.math.bounds import clip, maximum, minimum
from tensorlite.ops.math.reduce import max as max_of, min as min_of
from tensorlite.ops.math.rounding import abs as magnitude, floor
from tensorlite.ops.nn import quantised_numbers as numbers
from tensorlite.ops.nn.conv import Conv2D
from tensorlite.ops.nn.pool import AvgPool, MaxPool
from tensorlite.ops.nn.quantised_numbers import Limits

Three: TypeAlias = tuple[Tensor, Tensor, Tensor]


def _on_integers(
    given: Given,
    function: Callable[..., Sequence[Tensor]],
    tensors: Sequence[Tensor] | None = None,
) -> Values:
    """Return what a function makes of the integers that quantised inputs hold, quantised again."""

    def made(*inputs: Tensor) -> list[Tensor]:
        results = function(*[astype(x, x.dtype.held) for x in inputs])
        wanted = given.output_dtypes(len(results))
        return [
            x if dtype is None else astype(x, dtype)
            for x, dtype in zip(results, wanted, strict=True)
        ]

    return given.composed(made, *(given.tensors if tensors is None else tensors))


def _centred(x: Tensor, limits: Limits) -> Tensor:
    """Return integers less the one that is zero, as numbers that hold all products."""
    return astype(x, float64) - numbers.of_number(0.0, limits, x.dtype)


def _multiplied(
    product: Callable[[Tensor, Tensor], Tensor],
    x: Tensor,
    y: Tensor,
    first: Limits,
    second: Limits,
) -> Three:
    found = product(_centred(x, first), _centred(y, second))
    step = numbers.step(first, x.dtype) * numbers.step(second, y.dtype)
    low, high = (astype(step * float(end), float32) for end in (-(2**31), 2**31 - 1))
    return astype(found, int32), low, high


def _convolved(given: Given) -> Values:
    padding, strides = given.typed("padding", str), given.listed("strides", int)
    op = Conv2D(strides, padding, dilations=given.listed("dilations", int))
    given.dtype("out_type")

    def made(x: Tensor, y: Tensor, *ends: Tensor) -> Three:
        return _multiplied(
            lambda a, b: call(op, a, b), x, y, (ends[0], ends[1]), (ends[2], ends[3])
        )

    return _on_integers(given, made)


def _product(given: Given) -> Values:
    op = MatMul(given.typed("transpose_a", bool), given.typed("transpose_b", bool))
    for name in ("Toutput", "Tactivation"):
        given.dtype(name)

    def made(x: Tensor, y: Tensor, *ends: Tensor) -> Three:
        return _multiplied(
            lambda a, b: call(op, a, b), x, y, (ends[0], ends[1]), (ends[2], ends[3])
        )

    return _on_integers(given, made)


def _used(x: Tensor, limits: Limits) -> Limits:
    """Return the limits of those numbers that are there, of which zero is one."""
    low, high = (
        astype(numbers.value_of(end(x), limits), float32) for end in (min_of, max_of)
    )
    return minimum(low, 0.0), high


def _narrowed(given: Given) -> Values:
    dtype = given.dtype("out_type").held

    def made(x: Tensor, *ends: Tensor) -> Three:
        limits = (ends[0], ends[1])
        wanted = _used(x, limits)
        return (numbers.changed(x, limits, wanted, dtype), *wanted)

    return _on_integers(given, made)


def _range(given: Given) -> Values:
    return _on_integers(given, lambda x, low, high: _used(x, (low, high)))


def _requantised(given: Given) -> Values:
    dtype = given.dtype("out_type").held

    def made(x: Tensor, *ends: Tensor) -> Three:
        wanted = (ends[2], ends[3])
        return (numbers.changed(x, (ends[0], ends[1]), wanted, dtype), *wanted)

    return _on_integers(given, made)


def _added(given: Given) -> Values:
    """Add in a range so wide that no sum leaves it."""
    name = "out_type" if "Bias" in given.record.op else "Toutput"
    dtype = given.dtype(name).held

    def made(x: Tensor, y: Tensor, *ends: Tensor) -> Three:
        most = magnitude(ends[0])
        for end in ends[1:]:
            most = maximum(most, magnitude(end))
        wide = most * float(2**17)
        wanted = (negative(wide), wide)
        first = numbers.changed(x, (ends[0], ends[1]), wanted, dtype)
        second = numbers.changed(y, (ends[2], ends[3]), wanted, dtype)
        return (first + second, *wanted)

    return _on_integers(given, made)


def _scaled(given: Given) -> Values:
    given.dtype("Toutput")

    def made(x: Tensor, y: Tensor, *ends: Tensor) -> Three:
        return _multiplied(multiply, x, y, (ends[0], ends[1]), (ends[2], ends[3]))

    return _on_integers(given, made)


def _bounded(most: float | None) -> Adapter:
    def adapter(given: Given) -> Values:
        given.dtype("out_type")

        def made(x: Tensor, *ends: Tensor) -> Three:
            limits = (ends[-2], ends[-1])
            top = ends[0] if len(ends) == 3 else most
            low = numbers.fitted(0.0, limits, x.dtype)
            if top is None:
                return maximum(x, low), *limits
            return clip(x, low, numbers.fitted(top, limits, x.dtype)), *limits

        return _on_integers(given, made)

    return adapter


def _pooled(kind: type[MaxPool | AvgPool]) -> Adapter:
    def adapter(given: Given) -> Values:
        sizes = [given.listed(name, int) for name in ("ksize", "strides")]
        op = kind(sizes[0], sizes[1], given.typed("padding", str))

        def made(x: Tensor, low: Tensor, high: Tensor) -> Three:
            found = call(op, astype(x, float32))
            rounded = floor(found) if kind is AvgPool else found
            return astype(rounded, x.dtype), low, high

        return _on_integers(given, made)

    return adapter


def _reshaped(given: Given) -> Values:
    return _on_integers(
        given, lambda x, shape, low, high: (reshape(x, shape), low, high)
    )


def _joined(given: Given) -> Values:
    """Join, in the range that holds all."""
    count, dtype = given.typed("N", int), given.dtype("T").held
    axis = int(given.constant(0))

    def made(*inputs: Tensor) -> Three:
        parts, lows, highs = [inputs[i : i + count] for i in (0, count, 2 * count)]
        low, high = constant(0.0), highs[0]
        for one, other in zip(lows, highs, strict=True):
            low, high = minimum(low, one), maximum(high, other)
        alike = [
            numbers.changed(x, (a, b), (low, high), dtype)
            for x, a, b in zip(parts, lows, highs, strict=True)
        ]
        return concat(alike, axis=axis), low, high

    return _on_integers(given, made, given.tensors[1:])


QUANTISED_LAYERS: dict[str, Adapter] = {
    "QuantizeDownAndShrinkRange": _narrowed,
    "QuantizedAdd": _added,
    "QuantizedAvgPool": _pooled(AvgPool),
    "QuantizedBiasAdd": _added,
    "QuantizedConcat": _joined,
    "QuantizedConv2D": _convolved,
    "QuantizedMatMul": _product,
    "QuantizedMaxPool": _pooled(MaxPool),
    "QuantizedMul": _scaled,
    "QuantizedRelu": _bounded(None),
    "QuantizedRelu6": _bounded(6.0),
    "QuantizedReluX": _bounded(None),
    "QuantizedReshape": _reshaped,
    "RequantizationRange": _range,
    "Requantize": _requantised,
}
