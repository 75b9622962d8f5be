"""Keras' layers of chance: dropouts, and noise that is added in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared import control_flow
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import checking, seeding
from tensorlite.compat.v2.keras.src.layers import naming, phases
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.views import plain
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.ops.arrays.shape import astype, shape_of

_SELU_FLOOR = -1.7580993408473766
"""What selu tends to: minus its scale times its alpha."""


def chosen(training: Any, during: Callable[[], Any], after: Callable[[], Any]) -> Any:
    """Return what holds in training or else, which may be known by a tensor only."""
    if training is None and in_graphs.building.get() is not None:
        training = phases.here()
    if training is None or isinstance(training, (bool, int, np.bool_)):
        return during() if training else after()
    if in_graphs.building.get() is None:
        return tl.cond(astype(training, tl.bool), during, after)
    return plain(control_flow.cond(astype(training, tl.bool), during, after))


def _as_it_is(inputs: Any) -> Any:
    """Return inputs themselves in a graph, where nobody asks what is the same."""
    return tl.identity(inputs) if in_graphs.building.get() is None else inputs


def normal_like(inputs: Any, mean: float, stddev: float, seed: Any) -> Any:
    """Return normal numbers shaped as `inputs`, by a layer's generator if it has one."""
    if seed is None:
        return tl.random.normal(shape_of(inputs), mean, stddev, inputs.dtype)
    return seeding.normal(shape_of(inputs), mean, stddev, inputs.dtype, seed)


def _checked_shape(shape: Any) -> Any:
    """Return the sizes of what is drawn, a tensor of them as it is; refuse what are none."""
    if shape is None or isinstance(shape, Operand) or not naming.is_keras_3():
        return shape
    told = "Invalid value received for argument `noise_shape`. Expected"
    if not isinstance(shape, (list, tuple)):
        raise InvalidArgumentError(
            f"{told} a tuple or list of integers. Received: noise_shape={shape}"
        )
    sizes = [x for x in shape if x is not None and not isinstance(x, Operand)]
    if not all(isinstance(x, (int, np.integer)) for x in sizes):
        raise InvalidArgumentError(
            f"{told} all elements to be integers or None. Received: noise_shape={shape}"
        )
    if any(x < 1 for x in sizes):
        raise InvalidArgumentError(
            f"{told} all dimensions to be positive integers or None. Received: "
            f"noise_shape={shape}"
        )
    return tuple(shape)


class Dropout(Layer):
    """Sets a share rate of elements to 0 in training, and divides the others by 1 - rate.

    noise_shape has sizes of 1 where elements are dropped together.
    """

    rows_taken = "elements"
    supports_masking = True

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise InvalidArgumentError(
                "Invalid value received for argument `rate`. Expected a float value between 0 and "
                f"1. Received: rate={rate}"
            )
        self.rate, self.seed = rate, seed
        self.noise_shape = _checked_shape(noise_shape)
        self.seed_generator = seeding.generator(seed) if rate else None

    def _get_noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        own = shape_of(inputs)
        return [own[i] if x is None else x for i, x in enumerate(self.noise_shape)]

    def call(self, inputs: Any, training: Any = None) -> Any:
        def dropped() -> Any:
            shape = self._get_noise_shape(inputs)
            if self.seed_generator is None or self.rate == 1:
                return nn.dropout(inputs, self.rate, shape, self.seed)
            return seeding.dropout(inputs, self.rate, shape, self.seed_generator)

        return chosen(training, dropped, lambda: tl.identity(inputs))


class _SpatialDropout(Dropout):
    """Drops whole channels in training."""

    axes = 1
    not_described = frozenset({"noise_shape"})

    def __init__(
        self,
        rate: float,
        data_format: str | None = None,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(rate, seed=seed, **kwargs)
        self.data_format = checking.data_format(data_format)

    def _get_noise_shape(self, inputs: Any) -> Any:
        own = shape_of(inputs)
        ones = [1] * self.axes
        if self.data_format == "channels_first":
            return [own[0], own[1], *ones]
        return [own[0], *ones, own[-1]]


class SpatialDropout1D(_SpatialDropout):
    """Drops whole channels of sequences in training."""

    not_described = frozenset({"data_format", "noise_shape"})

    def __init__(self, rate: float, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(rate, "channels_last", seed, **kwargs)


class SpatialDropout2D(_SpatialDropout):
    """Drops whole channels of images in training."""

    axes = 2


class SpatialDropout3D(_SpatialDropout):
    """Drops whole channels of volumes in training."""

    axes = 3


class GaussianNoise(Layer):
    """Adds normally distributed numbers in training."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, stddev: float, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        checking.share(stddev=stddev)
        self.stddev, self.seed = stddev, seed
        self.seed_generator = seeding.generator(seed)

    def call(self, inputs: Any, training: Any = None) -> Any:
        def noisy() -> Any:
            return inputs + normal_like(inputs, 0.0, self.stddev, self.seed_generator)

        return chosen(training, noisy, lambda: inputs)


class GaussianDropout(Layer):
    """Multiplies by numbers around one."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(self, rate: float, seed: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        checking.share(rate=rate)
        self.rate, self.seed = rate, seed
        self.seed_generator = seeding.generator(seed) if rate else None

    def call(self, inputs: Any, training: Any = None) -> Any:
        def noisy() -> Any:
            spread = (self.rate / (1.0 - self.rate)) ** 0.5
            return inputs * normal_like(inputs, 1.0, spread, self.seed_generator)

        return chosen(training, noisy, lambda: _as_it_is(inputs))


class AlphaDropout(Layer):
    """A dropout that keeps mean and variance of what selu returns."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        checking.share(rate=rate)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        self.seed_generator = seeding.generator(seed) if rate else None

    def call(self, inputs: Any, training: Any = None) -> Any:
        def dropped() -> Any:
            own = shape_of(inputs)
            given = (
                [None] * len(inputs.shape)
                if self.noise_shape is None
                else self.noise_shape
            )
            shape = [own[i] if n is None else n for i, n in enumerate(given)]
            if self.seed_generator is None:
                drawn = tl.random.uniform(shape, dtype=inputs.dtype)
            else:
                drawn = seeding.uniform(
                    shape, dtype=inputs.dtype, seed=self.seed_generator
                )
            kept = astype(drawn >= self.rate, inputs.dtype)
            spread = ((1 - self.rate) * (1 + self.rate * _SELU_FLOOR**2)) ** -0.5
            middle = -spread * _SELU_FLOOR * self.rate
            return spread * (inputs * kept + _SELU_FLOOR * (1 - kept)) + middle

        return chosen(training, dropped, lambda: _as_it_is(inputs))
