"""Steps of Keras' recurrent layers in graphs, gate by gate as TensorFlow 1 composes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.shared.arrays import split, unstack, zeros
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add
from tensorlite.compat.v1.functions.arrays import ones_like
from tensorlite.compat.v1.functions.nn_functions import dropout
from tensorlite.compat.v1.keras.layers_noises import drawn_seed
from tensorlite.compat.v1.keras.written import activated, in_training, written_by
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.views import GraphTensor, plain, shown
from tensorlite.graph_mode.graph import active_graph, inner_graph

Gate = Callable[[int], Any]
"""What gates are functions of, made where one is asked for."""


class _Drawn:
    """What a cell multiplies by: of the graph in which it was drawn, or of all steps of a layer."""

    def __init__(self) -> None:
        self.masks: dict[str, tuple[Any, Any]] = {}
        self.is_held = False


@contextmanager
def one_draw(cell: Any) -> Iterator[None]:
    """Let a cell, and cells in it, drop the same in all steps that are written meanwhile."""
    every = getattr(cell, "cells", [cell])
    held = [x.drawn for x in every if isinstance(x, WrittenCell)]
    for drawn in held:
        drawn.masks.clear()
        drawn.is_held = True
    try:
        yield
    finally:
        for drawn in held:
            drawn.masks.clear()
            drawn.is_held = False


class WrittenCell:
    """A step that says by `written` what it makes in graphs; elsewhere it computes as others."""

    opens_scope = asks_phase = False

    def written(self, inputs: Any, states: Any, training: Any) -> Any:
        """Return the result of a step and the states after it, by TensorFlow's functions."""
        return NotImplemented

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        made = written_by(self, self.written, inputs, states, training)
        if made is not NotImplemented:
            return made
        own: Any = super()
        if not isinstance(inputs, GraphTensor):
            return own.call(inputs, states, training)
        return shown(own.call(*plain((inputs, states, training))))

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Return states of zeros for a batch, whose size inputs may tell."""
        own: Any = super()
        if active_graph() is None or batch_size is None:
            return own.get_initial_state(inputs, batch_size, dtype)
        kind = dtype or own.compute_dtype
        made = zeros_for(self, shown(batch_size), kind)
        return made if in_graphs.building.get() is None else plain(made)

    @property
    def drawn(self) -> _Drawn:
        """What was drawn for it in graphs."""
        made: _Drawn = vars(self).setdefault("_drawn_in_graphs", _Drawn())
        return made

    def dropped(self, name: str, like: Any, rate: float, training: Any) -> Any:
        """Return what values are multiplied by for each gate, in training; None where all stay."""
        if not rate:
            return None
        here = inner_graph(in_graphs.building.get())
        graph, kept = self.drawn.masks.get(name, (None, None))
        if kept is not None and (self.drawn.is_held or graph is here):
            return kept
        own: Any = self
        ones = ones_like(like)

        def mask() -> Any:
            return dropout(ones, rate=rate, seed=drawn_seed())

        made = [in_training(training, mask, lambda: ones) for _ in range(own.gates)]
        self.drawn.masks[name] = here, made
        return made


def zeros_for(cell: Any, batch_size: Any, dtype: Any) -> Any:
    """Return zeros of a cell's sizes for each row of a batch."""
    sizes = cell.state_size

    def one(size: Any) -> Any:
        if isinstance(size, (list, tuple)) and not hasattr(size, "as_list"):
            return [one(x) for x in size]
        dims = size.as_list() if hasattr(size, "as_list") else [size]
        return zeros([batch_size, *dims], dtype)

    return one(sizes)


def _only(states: Any) -> Any:
    """Return the state of a cell that has one, which callers may give by itself."""
    return states[0] if isinstance(states, (list, tuple)) else states


def _like(states: Any, made: Any) -> Any:
    """Return a state as the one before was given."""
    return [made] if isinstance(states, (list, tuple)) else made


def _each(x: Any, masks: Any, count: int) -> list[Any]:
    """Return what each gate gets of a value."""
    return [x] * count if masks is None else [x * mask for mask in masks]


def _once(x: Any, masks: Any) -> Any:
    return x if masks is None else x * masks[0]


class SimpleCell(WrittenCell):
    """A step of a simple recurrent layer in graphs."""

    def written(self, inputs: Any, states: Any, training: Any) -> Any:
        """Return the activation of both products, and it as state."""
        cell: Any = self
        before = _only(states)
        of_inputs = self.dropped("inputs", inputs, cell.dropout, training)
        rate = cell.recurrent_dropout
        of_states = self.dropped("states", before, rate, training)
        made = matmul(_once(inputs, of_inputs), cell.kernel)
        if cell.bias is not None:
            made = bias_add(made, cell.bias)
        before = _once(before, of_states)
        made = made + matmul(before, cell.recurrent_kernel)
        made = activated(cell, made)
        return made, _like(states, made)


