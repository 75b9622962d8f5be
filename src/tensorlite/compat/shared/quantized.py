"""Numbers rounded as quantized ones would be, as both TensorFlows have them alike."""

from __future__ import annotations

from typing import Any

from tensorlite import quantization
from tensorlite.compat.calling import converted, named
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


@named("QuantizeAndDequantizeV2")
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
    low, high = (
        (converted(input_min), converted(input_max)) if range_given else (None, None)
    )
    options: Any = (signed_input, num_bits, round_mode, narrow_range, axis)
    return quantization.quantize_and_dequantize(converted(input), low, high, *options)


quantize_and_dequantize_v2 = quantize_and_dequantize
