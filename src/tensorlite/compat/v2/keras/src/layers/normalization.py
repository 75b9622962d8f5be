"""Keras' BatchNormalization; examples that are normalized by themselves are scaling.py's."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import (
    constraints,
    defaults,
    initializers,
    regularizers,
)
from tensorlite.compat.v2.keras.src.layers import synchronized
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.dropping import chosen
from tensorlite.compat.v2.keras.src.layers.renormalizing import Renormalization
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import astype, shape_of


class BatchNormalization(Layer):
    """Takes off the batch's mean and divides by its spread; in use, those seen in training."""

    rows_taken = "elements"

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
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        **kwargs: Any,
    ) -> None:
        if kwargs.pop("virtual_batch_size", None) is not None:
            raise UnimplementedError(
                "BatchNormalization: virtual_batch_size= is not served; reshape the batch into "
                "parts, which the layer sees one by one"
            )
        kwargs.pop("fused", None)
        self.synchronized = bool(kwargs.pop("synchronized", False))
        super().__init__(**kwargs)
        self.axis = axis[0] if isinstance(axis, (list, tuple)) else axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self.supports_masking = True
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_initializer = initializers.get(beta_initializer)
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(
            moving_variance_initializer
        )
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma: Any = None
        self.beta: Any = None
        self.renorm = renorm
        self._renewed = (
            Renormalization(renorm_clipping, renorm_momentum) if renorm else None
        )

    def build(self, input_shape: Any) -> None:
        sizes = (input_shape[self.axis],)
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                sizes,
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
                autocast=False,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                sizes,
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
                autocast=False,
            )
        firsts = {
            "moving_mean": self.moving_mean_initializer,
            "moving_variance": self.moving_variance_initializer,
        }
        self.moving_mean, self.moving_variance = [
            self.add_weight(
                name, sizes, initializer=first, trainable=False, autocast=False
            )
            for name, first in firsts.items()
        ]
        if self._renewed is not None:
            self._renewed.build(self, sizes)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if mask is not None and len(mask.shape) != len(inputs.shape) - 1:
            raise InvalidArgumentError(
                "The mask provided should be one dimension less than the inputs. Received: "
                f"mask.shape={mask.shape}, inputs.shape={inputs.shape}"
            )
        x = inputs if inputs.dtype is tl.float64 else astype(inputs, tl.float32)
        if isinstance(training, Tensor) and in_graphs.building.get() is not None:
            return astype(self._by_phase(x, mask, training), inputs.dtype)
        made = chosen(
            training if self._may_train() else False,
            lambda: self._in_training(x, mask),
            lambda: self._in_use(x),
        )
        return astype(made, inputs.dtype)

    def _may_train(self) -> bool:
        """Return whether what is computed depends on whether layers train."""
        return bool(self.trainable)

    def _in_training(self, x: Any, mask: Any) -> Any:
        renewed = self._renewed
        if mask is None and self.synchronized:
            rank = len(x.shape)
            axes = tuple(i for i in range(rank) if i != self.axis % rank)
            mean, variance = synchronized.moments(x, axes)
            self._move(mean, variance, 1.0 - self.momentum)
            return self._normalized(x, mean, variance)
        if mask is None and renewed is None and in_graphs.building.get() is None:
            made, mean, variance = tl.nn.batch_norm(
                x, self.gamma, self.beta, self.axis, self.epsilon
            )
            self._move(mean, variance, 1.0 - self.momentum)
            return made
        rank = len(x.shape)
        axes = tuple(i for i in range(rank) if i != self.axis % rank)
        mean, variance = _moments(x, axes, mask)
        if renewed is None:
            self._move(mean, variance, 1.0 - self.momentum)
            return self._normalized(x, mean, variance)
        scale, shift = renewed.corrections(self, mean, variance)
        renewed.move(self, mean, variance)
        if self.gamma is not None:
            scale, shift = scale * self.gamma, shift * self.gamma
        shift = shift if self.beta is None else shift + self.beta
        return self._scaled(x, mean, variance, shift, scale)

    def _move(self, mean: Any, variance: Any, share: Any) -> None:
        moving = self.moving_mean, self.moving_variance
        for held, now in zip(moving, (mean, variance), strict=True):
            self.add_update(held.assign_sub((held.value() - now) * share))

    def _by_phase(self, x: Any, mask: Any, training: Any) -> Any:
        """Return the result in a graph that trains or not as a tensor says."""
        if self.renorm:
            raise UnimplementedError(
                "BatchNormalization(renorm=True) in a graph whose phase is a tensor is not served; "
                "call the layer with training=True or False"
            )
        rank = len(x.shape)
        axes = tuple(i for i in range(rank) if i != self.axis % rank)
        moving = self.moving_mean.value(), self.moving_variance.value()
        asked = tl.logical_and(astype(training, tl.bool), self._may_train())
        mean, variance = tl.cond(
            asked, lambda: _moments(x, axes, mask), lambda: moving
        )
        self._move(mean, variance, tl.where(asked, 1.0 - self.momentum, 0.0))
        return self._normalized(x, mean, variance)

    def _in_use(self, x: Any) -> Any:
        return self._normalized(
            x, self.moving_mean.value(), self.moving_variance.value()
        )

    def _normalized(self, x: Any, mean: Any, variance: Any) -> Any:
        return self._scaled(x, mean, variance, self.beta, self.gamma)

    def _scaled(self, x: Any, mean: Any, variance: Any, beta: Any, gamma: Any) -> Any:
        rank = len(x.shape)
        sizes = [1] * rank
        sizes[self.axis % rank] = -1

        def spread(value: Any) -> Any:
            return None if value is None else tl.reshape(value, sizes)

        moments = spread(mean), spread(variance)
        scales = spread(beta), spread(gamma)
        with in_graphs.inside("batchnorm"):
            return tl.nn.batch_normalization(x, *moments, *scales, self.epsilon)


def _moments(x: Any, axes: Any, mask: Any) -> tuple[Any, Any]:
    """Return mean and variance of what counts."""
    if mask is None:
        mean, variance = tl.nn.moments(x, axes, keepdims=False)
        return mean, variance
    counts = tl.broadcast_to(astype(mask, x.dtype)[..., None], shape_of(x))
    many = tl.sum(counts, axis=axes, keepdims=True) + defaults.epsilon()
    mean = tl.sum(x * counts, axis=axes, keepdims=True) / many
    apart = tl.square(x - mean) * counts
    variance = tl.sum(apart, axis=axes, keepdims=True) / many
    return tl.squeeze(mean, axis=axes), tl.squeeze(variance, axis=axes)
