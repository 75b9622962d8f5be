"""Recurrent layers: LSTM and GRU over sequences, as one loop over time in eager and traced code."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import ShapeError
from tensorlite.core.spec import shape_text
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import permute_dims
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.arrays.join import split
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.control.loops import while_loop
from tensorlite.ops.control.tensor_array import TensorArray
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.trigonometric import tanh
from tensorlite.ops.nn.activations import sigmoid
from tensorlite.ops.state.variable import Variable
from tensorlite.train import initializers
from tensorlite.train.arguments import positive
from tensorlite.train.layers import Layer

States = tuple[Tensor, ...]


class Recurrent(Layer):
    """Base of the recurrent layers: runs `step` over the time axis of [batch, time, features].

    What does not depend on the state, `x @ kernel + bias`, is computed for all times at once.
    """

    gates: int
    states: int

    def __init__(
        self,
        units: int,
        return_sequences: bool = False,
        inputs: int | None = None,
        dtype: DType = dtypes.float32,
    ) -> None:
        self.units, self.return_sequences = positive(units, "units"), return_sequences
        self.dtype = dtype
        self.kernel: Variable | None = None
        self.recurrent_kernel: Variable | None = None
        self.bias: Variable | None = None
        if inputs is not None:
            self.build(inputs)

    def build(self, inputs: int) -> None:
        """Make the weights for `inputs` features."""
        wide, dtype = self.gates * self.units, self.dtype
        self.kernel = Variable(
            lambda: initializers.glorot_uniform((inputs, wide), dtype), name="kernel"
        )
        self.recurrent_kernel = Variable(
            lambda: initializers.orthogonal((self.units, wide), dtype),
            name="recurrent_kernel",
        )
        self.bias = Variable(lambda: self.first_bias(wide), name="bias")

    def first_bias(self, size: int) -> Tensor:
        """Return the bias before training."""
        return zeros((size,), dtype=self.dtype)

    @abstractmethod
    def step(self, x: Tensor, states: States) -> States:
        """Return the states after one time; `x` is its part of `x @ kernel + bias`."""

    def __call__(
        self,
        x: TensorLike,
        training: bool = False,
        initial: Sequence[TensorLike] | None = None,
    ) -> Tensor:
        """Return the last output [batch, units], or with `return_sequences` all of them."""
        outputs, states = self.run(x, initial)
        return (
            permute_dims(outputs, (1, 0, 2)) if self.return_sequences else states[0]
        )

    def run(
        self, x: TensorLike, initial: Sequence[TensorLike] | None = None
    ) -> tuple[Tensor, States]:
        """Return the outputs of all times, time first, and the last states."""
        projected = permute_dims(self._projected(x), (1, 0, 2))
        sizes = shape_of(projected)
        first = stack([sizes[1], self.units])
        if initial is None:
            states = tuple(
                [zeros(first, dtype=self.dtype) for _ in range(self.states)]
            )
        else:
            states = tuple([to_tensor(state) for state in initial])
        xs = TensorArray(self.dtype, size=sizes[0]).unstack(projected)
        shape = (projected.shape[1], self.units)
        ys = TensorArray(self.dtype, size=sizes[0], element_shape=shape)

        def body(
            i: Tensor, ys: TensorArray, states: States
        ) -> tuple[Tensor, TensorArray, States]:
            after = self.step(xs.read(i), states)
            return i + 1, ys.write(i, after[0]), after

        loop = (to_tensor(0), ys, states)
        _, ys, states = while_loop(lambda i, *_: i < sizes[0], body, loop)
        return ys.stack(), states

    def _projected(self, x: TensorLike) -> Tensor:
        tensor = to_tensor(x)
        if tensor.spec.rank != 3:
            raise ShapeError(
                f"{type(self).__name__} takes [batch, time, features], not "
                f"{shape_text(tensor.spec.shape)}"
            )
        if self.kernel is None:
            if tensor.shape[-1] is None:
                raise ShapeError(
                    f"{type(self).__name__} needs to know its features; give inputs="
                )
            self.build(tensor.shape[-1])
        assert self.kernel is not None
        assert self.bias is not None
        return matmul(tensor, self.kernel) + self.bias

    def _recurred(self, h: Tensor) -> Tensor:
        assert self.recurrent_kernel is not None
        return matmul(h, self.recurrent_kernel)


class LSTM(Recurrent):
    """Long short-term memory (Hochreiter and Schmidhuber 1997, with Gers's forget gate).

    The gates stand in Keras's order: input, forget, candidate, output. The states are (h, c). The
    forget gate's bias starts at 1.

    >>> tl.layers.LSTM(4, return_sequences=True)(tl.ones((2, 5, 3))).shape
    (2, 5, 4)
    """

    gates, states = 4, 2

    def first_bias(self, size: int) -> Tensor:
        """Return zeros, and ones for the forget gate."""
        ones = (0.0,) * self.units + (1.0,) * self.units + (0.0,) * (2 * self.units)
        return to_tensor(ones, self.dtype)

    def step(self, x: Tensor, states: States) -> States:
        """Return h and c after one time."""
        h, c = states
        enter, forget, candidate, leave = split(x + self._recurred(h), 4, axis=-1)
        c = sigmoid(forget) * c + sigmoid(enter) * tanh(candidate)
        return sigmoid(leave) * tanh(c), c


class GRU(Recurrent):
    """Gated recurrent unit (Cho et al. 2014), resetting after the product, as cuDNN does.

    The gates stand in Keras's order: update, reset, candidate.

    >>> tl.layers.GRU(4)(tl.ones((2, 5, 3))).shape
    (2, 4)
    """

    gates, states = 3, 1

    def build(self, inputs: int) -> None:
        """Make the weights for `inputs` features, and the recurrent bias."""
        super().build(inputs)
        wide = self.gates * self.units
        self.recurrent_bias = Variable(
            lambda: zeros((wide,), dtype=self.dtype), name="recurrent_bias"
        )

    def step(self, x: Tensor, states: States) -> States:
        """Return h after one time."""
        (h,) = states
        update_x, reset_x, candidate_x = split(x, 3, axis=-1)
        update_h, reset_h, candidate_h = split(
            self._recurred(h) + self.recurrent_bias, 3, axis=-1
        )
        update, reset = sigmoid(update_x + update_h), sigmoid(reset_x + reset_h)
        candidate = tanh(candidate_x + reset * candidate_h)
        return (update * h + (1.0 - update) * candidate,)
