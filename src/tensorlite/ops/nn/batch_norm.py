"""Batch normalisation of images as TensorFlow's fused operators have it, and its gradient.

The functions that tensorlite itself offers are in normalise.py.
"""

from __future__ import annotations

from typing import NamedTuple

from tensorlite.core.check import one_of
from tensorlite.core.dispatch import call as called, constant
from tensorlite.core.dtypes import int32
from tensorlite.core.op import Call, Grads
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.arrays.identity import stop_gradient
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.control.bundles import given_or_zeros
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.elementwise import rsqrt
from tensorlite.ops.nn.normalise import StandardizeGrad, standardize


class _Layout(NamedTuple):
    """Where the channels of images are."""

    rank: int
    place: int

    @property
    def over(self) -> tuple[int, ...]:
        """The axes that batches are normalised over."""
        return tuple([i for i in range(self.rank) if i != self.place])

    def row(self, x: Tensor) -> Tensor:
        """Return numbers of the channels as they are broadcast to images."""
        if self.place == self.rank - 1:
            return x
        return reshape(x, [-1 if i == self.place else 1 for i in range(self.rank)])

    def number(self, x: Tensor) -> Tensor:
        """Return how many numbers each channel has."""
        found, number = sizes(x), constant(1, int32)
        for i in self.over:
            number = number * found[i]
        return astype(number, x.dtype)


def _layout(x: Tensor, data_format: str) -> _Layout:
    one_of(data_format, str, "data_format", "'NHWC' or 'NCHW'")
    rank = len(data_format) if x.spec.rank is None else x.spec.rank
    return _Layout(rank, 1 if data_format.startswith("NC") else rank - 1)


class FusedBatchNormV3(Composite):
    """Images normalised by channels, what averages take of the batch, and what gradients need."""

    epsilon: float = 1e-4
    exponential_avg_factor: float = 1.0
    data_format: str = "NHWC"
    is_training: bool = True

    def compose(
        self, x: Tensor, scale: Tensor, offset: Tensor, mean: Tensor, variance: Tensor
    ) -> list[Tensor]:
        """Return the images, mean and unbiased variance, and three tensors for the gradient."""
        layout = _layout(x, self.data_format)
        wide = astype(x, scale.dtype)
        kept, old = [mean, variance], [mean, variance]
        if self.is_training:
            normal, *moments = standardize(wide, layout.over, self.epsilon)
            mean, variance = [reshape(one, [-1]) for one in moments]
            count = layout.number(wide)
            kept = [mean, variance * (count / maximum(count - 1.0, 1.0))]
            y = normal * layout.row(scale) + layout.row(offset)
        else:
            factor = rsqrt(variance + self.epsilon) * scale
            y = (wide - layout.row(mean)) * layout.row(factor) + layout.row(offset)
        if self.is_training and self.exponential_avg_factor != 1.0:
            part = self.exponential_avg_factor
            kept = [
                (1.0 - part) * a + part * b for a, b in zip(old, kept, strict=True)
            ]
        # Averages give no gradients, as in TensorFlow; gradients of gradients need the rest.
        averages = [stop_gradient(one) for one in kept]
        return [astype(y, x.dtype), *averages, mean, variance, 0.0 * mean]

    def grad(self, call: Call, dy: Tensor | None, *others: Tensor | None) -> Grads:
        """Return the gradients of images, scale and offset: zeros where only averages are used."""
        x, scale, *_ = call.inputs
        if any(one is not None for one in others[2:]):
            return super().grad(call, dy, *others)
        dy = given_or_zeros(dy, call.outputs[0])
        own = FusedBatchNormGradV3(self.epsilon, self.data_format, self.is_training)
        found = composed(own, dy, x, scale, *call.outputs[3:])
        return (*found[:3], None, None)


class FusedBatchNormGradV3(Composite):
    """The gradients of normalised images for images, scale and offset."""

    epsilon: float = 1e-4
    data_format: str = "NHWC"
    is_training: bool = True

    def compose(
        self,
        dy: Tensor,
        x: Tensor,
        scale: Tensor,
        mean: Tensor,
        variance: Tensor,
        reserved: Tensor | None = None,
    ) -> list[Tensor]:
        """Return the three gradients, and two zeros for what averages took."""
        layout = _layout(x, self.data_format)
        wide, flow = astype(x, scale.dtype), astype(dy, scale.dtype)
        root = rsqrt(variance + self.epsilon)
        normal = (wide - layout.row(mean)) * layout.row(root)
        doffset = sum_of(flow, axis=layout.over)
        dscale = sum_of(flow * normal, axis=layout.over)
        dx = flow * layout.row(scale)
        if self.is_training:
            wanted = [1 if i in layout.over else -1 for i in range(layout.rank)]
            dx = called(
                StandardizeGrad(), dx, normal, reshape(root, wanted), layout.over
            )
        else:
            dx = dx * layout.row(root)
        return [astype(dx, x.dtype), dscale, doffset, 0.0 * doffset, 0.0 * doffset]
