"""The learning phase of TensorFlow 1: a tensor by which layers in a graph train, or not.

Programs feed it; where a graph is run without that, and outside of graphs, nothing trains.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.graphs.framework import placeholder_with_default
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.graph_mode.graph import (
    Graph,
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


def asked() -> Any:
    """Return what programs are told of the phase: 0 or 1, or the tensor of the graph built here."""
    chosen = defaults.chosen.learning_phase
    if chosen is not None or mode.eager is not False:
        return chosen or 0
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
