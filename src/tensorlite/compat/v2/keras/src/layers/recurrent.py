"""Keras' recurrent layers: a cell over the steps of sequences, both ways, and step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers import cells, naming
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.compat.v2.keras.src.models.in_graphs import apart
from tensorlite.compat.v2.keras.src.saving import describing, lookup
from tensorlite.core import nest
from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.function.staging import converted
from tensorlite.ops.arrays.shape import astype, shape_of


class _Between:
    """Holds what a stateful layer goes on from, apart from what it learns and saves."""

    states: Any = None


class RNN(Layer):
    """A cell over the steps of sequences."""

    rows_taken = "filled"
    stacked = cells.StackedRNNCells
    """What makes one of several cells."""
    layout: str | None = None
    """How weights are laid out that files have in two ways."""

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.zero_output_for_mask = zero_output_for_mask
        self.cell = self.stacked(cell) if isinstance(cell, list) else cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful
        self.unroll, self.time_major = unroll, time_major
        self.supports_masking = True
        self.input_spec = InputSpec(min_ndim=3)
        self._between = _Between()

    @property
    def states(self) -> Any:
        """Return what a stateful layer goes on from, variables that are none of its weights."""
        return self._between.states

    def build(self, input_shape: Any) -> None:
        shape = input_shape[0] if isinstance(input_shape, list) else input_shape
        step = shape[:1] + shape[2:]
        if isinstance(self.cell, Layer):
            if not self.cell.built:
                self.cell.build_with(step)
        elif hasattr(self.cell, "build") and not getattr(self.cell, "built", False):
            self.cell.build(step)
        self.built = True
        rows = shape[0]
        if self.stateful and rows is not None and self._between.states is None:
            self._between.states = self.new_states(rows)

    def get_initial_state(self, batch_size: Any, dtype: Any = None) -> Any:
        """Return the states that the cell begins with, for a batch of a size, or for inputs."""
        rows = cells.rows_of(batch_size)  # Keras 2 has the inputs in the place of it
        return cells.initial_state_of(self.cell, rows, dtype)

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        if (
            isinstance(inputs, (list, tuple))
            and initial_state is None
            and len(inputs) > 1
        ):
            inputs, initial_state = inputs[0], list(inputs[1:])
        if initial_state is not None:
            kwargs["initial_state"] = initial_state
        return super().__call__(inputs, **kwargs)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
    ) -> Any:
        x = inputs if self.time_major else tl.moveaxis(inputs, 0, 1)
        kept = mask
        if mask is not None and not self.time_major:
            kept = tl.moveaxis(mask, 0, 1)
        if self.go_backwards:
            x = tl.flip(x, axis=0)
            kept = None if kept is None else tl.flip(kept, axis=0)
        state = self._beginning(x, initial_state)
        _hold_masks(self.cell, x[0], state)
        results, last, end = self._run(x, kept, state, training)
        _forget_masks(self.cell)
        if self.stateful:
            kept = zip(self.states, nest.flatten(end), strict=True)
            self.add_update([held.assign(value) for held, value in kept])
        if self.return_sequences:
            made = results if self.time_major else tl.moveaxis(results, 0, 1)
        else:
            made = last
        if not self.return_state:
            return made
        return [made, *(end if isinstance(end, (list, tuple)) else [end])]

    def _beginning(self, x: Any, given: Any) -> Any:
        rows = x.spec.dims[1]
        own = shape_of(x)[1] if rows is None else rows
        first = self.get_initial_state(own, x.dtype)
        if given is not None:
            flat = nest.flatten(given)
            return nest.pack_like(first, [tl.astype(s, x.dtype) for s in flat])
        if not self.stateful:
            return first
        if self._between.states is None:
            if not isinstance(own, int):
                raise InvalidArgumentError(
                    "a stateful layer needs a batch size: give batch_input_shape="
                )
            self._between.states = self.new_states(own, x.dtype)
        return nest.pack_like(first, [s.value() for s in self._between.states])

    def new_states(self, rows: int, dtype: Any = None) -> list[Any]:
        """Return variables of states that begin as zeros, for a batch of a size."""
        zeros = nest.flatten(self.get_initial_state(rows, dtype))
        return [self._state(i, x) for i, x in enumerate(zeros)]

    def _state(self, place: int, first: Any) -> Any:
        made = self.add_weight(
            f"state_{place}", tuple(first.shape), initializer="zeros", trainable=False
        )
        self._held.weights.pop()
        return made

    def _step(self, x: Any, mask: Any, state: Any, before: Any, training: Any) -> Any:
        """Return result and state after a step; where it does not count, those before it."""
        takes = isinstance(self.cell, Layer)
        if takes:
            made, after = cells.stepped(self.cell, x, state, training)
        else:
            made, after = converted(self.cell)(x, state)
        if mask is None:
            return made, after
        counts = astype(mask, tl.bool)[:, None]
        kept = nest.map_structure(lambda a, b: tl.where(counts, a, b), after, state)
        held = tl.zeros_like(made) if self.zero_output_for_mask else before
        return tl.where(counts, made, held), kept

    def _run(
        self, x: Any, mask: Any, state: Any, training: Any
    ) -> tuple[Any, Any, Any]:
        steps = x.spec.dims[0]
        if steps is None or (tracer() is not None and not self.unroll and steps > 4):
            return self._looped(x, mask, state, training)
        results: list[Any] = []
        before: Any = 0.0
        for i in range(steps):
            own = None if mask is None else mask[i]
            if own is not None and not results:
                before = self._nothing(state, x)
            before, state = self._step(x[i], own, state, before, training)
            results.append(before)
        return tl.stack(results) if self.return_sequences else before, before, state

    def _nothing(self, state: Any, x: Any) -> Any:
        """Return the result before the first step that counts."""
        rows = shape_of(x)[1]
        sizes = np.atleast_1d(cells.output_size_of(self.cell)).tolist()
        return tl.zeros(tl.stack([rows, *sizes]), dtype=x.dtype)

    def _looped(
        self, x: Any, mask: Any, state: Any, training: Any
    ) -> tuple[Any, Any, Any]:
        first = self._nothing(state, x)
        flat = nest.flatten(state)

        def step(carried: Any, own: Any) -> Any:
            before, *parts = carried
            now, counts = (own[0], own[1]) if mask is not None else (own, None)
            made, after = self._step(
                now, counts, nest.pack_like(state, parts), before, training
            )
            return [made, *nest.flatten(after)]

        rows = x if mask is None else (x, mask)
        made = tl.scan(step, rows, [first, *flat])
        ends = [part[-1] for part in made]
        return made[0], ends[0], nest.pack_like(state, ends[1:])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return mask if self.return_sequences and not self.return_state else None

    @apart
    def reset_states(self, states: Any = None) -> None:
        """Give a stateful layer the states given, one or a list of them, or zeros.

        Keras 2 raises AttributeError for a layer that is not stateful. InvalidArgumentError is
        raised for states that are too few or too many, or of other shapes.
        """
        if not (self.stateful or naming.is_keras_3()):
            raise AttributeError("Layer must be stateful.")
        if states is None:
            for held in self.states or ():
                held.assign(tl.zeros_like(held.value()))
            return
        self._take(nest.flatten(states))

    def _take(self, states: list[Any]) -> None:
        values = [np.asarray(x) for x in states]
        if self._between.states is None:
            self._between.states = self.new_states(values[0].shape[0])
        if len(values) != len(self.states):
            raise InvalidArgumentError(
                f"Layer {self.name} expects {len(self.states)} states, but it received "
                f"{len(values)} state values. States received: {states}"
            )
        for i, (held, value) in enumerate(zip(self.states, values, strict=True)):
            if held.spec.shape != value.shape:
                raise InvalidArgumentError(
                    f"State {i} is incompatible with layer {self.name}: expected "
                    f"shape={held.spec.shape}, found shape={value.shape}"
                )
        for held, value in zip(self.states, values, strict=True):
            held.assign(astype(tl.asarray(value), held.dtype))

    reset_state = reset_states


def _hold_masks(cell: Any, x: Any, state: Any) -> None:
    """Let cells that drop something drop the same at each step of this call."""
    if isinstance(cell, cells.StackedRNNCells):
        for one, own in zip(cell.cells, state, strict=True):
            _hold_masks(one, x, own)
            if isinstance(one, cells.Cell):
                x = tl.zeros(
                    tl.stack([shape_of(x)[0], one.output_size]), dtype=x.dtype
                )
    if isinstance(cell, cells.Cell):
        cell.hold_masks(x, nest.flatten(state)[0])


def _forget_masks(cell: Any) -> None:
    for one in getattr(cell, "cells", [cell]):
        if isinstance(one, cells.Cell):
            one.reset_dropout_mask()
            one.reset_recurrent_dropout_mask()


_OF_LAYER = {
    *("return_sequences", "return_state", "go_backwards", "stateful", "unroll"),
    *("time_major", "input_shape", "batch_input_shape", "input_dim", "input_length"),
    *("weights", "trainable", "dtype", "zero_output_for_mask"),
    "activity_regularizer",
}


_OF_CELLS = frozenset(
    f"{part}{what}"
    for part in ("kernel_", "recurrent_", "bias_")
    for what in ("initializer", "regularizer", "constraint")
) | {
    *("activation", "recurrent_activation", "use_bias", "dropout"),
    *("recurrent_dropout", "unit_forget_bias", "reset_after", "implementation"),
}


class _OfCell(RNN):
    """A recurrent layer that makes its own cell."""

    not_described = frozenset({"cell"})
    unused: tuple[str, ...] = ("implementation", "use_cudnn")
    """What says how it is computed, which is done in one way here."""
    kind: Any = None

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        for unused in self.unused:
            kwargs.pop(unused, None)
        name = kwargs.pop("name", None)
        own = {key: kwargs.pop(key) for key in list(kwargs) if key in _OF_LAYER}
        title = naming.snake(self.kind.__name__)
        dtype = own.get("dtype")
        cell = self.kind(units, *args, name=title, dtype=dtype, **kwargs)
        super().__init__(cell, name=name, **own)
        self.units = units

    def __getattr__(self, name: str) -> Any:
        """Return what the cell was made with, which the layer is asked for as well."""
        if name not in _OF_CELLS or "cell" not in vars(self):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )
        return getattr(self.cell, name)

    def get_config(self) -> dict[str, Any]:
        own = {"name", "trainable", "dtype"}
        of_cell = {k: v for k, v in self.cell.get_config().items() if k not in own}
        flags = (
            "return_sequences",
            "return_state",
            "go_backwards",
            "stateful",
            "unroll",
            "zero_output_for_mask",
        )
        return {
            **super().get_config(),
            **of_cell,
            **{key: getattr(self, key) for key in flags},
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        own = {**lookup.fitting(cls.kind, config), **lookup.fitting(cls, config)}
        return cls(**{key: describing.revived(value) for key, value in own.items()})


class SimpleRNN(_OfCell):
    """A recurrent layer whose state is its last result."""

    kind = cells.SimpleRNNCell


class LSTM(_OfCell):
    """Long short-term memory over sequences of (batch, steps, features).

    Returned is the last result, or all of them with return_sequences, and the states with
    return_state.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.layers.LSTM(4)(tf.ones([2, 3, 5])).shape
    TensorShape([2, 4])
    """

    kind, layout = cells.LSTMCell, "LSTM"


class GRU(_OfCell):
    """A recurrent layer with an update gate and a reset gate (Cho et al., 2014).

    Returned is the last result, or all of them with return_sequences, and the state with
    return_state.
    """

    kind, layout = cells.GRUCell, "GRU"


def _again(layer: Any, way: str, is_back: bool) -> Any:
    """Return a layer like another, which goes one way, with weights of its own."""
    config = dict(layer.get_config())
    config["name"] = f"{way}_{config['name'].removeprefix(f'{way}_')}"
    config["go_backwards"] = is_back or config["go_backwards"]
    with lookup.adding(_own_kinds(getattr(layer, "cell", None))):
        return type(layer).from_config(config)


def _own_kinds(cell: Any) -> dict[str, Any]:
    """Return the classes of a layer's cells by their names, which nobody need have registered."""
    return {type(x).__name__: type(x) for x in (cell, *getattr(cell, "cells", ()))}


