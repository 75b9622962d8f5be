"""Cells of recurrent networks, as TensorFlow 1's tf.nn.rnn_cell has them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import cutting
from tensorlite.compat.shared.arrays import (
    concat,
    shape,
    split,
    zeros,
)
from tensorlite.compat.shared.elementwise import add, clip_by_value, multiply
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add, sigmoid
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.compat.v1.recurrent.cell_configs import (
    ToldLayer,
    activation_of,
    initializer_of,
)
from tensorlite.compat.v1.recurrent.zero_states import sizes_of_state
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.variable_scopes import get_variable_scope

LSTMStateTuple = namedtuple("LSTMStateTuple", ("c", "h"))  # noqa: PYI024  programs make it so
"""The state of an LSTM."""


class RNNCell(ToldLayer):
    """A cell: `call` gives its output and its next state."""

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._cell_scope: Any = None

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        if active_graph() is None:
            return super().__call__(inputs, state, *args, **kwargs)
        if scope is not None:
            with scopes.variable_scope(scope) as opened:
                return super().__call__(inputs, state, *args, scope=opened, **kwargs)
        if self._cell_scope is None:
            self._cell_scope = get_variable_scope()
        with scopes.variable_scope(self._cell_scope):
            return super().__call__(inputs, state, *args, **kwargs)

    @property
    def state_size(self) -> Any:
        """Sizes of the state: an integer, a TensorShape or a structure of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """Size of the output: an integer or a TensorShape; subclasses say it."""
        raise NotImplementedError("Abstract method")

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros, [batch_size, size] for each size of state_size."""
        with framework.name_scope(
            f"{type(self).__name__}ZeroState", values=[batch_size]
        ):
            return sizes_of_state(self.state_size, batch_size, dtype)

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Return a state of zeros; the batch's size and the dtype are those of inputs, if given.

        Without inputs both are needed, and inputs have those asked for, or InvalidArgumentError is
        raised.
        """
        if inputs is not None:
            known = inputs.get_shape().as_list()[0]
            _check_alike("batch_size", known, get_static_value(batch_size))
            _check_alike("dtype", inputs.dtype, dtype and as_dtype(dtype))
            batch_size, dtype = (known or shape(inputs)[0]), inputs.dtype
        if batch_size is None or dtype is None:
            raise InvalidArgumentError(
                "batch_size and dtype cannot be None where there are no inputs: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)


def _check_alike(name: str, found: Any, asked: Any) -> None:
    """Raise InvalidArgumentError where inputs have another size or dtype than is asked for."""
    if None not in (found, asked) and found != asked:
        raise InvalidArgumentError(
            f"{name} from input tensor is different from the input param: {found} and {asked}"
        )


def width_of(inputs_shape: Any) -> int:
    """Return the size of the last axis; ShapeError when it is not known."""
    known = TensorShape(inputs_shape)
    width = known.as_list()[-1] if known.rank else None
    if width is None:
        raise ShapeError(
            f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}"
        )
    return int(width)


