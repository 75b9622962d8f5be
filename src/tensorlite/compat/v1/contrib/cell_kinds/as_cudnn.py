"""Recurrent layers whose weights are one vector, as NVIDIA's library has them, and cells like them.

Here they are computed from plain operators, on every device.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import (
    arrays,
    cutting,
    elementwise,
    masks,
    nn as shared_nn,
)
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.v1.contrib.cell_kinds.cells import LSTMBlockCell
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    control_flow,
    init_ops,
    nn_functions,
)
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.compat.v1.recurrent.cells import GRUCell, width_of
from tensorlite.core.dtypes import as_dtype, float16, float32, float64
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    UnimplementedError,
)

_DIRECTIONS = {"unidirectional": 1, "bidirectional": 2}
_INPUTS = ("linear_input", "skip_input", "auto_select")


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """A step of a CudnnLSTM layer, with a kernel and a bias of its own."""

    def __init__(self, num_units: int, reuse: bool | None = None) -> None:
        super().__init__(
            num_units, 0.0, reuse=reuse, name="cudnn_compatible_lstm_cell"
        )


class CudnnCompatibleGRUCell(GRUCell):
    """A step of a CudnnGRU layer: the reset gate is behind the product with the state."""

    def __init__(
        self,
        num_units: int,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
    ) -> None:
        super().__init__(
            num_units, None, reuse=reuse, kernel_initializer=kernel_initializer
        )

    def build(self, inputs_shape: Any) -> None:
        """Make the variables of the gates, and two pairs for the candidate."""
        width, units = width_of(inputs_shape), self._num_units
        kernel, bias = self._kernel_initializer, self._bias_initializer
        ones, zeros = init_ops.Constant(1.0), init_ops.Zeros()
        self._gate_kernel = self.add_weight(
            "gates/kernel", [width + units, 2 * units], None, kernel
        )
        self._gate_bias = self.add_weight(
            "gates/bias", [2 * units], None, bias or ones
        )
        names = ["candidate/input_projection", "candidate/hidden_projection"]
        self._kernels = [
            self.add_weight(f"{name}/kernel", [rows, units], None, kernel)
            for name, rows in zip(names, (width, units), strict=True)
        ]
        self._biases = [
            self.add_weight(f"{name}/bias", [units], None, bias or zeros)
            for name in names
        ]
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        joined = matmul(arrays.concat([inputs, state], 1), self._gate_kernel)
        gates = shared_nn.sigmoid(shared_nn.bias_add(joined, self._gate_bias))
        r, u = arrays.split(gates, 2, 1)
        x, h = [
            shared_nn.bias_add(matmul(given, kernel), bias)
            for given, kernel, bias in zip(
                (inputs, state), self._kernels, self._biases, strict=True
            )
        ]
        following = (1 - u) * self._activation(x + r * h) + u * state
        return following, following


class CudnnRNN(Layer):
    """Layers of recurrent cells, one way or both, over [time, batch, width].

    All weights are one variable, "opaque_kernel": for each layer and direction the matrices of the
    inputs and of the state, a row for each unit, and behind all of them the biases of both. That is
    how savers keep it; TensorFlow's checkpoints have the matrices. Between layers `dropout` is the
    share that is left out in training.
    """

    gates: ClassVar[int]
    """How many matrices there are for the inputs, and for the state."""
    mode: ClassVar[str]
    states: ClassVar[int] = 1
    """How many tensors a state has."""

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = "linear_input",
        direction: str = "unidirectional",
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        if direction not in _DIRECTIONS:
            raise InvalidArgumentError(
                f"Invalid direction: {direction}, expecting one of {list(_DIRECTIONS)}"
            )
        if input_mode not in _INPUTS:
            raise InvalidArgumentError(
                f"Invalid input_mode: {input_mode}, expecting one of {list(_INPUTS)}"
            )
        if as_dtype(dtype) not in (float16, float32, float64):
            raise DTypeError(
                f"Only support float16, float32, float64, provided {dtype}"
            )
        self.num_layers, self.num_units = num_layers, num_units
        self.input_mode, self.direction = input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer
        self._input_size: int | None = None

    @property
    def rnn_mode(self) -> str:
        """The kind of the cells: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
        return self.mode

    @property
    def num_dirs(self) -> int:
        """In how many directions the layers go."""
        return _DIRECTIONS[self.direction]

    @property
    def input_size(self) -> int:
        """The width of the inputs; InvalidArgumentError before it is known."""
        if self._input_size is None:
            raise InvalidArgumentError(
                "'input_size' is unknown since layer has not been built."
            )
        return self._input_size

    @property
    def canonical_weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of the matrices, in their order."""
        units, found = self.num_units, []
        for layer in range(self.num_layers):
            width = units * self.num_dirs if layer else self.input_size
            one = [(units, width)] * self.gates + [(units, units)] * self.gates
            found += one * self.num_dirs
        return found

    @property
    def canonical_bias_shapes(self) -> list[list[int]]:
        """The shapes of the biases, in their order."""
        count = 2 * self.gates * self.num_dirs * self.num_layers
        return [[self.num_units]] * count

    def state_shape(self, batch_size: Any) -> tuple[list[Any], ...]:
        """Return the shape of each tensor of a state."""
        shape = [self.num_layers * self.num_dirs, batch_size, self.num_units]
        return (shape,) * self.states

    def build(self, input_shape: Any) -> None:
        """Make the variable; ShapeError for inputs that are no sequences of a known width."""
        if self.built:
            return
        shape = TensorShape(input_shape)
        if shape.rank != 3 or shape.as_list()[-1] is None:
            raise ShapeError(
                f"{type(self).__name__}: inputs are [time, batch, width] with a known width, not "
                f"{shape}"
            )
        self._input_size = shape.as_list()[-1]
        if self.input_mode != "linear_input" and self._input_size == self.num_units:
            raise UnimplementedError(
                f"input_mode={self.input_mode!r} leaves out the first matrices where inputs are as "
                "wide as the units, which is not served: use 'linear_input'"
            )
        self.input_spec = InputSpec(ndim=3, axes={-1: self._input_size})
        self._set_scope()
        kernel = self._kernel_initializer or init_ops.GlorotUniform(self._seed)
        bias = self._bias_initializer or init_ops.Zeros()
        with scopes.variable_scope(self._scope, auxiliary_name_scope=False):
            weights = [
                kernel(x, dtype=self.dtype) for x in self.canonical_weight_shapes
            ]
            biases = [bias(x, dtype=self.dtype) for x in self.canonical_bias_shapes]
            flat = [arrays.reshape(x, [-1]) for x in [*weights, *biases]]
            self.kernel = scopes.get_variable(
                "opaque_kernel",
                initializer=arrays.concat(flat, 0),
                validate_shape=False,
                trainable=True,
            )
        self._trainable_weights.append(self.kernel)
        self.built = True

    def _parts(self) -> tuple[list[Any], list[Any]]:
        """Return the matrices and the biases that the variable has."""
        flat = framework.convert_to_tensor(self.kernel)
        found, begin = [], 0
        for shape in [*self.canonical_weight_shapes, *self.canonical_bias_shapes]:
            count = shape[0] * (shape[1] if len(shape) > 1 else 1)
            found.append(arrays.reshape(flat[begin : begin + count], list(shape)))
            begin += count
        cut = len(self.canonical_weight_shapes)
        return found[:cut], found[cut:]

    def call(
        self,
        inputs: Any,
        initial_state: tuple[Any, ...] | None = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: bool = True,
    ) -> Any:
        """Return (outputs, state): [time, batch, directions * units], and the last states.

        States are tuples of [layers * directions, batch, units], (h, c) or (h,). Without time_major
        the batch is the first axis of all. Behind the lengths of sequences outputs are zeros.
        """
        if not isinstance(initial_state, tuple | None):
            raise DTypeError(
                f"Invalid initial_state type: {initial_state}, expecting tuple."
            )
        x = _turned(framework.convert_to_tensor(inputs, dtype=self.dtype), time_major)
        if initial_state is None:
            shapes = self.state_shape(v1_arrays.shape(x)[1])
            states = [arrays.zeros(shape, self.dtype) for shape in shapes]
        else:
            states = [
                _turned(framework.convert_to_tensor(s, dtype=self.dtype), time_major)
                for s in initial_state
            ]
        drops = self._dropout if training else 0.0
        outputs, last = self._run(x, states, sequence_lengths, drops)
        return _turned(outputs, time_major), tuple(
            _turned(s, time_major) for s in last
        )

    def _run(
        self, x: Any, states: list[Any], lengths: Any, drops: float
    ) -> tuple[Any, list[Any]]:
        weights, biases = self._parts()
        size, place, last = 2 * self.gates, 0, []
        for layer in range(self.num_layers):
            if layer and drops:
                x = nn_functions.dropout(x, 1 - drops, seed=self._seed)
            outputs = []
            for backward in range(self.num_dirs):
                begin = place * size
                own = [part[begin : begin + size] for part in (weights, biases)]
                given = [s[place] for s in states]
                seen = _reversed(x, lengths) if backward else x
                made, end = self._one_way(seen, given, own[0], own[1], lengths)
                outputs.append(_reversed(made, lengths) if backward else made)
                last.append(end)
                place += 1
            x = outputs[0] if len(outputs) == 1 else arrays.concat(outputs, 2)
        return x, [arrays.stack(list(s)) for s in zip(*last, strict=True)]

    def _one_way(
        self,
        x: Any,
        states: list[Any],
        weights: list[Any],
        biases: list[Any],
        lengths: Any,
    ) -> tuple[Any, list[Any]]:
        """Return the outputs of a layer in one direction, and its last state."""
        gates = self.gates
        inward, onward = [
            arrays.transpose(arrays.concat(part, 0))
            for part in (weights[:gates], weights[gates:])
        ]
        first, second = [
            arrays.concat(part, 0) for part in (biases[:gates], biases[gates:])
        ]
        width, sizes = x.get_shape().as_list()[-1], v1_arrays.shape(x)
        flat = matmul(arrays.reshape(x, [-1, width]), inward) + first
        seen = arrays.reshape(flat, [sizes[0], sizes[1], gates * self.num_units])
        known = None
        if lengths is not None:
            mask = masks.sequence_mask(lengths, sizes[0], dtype=self.dtype)
            known = arrays.expand_dims(arrays.transpose(mask), -1)

        def step(state: Any, given: Any) -> Any:
            now = given[0]
            after = self.step(now, matmul(state[0], onward) + second, state)
            if known is None:
                return tuple(after)
            on = given[1]
            return tuple(
                on * a + (1 - on) * s for a, s in zip(after, state, strict=True)
            )

        elems = (seen,) if known is None else (seen, known)
        every = control_flow.scan(step, elems, initializer=tuple(states))
        outputs = every[0] if known is None else every[0] * known
        return outputs, [s[-1] for s in every]

    def step(self, x: Any, h: Any, state: Any) -> list[Any]:
        """Return the next state, given what the inputs and the state give to all gates."""
        raise NotImplementedError

    def _gates(self, x: Any) -> list[Any]:
        found: list[Any] = arrays.split(x, self.gates, 1)
        return found


def _turned(x: Any, time_major: bool) -> Any:
    return x if time_major else arrays.transpose(x, [1, 0, 2])


def _reversed(x: Any, lengths: Any) -> Any:
    """Return sequences backwards, what is behind their ends staying there."""
    if lengths is None:
        return cutting.reverse(x, [0])
    return v1_arrays.reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)


class CudnnLSTM(CudnnRNN):
    """Layers of long short-term memories: gates in the order of input, forget, new, output."""

    gates, mode, states = 4, "lstm", 2

    def step(self, x: Any, h: Any, state: Any) -> list[Any]:
        """Return the next (h, c)."""
        i, f, new, o = self._gates(x + h)
        sigmoid, tanh = shared_nn.sigmoid, shared_nn.tanh
        c = sigmoid(f) * state[1] + sigmoid(i) * tanh(new)
        return [sigmoid(o) * tanh(c), c]


class CudnnGRU(CudnnRNN):
    """Layers of gated recurrent units: gates in the order of reset, update, new."""

    gates, mode = 3, "gru"

    def step(self, x: Any, h: Any, state: Any) -> list[Any]:
        """Return the next (h,)."""
        (xr, xu, xn), (hr, hu, hn) = self._gates(x), self._gates(h)
        r, u = shared_nn.sigmoid(xr + hr), shared_nn.sigmoid(xu + hu)
        return [(1 - u) * shared_nn.tanh(xn + r * hn) + u * state[0]]


class CudnnRNNTanh(CudnnRNN):
    """Layers of units tanh(W x + R h + b)."""

    gates, mode = 1, "rnn_tanh"

    def step(self, x: Any, h: Any, state: Any) -> list[Any]:
        """Return the next (h,)."""
        return [elementwise.tanh(x + h)]


class CudnnRNNRelu(CudnnRNN):
    """Layers of units max(W x + R h + b, 0)."""

    gates, mode = 1, "rnn_relu"

    def step(self, x: Any, h: Any, state: Any) -> list[Any]:
        """Return the next (h,)."""
        return [shared_nn.relu(x + h)]
