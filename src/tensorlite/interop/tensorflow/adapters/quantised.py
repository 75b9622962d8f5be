"""Quantised numbers in GraphDefs, whose dtypes are read as those of the integers that hold them."""

from __future__ import annotations

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.nn.quantised import MODES, dequantized, quantized


def _mode(given: Given) -> str:
    found: str = given.typed("mode", str)
    if found not in MODES:
        allowed = ", ".join(MODES)
        raise GraphDefError(f"{given.record}: mode={found!r}; allowed are {allowed}")
    return found


def _quantised(given: Given) -> Values:
    dtype, mode = given.dtype("T"), _mode(given)
    to_even = given.typed("round_mode", str) == "HALF_TO_EVEN"
    narrow = given.typed("narrow_range", bool)
    least = given.typed("ensure_minimum_range", float)

    def made(x: Tensor, low: Tensor, high: Tensor) -> tuple[Tensor, ...]:
        return quantized(
            x,
            (low, high),
            dtype,
            mode,
            to_even=to_even,
            narrow=narrow,
            least_range=least,
        )

    return given.composed(made, *given.tensors)


def _restored(given: Given) -> Values:
    mode, narrow = _mode(given), given.typed("narrow_range", bool)
    dtype = given.dtype("dtype")

    def made(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return astype(dequantized(x, (low, high), mode, narrow), dtype)

    return given.composed(made, *given.tensors)


QUANTISED: dict[str, Adapter] = {"Dequantize": _restored, "QuantizeV2": _quantised}
