"""What programs of TensorFlow's that run at once expect of the whole process.

Why these are settings of the process stands in docs/decisions/0011.
"""

from __future__ import annotations

from tensorlite.config import (
    set_numpy_operands,
    set_soft_placement,
    set_tensorflow_results,
)


def give_results() -> None:
    """Have operators take NumPy's arrays, place kernels and print results as TensorFlow does."""
    set_numpy_operands("adopt")
    set_tensorflow_results(True)
    set_soft_placement(True)
