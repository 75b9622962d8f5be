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
    zeros,
)
from tensorlite.compat.v1.functions.arrays import reverse_sequence
from tensorlite.compat.v1.functions.lengths import as_lengths, kept_if
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.recurrent.rnn import (
    check_cell,
    first_state,
    flat_sizes,
    packed,
)
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
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
        lengths = as_lengths(sequence_length)
        none = None
        if lengths is not None:
            leaf = nest.flatten(state)[0]
            zero = [
                zeros(stack([batch, *s]), leaf.dtype)
                for s in flat_sizes(cell.output_size)
            ]
            none = packed(cell.output_size, zero)
        for time, x in enumerate(inputs):
            if time > 0:
                get_variable_scope().reuse_variables()
            output, following = cell(x, state)
            if lengths is not None:
                ended = framework.constant(time, int32) >= lengths
                output = nest.map_structure(
                    lambda o, n, e=ended: kept_if(e, o, n), none, output
                )
                following = nest.map_structure(
                    lambda o, n, e=ended: kept_if(e, o, n), state, following
                )
            state = following
            outputs.append(output)
    return outputs, state


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
