"""Keras' layers that are composed in graphs as TensorFlow 1 composes them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    reshape,
    split,
    squeeze,
)
from tensorlite.compat.shared.elementwise import multiply
from tensorlite.compat.shared.images.image import resize
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import batch_normalization, relu
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.convolutions import avg_pool, max_pool
from tensorlite.compat.v1.functions.nn_functions import l2_normalize, moments
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.keras.written import Written
from tensorlite.compat.v2.keras import defaults, layers
from tensorlite.core.dtypes import int32


class _Pooling1D(Written):
    """Windows of sequences, which are images of one column for that."""

    pooled: Any = None

    def written(self, inputs: Any) -> Any:
        """Return sequences pooled as images."""
        own: Any = self
        if own.data_format != "channels_last":
            return NotImplemented
        sizes = [[1, *x, 1, 1] for x in (own.pool_size, own.strides)]
        wide = expand_dims(inputs, 2)
        return squeeze(type(own).pooled(wide, *sizes, own.padding.upper()), 2)


class MaxPooling1D(_Pooling1D, layers.MaxPooling1D):
    """The greatest element of each window of sequences."""

    pooled = staticmethod(max_pool)

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class AveragePooling1D(_Pooling1D, layers.AveragePooling1D):
    """The mean of each window of sequences."""

    pooled = staticmethod(avg_pool)

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class GlobalMaxPooling1D(layers.GlobalMaxPooling1D):
    """The greatest element of each channel of sequences."""

    def __init__(
        self, data_format: str | None = "channels_last", **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)


class GlobalAveragePooling1D(layers.GlobalAveragePooling1D):
    """The mean of each channel of sequences, over the steps that count by a mask."""

    def __init__(
        self, data_format: str | None = "channels_last", **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)


class UpSampling1D(Written, layers.UpSampling1D):
    """Sequences in which each step is repeated."""

    def written(self, inputs: Any) -> Any:
        """Return the steps of a known number one by one, each as often as it is to be there."""
        count = inputs.get_shape().as_list()[1]
        if count is None:
            return NotImplemented
        steps = split(inputs, count, axis=1)
        return concat([x for x in steps for _ in range(self.size)], 1)


class UpSampling2D(Written, layers.UpSampling2D):
    """Images made greater by whole factors, by repetition or as interpolation says."""

    def written(self, inputs: Any) -> Any:
        """Return images of the new size, made by one operator."""
        if self.data_format != "channels_last":
            return NotImplemented
        dims = inputs.get_shape().as_list()
        factors = constant(list(self.size), int32)
        made = resize(inputs, shape(inputs)[1:3] * factors, self.interpolation)
        pairs = zip(dims[1:3], self.size, strict=True)
        known = [None if n is None else n * factor for n, factor in pairs]
        made.set_shape([None, *known, None])
        return made


class LeakyReLU(layers.LeakyReLU):
    """Its input above 0, and alpha times it below."""

    def __init__(self, alpha: Any = 0.3, **kwargs: Any) -> None:
        if alpha is not None:
            alpha = float(defaults.width().numpy.type(alpha))
        super().__init__(kwargs.pop("negative_slope", alpha), **kwargs)
        self.alpha = self.negative_slope


class PReLU(Written, layers.PReLU):
    """Its input above 0, and a weight times it below."""

    def written(self, inputs: Any) -> Any:
        """Return the sum of both."""
        return relu(inputs) + -self.alpha * relu(-inputs)


class Dot(Written, layers.Dot):
    """Products of two inputs along an axis of each, row by row of the batch."""

    def written(self, inputs: Any) -> Any:
        """Return the sums of products, or a product of matrices."""
        x, y = inputs
        ranks = x.get_shape().ndims, y.get_shape().ndims
        if ranks not in ((2, 2), (3, 3)):
            return NotImplemented
        one, other = self._places(*ranks)
        if self.normalize:
            x, y = l2_normalize(x, one), l2_normalize(y, other)
        if ranks[0] == 2:
            return expand_dims(reduce_sum(multiply(x, y), one), 1)
        return matmul(x, y, adjoint_a=one == 1, adjoint_b=other == 2)


class LayerNormalization(Written, layers.LayerNormalization):
    """Each example less its mean and divided by its spread, then scaled and moved."""

    def written(self, inputs: Any) -> Any:
        """Return inputs normalized by moments over some axes."""
        if self.rms_scaling or not inputs.dtype.is_floating:
            return NotImplemented
        dims = inputs.get_shape().as_list()
        given = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        axes = [x % len(dims) for x in given]
        mean, variance = moments(inputs, axes, keep_dims=True)

        def spread(x: Any) -> Any:
            if x is None or axes == [len(dims) - 1]:
                return x
            return reshape(x, [n if i in axes else 1 for i, n in enumerate(dims)])

        scale, offset = spread(self.gamma), spread(self.beta)
        made = batch_normalization(
            inputs, mean, variance, offset, scale, self.epsilon
        )
        made.set_shape(dims)
        return made


KINDS = {
    kind.__name__: kind
    for kind in (
        *(MaxPooling1D, AveragePooling1D, UpSampling1D, UpSampling2D, PReLU),
        *(Dot, LayerNormalization, LeakyReLU, GlobalMaxPooling1D),
        GlobalAveragePooling1D,
    )
}
"""What is found by its name in programs of version 1."""
