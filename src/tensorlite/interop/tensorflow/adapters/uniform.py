"""Evenly spaced quantised numbers in GraphDefs, with scales and zero points.

Those between limits are in quantised.py and quantised_layers.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.nn import uniform_quantised as uniform
from tensorlite.ops.nn.uniform_quantised import Range, Spacing


def _range(given: Given, prefix: str = "") -> Range:
    low, high = [
        given.typed(f"{prefix}quantization_{end}_val", int) for end in ("min", "max")
    ]
    if low > high:
        raise GraphDefError(f"{given.record}: integers from {low} to {high}")
    return Range(low, high)


def _axis(given: Given, prefix: str = "") -> int:
    axis: int = given.typed(f"{prefix}quantization_axis", int)
    if axis < -1:
        raise GraphDefError(f"{given.record}: {prefix}quantization_axis is {axis}")
    return axis


def _of_integers(given: Given, made: Callable[..., Tensor]) -> Values:
    """Return what is made of the integers that inputs hold, in the dtype of the output."""
    (wanted,) = given.output_dtypes(1)

    def computed(*inputs: Tensor) -> Tensor:
        found = made(*[astype(x, x.dtype.held) for x in inputs])
        return found if wanted is None else astype(astype(found, wanted.held), wanted)

    return given.composed(computed, *given.tensors)


_OPERANDS = ("lhs", "rhs", "output")


def _spacings(by: tuple[Tensor, ...], axes: list[int]) -> tuple[Spacing, ...]:
    return tuple(
        [Spacing(by[2 * i], by[2 * i + 1], axis) for i, axis in enumerate(axes)]
    )


def _quantised(given: Given) -> Values:
    limits, axis = _range(given), _axis(given)
    return _of_integers(
        given,
        lambda x, *by: uniform.quantized(x, Spacing(by[0], by[1], axis), limits),
    )


def _restored(given: Given) -> Values:
    _range(given)
    axis = _axis(given)
    return _of_integers(
        given, lambda x, *by: uniform.dequantized(x, Spacing(by[0], by[1], axis))
    )


def _requantised(given: Given) -> Values:
    _range(given, "input_")
    limits = _range(given, "output_")
    axes = [_axis(given, f"{name}_") for name in ("input", "output")]

    def made(x: Tensor, *by: Tensor) -> Tensor:
        before, after = _spacings(by, axes)
        return uniform.requantized(x, before, after, limits)

    return _of_integers(given, made)


def _added(given: Given) -> Values:
    axes = [_axis(given, f"{name}_") for name in _OPERANDS]
    limits = [_range(given, f"{name}_") for name in _OPERANDS][-1]
    held = np.iinfo(given.dtype("T").held.numpy)
    narrow = Range(int(held.min), int(held.max))

    def made(x: Tensor, y: Tensor, *by: Tensor) -> Tensor:
        first, second, result = _spacings(by, axes)
        return uniform.added(x, y, (first, second, result), limits, narrow)

    return _of_integers(given, made)


def _product(given: Given) -> Values:
    axes = [_axis(given, f"{name}_") for name in _OPERANDS]
    limits = [_range(given, f"{name}_") for name in _OPERANDS][-1]

    def made(x: Tensor, y: Tensor, *by: Tensor) -> Tensor:
        first, second, result = _spacings(by, axes)
        return uniform.product(x, y, (first, second, result), limits)

    return _of_integers(given, made)


def _clipped(given: Given) -> Values:
    _range(given)
    axis = _axis(given)

    def made(x: Tensor, low: Tensor, high: Tensor, *by: Tensor) -> Tensor:
        rank = x.spec.rank
        ends = [Spacing(by[0], end, axis).along(rank).zeros for end in (low, high)]
        return minimum(maximum(x, ends[0]), ends[1])

    return _of_integers(given, made)


UNIFORM: dict[str, Adapter] = {
    "UniformDequantize": _restored,
    "UniformQuantize": _quantised,
    "UniformQuantizedAdd": _added,
    "UniformQuantizedClipByValue": _clipped,
    "UniformQuantizedDot": _product,
    "UniformRequantize": _requantised,
}
