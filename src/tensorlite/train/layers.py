"""Layers: modules that map a tensor to a tensor. Recurrent ones are in recurrent.py."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.nn import conv, embedding, normalise, pool
from tensorlite.ops.nn.dropout import dropout
from tensorlite.ops.nn.losses import moments
from tensorlite.ops.state.variable import Variable
from tensorlite.train import initializers
from tensorlite.train.arguments import positive
from tensorlite.train.initializers import Initializer
from tensorlite.train.module import Module

Activation: TypeAlias = Callable[[Tensor], Tensor]


class Layer(Module, ABC):
    """Base of the layers: a module that is called with a tensor.

    `training` tells layers that behave differently while training: Dropout and BatchNorm.

    >>> class Scale(tl.layers.Layer):
    ...     def __init__(self):
    ...         self.factor = tl.Variable(2.0)
    ...     def __call__(self, x, training=False):
    ...         return self.factor * x
    >>> print(tl.layers.Sequential([Scale(), Scale()])(tl.ones(2)))
    [4. 4.]
    """

    @abstractmethod
    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return the layer's output for `x`."""


def _weight(
    init: Initializer, shape: Sequence[int], name: str, dtype: DType
) -> Variable:
    """Return a new variable; inside a trace it is made once, outside the graph."""
    return Variable(lambda: init(tuple(shape), dtype), name=name)


def _known(x: Tensor, axis: int, layer: str) -> int:
    size = x.shape[axis]
    if size is None:
        raise ShapeError(
            f"{layer} makes its weights at the first call, which needs axis {axis} of its input "
            f"known; here it is {shape_text(x.spec.shape)}. Give the size when making the layer"
        )
    return int(size)


class Dense(Layer):
    """`activation(x @ kernel + bias)` over the last axis.

    The weights are made at the first call, or at once when `inputs` is given.

    >>> layer = tl.layers.Dense(3, inputs=2)
    >>> layer(tl.ones((4, 2))).shape, layer.kernel.shape
    ((4, 3), (2, 3))
    """

    def __init__(
        self,
        units: int,
        activation: Activation | None = None,
        use_bias: bool = True,
        inputs: int | None = None,
        kernel_initializer: Initializer = initializers.glorot_uniform,
        dtype: DType = dtypes.float32,
    ) -> None:
        self.units = positive(units, "units")
        self.activation, self.use_bias, self.dtype = activation, use_bias, dtype
        self.kernel_initializer = kernel_initializer
        self.kernel: Variable | None = None
        self.bias: Variable | None = None
        if inputs is not None:
            self.build(inputs)

    def build(self, inputs: int) -> None:
        """Make the weights for `inputs` features."""
        shape = (positive(inputs, "inputs"), self.units)
        self.kernel = _weight(self.kernel_initializer, shape, "kernel", self.dtype)
        if self.use_bias:
            self.bias = _weight(initializers.zeros, (self.units,), "bias", self.dtype)

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return the layer's output, [..., units]."""
        tensor = to_tensor(x)
        if self.kernel is None:
            self.build(_known(tensor, -1, "Dense"))
        assert self.kernel is not None
        y = matmul(tensor, self.kernel)
        y = y if self.bias is None else y + self.bias
        return y if self.activation is None else self.activation(y)


class Conv2D(Layer):
    """Convolution of images with learnt filters, a bias, an activation.

    >>> layer = tl.layers.Conv2D(8, 3, padding="SAME")
    >>> layer(tl.ones((1, 5, 5, 3))).shape
    (1, 5, 5, 8)
    """

    def __init__(
        self,
        filters: int,
        size: int | tuple[int, int],
        strides: int | tuple[int, int] = 1,
        padding: str = "VALID",
        activation: Activation | None = None,
        use_bias: bool = True,
        channels: int | None = None,
        data_format: str = "NHWC",
        dilations: int | tuple[int, int] = 1,
        kernel_initializer: Initializer = initializers.glorot_uniform,
        dtype: DType = dtypes.float32,
    ) -> None:
        self.filters = positive(filters, "filters")
        self.size = (size, size) if isinstance(size, int) else size
        self.strides, self.padding, self.dilations = strides, padding, dilations
        self.activation, self.use_bias, self.dtype = activation, use_bias, dtype
        self.data_format, self.kernel_initializer = data_format, kernel_initializer
        self.kernel: Variable | None = None
        self.bias: Variable | None = None
        if channels is not None:
            self.build(channels)

    def build(self, channels: int) -> None:
        """Make the weights for images of `channels` channels."""
        shape = (*self.size, positive(channels, "channels"), self.filters)
        self.kernel = _weight(self.kernel_initializer, shape, "kernel", self.dtype)
        if self.use_bias:
            self.bias = _weight(
                initializers.zeros, (self.filters,), "bias", self.dtype
            )

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return the layer's output: images of `filters` channels."""
        image, last = to_tensor(x), self.data_format == "NHWC"
        if self.kernel is None:
            self.build(_known(image, -1 if last else 1, "Conv2D"))
        assert self.kernel is not None
        y = conv.conv2d(
            image,
            self.kernel,
            self.strides,
            self.padding,
            self.data_format,
            self.dilations,
        )
        if self.bias is not None:
            y = y + (self.bias if last else reshape(self.bias, (-1, 1, 1)))
        return y if self.activation is None else self.activation(y)


