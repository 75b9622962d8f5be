"""Recurrent networks written out, one step after the other: static_rnn and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    identity,
    shape,
    stack,
    unstack,
)
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.v1.functions.arrays import reverse_sequence
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.lengths import kept_if, least_and_most
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.recurrent.rnn import (
    check_cell,
    first_state,
    flat_sizes,
    packed,
)
from tensorlite.compat.v1.recurrent.zero_states import batched, batched_zeros
from tensorlite.compat.views import GraphTensor
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.variable_scopes import get_variable_scope


def static_rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """Return (list of outputs, last state) of a cell over a list of inputs [batch, ...].

    Each step is in the graph of its own. Behind sequence_length outputs are 0 and the state stays.
    An empty list raises InvalidArgumentError.
    """
    check_cell(cell)
    if not isinstance(inputs, (list, tuple)):
        raise DTypeError("inputs must be a sequence")
    if not inputs:
        raise InvalidArgumentError("inputs must not be empty")
    outputs: list[Any] = []
    with scopes.variable_scope(scope or "rnn"):
        first = nest.flatten(inputs[0])[0]
        known = first.get_shape().as_list()[0]
        batch = known if known is not None else shape(first)[0]
        state = first_state(cell, initial_state, first, batch, dtype)
        lengths = _Lengths(sequence_length, cell, state, batch)
        for time, x in enumerate(inputs):
            if time > 0:
                get_variable_scope().reuse_variables()
            output, state = lengths.stepped(time, x, state)
            outputs.append(output)
    return outputs, state


class _Lengths:
    """How long sequences are, if that is told, and steps that heed it."""

    def __init__(self, given: Any, cell: Any, state: Any, batch: Any) -> None:
        self.cell = cell
        self.all: Any = None
        if given is None:
            return
        told = framework.convert_to_tensor(given, name="sequence_length")
        if told.get_shape().rank not in (None, 1):
            raise ShapeError(
                f"sequence_length is a vector of one length for each row, not {told.get_shape()}"
            )
        dtype = nest.flatten(state)[0].dtype
        sizes = flat_sizes(cell.output_size)
        none = [_nothing(batch, size, dtype) for size in sizes]
        self.none = packed(cell.output_size, none)
        self.all = cast(told, int32)
        self.least, self.most = least_and_most(self.all)

    def stepped(self, time: int, x: Any, state: Any) -> tuple[Any, Any]:
        """Return the output and the next state; of rows that have ended, 0 and the last one."""
        if self.all is None:
            output, following = self.cell(x, state)
            return output, following
        before = [*nest.flatten(self.none), *nest.flatten(state)]
        ended = self.all <= time

        def some(new: list[Any]) -> list[Any]:
            pairs = zip(before, new, strict=True)
            return [kept_if(ended, old, one) for old, one in pairs]

        def stepped() -> list[Any]:
            output, following = self.cell(x, state)
            nest.assert_same(self.none, output)
            nest.assert_same(state, following)
            new = [*nest.flatten(output), *nest.flatten(following)]
            made: list[Any] = cond(self.least > time, lambda: new, lambda: some(new))
            return made

        found = cond(self.most <= time, lambda: list(before), stepped)
        for one, old in zip(found, before, strict=True):
            if isinstance(one, GraphTensor):
                one.set_shape(old.get_shape())
        count = len(nest.flatten(self.none))
        return (
            nest.pack_like(self.none, found[:count]),
            nest.pack_like(state, found[count:]),
        )


def _nothing(batch: Any, sizes: list[Any], dtype: Any) -> Any:
    """Return an output of zeros; what is known of its shape are constants of TensorFlow's."""
    made = batched_zeros(batch, sizes, dtype)
    if active_graph() is not None:
        fixed = batch if isinstance(batch, int) else None
        batched(fixed, sizes)
        made.set_shape([fixed, *sizes])
    return made


def static_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """Return (list of outputs, last state), beginning with states that were saved.

    state_saver.state(name) gives them, and save_state(name, value) is called with the last ones.
    """
    check_cell(cell)
    if not callable(getattr(state_saver, "save_state", None)):
        raise DTypeError(
            f"state_saver: {state_saver!r}; give what has state(name) and save_state(name, value)"
        )
    names = nest.flatten(state_name)
    first = nest.pack_like(cell.state_size, [state_saver.state(x) for x in names])
    outputs, last = static_rnn(
        cell,
        inputs,
        initial_state=first,
        sequence_length=sequence_length,
        scope=scope,
    )
    saved = [
        state_saver.save_state(name, x)
        for name, x in zip(names, nest.flatten(last), strict=True)
    ]
    with framework.control_dependencies(saved):
        outputs[-1] = nest.map_structure(identity, outputs[-1])
    return outputs, last


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """Return (list of both outputs joined, last state forward, last state backward)."""
    with scopes.variable_scope(scope or "bidirectional_rnn"):
        with scopes.variable_scope("fw") as forward:
            output_fw, state_fw = static_rnn(
                cell_fw,
                inputs,
                initial_state_fw,
                dtype,
                sequence_length,
                scope=forward,
            )
        with scopes.variable_scope("bw") as backward:
            turned = _turned(inputs, sequence_length)
            output_bw, state_bw = static_rnn(
                cell_bw,
                turned,
                initial_state_bw,
                dtype,
                sequence_length,
                scope=backward,
            )
    pairs = zip(output_fw, _turned(output_bw, sequence_length), strict=True)
    return [concat([x, y], 1) for x, y in pairs], state_fw, state_bw


def _turned(inputs: Sequence[Any], lengths: Any) -> list[Any]:
    """Return a sequence from its end; where there are lengths, each row from its own."""
    if lengths is None:
        return list(reversed(inputs))
    joined = reverse_sequence(stack(list(inputs)), lengths, seq_axis=0, batch_axis=1)
    return list(unstack(joined))
