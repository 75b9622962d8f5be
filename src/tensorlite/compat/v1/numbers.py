"""Functions of numbers as TensorFlow 1 calls them: those of v2 whose arguments were other ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import elementwise, reductions
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import int64

__all__ = [
    "arg_max",
    "arg_min",
    "argmax",
    "argmin",
    "count_nonzero",
    "mod",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "to_bfloat16",
    "to_complex128",
    "to_complex64",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
]


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduced(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> Any:
        axes = renamed("axis", axis, "reduction_indices", reduction_indices)
        kept = renamed("keepdims", keepdims, "keep_dims", keep_dims)
        return function(input_tensor, axes, bool(kept), name=name)

    return reduced


reduce_sum = _reduction(reductions.reduce_sum)
reduce_mean = _reduction(reductions.reduce_mean)
reduce_prod = _reduction(reductions.reduce_prod)
reduce_max = _reduction(reductions.reduce_max)
reduce_min = _reduction(reductions.reduce_min)
reduce_all = _reduction(reductions.reduce_all)
reduce_any = _reduction(reductions.reduce_any)
reduce_logsumexp = _reduction(reductions.reduce_logsumexp)


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Any:
    """Return how many elements are not 0 along axes, over all if None.

    reduction_indices, keep_dims and input_tensor are older names.
    """
    given = renamed("input", input, "input_tensor", input_tensor)
    axes = renamed("axis", axis, "reduction_indices", reduction_indices)
    kept = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reductions.count_nonzero(given, axes, kept, dtype, name)


def _place(function: Callable[..., Any]) -> Callable[..., Any]:
    def made(
        input: Any,
        axis: Any = None,
        name: str | None = None,
        dimension: Any = None,
        output_type: Any = int64,
    ) -> Any:
        along = renamed("axis", axis, "dimension", dimension)
        return function(input, along, output_type, name)

    return made


argmax = _place(reductions.argmax)
argmin = _place(reductions.argmin)


def arg_max(
    input: Any, dimension: Any, output_type: Any = int64, name: str | None = None
) -> Any:
    """Return where the largest element is along dimension, an index of output_type."""
    return reductions.argmax(input, dimension, output_type, name)


def arg_min(
    input: Any, dimension: Any, output_type: Any = int64, name: str | None = None
) -> Any:
    """Return where the smallest element is along dimension, an index of output_type."""
    return reductions.argmin(input, dimension, output_type, name)


def _to(name: str, dtype: str) -> Callable[..., Any]:
    default = name

    def made(x: Any, name: str | None = default) -> Any:
        return elementwise.cast(x, dtype, name=name)

    return made


to_float = _to("ToFloat", "float32")
to_double = _to("ToDouble", "float64")
to_int32 = _to("ToInt32", "int32")
to_int64 = _to("ToInt64", "int64")
to_bfloat16 = _to("ToBFloat16", "bfloat16")
to_complex64 = _to("ToComplex64", "complex64")
to_complex128 = _to("ToComplex128", "complex128")

mod = elementwise.floormod