class MaxPool2D(Layer):
    """The largest value of each window of an image.

    >>> tl.layers.MaxPool2D(2)(tl.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 3)
    """

    def __init__(
        self, size: int = 2, strides: int | None = None, padding: str = "VALID"
    ) -> None:
        self.size, self.padding = positive(size, "size"), padding
        self.strides = size if strides is None else strides

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return the pooled images."""
        return pool.max_pool2d(x, self.size, self.strides, self.padding)


class Flatten(Layer):
    """All axes but the first as one.

    >>> tl.layers.Flatten()(tl.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return `x` as a matrix."""
        tensor = to_tensor(x)
        sizes = tensor.shape[1:]
        return reshape(
            tensor,
            (-1, prod(sizes)) if None not in sizes else (shape_of(tensor)[0], -1),
        )


class Embedding(Layer):
    """A learnt vector for each of `size` ids.

    >>> tl.layers.Embedding(10, 4)(tl.asarray([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        size: int,
        units: int,
        initializer: Initializer = initializers.glorot_uniform,
        dtype: DType = dtypes.float32,
    ) -> None:
        shape = (positive(size, "size"), positive(units, "units"))
        self.table = _weight(initializer, shape, "table", dtype)

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return the vectors of the ids `x`: [..., units]. Its gradient is sparse."""
        return embedding.embedding_lookup(self.table, x)


class LayerNorm(Layer):
    """Each vector of the last axis brought to mean 0 and variance 1, then scaled and shifted.

    Ba, Kiros and Hinton 2016.

    >>> print(tl.layers.LayerNorm()(tl.asarray([[1.0, 3.0]])))
    [[-0.999995  0.999995]]
    """

    def __init__(
        self,
        units: int | None = None,
        epsilon: float = 1e-5,
        dtype: DType = dtypes.float32,
    ) -> None:
        self.epsilon, self.dtype = epsilon, dtype
        self.scale: Variable | None = None
        self.offset: Variable | None = None
        if units is not None:
            self.build(units)

    def build(self, units: int) -> None:
        """Make the scale and the offset."""
        self.scale = _weight(initializers.ones, (units,), "scale", self.dtype)
        self.offset = _weight(initializers.zeros, (units,), "offset", self.dtype)

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return `x` normalised."""
        tensor = to_tensor(x)
        if self.scale is None:
            self.build(_known(tensor, -1, "LayerNorm"))
        assert self.scale is not None
        assert self.offset is not None
        return normalise.layer_norm(
            tensor, self.scale, self.offset, epsilon=self.epsilon
        )


class BatchNorm(Layer):
    """Each channel (last axis) normalised over the batch (Ioffe and Szegedy 2015).

    While training the batch's own mean and variance are used and moving averages updated; else
    the averages are used.

    >>> norm = tl.layers.BatchNorm()
    >>> print(norm(tl.asarray([[1.0], [3.0]]), training=True))
    [[-0.9995  ]
     [ 0.999501]]
    """

    def __init__(
        self,
        units: int | None = None,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        dtype: DType = dtypes.float32,
    ) -> None:
        if not 0 <= momentum <= 1:
            raise InvalidArgumentError(
                f"momentum={momentum}: it must lie between 0 and 1"
            )
        self.momentum, self.epsilon, self.dtype = momentum, epsilon, dtype
        self.scale: Variable | None = None
        self.offset: Variable | None = None
        self.mean: Variable | None = None
        self.variance: Variable | None = None
        if units is not None:
            self.build(units)

    def build(self, units: int) -> None:
        """Make scale, offset and the moving averages."""
        self.scale = _weight(initializers.ones, (units,), "scale", self.dtype)
        self.offset = _weight(initializers.zeros, (units,), "offset", self.dtype)
        self.mean = _still(initializers.zeros, units, "mean", self.dtype)
        self.variance = _still(initializers.ones, units, "variance", self.dtype)

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return `x` normalised per channel."""
        tensor = to_tensor(x)
        if self.scale is None:
            self.build(_known(tensor, -1, "BatchNorm"))
        assert self.mean is not None
        assert self.variance is not None
        mean, variance = self.mean.value(), self.variance.value()
        if training:
            mean, variance = moments(tensor, list(range(tensor.ndim - 1)))
            self._move(self.mean, mean)
            self._move(self.variance, variance)
        return normalise.batch_normalization(
            tensor, mean, variance, self.offset, self.scale, self.epsilon
        )

    def _move(self, average: Variable, value: Tensor) -> None:
        average.assign_sub((average.value() - value) * (1.0 - self.momentum))


def _still(init: Initializer, units: int, name: str, dtype: DType) -> Variable:
    return Variable(lambda: init((units,), dtype), trainable=False, name=name)


class Dropout(Layer):
    """Zeros a share `rate` of the elements while training, and scales up the rest.

    Srivastava et al. 2014.

    >>> print(tl.layers.Dropout(0.5)(tl.ones(3)))
    [1. 1. 1.]
    """

    def __init__(self, rate: float) -> None:
        if not 0 <= rate < 1:
            raise InvalidArgumentError(
                f"rate={rate}: it must be at least 0 and below 1"
            )
        self.rate = rate

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return `x`, with elements dropped if `training`."""
        return dropout(x, self.rate) if training and self.rate else to_tensor(x)


class Sequential(Layer):
    """Layers, or functions of a tensor, one after another.

    >>> model = tl.layers.Sequential([tl.layers.Dense(4), tl.nn.relu, tl.layers.Dense(2)])
    >>> model(tl.ones((3, 5))).shape, len(model.trainable_variables)
    ((3, 2), 4)
    """

    def __init__(self, layers: Sequence[Layer | Activation]) -> None:
        for layer in layers:
            if not callable(layer):
                raise InvalidArgumentError(
                    f"{layer!r} is no layer: a Sequential takes layers and functions of a tensor"
                )
        self.layers = list(layers)

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return the last layer's output."""
        y = to_tensor(x)
        for layer in self.layers:
            y = layer(y, training) if isinstance(layer, Layer) else layer(y)
        return y
