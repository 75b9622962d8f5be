"""Cells of tf.contrib.rnn that are given whole sequences, time first: fused ones."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import (
    expand_dims,
    range as numbers_from,
    shape,
    stack,
    transpose,
    unstack,
    zeros,
)
from tensorlite.compat.shared.cutting import reverse
from tensorlite.compat.shared.elementwise import cast, maximum
from tensorlite.compat.shared.masks import (
    sequence_mask,
)
from tensorlite.compat.shared.picking import gather_nd
from tensorlite.compat.v1.functions import arrays, init_ops
from tensorlite.compat.v1.functions.numbers import reduce_max
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.layer_kinds.base import InputSpec, Layer
from tensorlite.compat.v1.recurrent.cells import LSTMStateTuple
from tensorlite.compat.v1.recurrent.rnn import dynamic_rnn
from tensorlite.compat.v1.recurrent.static_rnn import static_rnn
from tensorlite.compat.views import in_graph
from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.nn.block_lstm import BlockLSTM


class FusedRNNCell:
    """A network over a whole sequence: `(outputs, state) = cell(inputs, ...)`."""

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        raise NotImplementedError("a fused cell says itself what it does")


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell that is run over a whole sequence."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._in_loop = cell, use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        is_list = isinstance(inputs, list)
        if self._in_loop:
            return dynamic_rnn(
                self._cell,
                stack(inputs) if is_list else inputs,
                sequence_length,
                initial_state,
                dtype,
                time_major=True,
                scope=scope,
            )
        steps = inputs if is_list else unstack(inputs)
        outputs, state = static_rnn(
            self._cell, steps, initial_state, dtype, sequence_length, scope
        )
        return (outputs if is_list else stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A fused cell that goes from the last step to the first."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def _turned(self, inputs: Any, lengths: Any) -> Any:
        if isinstance(inputs, list):
            return self._turned(stack(inputs), lengths)
        if lengths is None:
            return reverse(inputs, [0])
        return arrays.reverse_sequence(inputs, lengths, seq_axis=0, batch_axis=1)

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        outputs, state = self._cell(
            self._turned(inputs, sequence_length),
            initial_state,
            dtype,
            sequence_length,
            scope,
        )
        return self._turned(outputs, sequence_length), state


def _size(x: Any, axis: int) -> Any:
    """Return a size of a tensor: a number, if it is known."""
    known = x.get_shape().as_list()[axis] if x.get_shape().rank else None
    return shape(x)[axis] if known is None else known


class LSTMBlockWrapper(Layer):
    """A layer over whole sequences whose state is an LSTM's."""

    @property
    def num_units(self) -> int:
        """The number of units; subclasses say it."""
        raise NotImplementedError("Abstract method")

    def _call_cell(
        self, inputs: Any, memory: Any, output: Any, dtype: Any, lengths: Any
    ) -> tuple[Any, Any]:
        """Return the memories and outputs after each step."""
        raise NotImplementedError("Abstract method")

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
    ) -> Any:
        is_list = isinstance(inputs, list)
        given = stack(inputs) if is_list else inputs
        if given.get_shape().rank not in (3, None):
            raise InvalidArgumentError(
                f"Expecting inputs of [time, batch, inputs], not {given.get_shape()}"
            )
        if (initial_state is None) and dtype is None:
            raise InvalidArgumentError(
                "Either initial_state or dtype needs to be specified"
            )
        batch = _size(given, 1)
        if initial_state is None:
            none = zeros(stack([batch, self.num_units]), dtype)
            initial_state = (none, none)
        memory, output = initial_state
        lengths = sequence_length
        if lengths is not None:
            lengths = cast(framework.convert_to_tensor(lengths), int64)
        memories, outputs = self._call_cell(
            given, memory, output, dtype or given.dtype, lengths
        )
        if lengths is None:
            state = memories[-1], outputs[-1]
        else:
            last = self._last(lengths, batch)
            mask = sequence_mask(lengths, shape(given)[0], outputs.dtype)
            outputs = outputs * expand_dims(transpose(mask), -1)
            found = [(memories, memory), (outputs, output)]
            state = tuple(self._after(x, first, lengths, last) for x, first in found)
        made = unstack(outputs) if is_list else outputs
        return made, LSTMStateTuple(*state)

    def _last(self, lengths: Any, batch: Any) -> Any:
        place = cast(maximum(lengths - 1, 0), int32)
        return stack([place, numbers_from(batch)], axis=1)

    def _after(self, steps: Any, first: Any, lengths: Any, last: Any) -> Any:
        """Return what stands after each sequence's last step; for empty ones what was before."""
        some = cast(expand_dims(lengths > 0, -1), steps.dtype)
        return some * gather_nd(steps, last) + (1 - some) * first


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """An LSTM over a whole sequence in one operator, with the variables of LSTMCell."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: bool | None = None,
        dtype: Any = None,
        name: str | None = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._forget_bias, self._peeks = forget_bias, use_peephole
        self._clip = -1.0 if cell_clip is None else float(cell_clip)
        self._num_units = num_units
        self.input_spec = InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        rows = inputs_shape.as_list()[-1] + units
        self._kernel = self.add_weight("kernel", [rows, 4 * units])
        first = init_ops.Constant(0.0)
        self._bias = self.add_weight("bias", [4 * units], initializer=first)
        names = ("w_i_diag", "w_f_diag", "w_o_diag") if self._peeks else ()
        self._diagonals = [self.add_weight(name, [units]) for name in names]
        self.built = True

    def _call_cell(
        self, inputs: Any, memory: Any, output: Any, dtype: Any, lengths: Any
    ) -> tuple[Any, Any]:
        count = _size(inputs, 0) if lengths is None else reduce_max(lengths)
        op = BlockLSTM(float(self._forget_bias), self._clip, self._peeks)
        none = zeros([self._num_units], inputs.dtype)
        peeps = self._diagonals or [none] * 3
        given = cast(count, int64), inputs, memory, output, self._kernel
        made = in_graph(
            lambda: calls(op, *map(to_tensor, (*given, *peeps, self._bias))),
            "BlockLSTM",
        )
        return made[1], made[6]

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        given = stack(inputs) if isinstance(inputs, list) else inputs
        options = {"scope": scope} if scope is not None else {}
        made, state = super().__call__(
            given, initial_state, dtype, sequence_length, **options
        )
        return (unstack(made) if isinstance(inputs, list) else made), state
