"""Names of TensorFlow before 1.0 that programs still use, and orders of arguments from then."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.linear.matrices import (
    cholesky,
    cholesky_solve,
    matmul,
    triangular_solve,
)
from tensorlite.compat.shared.making import binary, unary
from tensorlite.core.operand import Operand

__all__ = [
    "batch_cholesky",
    "batch_cholesky_solve",
    "batch_matmul",
    "batch_matrix_triangular_solve",
    "complex_abs",
    "concat",
    "inv",
    "mul",
    "neg",
    "pack",
    "split",
    "sub",
    "unpack",
]

pack = arrays.stack
unpack = arrays.unstack
mul = binary("Mul", tl.multiply)
sub = binary("Sub", tl.subtract)
neg = unary("Neg", tl.negative)
inv = unary("Inv", tl.reciprocal)
complex_abs = elementwise.abs
batch_matmul = matmul
batch_cholesky = cholesky
batch_cholesky_solve = cholesky_solve
batch_matrix_triangular_solve = triangular_solve


def concat(values: Any, axis: Any, name: str | None = "concat") -> Any:
    """Return the values joined along an axis.

    The order (axis, values) of before 1.0 works too.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.concat([[1, 2], [3]], 0)).tolist()
    [1, 2, 3]
    """
    if isinstance(values, int) and isinstance(axis, (list, tuple)):
        values, axis = axis, values
    return arrays.concat(values, axis, name=name)


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> Any:
    """Return a list of parts of value along an axis: so many of one size, or of given sizes.

    The order (axis, number, value) of before 1.0 works too. num is needed where num_or_size_splits
    is a tensor of unknown length.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     [x.tolist() for x in session.run(tf.split([1, 2, 3, 4], [1, 3]))]
    [[1], [2, 3, 4]]
    """
    if isinstance(value, int) and isinstance(axis, Operand):
        value, axis = axis, value
    return arrays.split(value, num_or_size_splits, axis, num, name)
