"""Batch normalization of TensorFlow 1's tf.layers, with moving averages that UPDATE_OPS change."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn, reductions
from tensorlite.compat.v1.functions import arrays as v1_arrays, nn_functions
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.compat.v1.layer_kinds.core import (
    chosen,
    initializer_of,
    known_size,
    static_bool,
)
from tensorlite.compat.v1.layer_kinds.renormalization import Renormalization
from tensorlite.compat.v1.training.averages import assign_moving_average
from tensorlite.core.check import integers_of
from tensorlite.core.dtypes import bfloat16, float16, float32
from tensorlite.core.errors import InvalidArgumentError


class BatchNormalization(Layer):
    """Inputs with mean 0 and variance 1 over the batch, moved by beta and gamma.

    In training, operators in UPDATE_OPS change the moving averages, and are to be run; else these
    are taken (Ioffe and Szegedy 2015).
    """

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
        self.beta_constraint, self.gamma_constraint = (
            beta_constraint,
            gamma_constraint,
        )
        self.renorm, self.adjustment = renorm, adjustment
        self.virtual_batch_size = virtual_batch_size
        self._corrections = (
            Renormalization(renorm_clipping, renorm_momentum, epsilon)
            if renorm
            else None
        )
        self._check_parts()
        self.beta: Any = None
        self.gamma: Any = None

    def _check_parts(self) -> None:
        size = self.virtual_batch_size
        if size is None:
            return
        if size <= 0:
            raise InvalidArgumentError(
                f"virtual_batch_size={size} must be a positive integer that divides the true "
                "batch size of the input Tensor"
            )
        if self.adjustment is not None:
            raise InvalidArgumentError(
                "When using virtual_batch_size, adjustment cannot be specified"
            )

    def build(self, input_shape: Any) -> None:
        rank = TensorShape(input_shape).rank
        if rank is None:
            raise InvalidArgumentError("Input has undefined rank")
        self.axis = self._axes(rank)
        sizes = [known_size(input_shape, x, "BatchNormalization") for x in self.axis]
        known = dict(zip(self.axis, sizes, strict=True))
        self.input_spec = InputSpec(ndim=rank, axes=known)
        shape = sizes
        if len(sizes) > 1 or self.virtual_batch_size is not None:
            shape = [known.get(i, 1) for i in range(rank)]
        if self.virtual_batch_size is not None:
            if 0 in self.axis:
                raise InvalidArgumentError(
                    "When using virtual_batch_size, the batch dimension must be 0 and thus axis "
                    "cannot include 0"
                )
            shape.insert(1, 1)
            self.axis = [x + 1 for x in self.axis]
        # TensorFlow makes them in this order, which is that of checkpoints and collections.
        if self.scale:
            self.gamma = self._variable("gamma", shape, trainable=True)
        if self.center:
            self.beta = self._variable("beta", shape, trainable=True)
        self._set_scope()
        with self._scope.uncut() if self._scope is not None else nullcontext():
            self._build_averages(shape)
        self.built = True

    def _build_averages(self, shape: list[int]) -> None:
        self.moving_mean = self._variable("moving_mean", shape, trainable=False)
        self.moving_variance = self._variable(
            "moving_variance", shape, trainable=False
        )
        if self._corrections is not None:
            self._initializers |= self._initializers_of_corrections()
            self._corrections.build(lambda name: self._variable(name, shape, False))

    def _initializers_of_corrections(self) -> dict[str, Any]:
        variance = self._initializers["moving_variance"]

        def stddev(*args: Any, **kwargs: Any) -> Any:
            return elementwise.sqrt(variance(*args, **kwargs))

        mean = self._initializers["moving_mean"]
        return {"moving_stddev": stddev, "renorm_mean": mean, "renorm_stddev": stddev}

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
        if self.virtual_batch_size is None:
            return self._normed(inputs, training)
        sizes = inputs.get_shape().as_list()[1:]
        apart = arrays.reshape(inputs, [self.virtual_batch_size, -1, *sizes])
        return arrays.reshape(self._normed(apart, training), [-1, *sizes])

    def _normed(self, inputs: Any, training: Any) -> Any:
        rank = inputs.get_shape().rank
        values = elementwise.cast(inputs, self.moving_mean.dtype)
        kept = self.moving_mean, self.moving_variance
        found = kept
        if static_bool(training) is not False:
            found = self._moments(values, rank)
        mean, variance = (
            chosen(
                training,
                partial(framework.convert_to_tensor, now),
                partial(framework.convert_to_tensor, average),
            )
            for now, average in zip(found, kept, strict=True)
        )
        fit = self._fitting(rank)
        scale, offset = self.gamma, self.beta
        if static_bool(training) is not False:
            scale, offset = self._learnt(values, (mean, variance), training, fit)
        outputs = shared_nn.batch_normalization(
            values,
            fit(mean),
            fit(variance),
            fit(offset),
            fit(scale),
            self.epsilon,
            name="batchnorm",
        )
        outputs = elementwise.cast(outputs, inputs.dtype)
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(inputs.get_shape())
        return outputs

    def _moments(self, values: Any, rank: int) -> Any:
        apart = self.virtual_batch_size is not None
        over = [
            i for i in range(rank) if i not in self.axis and not (apart and i == 1)
        ]
        return nn_functions.moments(
            values, over, keep_dims=apart or len(self.axis) > 1
        )

    def _learnt(
        self, values: Any, moments: Any, training: Any, fit: Any
    ) -> tuple[Any, Any]:
        """Move the averages by a batch, and return what it is scaled and shifted by."""
        scale, offset = self.gamma, self.beta
        mean, variance = moments
        if self.adjustment is not None:
            adjusted = self._adjusted(values, training)
            scale, offset = _composed(adjusted, (fit(scale), fit(offset)))
        if self.virtual_batch_size is not None:
            mean = reductions.reduce_mean(mean, 1, keepdims=True)
            variance = reductions.reduce_mean(variance, 1, keepdims=True)
        if self._corrections is not None:
            r, d, mean, variance = self._corrections.corrected(
                mean, variance, training
            )
            r = arrays.stop_gradient(r, name="renorm_r")
            d = arrays.stop_gradient(d, name="renorm_d")
            first = fit(r), fit(d)
            scale, offset = _composed(first, (fit(scale), fit(offset)))
        self.add_update(
            chosen(
                training,
                lambda: self._moved(self.moving_mean, mean, self.momentum),
                lambda: framework.convert_to_tensor(self.moving_mean),
            )
        )
        self.add_update(
            chosen(
                training,
                lambda: self._kept_variance(variance),
                lambda: framework.convert_to_tensor(self.moving_variance),
            )
        )
        return scale, offset

    def _adjusted(self, values: Any, training: Any) -> tuple[Any, Any]:
        scale, offset = self.adjustment(arrays.shape(values))
        return (
            chosen(training, lambda: scale, lambda: v1_arrays.ones_like(scale)),
            chosen(training, lambda: offset, lambda: v1_arrays.zeros_like(offset)),
        )

    def _fused(self, inputs: Any, training: Any) -> Any:
        """Return images normalised by one operator, which estimates variances without bias."""
        shape, dtype = self.moving_mean.get_shape(), self.moving_mean.dtype
        scale = constant(1.0, dtype, shape) if self.gamma is None else self.gamma
        offset = constant(0.0, dtype, shape) if self.beta is None else self.beta

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
            if x is None or last or x.get_shape().rank == rank:
                return x
            return arrays.reshape(x, shape)

        return fit

    def _update(self, training: Any, mean: Any, variance: Any, momentum: Any) -> None:
        """Move the averages towards those of the batch, unless it is no training."""
        if static_bool(training) is None:
            momentum = chosen(
                training,
                lambda: constant(self.momentum, mean.dtype),
                lambda: constant(1.0, mean.dtype),
            )
        self.add_update(self._moved(self.moving_mean, mean, momentum))
        self.add_update(self._moved(self.moving_variance, variance, momentum))

    def _moved(self, average: Any, value: Any, momentum: Any) -> Any:
        return assign_moving_average(average, value, momentum, zero_debias=False)

    def _kept_variance(self, variance: Any) -> Any:
        if self._corrections is None:
            return self._moved(self.moving_variance, variance, self.momentum)
        return self._corrections.keep_variance(
            self.moving_variance, variance, self.momentum
        )

    def _is_fused(self, inputs: Any) -> bool:
        """Return whether TensorFlow's fused kernel would run, which estimates without bias."""
        rank = inputs.get_shape().rank
        own = self._corrections or self.adjustment or self.virtual_batch_size
        able = rank == 4 and self.axis in ([1], [3]) and not own
        return able and self.fused is not False


def _composed(first: Iterable[Any], then: Iterable[Any]) -> tuple[Any, Any]:
    """Return the scale and the offset of two such transforms, one behind the other."""
    (scale, offset), (then_scale, then_offset) = first, then
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset


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
    """Return inputs with mean 0 and variance 1 along an axis, then moved by beta and gamma.

    In training the batch's moments are taken, and operators in UPDATE_OPS change the moving ones,
    which must be run; else the moving ones are taken. training is False unless given, and may be a
    tensor. Ioffe and Szegedy 2015.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.batch_normalization(tf.zeros([4, 3]), training=True)
    ...     len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    2
    """
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
