"""Quantized numbers, and numbers rounded as they would be, as both TensorFlows have them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorlite import quantization
from tensorlite.compat.calling import converted, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.generated_ops import generated
from tensorlite.compat.shared.making import same
from tensorlite.core.dtypes import QUANTIZED, as_dtype, float32
from tensorlite.core.errors import DTypeError

__all__ = [
    "dequantize",
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "quantize",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
    "quantized_concat",
]

quantized_avg_pool = generated("quantized_avg_pool")
quantized_concat = generated("quantized_concat")
quantized_conv2d = generated("quantized_conv2d")
quantized_max_pool = generated("quantized_max_pool")
quantized_relu_x = generated("quantized_relu_x")
fake_quant_with_min_max_args_gradient = generated(
    "fake_quant_with_min_max_args_gradient"
)
fake_quant_with_min_max_vars_gradient = generated(
    "fake_quant_with_min_max_vars_gradient"
)
fake_quant_with_min_max_vars_per_channel_gradient = generated(
    "fake_quant_with_min_max_vars_per_channel_gradient"
)

_NAMES = "inputs min max num_bits narrow_range"
fake_quant_with_min_max_args = same(
    "FakeQuantWithMinMaxArgs", quantization.fake_quant_with_min_max_args, _NAMES
)
fake_quant_with_min_max_vars = same(
    "FakeQuantWithMinMaxVars", quantization.fake_quant_with_min_max_vars, _NAMES, 3
)
fake_quant_with_min_max_vars_per_channel = same(
    "FakeQuantWithMinMaxVarsPerChannel",
    quantization.fake_quant_with_min_max_vars_per_channel,
    _NAMES,
    3,
)


def _rounder(name: str, clips_gradients: bool) -> Callable[..., Any]:
    """Return what rounds to a range; gradients pass everywhere, or within what is given."""

    @named(name)
    def quantize_and_dequantize(
        input: Any,
        input_min: Any,
        input_max: Any,
        signed_input: bool = True,
        num_bits: int = 8,
        range_given: bool = False,
        round_mode: str = "HALF_TO_EVEN",
        name: str | None = None,
        narrow_range: bool = False,
        axis: int | None = None,
    ) -> Any:
        x = converted(input)
        ends = converted(input_min, x.dtype), converted(input_max, x.dtype)
        low, high = ends if range_given else (None, None)
        along = None if axis == -1 else axis
        through = ends if clips_gradients else None
        rounding: Any = round_mode
        options = (signed_input, num_bits, rounding, narrow_range, along, through)
        return quantization.quantize_and_dequantize(x, low, high, *options)

    return documented(quantize_and_dequantize, quantization.quantize_and_dequantize)


quantize_and_dequantize = _rounder("QuantizeAndDequantizeV2", clips_gradients=False)
quantize_and_dequantize_v2 = _rounder("QuantizeAndDequantizeV4", clips_gradients=True)


class QuantizeV2(NamedTuple):
    """Integers, and what the least and the greatest of their dtype stand for."""

    output: Any
    output_min: Any
    output_max: Any


@named("QuantizeV2")
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Return numbers as integers of a quantized dtype between two limits, and the limits then.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.quantization.quantize([-1.0, 4.0], -1.0, 4.0, tf.quint8).output.numpy().tolist()
    [0, 255]
    """
    wanted = as_dtype(T)
    if not wanted.is_quantized:
        allowed = ", ".join(x.name for x in QUANTIZED)
        raise DTypeError(f"quantize: T is {wanted!r}; allowed are {allowed}")
    found = quantization.quantize(
        converted(input, float32),
        converted(min_range, float32, "min_range"),
        converted(max_range, float32, "max_range"),
        wanted,
        mode,
        round_mode,
        narrow_range,
        axis,
        ensure_minimum_range,
    )
    return QuantizeV2(*found)


def quantize_v2(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Return what `quantize` does; the name stands earlier."""
    options = narrow_range, axis, ensure_minimum_range
    return quantize(input, min_range, max_range, T, mode, round_mode, name, *options)


@named("Dequantize")
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = float32,
) -> Any:
    """Return the numbers that integers of a quantized dtype between two limits stand for.

    >>> from tensorlite.compat import v2 as tf
    >>> q = tf.quantization.quantize([-1.0, 4.0], -1.0, 4.0, tf.quint8)
    >>> tf.quantization.dequantize(*q).numpy().tolist()
    [-1.0, 4.0]
    """
    return quantization.dequantize(
        converted(input),
        converted(min_range, float32, "min_range"),
        converted(max_range, float32, "max_range"),
        mode,
        narrow_range,
        axis,
        as_dtype(dtype),
    )
