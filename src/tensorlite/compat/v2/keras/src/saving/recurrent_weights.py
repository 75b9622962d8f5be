"""Weights of LSTM and GRU layers, from the layout of plain layers to that of CuDNN's and back.

A layer says by `layout` which of them it has. Of which layout arrays are is seen by the bias.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core.errors import InvalidArgumentError

_GATES = {"LSTM": 4, "GRU": 3}


def fitted(layer: Any, own: list[Any], values: list[Any]) -> list[Any]:
    """Return the arrays for a layer's weights, in the layouts of it and of the layers inside it.

    They stay as they are where there are more or fewer of them than weights.
    """
    if len(own) != len(values):
        return values
    made, places = list(values), {id(x): i for i, x in enumerate(own)}
    for one in _with_layout(layer):
        weights = [*one.trainable_weights, *one.non_trainable_weights]
        found = [places[id(x)] for x in weights if id(x) in places]
        if (
            len(found) == 3
        ):  # without a bias nothing tells, nor is there one for CuDNN
            new = as_laid_out(one, [values[i] for i in found])
            for i, value in zip(found, new, strict=True):
                made[i] = value
    return made


def _with_layout(layer: Any) -> list[Any]:
    if getattr(layer, "layout", None) is not None:
        return [layer]
    return [x for inner in layer.sublayers() for x in _with_layout(inner)]


def as_laid_out(layer: Any, values: list[Any]) -> list[Any]:
    """Return kernel, recurrent kernel and bias of either layout in that of a layer.

    InvalidArgumentError is raised for a GRU that resets before its product, which CuDNN has not,
    and for a bias that is of none of them.
    """
    kind = layer.layout.removeprefix("CuDNN")
    wanted = layer.layout
    if wanted == "GRU":
        wanted = f"GRU(reset_after={layer.cell.reset_after})"
    there = _layout_of(kind, values)
    if wanted == there:
        return values
    if "GRU(reset_after=False)" in {wanted, there}:
        raise InvalidArgumentError(
            f"{layer.name}: {there} is not compatible with {wanted}; a GRU that reads and gives "
            "weights of CuDNNGRU is made with reset_after=True, recurrent_activation='sigmoid'"
        )
    return _turned(kind, values, there.startswith("CuDNN"))


def _layout_of(kind: str, values: list[Any]) -> str:
    units = values[1].shape[0]
    wide = units * _GATES[kind]
    shapes: dict[Any, str] = {(2 * wide,): f"CuDNN{kind}"}
    if kind == "LSTM":
        shapes[(wide,)] = kind
    else:
        shapes |= {(2, wide): "GRU(reset_after=True)"}
        shapes |= {(wide,): "GRU(reset_after=False)"}
    found = shapes.get(values[2].shape)
    if found is None:
        raise InvalidArgumentError(
            f"Invalid bias shape: {values[2].shape}; of {units} units a bias of {kind} or "
            f"CuDNN{kind} has one of the shapes {list(shapes)}"
        )
    return found


def _turned(kind: str, values: list[Any], from_cudnn: bool) -> list[Any]:
    kernel, recurrent, bias = values

    def inward(part: Any) -> Any:
        if from_cudnn:
            return part.reshape(part.shape[::-1]).T
        return part.T.reshape(part.shape)

    if kind == "GRU":
        bias = bias.reshape((2, -1) if from_cudnn else -1)
    else:
        halves = np.split(bias, 2) if from_cudnn else [bias / 2, bias / 2]
        bias = sum(halves) if from_cudnn else np.concatenate(halves)
    gates = _GATES[kind]
    onward = _by_gates(recurrent, gates, lambda part: part.T)
    return [_by_gates(kernel, gates, inward), onward, bias]


def _by_gates(kernel: Any, gates: int, change: Callable[[Any], Any]) -> Any:
    return np.hstack([change(part) for part in np.hsplit(kernel, gates)])
