"""Operators on images that are here as a few others: normalisation."""

from __future__ import annotations

from tensorlite.core.errors import GraphDefError
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.given import Given, Values
from tensorlite.interop.tensorflow.plain import Adapter
from tensorlite.ops.arithmetic import sum as sum_of
from tensorlite.ops.elementwise import pow as power, rsqrt, square
from tensorlite.ops.identity import stop_gradient
from tensorlite.ops.reduce import mean
from tensorlite.ops.repeat import pad
from tensorlite.ops.shape import astype, reshape, shape_of


class _Norm:
    """What batch normalisation does along all axes but that of the channels."""

    def __init__(self, given: Given) -> None:
        self.epsilon = float(given.typed("epsilon", (int, float)))
        self.is_training = given.typed("is_training", bool)
        self.is_first = given.typed("data_format", str) == "NCHW"
        factor = "exponential_avg_factor"
        self.factor = (
            given.typed(factor, float) if factor in given.record.attributes else 1.0
        )
        self.axes = (0, 2, 3) if self.is_first else (0, 1, 2)

    def row(self, x: Tensor) -> Tensor:
        """Return numbers of the channels as they are broadcast to images."""
        return reshape(x, (1, -1, 1, 1)) if self.is_first else x

    def forward(
        self, x: Tensor, scale: Tensor, offset: Tensor, old: Tensor, spread: Tensor
    ) -> list[Tensor]:
        """Return the result, mean and variance for what is kept, and these for the gradient."""
        wide = astype(x, scale.dtype)
        middle, variance, unbiased = old, spread, spread
        if self.is_training:
            middle = mean(wide, axis=self.axes)
            variance = mean(square(wide - self.row(middle)), axis=self.axes)
            count = self._count(wide, scale)
            unbiased = variance * count / (count - 1.0)
        scaled = (wide - self.row(middle)) * self.row(
            rsqrt(variance + self.epsilon) * scale
        )
        y = astype(scaled + self.row(offset), x.dtype)
        means = [middle, unbiased]
        if self.is_training and self.factor != 1.0:
            keep = 1.0 - self.factor
            means = [
                keep * old + self.factor * middle,
                keep * spread + self.factor * unbiased,
            ]
        # Gradients come from the result only, as TensorFlow has it.
        kept = [*means, middle, variance, 0.0 * middle]
        return [y, *[stop_gradient(one) for one in kept]]

    def _count(self, x: Tensor, scale: Tensor) -> Tensor:
        sizes = shape_of(x)
        number = sizes[self.axes[0]] * sizes[self.axes[1]] * sizes[self.axes[2]]
        return astype(number, scale.dtype)

    def backward(
        self, dy: Tensor, x: Tensor, scale: Tensor, middle: Tensor, variance: Tensor
    ) -> list[Tensor]:
        """Return the gradients of images, scale and offset."""
        wide, flow = astype(x, scale.dtype), astype(dy, scale.dtype)
        root = rsqrt(variance + self.epsilon)
        normal = (wide - self.row(middle)) * self.row(root)
        dscale = sum_of(flow * normal, axis=self.axes)
        doffset = sum_of(flow, axis=self.axes)
        dx = flow
        if self.is_training:
            count = self._count(wide, scale)
            dx = flow - self.row(doffset / count) - normal * self.row(dscale / count)
        dx = astype(dx * self.row(scale * root), x.dtype)
        return [dx, dscale, doffset, 0.0 * doffset, 0.0 * doffset]


def _batch_norm(outputs: int) -> Adapter:
    def adapter(given: Given) -> Values:
        norm = _Norm(given)
        return given.composed(lambda *xs: norm.forward(*xs)[:outputs], *given.tensors)

    return adapter


def _batch_norm_grad(given: Given) -> Values:
    norm = _Norm(given)
    return given.composed(norm.backward, *given.tensors[:5])


class _Response:
    """Local response normalisation: channels divided by what their neighbours are."""

    def __init__(self, given: Given) -> None:
        self.radius = given.typed("depth_radius", int)
        self.bias, self.alpha, self.beta = [
            float(given.typed(name, (int, float)))
            for name in ("bias", "alpha", "beta")
        ]
        if not 0 <= self.radius < 2**8:
            raise GraphDefError(f"{given.record}: depth_radius={self.radius}")

    def around(self, x: Tensor) -> Tensor:
        """Return the sum over the channels nearby."""
        channels = x.shape[-1]
        if channels is None:
            raise GraphDefError("LRN: the number of channels is not known")
        radius = min(self.radius, channels)
        wide = pad(x, [[0, 0]] * (x.ndim - 1) + [[radius, radius]])
        total = wide[..., :channels]
        for i in range(1, 2 * radius + 1):
            total = total + wide[..., i : i + channels]
        return total

    def norm(self, x: Tensor) -> Tensor:
        """Return what channels are divided by, before the power."""
        return self.bias + self.alpha * self.around(square(x))

    def forward(self, x: Tensor) -> Tensor:
        """Return the channels divided."""
        return x * power(self.norm(x), -self.beta)

    def backward(self, dy: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Return the gradient."""
        norm = self.norm(x)
        nearby = self.around(dy * y / norm)
        return (
            dy * power(norm, -self.beta) - 2.0 * self.alpha * self.beta * x * nearby
        )


IMAGING: dict[str, Adapter] = {
    "FusedBatchNorm": _batch_norm(5),
    "FusedBatchNormGrad": _batch_norm_grad,
    "FusedBatchNormGradV2": _batch_norm_grad,
    "FusedBatchNormGradV3": _batch_norm_grad,
    "FusedBatchNormV2": _batch_norm(5),
    "FusedBatchNormV3": _batch_norm(6),
    "LRN": lambda given: given.composed(_Response(given).forward, *given.tensors),
    "LRNGrad": lambda given: given.composed(
        _Response(given).backward, *given.tensors
    ),
}
