"""Numbers of few bits: rounding that trains through, and conversion to and from integers.

The operators and functions stand in ops/.
"""

from __future__ import annotations

from tensorlite.ops.nn.fake_quantised import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_per_channel,
    quantize_and_dequantize,
)
from tensorlite.ops.nn.quantised import dequantize, quantize

__all__ = [
    "dequantize",
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_per_channel",
    "quantize",
    "quantize_and_dequantize",
]


def __dir__() -> list[str]:
    return __all__
