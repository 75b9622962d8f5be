"""Keras' layers of chance that are composed in graphs as TensorFlow 1 composes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import identity
from tensorlite.compat.shared.elementwise import cast, greater_equal
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.nn_functions import dropout
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.keras.written import (
    WrittenInPhases,
    in_training,
    is_written,
)
from tensorlite.compat.v1.random import random_normal, random_uniform
from tensorlite.compat.v2.keras import layers
from tensorlite.ops.nn.activations import SELU_ALPHA, SELU_SCALE


def drawn_seed() -> int:
    """Return the seed of what is given none, which NumPy draws."""
    return int(np.random.randint(10**7))  # noqa: NPY002  as programs expect


def _normal(inputs: Any, mean: float, stddev: float) -> Any:
    """Return normal numbers shaped as inputs."""
    return random_normal(shape(inputs), mean, stddev, inputs.dtype, seed=drawn_seed())


class Dropout(WrittenInPhases, layers.Dropout):
    """Sets a share of elements to 0 in training, and divides the others by what is left."""

    def written(self, inputs: Any, training: Any) -> Any:
        """Return inputs of which elements are dropped."""
        return in_training(
            training,
            lambda: dropout(
                inputs,
                noise_shape=self._get_noise_shape(inputs),
                seed=self.seed,
                rate=self.rate,
            ),
            lambda: identity(inputs),
        )

    def _get_noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None or not is_written(inputs):
            return super()._get_noise_shape(inputs)
        own = shape(inputs)
        sizes = [own[i] if n is None else n for i, n in enumerate(self.noise_shape)]
        return convert_to_tensor(sizes)


class SpatialDropout1D(Dropout, layers.SpatialDropout1D):
    """Drops whole channels of sequences in training."""

    def _get_noise_shape(self, inputs: Any) -> Any:
        if not is_written(inputs):
            return super()._get_noise_shape(inputs)
        own = shape(inputs)
        return (own[0], 1, own[2])


class _Spatial(Dropout):
    """Drops whole channels in training."""

    axes = 2

    def _get_noise_shape(self, inputs: Any) -> Any:
        if not is_written(inputs):
            return super()._get_noise_shape(inputs)
        own, ones = shape(inputs), (1,) * self.axes
        layer: Any = self
        if layer.data_format == "channels_first":
            return (own[0], own[1], *ones)
        return (own[0], *ones, own[self.axes + 1])


class SpatialDropout2D(_Spatial, layers.SpatialDropout2D):
    """Drops whole channels of images in training."""


class SpatialDropout3D(_Spatial, layers.SpatialDropout3D):
    """Drops whole channels of volumes in training."""

    axes = 3


class GaussianNoise(WrittenInPhases, layers.GaussianNoise):
    """Adds normally distributed numbers in training."""

    def written(self, inputs: Any, training: Any) -> Any:
        """Return inputs with numbers added to them."""
        return in_training(
            training,
            lambda: inputs + _normal(inputs, 0.0, self.stddev),
            lambda: inputs,
        )


class GaussianDropout(WrittenInPhases, layers.GaussianDropout):
    """Multiplies by numbers around one in training."""

    def written(self, inputs: Any, training: Any) -> Any:
        """Return inputs times numbers."""
        if not 0 < self.rate < 1:
            return inputs
        spread = float(np.sqrt(self.rate / (1.0 - self.rate)))
        return in_training(
            training, lambda: inputs * _normal(inputs, 1.0, spread), lambda: inputs
        )


class AlphaDropout(WrittenInPhases, layers.AlphaDropout):
    """A dropout that keeps mean and variance of what selu returns."""

    def written(self, inputs: Any, training: Any) -> Any:
        """Return inputs of which elements are what selu tends to, then scaled and moved."""
        if not 0 < self.rate < 1:
            return inputs
        rate, floor = self.rate, -SELU_ALPHA * SELU_SCALE
        sizes = self.noise_shape or shape(inputs)
        scale = ((1 - rate) * (1 + rate * floor**2)) ** -0.5
        shift = -scale * floor * rate

        def dropped() -> Any:
            seed = drawn_seed() if self.seed is None else self.seed
            drawn = random_uniform(sizes, dtype=inputs.dtype, seed=seed)
            kept = cast(greater_equal(drawn, rate), inputs.dtype)
            return scale * (inputs * kept + floor * (1 - kept)) + shift

        return in_training(training, dropped, lambda: inputs)


KINDS = {
    kind.__name__: kind
    for kind in (
        *(Dropout, SpatialDropout1D, SpatialDropout2D, SpatialDropout3D),
        *(GaussianNoise, GaussianDropout, AlphaDropout),
    )
}
"""What is found by its name in programs of version 1."""
