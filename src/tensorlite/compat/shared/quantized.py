"""Numbers rounded as quantized ones would be, as both TensorFlows have them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite import quantization
from tensorlite.compat.calling import converted, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.making import same

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_per_channel",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
]

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


_Rounder = Callable[..., Any]


def _rounder(name: str, clips_gradients: bool) -> _Rounder:
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
