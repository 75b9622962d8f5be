"""Keras' layers that compute each place by itself, or only change shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.shared import control_flow
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    checking,
    constraints,
    initializers,
    regularizers,
    seeding,
)
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.nn.channels import bias_add


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`."""

    supports_masking = True
    bias: Any = (
        None  # here, so that classes below it may have a property of this name
    )

    def __init__(
        self,
        units: Any,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        is_number = isinstance(units, (int, float, np.integer)) and units > 0
        if not is_number or int(units) != units:
            raise InvalidArgumentError(
                "Received an invalid value for `units`, expected a positive integer. Received: "
                f"units={units}"
            )
        self.units, self.use_bias = int(units), use_bias
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        if input_shape[-1] is None:
            raise InvalidArgumentError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None."
            )
        self.kernel = self.add_weight(
            "kernel",
            (input_shape[-1], self.units),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: input_shape[-1]})
        self.built = True

    def call(self, inputs: Any) -> Any:
        if not inputs.dtype.is_floating:
            inputs = astype(inputs, self.kernel.dtype)
        made = tl.matmul(inputs, self.kernel)
        made = made if self.bias is None else bias_add(made, self.bias)
        return made if self.activation is None else self.activation(made)


class Flatten(Layer):
    """All elements of an example in a row."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checking.data_format(data_format)

    def call(self, inputs: Any) -> Any:
        sizes = inputs.get_shape().as_list()
        if self.data_format == "channels_first" and len(sizes) > 2:
            inputs = tl.moveaxis(inputs, 1, -1)
        rest = sizes[1:]
        if None in rest:
            return tl.reshape(inputs, tl.stack([shape_of(inputs)[0], -1]))
        return tl.reshape(inputs, [-1, prod(rest)])


def _rows(x: Any) -> Any:
    return shape_of(x)[0] if x.shape[0] is None else x.shape[0]


class Reshape(Layer):
    """Examples in another shape, of which one size may be -1."""

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Any:
        sizes = list(self.target_shape)
        if -1 in sizes and None not in inputs.shape[1:]:
            known = -prod(sizes)
            sizes[sizes.index(-1)] = prod(inputs.shape[1:]) // known
        return tl.reshape(inputs, [-1 if -1 not in sizes else _rows(inputs), *sizes])


class Permute(Layer):
    """Examples with their axes, counted from 1, in another order."""

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise InvalidArgumentError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in "
                f"`dims` must be consecutive and start from 1. Received dims={dims}"
            )

    def call(self, inputs: Any) -> Any:
        return tl.permute_dims(inputs, (0, *self.dims))


class RepeatVector(Layer):
    """Each row n times, as steps of a sequence."""

    def __init__(self, n: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        checking.whole(n=n)
        self.n = n

    def call(self, inputs: Any) -> Any:
        return tl.tile(inputs[:, None, :], [1, self.n, 1])


class Activation(Layer):
    """A function of its input, by name or as such."""

    supports_masking = True

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


def _parameters_of(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of a function's parameters, none where it does not tell them."""
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


