"""Cells that tf.contrib.rnn had beside those of tf.nn.rnn_cell, and rows of them in both ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import concat, shape, split, transpose, zeros
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add, relu, sigmoid, tanh
from tensorlite.compat.v1.contrib.normalizing import layer_norm
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.functions.nn_functions import dropout
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.recurrent.cells import (
    CellOfUnits,
    LayerRNNCell,
    LSTMStateTuple,
    RNNCell,
    width_of,
)
from tensorlite.compat.v1.recurrent.rnn import bidirectional_dynamic_rnn
from tensorlite.compat.v1.recurrent.rnn_parts import Linear
from tensorlite.compat.v1.recurrent.static_rnn import static_bidirectional_rnn
from tensorlite.compat.views import in_graph
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.nn import cells as blocks

_BRANCHES = 8
"""Into how many parts a step of NASCell is split."""


def _step(op: Composite, *inputs: Any) -> Any:
    """Return the outputs of a step, whose node bears the operator's name."""
    return in_graph(lambda: composed(op, *map(to_tensor, inputs)), op.name)


class LSTMBlockCell(CellOfUnits):
    """An LSTM, the variables of which are those of LSTMCell."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: bool | None = None,
        name: str | None = "lstm_cell",
    ) -> None:
        super().__init__(num_units, reuse=reuse, name=name, dtype=dtype)
        self._forget_bias, self._clip = forget_bias, cell_clip
        self._peeks = use_peephole

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        rows = width_of(inputs_shape) + units
        self._kernel = self.add_weight("kernel", [rows, 4 * units])
        empty = init_ops.Constant(0.0)
        self._bias = self.add_weight("bias", [4 * units], initializer=empty)
        if self._peeks:
            names = ("w_i_diag", "w_f_diag", "w_o_diag")
            self._diagonals = [self.add_weight(name, [units]) for name in names]
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        before, h = state
        clip = -1.0 if self._clip is None else float(self._clip)
        op = blocks.LSTMBlockCell(float(self._forget_bias), clip, self._peeks)
        none = zeros([self._num_units], inputs.dtype)
        seen = self._diagonals if self._peeks else [none] * 3
        made = _step(op, inputs, before, h, self._kernel, *seen, self._bias)
        return made[6], LSTMStateTuple(made[1], made[6])


class GRUBlockCell(CellOfUnits):
    """A gated recurrent unit, with variables of other names than GRUCell's."""

    names = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: bool | None = None,
        name: str | None = "gru_cell",
    ) -> None:
        if (cell_size is None) == (num_units is None):
            raise InvalidArgumentError(
                "Exactly one of num_units or cell_size must be provided."
            )
        super().__init__(int(num_units or cell_size or 0), reuse=reuse, name=name)

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        rows = width_of(inputs_shape) + units
        gates, gates_bias, candidate, candidate_bias = self.names
        open_, empty = init_ops.Constant(1.0), init_ops.Constant(0.0)
        self._gates = self.add_weight(gates, [rows, 2 * units])
        self._gates_bias = self.add_weight(gates_bias, [2 * units], initializer=open_)
        self._candidate = self.add_weight(candidate, [rows, units])
        self._bias = self.add_weight(candidate_bias, [units], initializer=empty)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        weights = self._gates, self._candidate, self._gates_bias, self._bias
        new = _step(blocks.GRUBlockCell(), inputs, state, *weights)[3]
        return new, new


class GRUBlockCellV2(GRUBlockCell):
    """The same with the names of GRUCell's variables."""

    names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM whose gates are normalised, and whose new contents may be dropped."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Any = tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._activation, self._normed = activation, layer_norm
        self._begin = {"gamma": norm_gain, "beta": norm_shift}
        self._keep, self._seed = dropout_keep_prob, dropout_prob_seed

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """Size of the output: the number of units."""
        return self._num_units

    def _norm(self, x: Any, name: str) -> Any:
        if not self._normed:
            return x
        with scopes.variable_scope(name):
            for key, value in self._begin.items():
                first = init_ops.Constant(value)
                width = x.get_shape().as_list()[-1:]
                scopes.get_variable(key, width, x.dtype, initializer=first)
        return layer_norm(x, reuse=True, scope=name)

    def _linear(self, x: Any) -> Any:
        sizes = [x.get_shape().as_list()[-1], 4 * self._num_units]
        found = matmul(x, scopes.get_variable("kernel", sizes, x.dtype))
        if self._normed:
            return found
        return bias_add(found, scopes.get_variable("bias", sizes[1:], x.dtype))

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        parts = split(self._linear(concat([inputs, h], 1)), 4, axis=1)
        names = ("input", "transform", "forget", "output")
        i, j, f, o = [
            self._norm(x, name) for x, name in zip(parts, names, strict=True)
        ]
        g = self._activation(j)
        if not isinstance(self._keep, float) or self._keep < 1:
            g = dropout(g, self._keep, seed=self._seed)
        kept = c * sigmoid(f + self._forget_bias)
        new_c = self._norm(kept + sigmoid(i) * g, "state")
        new_h = self._activation(new_c) * sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class UGRNNCell(RNNCell):
    """One gate between the state and what would be new."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Any = tanh,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer = num_units, initializer
        self._forget_bias, self._activation = forget_bias, activation
        self._linear: Any = None

    @property
    def state_size(self) -> int:
        """Size of the state: the number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """Size of the output: the number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        here, first = scopes.get_variable_scope(), self._initializer
        with scopes.variable_scope(here, initializer=first):
            given = concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(given, 2 * self._num_units, True)
            gate, made = split(self._linear(given), 2, axis=1)
            made = self._activation(made)
            kept = sigmoid(gate + self._forget_bias)
            new = kept * state + (1.0 - kept) * made
        return new, new


class NASCell(LayerRNNCell):
    """The cell that a search for architectures found."""

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._projected = num_units, num_proj
        self._use_bias = use_bias

    @property
    def output_size(self) -> int:
        """Size of the output: num_proj if that was given, else the number of units."""
        return self._num_units if self._projected is None else self._projected

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple."""
        return LSTMStateTuple(self._num_units, self.output_size)

    def build(self, inputs_shape: Any) -> None:
        width, units = inputs_shape.as_list()[-1], _BRANCHES * self._num_units
        self._recurrent = self.add_weight(
            "recurrent_kernel", [self.output_size, units]
        )
        self._kernel = self.add_weight("kernel", [width, units])
        if self._use_bias:
            zeros = init_ops.Zeros()
            self._bias = self.add_weight("bias", [units], initializer=zeros)
        if self._projected is not None:
            sizes = [self._num_units, self._projected]
            self._projection = self.add_weight("projection_weights", sizes)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        before, m = state
        recurrent, new = matmul(m, self._recurrent), matmul(inputs, self._kernel)
        if self._use_bias:
            recurrent = bias_add(recurrent, self._bias)
        parts = split(recurrent, _BRANCHES, axis=1)
        new = list(zip(split(new, _BRANCHES, axis=1), parts, strict=True))
        c, made = _searched(new, before)
        if self._projected is not None:
            made = matmul(made, self._projection)
        return made, LSTMStateTuple(c, made)


