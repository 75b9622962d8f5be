"""Written: what layers are made on that say how TensorFlow 1 composes them in graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.v1.functions import control_flow
from tensorlite.compat.v2.keras.src.layers import phases
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.views import GraphTensor, plain, shown
from tensorlite.core.nest import flatten


def written_by(layer: Any, write: Callable[..., Any], inputs: Any, *rest: Any) -> Any:
    """Return what a layer writes into the graph being built; NotImplemented if nothing.

    So where none is built, and where weights are of another dtype than what is computed. What was
    given by a program's own call is returned as it sees it.
    """
    if (
        in_graphs.building.get() is None
        or layer.compute_dtype != layer.variable_dtype
    ):
        return NotImplemented
    made = write(shown(inputs), *shown(rest))
    if made is NotImplemented:
        return made
    of_program = any(isinstance(x, GraphTensor) for x in flatten(inputs))
    return made if of_program else plain(made)


def is_written(inputs: Any) -> bool:
    """Return whether what a layer is given is what stands for a tensor of a graph."""
    return isinstance(inputs, GraphTensor)


def activated(layer: Any, made: Any) -> Any:
    """Return what a layer's activation makes of its result."""
    return made if layer.activation is None else shown(layer.activation(made))


def in_training(
    training: Any, during: Callable[[], Any], after: Callable[[], Any]
) -> Any:
    """Return what holds in training or else; the graph's phase decides where nothing is told."""
    told = shown(phases.here()) if training is None else training
    if isinstance(told, GraphTensor):
        return control_flow.cond(told, during, after)
    return during() if told else after()


class Written:
    """A layer that says by `written` what it makes in graphs; elsewhere it computes as others.

    `written` gets what programs hold. Where it returns NotImplemented the layer computes as
    everywhere else.
    """

    def written(self, inputs: Any) -> Any:
        """Return what the layer makes of its input, by TensorFlow's functions."""
        return NotImplemented

    def call(self, inputs: Any) -> Any:
        made = written_by(self, self.written, inputs)
        if made is not NotImplemented:
            return made
        return super().call(inputs)  # type: ignore[misc]


class WrittenInPhases:
    """A layer that says by `written` what it makes in graphs, in training and else."""

    asks_phase = False
    """It asks itself where it is not told."""

    def written(self, inputs: Any, training: Any) -> Any:
        """Return what the layer makes of its input, by TensorFlow's functions."""
        return NotImplemented

    def call(self, inputs: Any, training: Any = None) -> Any:
        made = written_by(self, self.written, inputs, training)
        if made is not NotImplemented:
            return made
        told = phases.here() if training is None else training
        return super().call(inputs, told)  # type: ignore[misc]
