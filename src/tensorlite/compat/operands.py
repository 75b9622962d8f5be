"""What Python's operators mean of truth values and of whole numbers, as TensorFlow has it."""

from __future__ import annotations

from tensorlite.core import operand
from tensorlite.core.dtypes import float32, float64
from tensorlite.core.tensor import Tensor

OF_TRUTH = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_invert": "logical_not",
}
"""What TensorFlow makes of operators on bits where these are of truth values."""


def either(x: Tensor, y: Tensor) -> Tensor:
    """Return whether one of two holds, as TensorFlow makes it: one, and not both."""
    made = operand.operators
    return made.logical_and(
        made.logical_or(x, y), made.logical_not(made.logical_and(x, y))
    )


def divided(x: Tensor) -> Tensor:
    """Return whole numbers as TensorFlow divides them."""
    wanted = float32 if x.dtype.itemsize <= 2 else float64
    return operand.operators.astype(x, wanted)