class MemoryCell(WrittenCell):
    """A step of an LSTM in graphs."""

    def written(self, inputs: Any, states: Any, training: Any) -> Any:
        """Return what is shown of the memory, and it with the memory as states."""
        cell: Any = self
        h, c = states
        of_inputs = self.dropped("inputs", inputs, cell.dropout, training)
        of_states = self.dropped("states", h, cell.recurrent_dropout, training)
        joins = cell.implementation != 1
        gates = self._joined if joins else self._apart
        c, share = self.written_gates(gates(inputs, h, of_inputs, of_states), c)
        h = share * activated(cell, c)
        return h, [h, c]

    def _apart(self, x: Any, h: Any, of_inputs: Any, of_states: Any) -> Gate:
        """Return what gates are functions of, by products for each."""
        cell: Any = self
        parts = _each(x, of_inputs, 4)
        kernels = split(cell.kernel, 4, axis=1)
        flows = [matmul(y, kernel) for y, kernel in zip(parts, kernels, strict=True)]
        if cell.bias is not None:
            biases = split(cell.bias, 4, axis=0)
            flows = [bias_add(y, bias) for y, bias in zip(flows, biases, strict=True)]
        before, size = _each(h, of_states, 4), cell.units

        def gate(i: int) -> Any:
            end = None if i == 3 else (i + 1) * size
            kernel = cell.recurrent_kernel[:, i * size or None : end]
            return flows[i] + matmul(before[i], kernel)

        return gate

    def _joined(self, x: Any, h: Any, of_inputs: Any, of_states: Any) -> Gate:
        """Return what gates are functions of, by products for all of them."""
        cell: Any = self
        made = matmul(_once(x, of_inputs), cell.kernel)
        h = _once(h, of_states)
        made = made + matmul(h, cell.recurrent_kernel)
        if cell.bias is not None:
            made = bias_add(made, cell.bias)
        parts = split(made, 4, axis=1)
        return lambda i: parts[i]

    def written_gates(self, part: Gate, c: Any) -> tuple[Any, Any]:
        """Return what is remembered now, and how much of it is shown."""
        cell: Any = self
        gate = cell.recurrent_activation
        taken, kept = shown(gate(part(0))), shown(gate(part(1)))
        c = kept * c + taken * activated(cell, part(2))
        return c, shown(gate(part(3)))


class GatedCell(WrittenCell):
    """A step of a GRU in graphs."""

    def written(self, inputs: Any, states: Any, training: Any) -> Any:
        """Return states and candidates in parts, and it as state."""
        cell: Any = self
        before = _only(states)
        of_inputs = self.dropped("inputs", inputs, cell.dropout, training)
        rate = cell.recurrent_dropout
        of_states = self.dropped("states", before, rate, training)
        biases: Any = (cell.bias, None)
        if cell.reset_after and cell.bias is not None:
            biases = unstack(cell.bias)
        if cell.implementation == 1:
            flows = self._flows(_each(inputs, of_inputs, 3), biases[0])
            own = _each(before, of_states, 3)
            gates = self._apart(flows, own, biases[1])
        else:
            flows = self._parts(_once(inputs, of_inputs), cell.kernel, biases[0])
            before = _once(before, of_states)
            gates = self._joined(flows, before, biases[1])
        update, new = gates
        made = update * before + (1 - update) * new
        return made, _like(states, made)

    @property
    def _places(self) -> list[tuple[Any, Any]]:
        size = self.units  # type: ignore[attr-defined]
        return [(None, size), (size, size * 2), (size * 2, None)]

    def _flows(self, parts: list[Any], bias: Any) -> list[Any]:
        """Return products of inputs for each gate."""
        cell: Any = self
        places = zip(parts, self._places, strict=True)
        flows = [matmul(x, cell.kernel[:, a:b]) for x, (a, b) in places]
        if bias is None:
            return flows
        own = zip(flows, self._places, strict=True)
        return [bias_add(y, bias[a:b]) for y, (a, b) in own]

    def _apart(self, flows: list[Any], parts: list[Any], bias: Any) -> Any:
        """Return the update gate and the candidates, by products for each gate."""
        cell: Any = self
        pairs = list(zip(parts, self._places, strict=True))
        kernel, (first, _) = cell.recurrent_kernel, self._places[2]
        gates = [matmul(h, kernel[:, a:b]) for h, (a, b) in pairs[:2]]
        if bias is not None:
            own = zip(gates, self._places, strict=False)
            gates = [bias_add(y, bias[a:b]) for y, (a, b) in own]
        update, reset = self._gates(flows, gates)
        if not cell.reset_after:
            last = matmul(reset * parts[2], kernel[:, first:])
            return update, activated(cell, flows[2] + last)
        last = matmul(parts[2], kernel[:, first:])
        if bias is not None:
            last = bias_add(last, bias[first:])
        return update, activated(cell, flows[2] + reset * last)

    def _gates(self, flows: list[Any], of_states: list[Any]) -> list[Any]:
        cell: Any = self
        pairs = zip(flows, of_states, strict=False)
        return [shown(cell.recurrent_activation(x + y)) for x, y in pairs]

    def _parts(self, x: Any, kernel: Any, bias: Any) -> list[Any]:
        """Return the columns of a product that are each gate's."""
        made = matmul(x, kernel)
        if bias is not None:
            made = bias_add(made, bias)
        return [made[:, a:b] for a, b in self._places]

    def _joined(self, flows: list[Any], h: Any, bias: Any) -> Any:
        """Return the update gate and the candidates, by products for all gates."""
        cell: Any = self
        kernel, (size, twice) = cell.recurrent_kernel, self._places[1]
        inner = matmul(h, kernel if cell.reset_after else kernel[:, :twice])
        if cell.reset_after and bias is not None:
            inner = bias_add(inner, bias)
        update, reset = self._gates(flows, [inner[:, :size], inner[:, size:twice]])
        if cell.reset_after:
            last = reset * inner[:, twice:]
        else:
            last = matmul(reset * h, kernel[:, twice:])
        return update, activated(cell, flows[2] + last)
