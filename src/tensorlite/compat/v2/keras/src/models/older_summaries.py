"""What Model.summary prints in programs of TensorFlow 1: the table of Keras 2, line by line."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.src.models import sketch
from tensorlite.core.errors import InvalidArgumentError


def lines(
    model: Any,
    layers: list[Any],
    joined: bool,
    line_length: int | None,
    positions: Any,
) -> list[str]:
    """Return the lines of the table of a model's layers; where joined, with what leads to each."""
    if not model.built:
        raise InvalidArgumentError(
            "This model has not yet been built. Build the model first by calling `build()` or "
            "calling `fit()` with some data, or specify an `input_shape` argument in the first "
            "layer(s) for automatic build."
        )
    whole = line_length or (98 if joined else 65)
    ends = positions or ([0.33, 0.55, 0.67, 1.0] if joined else [0.45, 0.85, 1.0])
    places = [int(whole * x) for x in ends] if ends[-1] <= 1 else list(ends)
    titles = ["Layer (type)", "Output Shape", "Param #", "Connected to"]
    made = [f'Model: "{model.name}"', "_" * whole]
    made += [_row(titles if joined else titles[:3], places), "=" * whole]
    for i, layer in enumerate(layers):
        sources = _sources(layer, model) if joined else []
        fields = [f"{layer.name} ({_kind(layer)})", _shape(layer), _count(layer)]
        made.append(_row([*fields, *sources[:1]], places))
        made += [_row(["", "", "", x], places) for x in sources[1:]]
        made.append(("=" if i == len(layers) - 1 else "_") * whole)
    return [*made, *_totals(model), "_" * whole]


def _row(fields: list[str], places: list[int]) -> str:
    """Return cells in their columns, cut where these end."""
    line = ""
    for i, (field, place) in enumerate(zip(fields, places, strict=False)):
        line = f"{line[:-1]} " if i else line
        line = f"{line}{field}"[:place].ljust(place)
    return line


def _kind(layer: Any) -> str:
    if isinstance(layer, sketch.Noted):
        return "TensorFlowOpLayer"
    return type(layer).__name__


def _shape(layer: Any) -> str:
    if not layer.nodes:
        shape = getattr(layer, "built_shape", None)
        return "?" if shape is None else "multiple"
    shapes = {str(_shapes(node)) for node in layer.nodes}
    is_input = not layer.nodes[0].parents()
    found = next(iter(shapes)) if len(shapes) == 1 else "multiple"
    return f"[{found}]" if is_input else found


def _shapes(node: Any) -> Any:
    found = [tuple(x.spec.dims) for x in nests.flatten(node.outputs)]
    return found[0] if len(found) == 1 else found


def _count(layer: Any) -> str:
    if isinstance(layer, sketch.Noted):
        return "0"
    return str(layer.count_params()) if layer.built else "0 (unused)"


def _sources(layer: Any, model: Any) -> list[str]:
    """Return whence the calls of a layer take their tensors: layer, call, result."""
    found = []
    for node in [node for node in model.calls if node.layer is layer]:
        for x in node.parents():
            calls = [n for n in model.calls if n.layer is x.node.layer]
            call = calls.index(x.node) if x.node in calls else 0
            place = [id(y) for y in nests.flatten(x.node.outputs)].index(id(x))
            found.append(f"{getattr(x.node.layer, 'name', x.name)}[{call}][{place}]")
    return found or [""]


def _totals(model: Any) -> list[str]:
    trained, kept = (
        sum(int(np.prod(tuple(x.shape), dtype=np.int64)) for x in weights)
        for weights in (model.trainable_weights, model.non_trainable_weights)
    )
    return [
        f"Total params: {trained + kept:,}",
        f"Trainable params: {trained:,}",
        f"Non-trainable params: {kept:,}",
    ]
