"""Cells of tf.contrib.rnn around others: attention over what was, and highways past a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import concat, expand_dims, reshape
from tensorlite.compat.shared.cutting import slice
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add, sigmoid, tanh, xw_plus_b
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.functions.convolutions import conv2d
from tensorlite.compat.v1.functions.nn_functions import softmax
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.recurrent.cell_wrappers import CellAround
from tensorlite.compat.v1.recurrent.cells import RNNCell
from tensorlite.compat.v1.recurrent.rnn import check_cell
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError


def linear(inputs: Sequence[Any], size: int, bias: bool = True) -> Any:
    """Return a linear map of inputs beside each other, by variables `kernel` and `bias`."""
    given = inputs[0]
    if len(inputs) > 1:
        given = concat(list(inputs), constant(1, int32))
    sizes = [given.get_shape().as_list()[-1], size]
    found = matmul(given, scopes.get_variable("kernel", sizes, given.dtype))
    if not bias:
        return found
    empty = init_ops.Constant(0.0)
    b = scopes.get_variable("bias", sizes[1:], given.dtype, initializer=empty)
    return bias_add(found, b)


class AttentionCellWrapper(RNNCell):
    """A cell that attends to its last outputs, which its state holds."""

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        check_cell(cell)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise InvalidArgumentError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State "
                f"size is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise InvalidArgumentError(
                f"attn_length should be greater than zero, got {attn_length}"
            )
        self._cell, self._state_is_tuple = cell, state_is_tuple
        self._length, self._input_size = attn_length, input_size
        self._size = attn_size or cell.output_size
        self._vector_size = attn_vec_size or self._size

    @property
    def state_size(self) -> Any:
        """Sizes of the cell's state, the last attention and the last outputs, or their sum."""
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """Size of the output, that of the attention: attn_size."""
        return self._size

    def call(self, inputs: Any, state: Any) -> Any:
        if self._state_is_tuple:
            inner, seen, kept = state
        else:
            inner, seen, kept = self._parts(state)
        outputs = reshape(kept, [-1, self._length, self._size])
        width = self._input_size or inputs.get_shape().as_list()[1]
        made, inner = self._cell(linear([inputs, seen], width), inner)
        asked = concat(nest.flatten(inner), 1) if self._state_is_tuple else inner
        seen, outputs = self._attended(asked, outputs)
        with scopes.variable_scope("attn_output_projection"):
            output = linear([made, seen], self._size)
        kept = concat([outputs, expand_dims(output, 1)], 1)
        following = (inner, seen, reshape(kept, [-1, self._length * self._size]))
        if not self._state_is_tuple:
            return output, concat(list(following), 1)
        return output, following

    def _parts(self, state: Any) -> list[Any]:
        """Return the cell's state, the last attention and the last outputs."""
        sizes = self._cell.state_size, self._size, self._size * self._length
        begins = [0, sizes[0], sizes[0] + sizes[1]]
        pairs = zip(begins, sizes, strict=True)
        return [slice(state, [0, begin], [-1, size]) for begin, size in pairs]

    def _attended(self, query: Any, outputs: Any) -> Any:
        """Return outputs before, weighed by how well they fit a query; and all but the oldest."""
        with scopes.variable_scope("attention"):
            sizes = [1, 1, self._size, self._vector_size]
            w = scopes.get_variable("attn_w", sizes, query.dtype)
            v = scopes.get_variable("attn_v", sizes[3:], query.dtype)
            hidden = reshape(outputs, [-1, self._length, 1, self._size])
            features = conv2d(hidden, w, [1, 1, 1, 1], "SAME")
            wanted = linear([query], self._vector_size)
            wanted = reshape(wanted, [-1, 1, 1, self._vector_size])
            fits = reduce_sum(v * tanh(features + wanted), [2, 3])
            shares = reshape(softmax(fits), [-1, self._length, 1, 1])
            made = reshape(reduce_sum(shares * hidden, [1, 2]), [-1, self._size])
            return made, slice(outputs, [0, 1, 0], [-1, -1, -1])


class HighwayWrapper(CellAround):
    """A cell past which a gate carries its inputs."""

    def __init__(
        self,
        cell: Any,
        couple_carry_transform_gates: bool = True,
        carry_bias_init: float = 1.0,
    ) -> None:
        super().__init__(cell)
        self._coupled, self._begin = couple_carry_transform_gates, carry_bias_init

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        made, following = (
            self._cell(inputs, state, scope=scope)
            if scope is not None
            else self._cell(inputs, state)
        )
        pairs = zip(nest.flatten(inputs), nest.flatten(made), strict=True)
        return nest.pack_like(made, [self._past(x, y) for x, y in pairs]), following

    def _past(self, x: Any, y: Any) -> Any:
        carried = self._gate(x, "carry", self._begin)
        if self._coupled:
            return x * carried + y * (1 - carried)
        return x * carried + y * self._gate(x, "transform", -self._begin)

    def _gate(self, x: Any, name: str, begin: float) -> Any:
        size = x.get_shape().as_list()[1]
        first = init_ops.Constant(begin)
        w = scopes.get_variable(f"{name}_w", [size, size], x.dtype)
        b = scopes.get_variable(f"{name}_b", [size], x.dtype, initializer=first)
        return sigmoid(xw_plus_b(x, w, b))


class CompiledWrapper(HighwayWrapper):
    """A cell as it is: what is to be compiled is decided elsewhere."""

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        super().__init__(cell)

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        return (
            self._cell(inputs, state)
            if scope is None
            else self._cell(inputs, state, scope=scope)
        )