class Bidirectional(Layer):
    """A recurrent layer and one that goes the other way."""

    rows_taken = "filled"

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if merge_mode not in {"sum", "mul", "ave", "concat", None}:
            raise InvalidArgumentError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                "{'sum', 'mul', 'ave', 'concat', None}"
            )
        if not (isinstance(layer, Layer) and hasattr(layer, "go_backwards")):
            raise InvalidArgumentError(
                "Please initialize `Bidirectional` layer with a recurrent `keras.layers.Layer` "
                f"instance, one that has go_backwards. Received: {layer}"
            )
        self.given_shape = self.given_shape or layer.given_shape
        self.merge_mode = merge_mode
        self.forward_layer = _again(layer, "forward", False)
        self.backward_layer = backward_layer or _again(layer, "backward", True)
        if naming.is_keras_3() and getattr(layer, "return_sequences", False):
            for one in (self.forward_layer, self.backward_layer):
                one.zero_output_for_mask = True
        self.return_sequences = getattr(layer, "return_sequences", False)
        self.supports_masking = True

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
    ) -> Any:
        first = second = None
        if initial_state is not None:
            half = len(initial_state) // 2
            first, second = initial_state[:half], initial_state[half:]
        told = {"mask": mask, "training": training}
        first = () if first is None else (first,)
        second = () if second is None else (second,)
        ahead = self.forward_layer(inputs, *first, **told)
        back = self.backward_layer(inputs, *second, **told)
        states: list[Any] = []
        if self.forward_layer.return_state:
            states = [*ahead[1:], *back[1:]]
            ahead, back = ahead[0], back[0]
        if self.forward_layer.return_sequences:
            back = tl.flip(back, axis=1)
        made = self._merged(ahead, back)
        return [made, *states] if states else made

    def _merged(self, x: Any, y: Any) -> Any:
        if self.merge_mode == "concat":
            return tl.concat([x, y], axis=-1)
        if self.merge_mode == "sum":
            return x + y
        if self.merge_mode == "ave":
            return (x + y) / 2.0
        if self.merge_mode == "mul":
            return x * y
        return [x, y]

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return mask if self.forward_layer.return_sequences else None

    @property
    def states(self) -> Any:
        """Return what both layers go on from if they are stateful."""
        ahead, back = self.forward_layer.states, self.backward_layer.states
        return None if ahead is None else (*ahead, *back)

    def reset_states(self, states: Any = None) -> None:
        """Give both layers states of zeros; states have no effect."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    reset_state = reset_states
