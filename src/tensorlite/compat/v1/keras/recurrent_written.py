"""Keras' recurrent layers in graphs: loops over arrays, as TensorFlow 1 writes them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import split, transpose, zeros
from tensorlite.compat.shared.cutting import reverse
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.control_flow import while_loop
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v2.keras import layers
from tensorlite.compat.v2.keras.src.layers import cells
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import int32


def _simple(cell: Any, x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
    made = matmul(x, cell.kernel)
    if cell.bias is not None:
        made = bias_add(made, cell.bias)
    made = shown(cell.activation(made + matmul(states[0], cell.recurrent_kernel)))
    return made, [made]


def _parts(of: Any, count: int, size: int) -> list[Any]:
    """Return the columns of a variable for each gate, read one by one."""
    ends = [*range(size, count * size, size), None]
    return [of[..., i * size : end] for i, end in enumerate(ends)]


def _lstm(cell: Any, x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
    h, c = states
    own = split(cell.kernel, 4, axis=1)
    flows = [matmul(x, kernel) for kernel in own]
    if cell.bias is not None:
        biases = split(cell.bias, 4, axis=0)
        flows = [bias_add(y, bias) for y, bias in zip(flows, biases, strict=True)]
    size, gate = cell.units, cell.recurrent_activation

    def with_state(i: int) -> Any:
        end = None if i == 3 else (i + 1) * size
        return flows[i] + matmul(h, cell.recurrent_kernel[:, i * size or None : end])

    taken, kept = shown(gate(with_state(0))), shown(gate(with_state(1)))
    c = kept * c + taken * shown(cell.activation(with_state(2)))
    h = shown(gate(with_state(3))) * shown(cell.activation(c))
    return h, [h, c]


def _gru(cell: Any, x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
    (h,), size, gate = states, cell.units, cell.recurrent_activation
    places = [(None, size), (size, size * 2), (size * 2, None)]
    flows = [matmul(x, cell.kernel[:, a:b]) for a, b in places]
    if cell.bias is not None:
        flows = [
            bias_add(y, cell.bias[a:b])
            for y, (a, b) in zip(flows, places, strict=True)
        ]
    of_state = [matmul(h, cell.recurrent_kernel[:, a:b]) for a, b in places[:2]]
    update, reset = [
        shown(gate(y + z)) for y, z in zip(flows, of_state, strict=False)
    ]
    last = matmul(reset * h, cell.recurrent_kernel[:, size * 2 :])
    new = shown(cell.activation(flows[2] + last))
    h = update * h + (1 - update) * new
    return h, [h]


_HERE = __name__.partition(".")[0] + "."
_STEPS = {"SimpleRNNCell": _simple, "LSTMCell": _lstm, "GRUCell": _gru}


class _Phaseless:
    """A layer of recurrent ones, which does not ask whether it trains where none of them does."""

    def with_training(self, args: Any, kwargs: Any, around: Any) -> Any:
        own: Any = self
        parts = [
            getattr(own, name, own) for name in ("forward_layer", "backward_layer")
        ]
        asks: Any = super()
        if in_graphs.building.get() is not None and all(map(_is_plain, parts)):
            return kwargs
        return asks.with_training(args, kwargs, around)


class Bidirectional(_Phaseless, layers.Bidirectional):
    """A recurrent layer forwards and backwards."""

    def build(self, input_shape: Any = None) -> None:
        for layer in (self.forward_layer, self.backward_layer):
            with in_graphs.inside(layer.name):
                if in_graphs.building.get() is not None and not layer.built:
                    layer.build_with(input_shape)
        self.built = True


class Looped(_Phaseless):
    """A recurrent layer that is a loop over arrays in graphs; elsewhere it runs as others."""

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
    ) -> Any:
        own: Any = self
        if in_graphs.building.get() is None or mask is not None or not _is_plain(own):
            run: Any = super()
            return run.call(inputs, mask, training, initial_state)
        return plain(_looped(own, shown(inputs), shown(initial_state)))


def _is_plain(layer: Any) -> bool:
    """Return whether a layer's steps are those of a cell that is known, and nothing else."""
    cell = getattr(layer, "cell", None)
    if cell is None:
        return False
    drops = getattr(cell, "dropout", 0) or getattr(cell, "recurrent_dropout", 0)
    other = layer.unroll or layer.stateful or layer.time_major
    kind = type(cell)
    of_keras = isinstance(cell, cells.Cell) and kind.__module__.startswith(_HERE)
    is_own = kind.__name__ in _STEPS and of_keras
    after = getattr(cell, "reset_after", False)
    return bool(is_own and not drops and not other and not after)


def _looped(layer: Any, inputs: Any, initial_state: Any) -> Any:
    cell, known = layer.cell, inputs.get_shape().as_list()
    states = _beginning(cell, inputs) if initial_state is None else initial_state
    states = list(states) if isinstance(states, (list, tuple)) else [states]
    order = [1, 0, *range(2, len(known))]
    rows = transpose(inputs, order)
    steps = shape(rows)[0]
    source = TensorArray(rows.dtype, size=steps, tensor_array_name="input_ta_0")
    source = source.unstack(reverse(rows, [0]) if layer.go_backwards else rows)
    step = _STEPS[type(cell).__name__]
    first, _ = step(cell, rows[0], states)
    results = TensorArray(first.dtype, size=steps, tensor_array_name="output_ta_0")
    time = constant(0, int32, name="time")

    def body(time: Any, written: Any, *states: Any) -> Any:
        made, after = step(cell, source.read(time), list(states))
        for old, new in zip(states, after, strict=True):
            new.set_shape(old.get_shape())
        return (time + 1, written.write(time, made), *after)

    _, written, *ends = while_loop(
        lambda time, *_: time < steps,
        body,
        (time, results, *states),
        parallel_iterations=32,
        swap_memory=True,
    )
    outputs = written.stack()
    last = outputs[-1]
    outputs.set_shape([known[1], known[0], cell.units])
    outputs = transpose(outputs, [1, 0, 2])
    last.set_shape([known[0], cell.units])
    made = outputs if layer.return_sequences else last
    return [made, *ends] if layer.return_state else made


def _beginning(cell: Any, inputs: Any) -> Any:
    """Return zeros, as many rows of them as there are inputs."""
    batch = shape(inputs)[0]
    sizes = cell.state_size
    listed = sizes if isinstance(sizes, (list, tuple)) else [sizes]
    return [zeros([batch, size], inputs.dtype) for size in listed]
