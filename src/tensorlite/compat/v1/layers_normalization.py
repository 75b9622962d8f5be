"""Batch normalization of TensorFlow 1's tf.layers, with moving averages that UPDATE_OPS change."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn
from tensorlite.compat.v1 import framework, nn_functions
from tensorlite.compat.v1.averages import assign_moving_average
from tensorlite.compat.v1.layer import InputSpec, Layer
from tensorlite.compat.v1.layers_core import (
    chosen,
    initializer_of,
    known_size,
    static_bool,
)
from tensorlite.core.check import integers_of
from tensorlite.core.dtypes import bfloat16, float16, float32
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError


class BatchNormalization(Layer):
    def __init__(
        self,
        axis: Any = -1,
        momentum: Any = 0.99,
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
        renorm_momentum: Any = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        for what, given in {
            "renorm": renorm,
            "virtual_batch_size": virtual_batch_size,
            "adjustment": adjustment,
        }.items():
            if given:
                raise UnimplementedError(
                    f"BatchNormalization: {what}={given!r} is not there; leave it out"
                )
        self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
        self.center, self.scale, self.fused = center, scale, fused
        self._initializers = {
            "beta": initializer_of(beta_initializer),
            "gamma": initializer_of(gamma_initializer),
            "moving_mean": initializer_of(moving_mean_initializer),
            "moving_variance": initializer_of(moving_variance_initializer),
        }
        self._regularizers = {"beta": beta_regularizer, "gamma": gamma_regularizer}
        self._constraints = {"beta": beta_constraint, "gamma": gamma_constraint}
        self.beta: Any = None
        self.gamma: Any = None

    def build(self, input_shape: Any) -> None:
        rank = None if input_shape is None else input_shape.rank
        if rank is None:
            raise InvalidArgumentError("Input has undefined rank")
        self.axis = self._axes(rank)
        sizes = [known_size(input_shape, x, "BatchNormalization") for x in self.axis]
        shape = (
            sizes
            if len(sizes) == 1
            else [
                sizes[self.axis.index(i)] if i in self.axis else 1
                for i in range(rank)
            ]
        )
        known = dict(zip(self.axis, sizes, strict=True))
        self.input_spec = InputSpec(ndim=rank, axes=known)
        # TensorFlow makes them in this order, which is that of checkpoints and collections.
        if self.scale:
            self.gamma = self._variable("gamma", shape, trainable=True)
        if self.center:
            self.beta = self._variable("beta", shape, trainable=True)
        self.moving_mean = self._variable("moving_mean", shape, trainable=False)
        self.moving_variance = self._variable(
            "moving_variance", shape, trainable=False
        )
        self.built = True

    def _axes(self, rank: int) -> list[int]:
        given = integers_of(self.axis, "BatchNormalization: axis")
        axes = [x + rank if x < 0 else x for x in given]
        if not all(0 <= x < rank for x in axes) or len(set(axes)) != len(axes):
            raise InvalidArgumentError(
                f"BatchNormalization: axis={self.axis} for inputs with {rank} axes"
            )
        return axes

    def _variable(self, name: str, shape: list[int], trainable: bool) -> Any:
        low = self._dtype in {float16, bfloat16}
        return self.add_weight(
            name,
            shape,
            float32 if low or self._dtype is None else self._dtype,
            self._initializers[name],
            self._regularizers.get(name),
            trainable=trainable,
            constraint=self._constraints.get(name),
        )

    def call(
        self, inputs: Any, training: Any = False, *args: Any, **kwargs: Any
    ) -> Any:
        if self._is_fused(inputs):
            return self._fused(inputs, training)
        rank = inputs.get_shape().rank
        over = [i for i in range(rank) if i not in self.axis]
        dtype = self.moving_mean.dtype
        values = elementwise.cast(inputs, dtype)
        mean, variance = chosen(
            training,
            lambda: nn_functions.moments(values, over, keep_dims=len(self.axis) > 1),
            lambda: (
                framework.convert_to_tensor(self.moving_mean),
                framework.convert_to_tensor(self.moving_variance),
            ),
        )
        if static_bool(training) is not False:
            self._update(training, mean, variance, self.momentum)
        fit = self._fitting(rank)
        outputs = shared_nn.batch_normalization(
            values,
            fit(mean),
            fit(variance),
            fit(self.beta),
            fit(self.gamma),
            self.epsilon,
            name="batchnorm",
        )
        outputs = elementwise.cast(outputs, inputs.dtype)
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(inputs.get_shape())
        return outputs

    def _fused(self, inputs: Any, training: Any) -> Any:
        """Return images normalised by one operator, which estimates variances without bias."""
        shape, dtype = self.moving_mean.get_shape(), self.moving_mean.dtype
        scale = arrays.ones(shape, dtype) if self.gamma is None else self.gamma
        offset = arrays.zeros(shape, dtype) if self.beta is None else self.beta

        def normed(mean: Any = None, variance: Any = None) -> Any:
            return nn_functions.fused_batch_norm(
                inputs,
                scale,
                offset,
                mean,
                variance,
                epsilon=self.epsilon,
                data_format="NCHW" if self.axis == [1] else "NHWC",
                is_training=mean is None,
            )

        outputs, mean, variance = chosen(
            training,
            normed,
            lambda: normed(self.moving_mean, self.moving_variance),
        )
        momentum = self.momentum
        if static_bool(training) is not None:
            momentum = framework.convert_to_tensor(momentum, mean.dtype)
        if static_bool(training) is not False:
            self._update(training, mean, variance, momentum)
        return outputs

    def _fitting(self, rank: int) -> Any:
        """Return what shapes values of channels so that they fit the inputs."""
        last = self.axis == [rank - 1]
        shape = [-1 if i in self.axis else 1 for i in range(rank)]

        def fit(x: Any) -> Any:
            if x is None or last or len(self.axis) > 1:
                return x
            return arrays.reshape(x, shape)

        return fit

    def _update(self, training: Any, mean: Any, variance: Any, momentum: Any) -> None:
        """Move the averages towards those of the batch, unless it is no training."""
        if static_bool(training) is None:
            momentum = chosen(
                training,
                lambda: elementwise.cast(self.momentum, mean.dtype),
                lambda: elementwise.cast(1.0, mean.dtype),
            )
        for average, value in (
            (self.moving_mean, mean),
            (self.moving_variance, variance),
        ):
            self.add_update(
                assign_moving_average(average, value, momentum, zero_debias=False)
            )

    def _is_fused(self, inputs: Any) -> bool:
        """Return whether TensorFlow's fused kernel would run, which estimates without bias."""
        rank = inputs.get_shape().rank
        return rank == 4 and self.fused is not False and self.axis in ([1], [3])


def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: Any = 0.99,
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
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: Any = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Any:
    averages = moving_mean_initializer, moving_variance_initializer
    regularizers = beta_regularizer, gamma_regularizer
    constraints = beta_constraint, gamma_constraint
    layer = BatchNormalization(
        axis,
        momentum,
        epsilon,
        center,
        scale,
        beta_initializer,
        gamma_initializer,
        *averages,
        *regularizers,
        *constraints,
        *(renorm, renorm_clipping, renorm_momentum),
        fused,
        trainable,
        virtual_batch_size,
        adjustment,
        name,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs, training=training)


BatchNorm, batch_norm = BatchNormalization, batch_normalization
