"""Quantized numbers: `tf.quantization`."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.quantized import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_per_channel,
    quantize_and_dequantize,
    quantize_and_dequantize_v2,
)

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_per_channel",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
]


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
