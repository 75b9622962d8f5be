"""What event files say, as TensorBoard reads them, for tests of summaries."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

import tensorlite as tl

make_ndarray = import_module("tensorboard.util.tensor_util").make_ndarray


def accumulated(folder: str) -> Any:
    """Return what TensorBoard itself reads."""
    module = import_module("tensorboard.backend.event_processing.event_accumulator")
    found = module.EventAccumulator(folder, size_guidance={"tensors": 0})
    found.Reload()
    return found


def written(folder: str) -> list[tuple[str, int, Any]]:
    """Return tag, step and value of every summary."""
    return [
        (value.tag, event.step, make_ndarray(value.tensor).tolist())
        for event in tl.summary.read_events(folder)
        for value in event.summary.value
    ]


def decoded(data: bytes) -> Any:
    """Return an image that another library reads."""
    image, io = import_module("PIL.Image"), import_module("io")
    return np.asarray(image.open(io.BytesIO(data)))
