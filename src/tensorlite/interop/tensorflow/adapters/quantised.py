"""Quantised numbers in GraphDefs: to integers and back; quantised_layers.py has layers on them."""

from __future__ import annotations

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.nn.quantised import MODES, dequantize, quantize


def _mode(given: Given) -> str:
    found: str = given.typed("mode", str)
    if found not in MODES:
        allowed = ", ".join(MODES)
        raise GraphDefError(f"{given.record}: mode={found!r}; allowed are {allowed}")
    return found


def _quantised(given: Given) -> Values:
    options = (
        given.dtype("T"),
        _mode(given),
        given.typed("round_mode", str),
        given.typed("narrow_range", bool),
        given.typed("axis", int),
        given.typed("ensure_minimum_range", float),
    )

    def made(x: Tensor, low: Tensor, high: Tensor) -> tuple[Tensor, ...]:
        return quantize(x, low, high, *options)

    return given.composed(made, *given.tensors)


def _restored(given: Given) -> Values:
    mode, narrow = _mode(given), given.typed("narrow_range", bool)
    axis, dtype = given.typed("axis", int), given.dtype("dtype")

    def made(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return dequantize(x, low, high, mode, narrow, axis, dtype)

    return given.composed(made, *given.tensors)


QUANTISED: dict[str, Adapter] = {"Dequantize": _restored, "QuantizeV2": _quantised}
