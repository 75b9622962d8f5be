"""Cells of tf.contrib.rnn whose units see their own state alone: IndRNN and its kin, and SRU."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import concat, split
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add, sigmoid
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.recurrent.cells import CellOfUnits, LSTMStateTuple, width_of


class _OfItself(CellOfUnits):
    """A cell whose units see their own state alone."""

    def _own(self, name: str, width: int, first: Any = None) -> Any:
        """Return the weights of units by their own states."""
        begin = first or init_ops.RandomUniform(-1, 1)
        return self.add_weight(name, [1, width], initializer=begin)


class IndRNNCell(_OfItself):
    """A recurrent cell whose units see their own state alone (Li et al. 2018)."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, dtype=dtype)

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        self._kernel = self.add_weight("kernel_w", [width_of(inputs_shape), units])
        self._by_itself = self._own("kernel_u", units)
        self._bias = self.add_weight("bias", [units], initializer=init_ops.Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        found = matmul(inputs, self._kernel) + state * self._by_itself
        output = self._activation(bias_add(found, self._bias))
        return output, output


class IndyGRUCell(_OfItself):
    """A gated recurrent unit whose units see their own state alone."""

    def build(self, inputs_shape: Any) -> None:
        width, units = width_of(inputs_shape), self._num_units
        first, bias = self._kernel_initializer, self._bias_initializer
        self._gates = self.add_weight(
            "gates/kernel_w", [width, 2 * units], initializer=first
        )
        self._gates_by_themselves = self._own("gates/kernel_u", 2 * units, first)
        self._gates_bias = self.add_weight(
            "gates/bias", [2 * units], initializer=bias or init_ops.Constant(1.0)
        )
        self._candidate = self.add_weight(
            "candidate/kernel", [width, units], initializer=first
        )
        self._by_itself = self._own("candidate/kernel_u", units, first)
        self._bias = self.add_weight(
            "candidate/bias", [units], initializer=bias or init_ops.Zeros()
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        both = tile(state, [1, 2]) * self._gates_by_themselves
        gates = bias_add(matmul(inputs, self._gates) + both, self._gates_bias)
        r, u = split(sigmoid(gates), 2, 1)
        found = matmul(inputs, self._candidate) + r * state * self._by_itself
        new = self._activation(bias_add(found, self._bias))
        following = u * state + (1 - u) * new
        return following, following


class IndyLSTMCell(_OfItself):
    """A long short-term memory whose units see their own state alone (Gonnet 2019)."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        given = (activation, reuse, kernel_initializer, bias_initializer)
        super().__init__(num_units, *given, name=name, dtype=dtype)
        self._forget_bias = forget_bias

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        sizes, first = (
            [width_of(inputs_shape), 4 * self._num_units],
            self._kernel_initializer,
        )
        self._kernel = self.add_weight("kernel_w", sizes, initializer=first)
        self._by_itself = self._own("kernel_u", sizes[1], first)
        self._bias = self.add_weight(
            "bias", sizes[1:], initializer=self._bias_initializer or init_ops.Zeros()
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        c, h = state
        own = tile(h, [1, 4]) * self._by_itself
        gates = bias_add(matmul(inputs, self._kernel) + own, self._bias)
        i, j, f, o = split(gates, 4, 1)
        c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * self._activation(j)
        h = self._activation(c) * sigmoid(o)
        return h, LSTMStateTuple(c, h)


class SRUCell(_OfItself):
    """The simple recurrent unit (Lei et al. 2017)."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name=name, **kwargs)

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        self._kernel = self.add_weight("kernel", [width_of(inputs_shape), 4 * units])
        first = init_ops.Constant(0.0)
        self._bias = self.add_weight("bias", [2 * units], initializer=first)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        new, forget, reset, past = split(matmul(inputs, self._kernel), 4, 1)
        gates = sigmoid(bias_add(concat([forget, reset], 1), self._bias))
        f, r = split(gates, 2, 1)
        c = f * state + (1 - f) * new
        return r * self._activation(c) + (1 - r) * past, c
