"""One step of Keras' recurrent layers: simple, LSTM and GRU."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    checking,
    constraints,
    initializers,
    regularizers,
    seeding,
)
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.models.in_graphs import anywhere
from tensorlite.core import nest
from tensorlite.core.dispatch import tracer
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.shape import shape_of


class Cell(Layer):
    """A step: from what is seen now and the states to a result and new states."""

    gates = 1
    draws_first = False
    """Whether Keras draws the seed of what is dropped before those of initializers."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("implementation", None)  # how it is computed: in one way here
        super().__init__(**kwargs)
        self.units, self.use_bias = int(units), use_bias
        checking.positive(units=self.units)
        self.seed = seed
        self.seed_generator = seeding.generator(seed) if self.draws_first else None
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.dropout, self.recurrent_dropout = dropout, recurrent_dropout
        self.seed_generator = self.seed_generator or seeding.generator(seed)
        self._masks: dict[str, Any] = {}
        self.bias: Any = None

    @property
    def state_size(self) -> Any:
        """The size of the state; of several, a list."""
        return self.units

    @property
    def output_size(self) -> int:
        """The size of what a step returns."""
        return self.units

    def bias_shape(self) -> tuple[int, ...]:
        """Return the shape of the bias: a number for each gate of each unit."""
        return (self.gates * self.units,)

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        """Return what the bias begins with."""
        return self.bias_initializer(shape, dtype=dtype)

    def build(self, input_shape: Any) -> None:
        wide = self.gates * self.units
        self.kernel = self.add_weight(
            "kernel",
            (input_shape[-1], wide),
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
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                self.bias_shape(),
                initializer=self.first_bias,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    @anywhere
    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Return states of zeros for a batch, whose size inputs may tell."""
        if (
            batch_size is None
        ):  # Keras 3 has it first, where Keras 2 has what is looked at
            batch_size = rows_of(inputs)
        sizes = self.state_size
        kind = dtype or self.compute_dtype

        def zeros(size: int) -> Any:
            return tl.zeros(
                tl.stack([tl.asarray(batch_size, dtype=tl.int32), size]), dtype=kind
            )

        if isinstance(sizes, (list, tuple)):
            return [zeros(size) for size in sizes]
        return zeros(sizes)

    def get_dropout_mask(self, step_input: Any) -> Any:
        """Return what inputs are multiplied by, at each step until it is forgotten."""
        return self._mask("inputs", step_input, self.dropout, tracer() is None)

    def get_recurrent_dropout_mask(self, step_input: Any) -> Any:
        """Return what states are multiplied by, the same in all steps, or None."""
        return self._mask(
            "states", step_input, self.recurrent_dropout, tracer() is None
        )

    def reset_dropout_mask(self) -> None:
        """Let what inputs are multiplied by be drawn anew."""
        self._masks.pop("inputs", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Let what states are multiplied by be drawn anew."""
        self._masks.pop("states", None)

    def hold_masks(self, inputs: Any, state: Any) -> None:
        """Let all steps that follow drop the same, those in a loop that is traced, too."""
        self._mask("inputs", inputs, self.dropout, True)
        self._mask("states", state, self.recurrent_dropout, True)

    def _mask(self, name: str, like: Any, rate: float, kept: bool) -> Any:
        """Return a mask, or one for each gate where states are dropped, too."""
        if name in self._masks or not rate:
            return self._masks.get(name)
        count = self.gates if self.recurrent_dropout else 1
        drawn = [self._drawn(like, rate) for _ in range(count)]
        made = drawn[0] if count == 1 else drawn
        if kept:
            self._masks[name] = made
        return made

    def _drawn(self, like: Any, rate: float) -> Any:
        ones = tl.ones_like(like)
        if self.seed_generator is None:
            return nn.dropout(ones, rate)
        return seeding.dropout(ones, rate, seed=self.seed_generator)

    def masks(self, x: Any, h: Any, training: Any) -> tuple[Any, Any]:
        """Return what inputs and states are multiplied by."""
        if not (self.dropout or self.recurrent_dropout):
            return None, None
        if isinstance(training, Tensor):
            found = self.get_dropout_mask(x), self.get_recurrent_dropout_mask(h)
            return _if_training(training, found[0]), _if_training(training, found[1])
        if not training:
            return None, None
        return self.get_dropout_mask(x), self.get_recurrent_dropout_mask(h)


def _if_training(training: Any, mask: Any) -> Any:
    """Return a mask that leaves out nothing unless a tensor says that the layer trains."""
    if isinstance(mask, list):
        return [_if_training(training, x) for x in mask]
    return None if mask is None else tl.where(training, mask, tl.ones_like(mask))


def _times(x: Any, kernel: Any, mask: Any) -> Any:
    """Return products with a kernel, in which each gate may leave out features of its own."""
    if not isinstance(mask, list):
        return tl.matmul(x if mask is None else x * mask, kernel)
    parts = tl.split(kernel, len(mask), axis=-1)
    pairs = zip(mask, parts, strict=True)
    return tl.concat([tl.matmul(x * own, part) for own, part in pairs], axis=-1)


def _states(states: Any) -> list[Any]:
    return list(states) if isinstance(states, (list, tuple)) else [states]


class SimpleRNNCell(Cell):
    """A step of a simple recurrent layer: activation(x @ kernel + state @ recurrent + bias)."""

    draws_first = True

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        (h,) = _states(states)
        of_inputs, of_states = self.masks(inputs, h, training)
        made = _times(inputs, self.kernel, of_inputs)
        made = made + _times(h, self.recurrent_kernel, of_states)
        made = made if self.bias is None else made + self.bias
        made = self.activation(made)
        return made, [made] if isinstance(states, (list, tuple)) else made


class LSTMCell(Cell):
    """A step of long short-term memory (Hochreiter and Schmidhuber, 1997)."""

    gates = 4

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        unit_forget_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, use_bias, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    @property
    def state_size(self) -> Any:
        """The sizes of the result and of the memory."""
        return [self.units, self.units]

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        """Return what the bias begins with: ones for the forget gate, if so asked."""
        if not self.unit_forget_bias:
            return self.bias_initializer(shape, dtype=dtype)
        n = self.units
        ends = [self.bias_initializer((size,), dtype=dtype) for size in (n, 2 * n)]
        return tl.concat([ends[0], tl.ones(n, dtype=dtype), ends[1]])

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        h, c = states
        of_inputs, of_states = self.masks(inputs, h, training)
        z = _times(inputs, self.kernel.value(), of_inputs)
        z = z + _times(h, self.recurrent_kernel.value(), of_states)
        z = z if self.bias is None else z + self.bias
        c, shown = self.gated(tl.split(z, 4, axis=-1), c)
        h = shown * self.activation(c)
        return h, [h, c]

    def gated(self, parts: Any, c: Any) -> tuple[Any, Any]:
        """Return what is remembered now, and how much of it is shown."""
        i, f, g, o = parts
        gate = self.recurrent_activation
        return gate(f) * c + gate(i) * self.activation(g), gate(o)


class GRUCell(Cell):
    """A step with an update gate and a reset gate (Cho et al., 2014).

    reset_after resets the product of the state rather than the state.
    """

    gates = 3

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        reset_after: bool = True,
        **kwargs: Any,
    ) -> None:
        self.reset_after = reset_after
        super().__init__(units, activation, use_bias, **kwargs)
        self.recurrent_activation = activations.get(recurrent_activation)

    def bias_shape(self) -> tuple[int, ...]:
        """Return the shape of the bias, which has two rows if reset_after."""
        wide = self.gates * self.units
        return (2, wide) if self.reset_after else (wide,)

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        (h,) = _states(states)
        of_inputs, of_states = self.masks(inputs, h, training)
        z = _times(inputs, self.kernel.value(), of_inputs)
        biases: Any = (None, None)
        if self.bias is not None:
            own = self.bias.value()
            biases = (own[0], own[1]) if self.reset_after else (own, None)
        z = z if biases[0] is None else z + biases[0]
        made = self._step(z, of_states, h, biases[1])
        return made, [made] if isinstance(states, (list, tuple)) else made

    def _step(self, z: Any, mask: Any, h: Any, inner_bias: Any) -> Any:
        n, gate = self.units, self.recurrent_activation
        own = self.recurrent_kernel.value()
        if self.reset_after:
            inner = _times(h, own, mask)
            inner = inner if inner_bias is None else inner + inner_bias
            update = gate(z[..., :n] + inner[..., :n])
            reset = gate(z[..., n : 2 * n] + inner[..., n : 2 * n])
            new = self.activation(z[..., 2 * n :] + reset * inner[..., 2 * n :])
        else:
            first = mask if mask is None else mask[:2]
            both = _times(h, own[:, : 2 * n], first)
            update = gate(z[..., :n] + both[..., :n])
            reset = gate(z[..., n : 2 * n] + both[..., n:])
            left = reset * h if mask is None else reset * h * mask[2]
            new = self.activation(z[..., 2 * n :] + tl.matmul(left, own[:, 2 * n :]))
        return update * h + (1 - update) * new