def _searched(flows: Sequence[tuple[Any, Any]], c: Any) -> tuple[Any, Any]:
    """Return the next contents and the next output."""
    kinds = [sigmoid, relu, sigmoid, relu, tanh, sigmoid, tanh, sigmoid]
    pairs = enumerate(zip(kinds, flows, strict=True))
    made = [kind(x * m if i == 3 else x + m) for i, (kind, (x, m)) in pairs]
    first, second = tanh(made[0] * made[1]), tanh(made[2] + made[3])
    third, fourth = tanh(made[4] * made[5]), sigmoid(made[6] + made[7])
    new = tanh(first + c) * second
    return new, tanh(new * tanh(third + fourth))


def transpose_batch_time(x: Any) -> Any:
    """Return a tensor with its first two axes swapped."""
    rank = x.get_shape().rank
    if rank is None or rank < 2:
        raise InvalidArgumentError(
            f"Expected input tensor {x} to have rank at least 2"
        )
    return transpose(x, [1, 0, *range(2, rank)])


def best_effort_input_batch_size(flat_input: Sequence[Any]) -> Any:
    """Return how many rows inputs, time first, have: a number if it is known."""
    for x in flat_input:
        sizes = x.get_shape()
        if sizes.rank is not None and sizes.rank < 2:
            raise InvalidArgumentError(
                f"Input tensor should have rank >= 2. Given shape: {sizes}"
            )
        known = None if sizes.rank is None else sizes.as_list()[1]
        if known is not None:
            return known
    return shape(flat_input[0])[1]


def _begins(
    cells_fw: Any, cells_bw: Any, states_fw: Any, states_bw: Any
) -> list[tuple[Any, Any, Any]]:
    """Return, for each layer, its two cells and with what they begin."""
    for what, cells in (("fw", cells_fw), ("bw", cells_bw)):
        if not isinstance(cells, list) or not cells:
            raise InvalidArgumentError(
                f"cells_{what} must be a list of RNNCells (one per layer), not {cells!r}."
            )
    if len(cells_fw) != len(cells_bw):
        raise InvalidArgumentError(
            "Forward and Backward cells must have the same depth, and there must be some."
        )
    for what, states in (("fw", states_fw), ("bw", states_bw)):
        fits = isinstance(states, list) and len(states) == len(cells_fw)
        if states is not None and not fits:
            raise InvalidArgumentError(
                f"initial_states_{what} must be a list of state tensors (one per layer)."
            )
    none = [None] * len(cells_fw)
    begins = zip(states_fw or none, states_bw or none, strict=True)
    return list(zip(cells_fw, cells_bw, begins, strict=True))


def stack_bidirectional_rnn(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """Return what layers of cells in both ways give for a list of steps."""
    layers = _begins(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = []
    with scopes.variable_scope(scope, "stack_bidirectional_rnn"):
        for i, (forward, backward, begin) in enumerate(layers):
            with scopes.variable_scope(f"cell_{i}") as opened:
                inputs, *last = static_bidirectional_rnn(
                    forward,
                    backward,
                    inputs,
                    begin[0],
                    begin[1],
                    dtype,
                    sequence_length,
                    scope=opened,
                )
            states.append(last)
    return inputs, tuple(x[0] for x in states), tuple(x[1] for x in states)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: Any = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> Any:
    """Return what layers of cells in both ways give, each being given both of the one below."""
    layers = _begins(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = []
    with scopes.variable_scope(scope, "stack_bidirectional_rnn"):
        for i, (forward, backward, begin) in enumerate(layers):
            with scopes.variable_scope(f"cell_{i}"):
                both, last = bidirectional_dynamic_rnn(
                    forward,
                    backward,
                    inputs,
                    sequence_length,
                    begin[0],
                    begin[1],
                    dtype,
                    parallel_iterations,
                    swap_memory,
                    time_major,
                )
                inputs = concat(list(both), 2)
            states.append(last)
    return inputs, tuple(x[0] for x in states), tuple(x[1] for x in states)
