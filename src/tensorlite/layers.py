"""`tl.layers`: ready-made modules. Names only; the code is in train/."""

from __future__ import annotations

from tensorlite.train.layers import (
    BatchNorm,
    Conv2D,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Layer,
    LayerNorm,
    MaxPool2D,
    Sequential,
)
from tensorlite.train.recurrent import GRU, LSTM

__all__ = [
    "BatchNorm",
    "Conv2D",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GRU",
    "LSTM",
    "Layer",
    "LayerNorm",
    "MaxPool2D",
    "Sequential",
]


def __dir__() -> list[str]:
    return __all__
