"""What programs take from the inside of tensorflow.python's cells: a matrix over several inputs.

The cells themselves are in cells.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared.arrays import concat
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import bias_add
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.graphs.constants import constant
from tensorlite.compat.v1.recurrent.rnn import check_cell, time_first
from tensorlite.compat.v1.recurrent.zero_states import sizes_of_state
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError, ShapeError


class Linear:
    """A matrix, and a bias, over several inputs side by side."""

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        inputs = _several(args)
        widths = [_width(x) for x in inputs]
        dtype = inputs[0].dtype
        self._kernel = scopes.get_variable(
            "kernel", [sum(widths), output_size], dtype, kernel_initializer
        )
        self._bias: Any = None
        if build_bias:
            with scopes.variable_scope(scopes.get_variable_scope()) as scope:
                scope.set_partitioner(None)
                first = bias_initializer or init_ops.Constant(0.0)
                self._bias = scopes.get_variable("bias", [output_size], dtype, first)

    def __call__(self, args: Any) -> Any:
        inputs = _several(args)
        joined = inputs[0] if len(inputs) == 1 else concat(inputs, constant(1, int32))
        made = matmul(joined, self._kernel)
        return made if self._bias is None else bias_add(made, self._bias)


def linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Any:
    """Return inputs, side by side, times a matrix that is made here or shared, and a bias."""
    made = Linear(args, output_size, bias, bias_initializer, kernel_initializer)
    return made(args)


def _several(args: Any) -> list[Any]:
    inputs = list(args) if isinstance(args, Sequence) else [args]
    if args is None or not inputs:
        raise InvalidArgumentError("`args` must be specified")
    return inputs


def _width(x: Any) -> int:
    sizes = x.get_shape()
    if sizes.rank != 2:
        raise ShapeError(f"linear is expecting 2D arguments: {sizes}")
    width: int | None = sizes.as_list()[1]
    if width is None:
        raise ShapeError(f"linear expects shape[1] to be provided for shape {sizes}")
    return width


def assert_like_rnncell(cell_name: str, cell: Any) -> None:
    """Refuse what is no cell."""
    check_cell(cell)


_Linear, _linear = Linear, linear
_transpose_batch_time = time_first
_zero_state_tensors = sizes_of_state
