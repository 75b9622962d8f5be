"""Keras' recurrent layers in graphs: loops over arrays, as TensorFlow 1 writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tensorlite.compat.shared.arrays import expand_dims, stack, transpose, unstack
from tensorlite.compat.shared.cutting import reverse, tile
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions.arrays import shape, where, zeros_like
from tensorlite.compat.v1.functions.control_flow import while_loop
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.keras.cells_written import one_draw, zeros_for
from tensorlite.compat.v2.keras import layers
from tensorlite.compat.v2.keras.src.layers import cells
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.models import in_graphs, in_sessions
from tensorlite.compat.views import plain, shown
from tensorlite.core import nest
from tensorlite.core.dispatch import tracer
from tensorlite.core.dtypes import bool_, int32
from tensorlite.function.staging import converted

Step = Callable[[Any, Any], tuple[Any, Any]]
"""From what is seen now and the states to a result and new states."""


class StackedRNNCells(layers.StackedRNNCells):
    """Cells one above the other."""

    opens_scope = asks_phase = False

    def build(self, input_shape: Any) -> None:
        """Build each cell for what the one below it makes."""
        given = input_shape
        for cell in self.cells:
            if not getattr(cell, "built", True):
                build = getattr(cell, "build_with", cell.build)
                build(given)
            given = (given[0], cells.output_size_of(cell))
        self.built = True

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        if in_graphs.building.get() is None:
            return super().call(inputs, states, training)
        made, after = inputs, []
        for cell, own in zip(self.cells, states, strict=True):
            listed = [*own] if isinstance(own, (list, tuple)) else [own]
            made, new = stepped(cell, made, listed, training)
            after.append(nest.pack_like(own, nest.flatten(new)))
        return made, after


def stepped(cell: Any, x: Any, states: Any, training: Any) -> tuple[Any, Any]:
    """Return what a cell makes in a step, without a scope of its own."""
    given = states
    if hasattr(cell, "zero_state") and len(states) == 1:
        given = states[0]  # those of tf.nn.rnn_cell have no list around one
    call, told = cell.call, {}
    if isinstance(cell, Layer):
        told = {"training": training} if cell.takes("training") else {}
    if tracer() is not None and getattr(cell, "is_called_by_program", True):
        call = converted(call)
    made, after = call(x, given, **told)
    return made, after if nest.is_nested(after) else [after]


class Bidirectional(layers.Bidirectional):
    """A recurrent layer forwards and backwards."""

    asks_phase = False

    def build(self, input_shape: Any = None) -> None:
        for layer in (self.forward_layer, self.backward_layer):
            with in_graphs.inside(layer.name):
                if in_graphs.building.get() is not None and not layer.built:
                    layer.build_with(input_shape)
        self.built = True


class Looped:
    """A recurrent layer that is a loop over arrays in graphs; elsewhere it runs as others."""

    asks_phase = False
    stacked = StackedRNNCells
    counts_turns = False
    """Whether its loops count as many turns as it is known to have steps."""

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
    ) -> Any:
        own: Any = self
        if in_graphs.building.get() is None:
            run: Any = super()
            return run.call(inputs, mask, training, initial_state)
        given = shown((inputs, mask, training, initial_state))
        with one_draw(own.cell):
            return plain(_written(own, *given))

    def new_states(self, rows: int, dtype: Any = None) -> list[Any]:
        """Return variables of states that begin as zeros, for a batch of a size."""
        own: Any = self
        graph = in_sessions.graph_of_models()
        if graph is None:
            run: Any = super()
            return [*run.new_states(rows, dtype)]
        with in_sessions.in_graph_of_models(graph):
            kind = dtype or own.compute_dtype
            first = nest.flatten(zeros_for(own.cell, rows, kind))
            return [in_sessions.SessionWeight(x, dtype=kind) for x in first]


class _Rows(NamedTuple):
    """What a layer goes through, with time first."""

    rows: Any
    counts: Any
    """Which steps count, None if all."""
    steps: Any
    states: list[Any]


class _Made(NamedTuple):
    """What it comes to: the last result, all of them with time first, and states at the end."""

    last: Any
    results: Any
    ends: list[Any]


def _turned(x: Any) -> Any:
    """Return a tensor with its first two axes swapped."""
    return transpose(x, [1, 0, *range(2, x.get_shape().ndims)])


def _written(
    layer: Any, inputs: Any, mask: Any, training: Any, initial_state: Any
) -> Any:
    states = _beginning(layer, inputs) if initial_state is None else initial_state
    states = list(states) if isinstance(states, (list, tuple)) else [states]
    rows = inputs if layer.time_major else _turned(inputs)
    steps = shape(rows)[0]
    counts = None if mask is None else _counts(layer, mask)

    def step(x: Any, states: Any) -> Any:
        return shown(stepped(layer.cell, x, states, training))

    run = _unrolled if layer.unroll else _looped
    last, results, ends = run(layer, step, _Rows(rows, counts, steps, states))
    dims = rows.get_shape().as_list()[:2]
    results.set_shape([*dims, *results.get_shape().as_list()[2:]])
    results = results if layer.time_major else _turned(results)
    if layer.stateful:
        held = zip(layer.states, nest.flatten(ends), strict=True)
        layer.add_update([variable.assign(value) for variable, value in held])
    made = results if layer.return_sequences else last
    return [made, *ends] if layer.return_state else made


def _beginning(layer: Any, inputs: Any) -> Any:
    """Return the states kept, or zeros, as many rows of them as there are inputs."""
    if hasattr(layer, "beginning"):
        return shown(layer.beginning(inputs))
    if layer.stateful and layer.states is not None:
        return nest.pack_like(layer.cell.state_size, list(layer.states))
    batch = shape(inputs)[1 if layer.time_major else 0]
    make = getattr(layer.cell, "get_initial_state", None)
    if make is None:
        return zeros_for(layer.cell, batch, inputs.dtype)
    return shown(make(inputs=None, batch_size=batch, dtype=inputs.dtype))


def _counts(layer: Any, mask: Any) -> Any:
    """Return which steps count, with an axis for features."""
    mask = mask if mask.dtype == bool_ else cast(mask, bool_)
    mask = expand_dims(mask, -1) if mask.get_shape().ndims == 2 else mask
    return mask if layer.time_major else _turned(mask)


def _like(counts: Any, x: Any, first: int = 1) -> Any:
    """Return which rows count, as often as these have elements."""
    known = x.get_shape().as_list()
    for _ in range(len(known) - counts.get_shape().ndims):
        counts = expand_dims(counts, -1)
    return tile(counts, [1] * first + known[first:])


def _chosen(counts: Any, after: Any, before: Any) -> list[Any]:
    """Return new states where rows count, those before elsewhere."""
    pairs = zip(nest.flatten(after), nest.flatten(before), strict=True)
    return [where(_like(counts, new), new, old) for new, old in pairs]


def _unrolled(layer: Any, step: Step, given: _Rows) -> _Made:
    """Return what a layer makes of steps that are written out one by one."""
    order = -1 if layer.go_backwards else 1
    rows = unstack(given.rows)[::order]
    counts = [None] * len(rows)
    if given.counts is not None:
        counts = unstack(given.counts)[::order]
    results: list[Any] = []
    states: Any = given.states
    for x, counted in zip(rows, counts, strict=True):
        made, after = step(x, states)
        if counted is not None:
            tiled = _like(counted, made)
            before = results[-1] if results else zeros_like(made)
            made = where(tiled, made, before)
            after = nest.pack_like(after, _chosen(counted, after, states))
        states = after
        results.append(made)
    last, stacked = results[-1], stack(results)
    if given.counts is not None and layer.zero_output_for_mask:
        last = where(_like(counts[-1], last), last, zeros_like(last))
        tiled = _like(given.counts, stacked, 2)
        stacked = where(tiled, stacked, zeros_like(stacked))
    return _Made(last, stacked, list(states))


def _array(like: Any, steps: Any, name: str, **known: Any) -> Any:
    return TensorArray(like.dtype, size=steps, tensor_array_name=name, **known)


def _most(rows: Any) -> int | None:
    """Return how many steps there are, None if that is not known."""
    most: int | None = rows.get_shape().as_list()[0]
    return most


def _looped(layer: Any, step: Step, given: _Rows) -> _Made:
    """Return what a layer makes in a loop over an array of steps."""
    rows, counts, steps, states = given

    def turned(x: Any) -> Any:
        return reverse(x, [0]) if layer.go_backwards else x

    source = _array(rows, steps, "input_ta_0").unstack(turned(rows))
    first, _ = step(rows[0], states)
    known = first.get_shape()
    results = _array(first, steps, "output_ta_0", element_shape=known)
    time = constant(0, int32, name="time")
    marks, nothing = None, []
    if counts is not None:
        counts = turned(counts)
        marks = _array(counts, steps, "mask_ta").unstack(counts)
        nothing = [zeros_like(first)]

    def body(time: Any, written: Any, before: Any, states: Any) -> Any:
        x = source.read(time)
        counted = None if marks is None else marks.read(time)
        made, after = step(x, states)
        if counted is not None:
            tiled = _like(counted, made)
            zero = nothing if layer.zero_output_for_mask else before
            made = where(tiled, made, zero[0])
        for old, new in zip(nest.flatten(states), nest.flatten(after), strict=True):
            new.set_shape(old.get_shape())
        flat = nest.flatten(after)
        if counted is not None:
            flat = _chosen(counted, after, states)
            before = [made]
        after = nest.pack_like(states, flat)
        return time + 1, written.write(time, made), before, after

    _, written, _, ends = while_loop(
        lambda time, *_: time < steps,
        body,
        (time, results, nothing, states),
        maximum_iterations=_most(rows) if layer.counts_turns else None,
        parallel_iterations=32,
        swap_memory=True,
    )
    outputs = written.stack()
    last = outputs[-1]
    last.set_shape(known)
    return _Made(last, outputs, list(ends))
