"""CuDNNLSTM and CuDNNGRU of version 1: weights lie as NVIDIA's library has them.

They are computed from plain operators, on every device. Files that hold weights of the plain layers
are read by recurrent_weights of version 2's keras/src/saving.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import tensorlite as tl
from tensorlite.compat.shared.arrays import concat
from tensorlite.compat.v1.keras.recurrent_written import Looped
from tensorlite.compat.v2.keras import (
    constraints,
    initializers,
    layers,
    regularizers,
)
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph


class _Sizes(NamedTuple):
    """What these layers have in the place of a cell."""

    state_size: Any


class CuDNNRNN(Looped, layers.RNN):
    """A recurrent layer whose kernels are those of NVIDIA's library, and whose gates are sigmoids.

    For each gate the kernel of the inputs is a matrix of a row for each unit, kept in the shape of
    its transpose; that of the state has a row for each unit as well. There are two biases.
    """

    not_described = frozenset({"cell", "unroll", "zero_output_for_mask"})
    gates: ClassVar[int]
    states_held: ClassVar[int] = 1

    def __init__(
        self,
        units: int,
        kernel_initializer: Any,
        recurrent_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        recurrent_regularizer: Any,
        bias_regularizer: Any,
        kernel_constraint: Any,
        recurrent_constraint: Any,
        bias_constraint: Any,
        **kwargs: Any,
    ) -> None:
        sizes = units if self.states_held == 1 else (units,) * self.states_held
        super().__init__(_Sizes(sizes), **kwargs)
        self.units = units
        self.supports_masking = False
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def build(self, input_shape: Any) -> None:
        """Make both kernels and the bias, which are the layer's own."""
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        wide = self.gates * self.units
        self.kernel = self.add_weight(
            "kernel",
            (int(shape[-1]), wide),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel",
            (self.units, wide),
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
        self.bias = self.add_weight(
            "bias",
            (2 * wide,),
            initializer=self.first_bias,
            regularizer=self.bias_regularizer,
            constraint=self.bias_constraint,
        )
        super().build(input_shape)

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        """Return what both biases begin with."""
        return self.bias_initializer(shape, dtype=dtype)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
    ) -> Any:
        """Return what the loop makes; InvalidArgumentError for inputs with a mask."""
        if mask is not None:
            raise InvalidArgumentError(
                f"{self.name}: Masking is not supported for CuDNN RNNs. Use "
                f"{type(self).__name__.removeprefix('CuDNN')}, which reads the same files"
            )
        kernel = self.kernel.value()
        turned = [self.units, kernel.shape[0]]
        parts = tl.split(kernel, self.gates, axis=-1)
        inward = [tl.transpose(tl.reshape(part, turned)) for part in parts]
        seen = tl.matmul(inputs, tl.concat(inward, axis=-1)) + self.biases()[0]
        return layers.RNN.call(self, seen, None, training, initial_state)

    def biases(self) -> list[Any]:
        """Return the bias of the inputs and that of the state."""
        return [*tl.split(self.bias.value(), 2, axis=0)]

    def _run(self, x: Any, mask: Any, state: Any, training: Any) -> Any:
        parts = tl.split(self.recurrent_kernel.value(), self.gates, axis=-1)
        onward = tl.concat([tl.transpose(part) for part in parts], axis=-1)
        inner = self.biases()[1]

        def step(before: Any, seen: Any) -> Any:
            return self.after(seen, tl.matmul(before[0], onward) + inner, before)

        states = tl.scan(step, x, nest.flatten(state))
        ends = [one[-1] for one in states]
        return states[0], ends[0], nest.pack_like(state, ends)

    def after(self, x: Any, h: Any, before: Any) -> list[Any]:
        """Return the states after a step, given what inputs and state give to all gates."""
        raise NotImplementedError


class CuDNNLSTM(CuDNNRNN):
    """An LSTM as GPUs have it, whose gates are sigmoids: for input, forgetting, memory, output.

    >>> from tensorlite.compat import v1 as tf
    >>> layer = tf.keras.layers.CuDNNLSTM(2, input_shape=(5, 3))
    >>> [w.shape.as_list() for w in tf.keras.Sequential([layer]).weights]
    [[3, 8], [2, 8], [16]]
    """

    layout, gates, states_held = "CuDNNLSTM", 4, 2

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            *(units, kernel_initializer, recurrent_initializer, bias_initializer),
            *(kernel_regularizer, recurrent_regularizer, bias_regularizer),
            *(kernel_constraint, recurrent_constraint, bias_constraint),
            activity_regularizer=activity_regularizer,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            **kwargs,
        )
        self.unit_forget_bias = unit_forget_bias

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        """Return what both biases begin with: ones for forgetting by the state, if so asked."""
        if not self.unit_forget_bias:
            return super().first_bias(shape, dtype)
        units, first = self.units, self.bias_initializer
        forget = initializers.Ones()((units,), dtype=dtype)
        before, behind = [first((count * units,), dtype=dtype) for count in (5, 2)]
        if active_graph() is None:
            return tl.concat([before, forget, behind])
        return concat([before, forget, behind], 0)

    def after(self, x: Any, h: Any, before: Any) -> list[Any]:
        """Return what is shown of the memory, and the memory."""
        taken, kept, new, shown = tl.split(x + h, 4, axis=-1)
        c = tl.nn.sigmoid(kept) * before[1] + tl.nn.sigmoid(taken) * tl.tanh(new)
        return [tl.nn.sigmoid(shown) * tl.tanh(c), c]


class CuDNNGRU(CuDNNRNN):
    """A GRU as GPUs have it, which multiplies before it forgets: gates to keep, reset, renew.

    >>> from tensorlite.compat import v1 as tf
    >>> layer = tf.keras.layers.CuDNNGRU(2, input_shape=(5, 3))
    >>> [w.shape.as_list() for w in tf.keras.Sequential([layer]).weights]
    [[3, 6], [2, 6], [12]]
    """

    layout, gates = "CuDNNGRU", 3

    def __init__(
        self,
        units: int,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            *(units, kernel_initializer, recurrent_initializer, bias_initializer),
            *(kernel_regularizer, recurrent_regularizer, bias_regularizer),
            *(kernel_constraint, recurrent_constraint, bias_constraint),
            activity_regularizer=activity_regularizer,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            **kwargs,
        )

    def after(self, x: Any, h: Any, before: Any) -> list[Any]:
        """Return the state after a step."""
        keep, reset, new = tl.split(x, 3, axis=-1)
        own_keep, own_reset, own_new = tl.split(h, 3, axis=-1)
        kept = tl.nn.sigmoid(keep + own_keep)
        candidate = tl.tanh(new + tl.nn.sigmoid(reset + own_reset) * own_new)
        return [kept * before[0] + (1 - kept) * candidate]
