"""Keras' layers that bring what they are given to a mean and a spread."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import constraints, initializers, regularizers
from tensorlite.compat.v2.keras.base_layer import Layer
from tensorlite.compat.v2.keras.layers_core import chosen


class BatchNormalization(Layer):
    """Takes off the batch's mean and divides by its spread; in use, those seen in training."""

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        for unused in ("renorm", "fused", "virtual_batch_size", "synchronized"):
            kwargs.pop(unused, None)
        super().__init__(**kwargs)
        self.axis = axis[0] if isinstance(axis, (list, tuple)) else axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self.supports_masking = True
        self._firsts = (
            initializers.get(gamma_initializer),
            initializers.get(beta_initializer),
            initializers.get(moving_mean_initializer),
            initializers.get(moving_variance_initializer),
        )
        self._terms = (
            regularizers.get(gamma_regularizer),
            regularizers.get(beta_regularizer),
        )
        self._bounds = (
            constraints.get(gamma_constraint),
            constraints.get(beta_constraint),
        )
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        sizes = (input_shape[self.axis],)
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                sizes,
                initializer=self._firsts[0],
                regularizer=self._terms[0],
                constraint=self._bounds[0],
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                sizes,
                initializer=self._firsts[1],
                regularizer=self._terms[1],
                constraint=self._bounds[1],
            )
        self.moving_mean = self.add_weight(
            "moving_mean", sizes, initializer=self._firsts[2], trainable=False
        )
        self.moving_variance = self.add_weight(
            "moving_variance", sizes, initializer=self._firsts[3], trainable=False
        )
        self.built = True

    def call(self, inputs: Any, training: Any = None) -> Any:
        wanted = training if self.trainable else False
        return chosen(
            wanted, lambda: self._in_training(inputs), lambda: self._in_use(inputs)
        )

    def _in_training(self, x: Any) -> Any:
        rank = len(x.shape)
        axes = tuple(i for i in range(rank) if i != self.axis % rank)
        mean, variance = tl.nn.moments(x, axes, keepdims=False)
        kept = 1.0 - self.momentum
        moving = self.moving_mean, self.moving_variance
        for held, now in zip(moving, (mean, variance), strict=True):
            held.assign_sub((held.value() - now) * kept)
        return self._normalized(x, mean, variance)

    def _in_use(self, x: Any) -> Any:
        return self._normalized(
            x, self.moving_mean.value(), self.moving_variance.value()
        )

    def _normalized(self, x: Any, mean: Any, variance: Any) -> Any:
        rank = len(x.shape)
        sizes = [1] * rank
        sizes[self.axis % rank] = -1

        def spread(value: Any) -> Any:
            return None if value is None else tl.reshape(value, sizes)

        return tl.nn.batch_normalization(
            x,
            spread(mean),
            spread(variance),
            spread(self.beta),
            spread(self.gamma),
            self.epsilon,
        )


class LayerNormalization(Layer):
    """Takes off each example's mean and divides by its spread."""

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis = axis if isinstance(axis, (list, tuple)) else (axis,)
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.gamma: Any = None
        self.beta: Any = None
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        rank = len(input_shape)
        own = [i % rank for i in self.axis]
        sizes = [int(input_shape[i]) for i in own]
        if self.scale:
            self.gamma = self.add_weight(
                "gamma", sizes, initializer=self.gamma_initializer
            )
        if self.center:
            self.beta = self.add_weight(
                "beta", sizes, initializer=self.beta_initializer
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        rank = len(inputs.shape)
        own = tuple(i % rank for i in self.axis)
        sizes = [inputs.shape[i] if i in own else 1 for i in range(rank)]
        made = tl.nn.layer_norm(inputs, None, None, own, self.epsilon)
        if self.gamma is not None:
            made = made * tl.reshape(self.gamma, sizes)
        return made if self.beta is None else made + tl.reshape(self.beta, sizes)


class UnitNormalization(Layer):
    supports_masking = True

    def __init__(self, axis: Any = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return tl.nn.l2_normalize(inputs, self.axis)
