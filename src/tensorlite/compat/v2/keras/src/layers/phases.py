"""The learning phase of TensorFlow 1: a tensor by which layers in a graph train, or not.

Programs feed it; where a graph is run without that, and outside of graphs, nothing trains.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, NamedTuple

from tensorlite.compat.v1.graphs.framework import placeholder_with_default
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.graph_mode.graph import (
    Graph,
    active_graph,
    get_default_graph,
    mode,
    name_scope,
    outside,
)

_PHASE = "learning phase"
_KEPT = "_phase_kept"


def of_graph(graph: Graph) -> Any:
    """Return the tensor that says in a graph whether layers train; it is made at first."""
    if _PHASE not in graph.scopes:
        with graph.as_default(), outside(), name_scope(""):
            made = placeholder_with_default(False, (), name="keras_learning_phase")
        graph.scopes[_PHASE] = made
    return graph.scopes[_PHASE]


def here() -> Any:
    """Return whether layers train that are not told: a tensor in a graph of TensorFlow 1."""
    if defaults.chosen.learning_phase is not None:
        return bool(defaults.chosen.learning_phase)
    if in_graphs.building.get() is None or naming.is_keras_3():
        return False
    return of_graph(in_graphs.building.get()).__tensor__()


class Calling(NamedTuple):
    """What layers that are called by another layer's call know of it."""

    training: Any = None
    is_layer: bool = True
    """Whether a layer was called, and not only its method `call`."""


surrounding: ContextVar[Calling | None] = ContextVar("keras_calling", default=None)


def told(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a model's `call` whose layers train if it is told so, and do not if told not to.

    Where the model itself was called and nobody was told, they decide by themselves: it is only
    filled in then that they do not train.
    """

    @wraps(call)
    def with_phase(
        self: Any, inputs: Any, training: Any = None, mask: Any = None
    ) -> Any:
        around = surrounding.get()
        is_layer = around is not None and around.is_layer
        is_told = training is True or not is_layer or around != Calling()
        if training is None or not is_told:
            return call(self, inputs, training, mask)
        token = surrounding.set(Calling(training, is_layer))
        try:
            return call(self, inputs, training, mask)
        finally:
            surrounding.reset(token)

    return with_phase


def training_in(around: Calling | None) -> Any:
    """Return whether layers train that are not told: as those around do, or the phase has it."""
    told = None if around is None else around.training
    phase = defaults.chosen.learning_phase
    return bool(phase) if told is None and phase is not None else told


def asked() -> Any:
    """Return what programs are told of the phase: 0 or 1, or the tensor of the graph built here.

    In a layer that computes at once, or in a model's step, it is what those around it are told.
    """
    chosen = defaults.chosen.learning_phase
    if chosen is not None:
        return chosen
    if active_graph() is None:
        told = training_in(surrounding.get())
        if told is not None:
            return int(told) if isinstance(told, bool) else told
    if mode.eager is not False:
        return 0
    return of_graph(get_default_graph())


def keep(model: Any) -> None:
    """Let a model of TensorFlow 1 stay with the phase chosen now: it is known what it computes."""
    if mode.eager is False:
        vars(model).setdefault(_KEPT, defaults.chosen.learning_phase)


def in_step(model: Any, trains: bool) -> bool:
    """Return whether layers train in a model's step, as the phase has it that the model keeps."""
    keep(model)
    kept = vars(model).get(_KEPT)
    return trains if kept is None else bool(kept)
