"""What layers cost besides the loss: what they add in their calls, and what their weights cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.models.in_graphs import wherever
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.math.bounds import maximum


def of(layer: Any) -> list[Any]:
    """Return them: of Keras 3 what was added first, then what weights cost that are trained.

    Keras 2 goes layer by layer: what was added, what weights cost, what functions return.
    """
    every = list(_flat(layer))
    if not naming.is_keras_3():
        return [x for each in every for x in _layers_own(each)]
    trained = {id(weight) for weight in layer.trainable_weights}
    added = [x for each in every for x in _added(each)]
    return [*added, *[x for each in every for x in _of_weights(each, trained)]]


def part_of(layer: Any, of_weights: bool) -> list[Any]:
    """Return what weights cost, or what was added in calls; graphs get the nodes of both."""
    every = [(_added(each), _of_weights(each)) for each in _flat(layer)]
    return [x for found in every for x in found[of_weights]]


def _flat(layer: Any) -> Iterator[Any]:
    yield layer
    for inner in layer.sublayers():
        yield from _flat(inner)


def _layers_own(layer: Any) -> list[Any]:
    held = layer._held.added  # noqa: SLF001  a layer's own
    tensors = [x for x in held if not callable(x)]
    returned = (x() for x in held if callable(x))
    return [*tensors, *_of_weights(layer), *returned]


def _added(layer: Any) -> list[Any]:
    held = layer._held.added  # noqa: SLF001  a layer's own
    return [x() if callable(x) else x for x in held]


def _of_weights(layer: Any, trained: set[int] | None = None) -> list[Any]:
    held = layer._held.regularized  # noqa: SLF001  a layer's own
    return [
        _of_weight(weight, term)
        for weight, term in held
        if trained is None or id(weight) in trained
    ]


def _of_weight(weight: Any, term: Callable[[Any], Any]) -> Any:
    """Return what a weight costs; graphs that programs build have its nodes below its name."""
    if active_graph() is None:
        return term(weight)
    with name_scope(f"{weight.name.partition(':')[0]}/Regularizer"):
        return term(weight)


@wherever
def of_results(regularizer: Any, results: list[Any]) -> list[Any]:
    """Return what results of a layer cost, for each example."""
    return [regularizer(x) / _rows_of(x) for x in results]


def _rows_of(x: Any) -> Any:
    """Return how many examples there are, by which what is regularized is divided."""
    return maximum(astype(shape_of(x)[0], x.dtype), 1.0) if len(x.shape) else 1.0