class LayerRNNCell(RNNCell):
    """A cell whose variables are a layer's."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        if active_graph() is None:
            return super().__call__(inputs, state, *args, **kwargs)
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


class CellOfUnits(LayerRNNCell):
    """A cell whose output is as wide as its state."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation = num_units, activation_of(activation)
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    @property
    def state_size(self) -> Any:
        """Size of the state: the number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """Size of the output: the number of units."""
        return self._num_units


class BasicRNNCell(CellOfUnits):
    """The cell activation(inputs and state times weights plus biases); tanh unless given."""

    told = ("num_units", "activation", "reuse")

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            num_units, activation, reuse, name=name, dtype=dtype, **kwargs
        )

    def build(self, inputs_shape: Any) -> None:
        rows = width_of(inputs_shape) + self._num_units
        self._kernel = self.add_weight("kernel", [rows, self._num_units])
        self._bias = self.add_weight(
            "bias", [self._num_units], initializer=zeros_first
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        made = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(made)
        return output, output


def zeros_first(sizes: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    """Initialise with zeros."""
    return zeros(sizes, dtype)


def _ones(sizes: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    return framework.constant(1, dtype, sizes)


class GRUCell(CellOfUnits):
    """The gated recurrent unit (Cho et al. 2014).

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.nn.rnn_cell.GRUCell(3).state_size
    3
    """

    told = (
        "num_units",
        "kernel_initializer",
        "bias_initializer",
        "activation",
        "reuse",
    )

    def build(self, inputs_shape: Any) -> None:
        rows, units = width_of(inputs_shape) + self._num_units, self._num_units
        kernel, bias = self._kernel_initializer, self._bias_initializer
        self._gate_kernel = self.add_weight(
            "gates/kernel", [rows, 2 * units], None, kernel
        )
        self._gate_bias = self.add_weight(
            "gates/bias", [2 * units], None, bias or _ones
        )
        self._candidate_kernel = self.add_weight(
            "candidate/kernel", [rows, units], None, kernel
        )
        self._candidate_bias = self.add_weight(
            "candidate/bias", [units], None, bias or zeros_first
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        gates = bias_add(
            matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias
        )
        r, u = split(sigmoid(gates), 2, 1)
        joined = concat([inputs, r * state], 1)
        candidate = bias_add(
            matmul(joined, self._candidate_kernel), self._candidate_bias
        )
        following = u * state + (1 - u) * self._activation(candidate)
        return following, following


class BasicLSTMCell(CellOfUnits):
    """The long short-term memory without peepholes, clipping or projection (Zaremba et al. 2014).

    forget_bias is added to the forget gates' biases. Its state is an LSTMStateTuple of c and h.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.nn.rnn_cell.BasicLSTMCell(3).state_size
    LSTMStateTuple(c=3, h=3)
    """

    told = ("num_units", "forget_bias", "state_is_tuple", "activation", "reuse")

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("input_size", None)
        super().__init__(
            num_units, activation, reuse, name=name, dtype=dtype, **kwargs
        )
        self.input_spec = InputSpec(ndim=2)
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple, or their sum if state_is_tuple is False."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    def build(self, inputs_shape: Any) -> None:
        rows, units = width_of(inputs_shape) + self._num_units, self._num_units
        self._kernel = self.add_weight("kernel", [rows, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=zeros_first)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        one = framework.constant(1, int32)
        c, h = state if self._state_is_tuple else split(state, 2, one)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, one)
        bias = framework.constant(self._forget_bias, f.dtype)
        kept = multiply(c, sigmoid(add(f, bias)))
        new_c = add(kept, multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """The long short-term memory (Hochreiter and Schmidhuber 1997).

    It may have peepholes from c to the gates, values of c clipped, and a projection of h to
    num_proj.
    """

    told = (
        "num_units",
        "use_peepholes",
        "cell_clip",
        "initializer",
        "num_proj",
        "proj_clip",
        "num_unit_shards",
        "num_proj_shards",
        "forget_bias",
        "state_is_tuple",
        "activation",
        "reuse",
    )

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: Any = None,
        num_proj_shards: Any = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("input_size", None)
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._cell_clip, self._initializer = cell_clip, initializer_of(initializer)
        self._num_proj, self._proj_clip = num_proj, proj_clip
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = activation_of(activation)
        self._num_unit_shards, self._num_proj_shards = (
            num_unit_shards,
            num_proj_shards,
        )

    @property
    def state_size(self) -> Any:
        """Sizes of c and h, an LSTMStateTuple, or their sum if state_is_tuple is False."""
        sizes = self._num_units, self._num_proj or self._num_units
        return LSTMStateTuple(*sizes) if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """Size of the output: num_proj if that was given, else the number of units."""
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        units, first = self._num_units, self._initializer
        rows = width_of(inputs_shape) + self.output_size
        self._kernel = self.add_weight("kernel", [rows, 4 * units], None, first)
        self._bias = self.add_weight("bias", [4 * units], None, zeros_first)
        if self._use_peepholes:
            names = ("w_f_diag", "w_i_diag", "w_o_diag")
            self._peepholes = [
                self.add_weight(n, [units], None, first) for n in names
            ]
        if self._num_proj is not None:
            sizes = [units, self._num_proj]
            self._projection = self.add_weight(
                "projection/kernel", sizes, None, first
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        if self._state_is_tuple:
            c, m = state
        else:
            c = _columns(state, 0, self._num_units)
            m = _columns(state, self._num_units, self.output_size)
        gates = bias_add(matmul(concat([inputs, m], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, 1)
        look = self._peepholes if self._use_peepholes else None
        f = f + self._forget_bias
        f = f + look[0] * c if look else f
        kept = sigmoid(f) * c
        i = i + look[1] * c if look else i
        c = kept + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        m = sigmoid(o + look[2] * c if look else o) * self._activation(c)
        if self._num_proj is not None:
            m = matmul(m, self._projection)
            limit = self._proj_clip
            m = m if limit is None else clip_by_value(m, -limit, limit)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else concat([c, m], 1)


class MultiRNNCell(RNNCell):
    """Cells one above the other: each one's output is the next one's input.

    The state is a tuple of theirs.
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise InvalidArgumentError(
                "Must specify at least one cell for MultiRNNCell."
            )
        if not isinstance(cells, (list, tuple)):
            raise DTypeError(f"cells must be a list or tuple, but saw: {cells!r}.")
        self._cells, self._state_is_tuple = list(cells), state_is_tuple

    @property
    def state_size(self) -> Any:
        """Sizes of the cells' states, a tuple, or their sum if state_is_tuple is False."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """Size of the last cell's output."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the cells' states of zeros, a tuple, or joined if state_is_tuple is False."""
        with framework.name_scope("MultiRNNCellZeroState", values=[batch_size]):
            if self._state_is_tuple:
                return tuple(
                    cell.zero_state(batch_size, dtype) for cell in self._cells
                )
            return super().zero_state(batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        is_fitting = isinstance(state, (list, tuple)) and len(state) == len(
            self._cells
        )
        if self._state_is_tuple and not is_fitting:
            raise InvalidArgumentError(
                f"Expected state to be a tuple of length {len(self._cells)}, but received: "
                f"{state!r}"
            )
        current, following, place = inputs, [], 0
        for number, cell in enumerate(self._cells):
            with _scope_of(f"cell_{number}"):
                if self._state_is_tuple:
                    own = state[number]
                else:
                    own = _columns(state, place, cell.state_size)
                    place += cell.state_size
                current, new = cell(current, own)
            following.append(new)
        return current, tuple(following) if self._state_is_tuple else concat(
            following, 1
        )

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables of all cells that are trained."""
        return [
            w for cell in self._cells for w in getattr(cell, "trainable_weights", ())
        ]


def _columns(state: Any, first: int, size: int) -> Any:
    """Return so many columns of states that are joined in one tensor."""
    return cutting.slice(state, [0, first], [-1, size])


def _scope_of(name: str) -> Any:
    if active_graph() is None:
        return framework.name_scope(name)
    return scopes.variable_scope(name)
