"""Older forms of batch normalisation, which have fewer outputs, and what resizes gradients."""

from __future__ import annotations

from collections.abc import Callable

from tensorlite.core.dispatch import call
from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.composite import composed
from tensorlite.ops.images.resize import ResizeNearestNeighborGrad
from tensorlite.ops.nn.activations import relu
from tensorlite.ops.nn.batch_norm import FusedBatchNormGradV3, FusedBatchNormV3


def _norm(given: Given) -> FusedBatchNormV3:
    factor = "exponential_avg_factor"
    known = factor in given.record.attributes
    return FusedBatchNormV3(
        float(given.typed("epsilon", (int, float))),
        float(given.typed(factor, (int, float))) if known else 1.0,
        given.typed("data_format", str),
        given.typed("is_training", bool),
    )


def _gradient(given: Given) -> FusedBatchNormGradV3:
    return FusedBatchNormGradV3(
        float(given.typed("epsilon", (int, float))),
        given.typed("data_format", str),
        given.typed("is_training", bool),
    )


def _first_five(
    make: Callable[[Given], FusedBatchNormV3 | FusedBatchNormGradV3],
) -> Adapter:
    """Return what makes the newest form, and gives those outputs that the older ones have."""

    def adapter(given: Given) -> Values:
        op = make(given)
        given.check_attributes()
        return given.node(op, *given.tensors[:5]).outputs[:5]

    return adapter


def _norm_and_more(given: Given) -> Values:
    """Return normalised images, to which others may be added, without what is negative if asked."""
    op, mode = _norm(given), given.typed("activation_mode", str)
    more = given.typed("num_side_inputs", int)
    if mode not in {"Identity", "Relu"} or more not in {0, 1}:
        raise GraphDefError(
            f"{given.record}: activation_mode={mode!r} and {more} side inputs; allowed are "
            "Identity and Relu, and one side input at most"
        )

    def normed(*inputs: Tensor) -> tuple[Tensor, ...]:
        y, *rest = composed(op, *inputs[:5])
        for other in inputs[5:]:
            y = y + other
        return (relu(y) if mode == "Relu" else y, *rest)

    return given.composed(normed, *given.tensors)


def _nearest_gradient(given: Given) -> Values:
    """Return the gradient of resizing by the nearest element, for images of a size."""
    aligned, centred = [given.typed(name, bool) for name in _RESIZING]
    op = ResizeNearestNeighborGrad(aligned, centred)

    def flows(dy: Tensor, size: Tensor) -> Tensor:
        shape = shape_of(dy)
        images = zeros(concat([shape[:1], size, shape[3:]]), dtype=dy.dtype)
        return call(op, dy, images)

    return given.composed(flows, *given.tensors)


_RESIZING = ("align_corners", "half_pixel_centers")

IMAGING: dict[str, Adapter] = {
    "_FusedBatchNormEx": _norm_and_more,
    "FusedBatchNorm": _first_five(_norm),
    "FusedBatchNormGrad": _first_five(_gradient),
    "FusedBatchNormGradV2": _first_five(_gradient),
    "FusedBatchNormV2": _first_five(_norm),
    "ResizeNearestNeighborGrad": _nearest_gradient,
}
