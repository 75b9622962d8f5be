"""What every library is given to do: sizes, numbers, and the weights of a small network."""

from __future__ import annotations

from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray[Any, Any]]

VECTOR = 8
"""Elements of the tensors in cases where the library is timed and not the arithmetic."""
CHAIN = 10
"""Operators of the chain: additions and products in turn."""
TURNS = 1000
BATCH = 64


def operands() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return two small vectors; products by the second stay small."""
    x = np.linspace(0.0, 1.0, VECTOR, dtype=np.float32)
    return x, np.full(VECTOR, 0.5, np.float32)


def chain(x: Any, y: Any) -> Any:
    """Return ten operators' worth of arithmetic, in any library's tensors."""
    for _ in range(CHAIN // 2):
        x = x * y + y
    return x


def digits() -> Arrays:
    """Return a batch the size of scikit-learn's digits: images [n, 8, 8, 1], and labels."""
    draw = np.random.default_rng(0)
    images = draw.random((BATCH, 8, 8, 1), np.float32)
    return {"images": images, "labels": draw.integers(0, 10, BATCH).astype(np.int32)}


def weights() -> Arrays:
    """Return the weights of a network of two convolutions and a dense layer."""
    draw = np.random.default_rng(1)
    shapes = {"first": (3, 3, 1, 16), "second": (3, 3, 16, 32), "dense": (128, 10)}
    return {
        name: (0.1 * draw.standard_normal(shape)).astype(np.float32)
        for name, shape in shapes.items()
    }
