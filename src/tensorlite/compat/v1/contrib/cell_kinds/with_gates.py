"""Cells of tf.contrib.rnn with gates of other kinds: in images, groups, coupled and timed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import concat, split, stop_gradient
from tensorlite.compat.shared.elementwise import (
    cast,
    exp,
    floormod,
    log,
    maximum,
    minimum,
)
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add, conv3d, relu, sigmoid, tanh
from tensorlite.compat.v1.contrib.cell_kinds.around import linear
from tensorlite.compat.v1.contrib.normalizing import layer_norm
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.functions.arrays import where_v2 as where
from tensorlite.compat.v1.functions.convolutions import conv1d, conv2d
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.random import random_uniform
from tensorlite.compat.v1.recurrent.cells import LSTMStateTuple, RNNCell
from tensorlite.core.errors import InvalidArgumentError


class ConvLSTMCell(RNNCell):
    """An LSTM whose inputs and states are images, seen through kernels."""

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Sequence[int],
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str | None = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise InvalidArgumentError(
                f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}."
            )
        self._kernel_shape, self._channels = list(kernel_shape), output_channels
        self._use_bias, self._skips = use_bias, skip_connection
        self._forget_bias = forget_bias
        passed = input_shape[-1] if skip_connection else 0
        sizes = list(input_shape[:-1])
        state = TensorShape([*sizes, output_channels])
        self._state_size = LSTMStateTuple(state, state)
        self._output_size = TensorShape([*sizes, output_channels + passed])

    @property
    def state_size(self) -> Any:
        """Shapes of c and h, an LSTMStateTuple of TensorShapes without the batch."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """Shape of the output, a TensorShape without the batch."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        given = concat([inputs, h], -1)
        width = given.get_shape().as_list()[-1]
        sizes = [*self._kernel_shape, width, 4 * self._channels]
        kernel = scopes.get_variable("kernel", sizes, given.dtype)
        gates = _convolved(given, kernel)
        if self._use_bias:
            first = init_ops.Constant(0.0)
            gates = gates + scopes.get_variable(
                "biases", sizes[-1:], given.dtype, initializer=first
            )
        i, j, f, o = split(gates, 4, -1)
        c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * tanh(j)
        h = tanh(c) * sigmoid(o)
        output = concat([h, inputs], -1) if self._skips else h
        return output, LSTMStateTuple(c, h)


def _convolved(x: Any, kernel: Any) -> Any:
    """Return convolutions of lines, images or volumes that keep their sizes."""
    rank = x.get_shape().rank
    if rank == 3:
        return conv1d(x, kernel, 1, padding="SAME")
    convolution = conv2d if rank == 4 else conv3d
    return convolution(x, kernel, [1] * rank, padding="SAME")


