"""What programs of TensorFlow's that run at once expect of the whole process.

Why these are settings of the process stands in docs/decisions/0011.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tensorlite.config import (
    get_numpy_operands,
    get_soft_placement,
    get_tensorflow_results,
    set_numpy_operands,
    set_soft_placement,
    set_tensorflow_results,
)


def give_results() -> None:
    """Have operators take NumPy's arrays, place kernels and print results as TensorFlow does."""
    set_numpy_operands("adopt")
    set_tensorflow_results(True)
    set_soft_placement(True)


@contextmanager
def results_given() -> Iterator[None]:
    """Let that be so in the block alone."""
    operands, placement = get_numpy_operands(), get_soft_placement()
    results = get_tensorflow_results()
    give_results()
    try:
        yield
    finally:
        set_numpy_operands(operands)
        set_tensorflow_results(results)
        set_soft_placement(placement)
