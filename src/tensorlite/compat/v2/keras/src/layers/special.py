"""Keras' layers of convolutions over time, of weights of bounded norm, of pooling to a size."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    checking,
    constraints,
    defaults,
    initializers,
    regularizers,
    seeding,
)
from tensorlite.compat.v2.keras.ops import windows
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.compat.v2.keras.src.layers.convolutions import Convolution, sizes_of
from tensorlite.compat.v2.keras.src.layers.dropping import chosen
from tensorlite.compat.v2.keras.src.layers.more import Wrapper
from tensorlite.core.errors import InvalidArgumentError


class _OverTime(Convolution):
    """An LSTM whose products are convolutions (Shi et al. 2015)."""

    supports_masking = True

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        seed: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        self._drop(dropout, recurrent_dropout, seed)
        super().__init__(
            *(filters, kernel_size, strides, padding, data_format, dilation_rate),
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        self.input_spec = InputSpec(ndim=self.axes + 3)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.unit_forget_bias, self.go_backwards = unit_forget_bias, go_backwards
        self.return_sequences, self.return_state = return_sequences, return_state

    def _drop(self, dropout: float, recurrent_dropout: float, seed: Any) -> None:
        """Keep what shares of inputs and states are dropped, and what draws them."""
        checking.share(dropout=dropout, recurrent_dropout=recurrent_dropout)
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout
        self.seed, self.seed_generator = seed, seeding.generator(seed)

    def build(self, input_shape: Any) -> None:
        channels = self.channels((input_shape[0], *input_shape[2:]))
        count = int(self.filters or 0)
        self.kernel = self.add_kernel(
            "kernel", (*self.kernel_size, channels, 4 * count)
        )
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel",
            (*self.kernel_size, count, 4 * count),
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
        self.add_bias(4 * count)
        self.built = True

    def saved_members(self) -> dict[str, Any]:
        """Return the weights as those of a cell, which holds them in Keras."""
        found = super().saved_members()
        found.pop("_kernel", None)
        held = {"kernel", "recurrent_kernel", "bias"} & set(found)
        cell = {key: found.pop(key) for key in sorted(held)}
        return {**found, "cell": cell}

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        if not self.unit_forget_bias:
            return super().first_bias(shape, dtype)
        count = int(self.filters or 0)
        sizes = count, 2 * count
        ends = [self.bias_initializer((size,), dtype=dtype) for size in sizes]
        return tl.concat([ends[0], tl.ones(count, dtype=dtype), ends[1]])

    def _shares(self, like: Any, rate: float, training: Any) -> Any:
        """Return what values are multiplied by: zero where they are dropped, at all steps."""
        ones = tl.ones_like(like)
        if not rate:
            return ones
        generator = self.seed_generator
        return chosen(
            training,
            lambda: seeding.dropout(ones, rate, seed=generator),
            lambda: tl.identity(ones),
        )

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        mask: Any = None,
        training: Any = None,
    ) -> Any:
        steps = self._in_turn(inputs)
        if self.dropout:
            steps = steps * self._shares(steps[0], self.dropout, training)
        first = tl.zeros_like(self._seen(steps[0]))
        axis = 1 if self.first else -1
        empty = tl.split(first, 4, axis=axis)[0]
        shares = self._shares(empty, self.recurrent_dropout, training)
        start = (empty, empty) if initial_state is None else tuple(initial_state)

        def step(before: Any, x: Any) -> Any:
            return self._step(before, x, shares)

        def shown(before: Any, row: Any) -> Any:
            x, counts = row
            after = self._step(before, x, shares)
            told = tl.reshape(counts, [-1, *[1] * (self.axes + 1)])
            pairs = zip(after, before, strict=True)
            return tuple(tl.where(told, new, old) for new, old in pairs)

        if mask is None:
            hidden, cells = tl.scan(step, steps, start)
        else:
            counts = self._in_turn(tl.astype(tl.asarray(mask), tl.bool))
            hidden, cells = tl.scan(shown, (steps, counts), start)
        made = tl.moveaxis(hidden, 0, 1) if self.return_sequences else hidden[-1]
        return [made, hidden[-1], cells[-1]] if self.return_state else made

    def _in_turn(self, x: Any) -> Any:
        """Return what belongs to steps, in the order in which they are taken."""
        steps = tl.moveaxis(x, 1, 0)
        return tl.flip(steps, axis=0) if self.go_backwards else steps

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        own = mask if self.return_sequences else None
        return [own, None, None] if self.return_state else own

    def _seen(self, x: Any) -> Any:
        made = self._convolved(x, self.kernel, self.padding)
        if self.bias is None:
            return made
        bias = self.bias.value()
        return made + (
            tl.reshape(bias, [-1, *[1] * self.axes]) if self.first else bias
        )

    def _step(self, before: Any, x: Any, shares: Any) -> Any:
        hidden, cell = before
        hidden = hidden * shares if self.recurrent_dropout else hidden
        held = nn.convolution(hidden, self.recurrent_kernel, 1, "SAME", self.form)
        z = self._seen(x) + held
        i, f, g, o = tl.split(z, 4, axis=1 if self.first else -1)
        gate = self.recurrent_activation
        cell = gate(f) * cell + gate(i) * self.activation(g)
        return gate(o) * self.activation(cell), cell


class ConvLSTM1D(_OverTime):
    """Long short-term memory over steps of lines, by convolutions (Shi et al., 2015)."""

    axes = 1


class ConvLSTM2D(_OverTime):
    """Long short-term memory over steps of images, by convolutions (Shi et al., 2015)."""

    axes = 2


class ConvLSTM3D(_OverTime):
    """Long short-term memory over steps of volumes, by convolutions (Shi et al., 2015)."""

    axes = 3


class SpectralNormalization(Wrapper):
    """A layer whose kernel is divided by its largest singular value (Miyato et al. 2018)."""

    def __init__(self, layer: Any, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.power_iterations = power_iterations
        if power_iterations <= 0:
            raise InvalidArgumentError(
                "`power_iterations` should be greater than zero. Received: "
                f"`power_iterations={power_iterations}`"
            )

    def build(self, input_shape: Any = None) -> None:
        super().build(input_shape)
        embeds = hasattr(self.layer, "embeddings")
        if not embeds and not hasattr(self.layer, "kernel"):
            raise InvalidArgumentError(
                f"{type(self.layer).__name__} object has no attribute 'kernel' nor 'embeddings', "
                "which SpectralNormalization divides"
            )
        self.kernel = self.layer.embeddings if embeds else self.layer.kernel
        self.vector_u = self.add_weight(
            "vector_u",
            (1, self.kernel.shape[-1]),
            initializer=initializers.TruncatedNormal(stddev=0.02),
            trainable=False,
        )

    def call(self, inputs: Any, training: Any = False) -> Any:
        def bounded() -> Any:
            self._bound()
            return self.layer(inputs)

        return chosen(training, bounded, lambda: self.layer(inputs))

    def _bound(self) -> None:
        kernel = self.kernel.value()
        rows = tl.reshape(kernel, [-1, kernel.shape[-1]])
        u = self.vector_u.value()
        for _ in range(self.power_iterations):
            v = tl.nn.l2_normalize(tl.matmul(u, tl.transpose(rows)), axis=None)
            u = tl.nn.l2_normalize(tl.matmul(v, rows), axis=None)
        u, v = tl.stop_gradient(u), tl.stop_gradient(v)
        sigma = tl.matmul(tl.matmul(v, rows), tl.transpose(u))
        self.vector_u.assign(u)
        self.kernel.assign(kernel / tl.reshape(sigma, []))


class _ToSize(Layer):
    """Pooling to a number of windows, however large the input is."""

    axes = 2
    pooled: Any = None

    def __init__(
        self, output_size: Any, data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.output_size = sizes_of(output_size, self.axes)
        self.data_format = data_format or defaults.image_data_format()
        self.input_spec = InputSpec(ndim=self.axes + 2)

    def call(self, inputs: Any) -> Any:
        return type(self).pooled(inputs, self.output_size, self.data_format)


class AdaptiveAveragePooling1D(_ToSize):
    """Means of as many parts of sequences as output_size says."""

    axes, pooled = 1, staticmethod(windows.adaptive_average_pool)


class AdaptiveAveragePooling2D(_ToSize):
    """Means of as many parts of images as output_size says."""

    axes, pooled = 2, staticmethod(windows.adaptive_average_pool)


class AdaptiveAveragePooling3D(_ToSize):
    """Means of as many parts of volumes as output_size says."""

    axes, pooled = 3, staticmethod(windows.adaptive_average_pool)


class AdaptiveMaxPooling1D(_ToSize):
    """Greatest elements of as many parts of sequences as output_size says."""

    axes, pooled = 1, staticmethod(windows.adaptive_max_pool)


class AdaptiveMaxPooling2D(_ToSize):
    """Greatest elements of as many parts of images as output_size says."""

    axes, pooled = 2, staticmethod(windows.adaptive_max_pool)


class AdaptiveMaxPooling3D(_ToSize):
    """Greatest elements of as many parts of volumes as output_size says."""

    axes, pooled = 3, staticmethod(windows.adaptive_max_pool)