def rows_of(inputs: Any) -> Any:
    """Return how many rows there are, given inputs or that number."""
    given = tl.asarray(inputs)
    return inputs if given.spec.rank == 0 else shape_of(given)[0]


def initial_state_of(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """Return what a cell begins with: what it says itself, in either form, or zeros."""
    make = getattr(cell, "get_initial_state", None)
    if make is not None:
        taken = inspect.signature(make).parameters
        if "inputs" in taken or "dtype" in taken:
            return make(inputs=None, batch_size=batch_size, dtype=dtype)
        return make(batch_size)
    rows = tl.asarray(batch_size, dtype=tl.int32)
    return nest.map_structure(
        lambda size: tl.zeros(
            tl.stack([rows, *[int(n) for n in np.atleast_1d(size)]]),
            dtype=dtype or tl.float32,
        ),
        cell.state_size,
    )


def stepped(cell: Any, x: Any, state: Any, training: Any) -> tuple[Any, Any]:
    """Return what a cell makes in a step, and its states after it, structured as those before.

    Cells of Keras are given states as a list, though there be only one, and told whether they
    train; those of tf.nn.rnn_cell are not.
    """
    if hasattr(cell, "zero_state"):
        return tuple(cell(x, state))
    given = state if isinstance(state, (list, tuple)) else [state]
    made, after = cell(x, given, training=training)
    return made, nest.pack_like(state, nest.flatten(after))


def output_size_of(cell: Any) -> Any:
    """Return how many numbers a cell returns for an example, by its state if it does not say."""
    own = getattr(cell, "output_size", None)
    return nest.flatten(cell.state_size)[0] if own is None else own


class StackedRNNCells(Layer):
    """Cells one above the other."""

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self) -> Any:
        """The sizes of all cells' states."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """The size of what the last cell returns."""
        return output_size_of(self.cells[-1])

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Return the states that all cells begin with."""
        return [initial_state_of(cell, batch_size, dtype) for cell in self.cells]

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        made, after = inputs, []
        for cell, state in zip(self.cells, states, strict=True):
            made, new = stepped(cell, made, state, training)
            after.append(new)
        return made, after
