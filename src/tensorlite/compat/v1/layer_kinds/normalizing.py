"""How batches are normalized in graphs: by layers of tf.layers, and by Keras'.

What the layers hold, and what they are made with, is in normalization.py and in v1/keras.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn as shared_nn, reductions
from tensorlite.compat.v1.functions import arrays as v1_arrays, nn_functions
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.layer_kinds.core import chosen, static_bool
from tensorlite.compat.v1.training.averages import assign_moving_average


class Normalizing:
    """The part of a layer that takes off means and divides by spreads."""

    over: Any
    """The axes that keep their own moments."""
    gamma: Any
    beta: Any
    moving_mean: Any
    moving_variance: Any
    momentum: Any
    epsilon: Any
    fused: Any
    add_update: Any
    virtual_batch_size: Any = None
    adjustment: Any = None
    _corrections: Any = None
    """What renormalizes, if anything does."""

    def normalized(self, inputs: Any, training: Any) -> Any:
        """Return inputs normalized by the batch's moments in training, else by the averages."""
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
        mean, variance = self.moving_mean, self.moving_variance
        if static_bool(training) is not False:
            found = self._moments(values, rank)
            mean, variance = (
                chosen(
                    training,
                    partial(framework.convert_to_tensor, now),
                    partial(framework.convert_to_tensor, average),
                )
                for now, average in zip(found, (mean, variance), strict=True)
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
            i for i in range(rank) if i not in self.over and not (apart and i == 1)
        ]
        return nn_functions.moments(
            values, over, keep_dims=apart or len(self.over) > 1
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
                data_format="NCHW" if self.over == [1] else "NHWC",
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
        last = self.over == [rank - 1]
        shape = [-1 if i in self.over else 1 for i in range(rank)]

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
        able = rank == 4 and self.over in ([1], [3]) and not own
        return able and self.fused is not False


def _composed(first: Iterable[Any], then: Iterable[Any]) -> tuple[Any, Any]:
    """Return the scale and the offset of two such transforms, one behind the other."""
    (scale, offset), (then_scale, then_offset) = first, then
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    return scale, offset if then_offset is None else offset + then_offset