class Lambda(Layer):
    """A function of a program, which is told arguments, and mask and training if it takes them."""

    supports_masking = True

    def __init__(
        self,
        function: Any,
        output_shape: Any = None,
        mask: Any = None,
        arguments: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not callable(function):
            raise TypeError(
                f"Lambda: the function is {function!r}, which is not callable"
            )
        self.function, self.arguments = function, dict(arguments or {})
        self.mask = mask
        self.supports_masking = mask is not None
        self._taken = _parameters_of(function)

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        given = dict(self.arguments)
        for name, value in (("mask", mask), ("training", training)):
            if name in self._taken:
                given.setdefault(name, value)
        return self.function(inputs, **given)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask


class Dropout(Layer):
    """Sets a share rate of elements to 0 in training, and divides the others by 1 - rate.

    noise_shape has sizes of 1 where elements are dropped together.
    """

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
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed
        self.seed_generator = seeding.generator(seed) if rate else None

    def _noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        own = shape_of(inputs)
        return [own[i] if x is None else x for i, x in enumerate(self.noise_shape)]

    def call(self, inputs: Any, training: Any = None) -> Any:
        def dropped() -> Any:
            shape = self._noise_shape(inputs)
            if self.seed_generator is None or self.rate == 1:
                return nn.dropout(inputs, self.rate, shape, self.seed)
            return seeding.dropout(inputs, self.rate, shape, self.seed_generator)

        return chosen(training, dropped, lambda: tl.identity(inputs))


def normal_like(inputs: Any, mean: float, stddev: float, seed: Any) -> Any:
    """Return normal numbers shaped as `inputs`, by a layer's generator if it has one."""
    if seed is None:
        return tl.random.normal(shape_of(inputs), mean, stddev, inputs.dtype)
    return seeding.normal(shape_of(inputs), mean, stddev, inputs.dtype, seed)


def chosen(training: Any, during: Callable[[], Any], after: Callable[[], Any]) -> Any:
    """Return what holds in training or else, which may be known by a tensor only."""
    if training is None or isinstance(training, (bool, int, np.bool_)):
        return during() if training else after()
    if in_graphs.building.get() is None:
        return tl.cond(astype(training, tl.bool), during, after)
    return plain(control_flow.cond(astype(training, tl.bool), during, after))


class SpatialDropout1D(Dropout):
    """Drops whole channels of sequences in training."""

    def _noise_shape(self, inputs: Any) -> Any:
        own = shape_of(inputs)
        return [own[0], 1, own[-1]]


class SpatialDropout2D(Dropout):
    """Drops whole channels of images in training."""

    def _noise_shape(self, inputs: Any) -> Any:
        own = shape_of(inputs)
        return [own[0], 1, 1, own[-1]]


class GaussianNoise(Layer):
    """Adds normally distributed numbers in training."""

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


class Embedding(Layer):
    """Rows of a table, by whole numbers."""

    starts_masks = True

    not_described = frozenset({"input_length"})

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        **kwargs: Any,
    ) -> None:
        if input_length is not None and "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.input_dim, self.output_dim = int(input_dim), int(output_dim)
        checking.positive(input_dim=self.input_dim, output_dim=self.output_dim)
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer = regularizers.get(embeddings_regularizer)
        self.embeddings_constraint = constraints.get(embeddings_constraint)
        self.mask_zero = self.supports_masking = mask_zero

    def build(self, input_shape: Any = None) -> None:
        self.embeddings = self.add_weight(
            "embeddings",
            (self.input_dim, self.output_dim),
            initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer,
            constraint=self.embeddings_constraint,
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        whole = inputs if inputs.dtype.is_integer else astype(inputs, tl.int32)
        if in_graphs.building.get() is None:
            return tl.nn.embedding_lookup(self.embeddings, whole)
        return plain(
            in_graph(lambda: self._read(whole), "embedding_lookup", None, None)
        )

    def _read(self, rows: Any) -> Any:
        """Return rows as TensorFlow 1 has them in graphs, behind two names for them."""
        found = tl.nn.embedding_lookup(self.embeddings, rows)
        return tl.identity(tl.identity(found))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return (converted(inputs) != 0) if self.mask_zero else None


class Masking(Layer):
    """Leaves out steps of which all features have a value."""

    starts_masks = True
    supports_masking = True

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def call(self, inputs: Any) -> Any:
        counts = self.compute_mask(inputs)
        return inputs * astype(counts[..., None], inputs.dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return tl.any(converted(inputs) != self.mask_value, axis=-1)


class ActivityRegularization(Layer):
    """Its input, for which l1 * sum |x| + l2 * sum x * x is added to the loss."""

    supports_masking = True

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1, l2), **kwargs)


class Rescaling(Layer):
    """Its input times scale plus offset."""

    supports_masking = True

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        return tl.astype(inputs, tl.float32) * self.scale + self.offset