class Conv1DLSTMCell(ConvLSTMCell):
    """A long short-term memory of sequences [batch, length, channels] (Shi et al. 2015)."""

    def __init__(self, name: str | None = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(1, **kwargs, name=name)


class Conv2DLSTMCell(ConvLSTMCell):
    """A long short-term memory of images [batch, height, width, channels] (Shi et al. 2015)."""

    def __init__(self, name: str | None = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(2, **kwargs, name=name)


class Conv3DLSTMCell(ConvLSTMCell):
    """A long short-term memory of volumes [batch, depth, height, width, channels]."""

    def __init__(self, name: str | None = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(3, **kwargs, name=name)


class CoupledInputForgetGateLSTMCell(RNNCell):
    """An LSTM that takes in as much as it forgets."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = tanh,
        reuse: bool | None = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._peeks = num_units, use_peepholes
        self._initializer, self._projected = initializer, num_proj
        self._proj_clip, self._forget_bias = proj_clip, forget_bias
        self._state_is_tuple, self._activation = state_is_tuple, activation
        self._normed = layer_norm
        self._begin = {"gamma": norm_gain, "beta": norm_shift}

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple, or their sum if state_is_tuple is False."""
        sizes = self._num_units, self.output_size
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """Size of the output: num_proj if that was given, else the number of units."""
        return self._projected or self._num_units

    def _weights(self, name: str, sizes: Sequence[int], dtype: Any) -> Any:
        first = self._initializer
        return scopes.get_variable(name, list(sizes), dtype, initializer=first)

    def _norm(self, x: Any, name: str) -> Any:
        if not self._normed:
            return x
        with scopes.variable_scope(name):
            for key, value in self._begin.items():
                first = init_ops.Constant(value)
                width = x.get_shape().as_list()[-1:]
                scopes.get_variable(key, width, x.dtype, initializer=first)
        return layer_norm(x, reuse=True, scope=name)

    def _gates(self, inputs: Any, h: Any) -> Any:
        given = concat([inputs, h], 1)
        sizes = [given.get_shape().as_list()[-1], 3 * self._num_units]
        found = matmul(given, self._weights("W_0", sizes, given.dtype))
        first = init_ops.Zeros()
        bias = scopes.get_variable("B", sizes[1:], given.dtype, initializer=first)
        if not self._normed:
            found = bias_add(found, bias)
        names = ("transform", "forget", "output")
        parts = zip(split(found, 3, axis=1), names, strict=True)
        return [self._norm(x, name) for x, name in parts]

    def call(self, inputs: Any, state: Any) -> Any:
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = split(state, [self._num_units, self.output_size], 1)
        j, f, o = self._gates(inputs, h)
        units, dtype = [self._num_units], inputs.dtype
        f = f + self._forget_bias
        seen: Any = 0.0
        if self._peeks:
            f = f + self._weights("W_F_diag", units, dtype) * c
            seen = self._weights("W_O_diag", units, dtype)
        kept = sigmoid(f)
        c = self._norm(kept * c + (1 - kept) * self._activation(j), "state")
        h = sigmoid(o + seen * c if self._peeks else o) * self._activation(c)
        if self._projected is not None:
            h = h @ self._weights("W_P_0", [*units, self._projected], dtype)
            if self._proj_clip is not None:
                h = maximum(minimum(h, self._proj_clip), -self._proj_clip)
        following = LSTMStateTuple(c, h)
        return h, following if self._state_is_tuple else concat([c, h], 1)


class IntersectionRNNCell(RNNCell):
    """A recurrent state and an output through the depth, each with a gate."""

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        y_activation: Any = relu,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._projected = num_units, num_in_proj
        self._initializer, self._forget_bias = initializer, forget_bias
        self._activation = y_activation

    @property
    def state_size(self) -> int:
        """Size of the state: the number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """Size of the output: the number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        here = scopes.get_variable_scope()
        with scopes.variable_scope(here, initializer=self._initializer):
            if inputs.get_shape().as_list()[-1] != self._num_units:
                if self._projected is None:
                    raise InvalidArgumentError(
                        "Must have input size == output size for Intersection RNN. To fix, "
                        "num_in_proj should be set to num_units at cell init."
                    )
                with scopes.variable_scope("in_projection"):
                    inputs = linear([inputs], self._projected)
            found = split(linear([inputs, state], 4 * self._num_units), 4, axis=1)
        gate, made, y_gate, y_made = found
        depth, time = (
            sigmoid(y_gate + self._forget_bias),
            sigmoid(gate + self._forget_bias),
        )
        following = time * state + (1 - time) * tanh(made)
        output = depth * inputs + (1 - depth) * self._activation(y_made)
        return output, following


class GLSTMCell(RNNCell):
    """Several LSTMs, each of a part of the units and of the inputs."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Any = tanh,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer = num_units, initializer
        self._projected, self._groups = num_proj, number_of_groups
        self._forget_bias, self._activation = forget_bias, activation
        for what, size in (("num_units", num_units), ("num_proj", num_proj or 0)):
            if size % number_of_groups:
                raise InvalidArgumentError(
                    f"{what} must be divisible by number_of_groups: {size} and "
                    f"{number_of_groups}"
                )

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        """Size of the output: num_proj if that was given, else the number of units."""
        return self._projected or self._num_units

    def _bias(self, name: str, size: int, dtype: Any) -> Any:
        first = init_ops.Constant(0.0)
        return scopes.get_variable(name, [size], dtype, initializer=first)

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        width = inputs.get_shape().as_list()[-1]
        if width is None or width % self._groups:
            raise InvalidArgumentError(
                f"input size ({width}) must be divisible by number_of_groups ({self._groups}), "
                "and known"
            )
        own, here = self._num_units // self._groups, scopes.get_variable_scope()
        parts = zip(*[split(x, self._groups, 1) for x in (inputs, h)], strict=True)
        gates = []
        with scopes.variable_scope(here, initializer=self._initializer):
            for number, part in enumerate(parts):
                with scopes.variable_scope(f"group{number}"):
                    made = linear(list(part), 4 * own, bias=False)
                gates.append(split(made, 4, 1))
            names = ("bias_i", "bias_j", "bias_f", "bias_o")
            i, j, f, o = [
                concat(list(x), 1) + self._bias(name, self._num_units, inputs.dtype)
                for x, name in zip(zip(*gates, strict=True), names, strict=True)
            ]
            c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * self._activation(j)
            h = sigmoid(o) * self._activation(c)
            if self._projected is not None:
                with scopes.variable_scope("projection"):
                    h = linear([h], self._projected, bias=False)
        return h, LSTMStateTuple(c, h)


class PhasedLSTMCell(RNNCell):
    """An LSTM whose units open for a part of periods of their own; it is given times and data."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._peeks = num_units, use_peepholes
        self._leak, self._ratio_on = leak, ratio_on
        self._trainable_ratio = trainable_ratio_on
        self._periods = period_init_min, period_init_max

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """Size of the output: the number of units."""
        return self._num_units

    def _openness(self, time: Any) -> Any:
        """Return how far each unit is open at some times."""
        units, (least, most) = [self._num_units], self._periods
        period = scopes.get_variable(
            "period",
            units,
            initializer=lambda sizes, dtype=None, partition_info=None: exp(
                random_uniform(sizes, log(least), log(most), dtype)
            ),
        )
        begin = init_ops.RandomUniform(0.0, period.initial_value)
        phase = scopes.get_variable("phase", units, initializer=begin)
        ratio = scopes.get_variable(
            "ratio_on",
            units,
            initializer=init_ops.Constant(self._ratio_on),
            trainable=self._trainable_ratio,
        )
        cycle = cast(period, time.dtype)
        since = time - cast(phase, time.dtype)
        # The remainder's gradient is that of what is divided.
        rest = since + stop_gradient(floormod(since, cycle) - since)
        share = cast(rest / cycle, period.dtype)
        rising = 2 * share / ratio
        closed = where(share < ratio, 2 - rising, self._leak * share)
        return where(share < 0.5 * ratio, rising, closed)

    def call(self, inputs: Any, state: Any) -> Any:
        time, x = inputs
        before, h = state
        given = [x, h]
        with scopes.variable_scope("mask_gates"):
            seen = [*given, before] if self._peeks else given
            i, f = split(sigmoid(linear(seen, 2 * self._num_units)), 2, 1)
        with scopes.variable_scope("new_input"):
            made = tanh(linear(given, self._num_units))
        c = before * f + i * made
        with scopes.variable_scope("output_gate"):
            seen = [*given, c] if self._peeks else given
            output = tanh(c) * sigmoid(linear(seen, self._num_units))
        open_ = self._openness(time)
        c = open_ * c + (1 - open_) * before
        h = open_ * output + (1 - open_) * h
        return h, LSTMStateTuple(c, h)
