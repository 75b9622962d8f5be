"""Operators on images and of rounding that are functions here: their colours, boxes, patches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.images import boxes
from tensorlite.ops.images.files import DecodeJpeg, EncodeJpeg
from tensorlite.ops.nn import fake_quantised


def _of(function: Callable[..., Any]) -> Adapter:
    return lambda given: given.composed(function, *given.tensors)


def _middle(given: Given, name: str) -> tuple[int, int]:
    """Return what an attribute says of rows and columns, as it must say 1 of the other axes."""
    found = given.typed(name, tuple)
    if len(found) != 4 or found[0] != 1 or found[3] != 1:
        raise GraphDefError(f"{given.record}: its {name!r} are {found}")
    return found[1], found[2]


def _suppressed(given: Given) -> Values:
    return given.composed(boxes.non_max_suppression, *given.tensors)


def _first_suppressed(given: Given) -> Values:
    limit = float(given.typed("iou_threshold", (int, float)))
    return given.composed(
        lambda x, y, n: boxes.non_max_suppression(x, y, n, limit), *given.tensors
    )


def _decoded_jpeg(given: Given) -> Values:
    for name in ("fancy_upscaling", "try_recover_truncated", "acceptable_fraction"):
        given.attribute(name)
    given.attribute("dct_method")
    op = DecodeJpeg(
        channels=given.typed("channels", int), ratio=given.typed("ratio", int)
    )
    return given.made(op, given.tensor(0))


def _encoded_jpeg(given: Given) -> Values:
    kinds = {
        "format": str,
        "quality": int,
        "progressive": bool,
        "optimize_size": bool,
        "chroma_downsampling": bool,
    }
    values: Any = {name: given.typed(name, kind) for name, kind in kinds.items()}
    return given.made(EncodeJpeg(**values), given.tensor(0))


def _rounded_to_range(given: Given) -> Values:
    names = {"signed_input": bool, "num_bits": int, "round_mode": str}
    names |= {"narrow_range": bool, "axis": int}
    values: Any = {name: given.typed(name, kind) for name, kind in names.items()}
    values["axis"] = None if values["axis"] == -1 else values["axis"]
    is_given = given.typed("range_given", bool)

    def rounded(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        ends = (low, high) if is_given else (None, None)
        return fake_quantised.quantize_and_dequantize(x, *ends, **values)

    return given.composed(rounded, *given.tensors)


PICTURING: dict[str, Adapter] = {
    "DecodeJpeg": _decoded_jpeg,
    "EncodeJpeg": _encoded_jpeg,
    "NonMaxSuppression": _first_suppressed,
    "NonMaxSuppressionV2": _suppressed,
    "QuantizeAndDequantizeV2": _rounded_to_range,
}
