"""Functions of numbers as TensorFlow 1 calls them: those of v2 whose arguments were other ones."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from typing import Any

from tensorlite.compat.documenting import explained
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


def _reduction(
    name: str, function: Callable[..., Any], help_text: str
) -> Callable[..., Any]:
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

    older = "keepdims keeps axes with size 1; reduction_indices and keep_dims are older names."
    return explained(reduced, name, f"{cleandoc(help_text)}\n\n{older}")


reduce_sum = _reduction(
    "reduce_sum",
    reductions.reduce_sum,
    """Return the sums of elements along axes, over all if axis is None.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.reduce_sum([[1, 2], [3, 4]], 0)).tolist()
    [4, 6]
    """,
)
reduce_mean = _reduction(
    "reduce_mean",
    reductions.reduce_mean,
    """Return the means of elements along axes, over all if axis is None; of integers, integers.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], 1)).tolist()
    [1.5, 3.5]
    """,
)
reduce_prod = _reduction(
    "reduce_prod",
    reductions.reduce_prod,
    "Return the products of elements along axes, over all if axis is None.",
)
reduce_max = _reduction(
    "reduce_max",
    reductions.reduce_max,
    "Return the largest elements along axes, of all if axis is None.",
)
reduce_min = _reduction(
    "reduce_min",
    reductions.reduce_min,
    "Return the smallest elements along axes, of all if axis is None.",
)
reduce_all = _reduction(
    "reduce_all",
    reductions.reduce_all,
    "Return whether all elements along axes are true, all of them if axis is None.",
)
reduce_any = _reduction(
    "reduce_any",
    reductions.reduce_any,
    "Return whether any element along axes is true, any at all if axis is None.",
)
reduce_logsumexp = _reduction(
    "reduce_logsumexp",
    reductions.reduce_logsumexp,
    "Return log(sum(exp(x))) along axes, over all if axis is None, without overflow.",
)


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


def _place(name: str, function: Callable[..., Any], which: str) -> Callable[..., Any]:
    title = name

    def made(
        input: Any,
        axis: Any = None,
        name: str | None = None,
        dimension: Any = None,
        output_type: Any = int64,
    ) -> Any:
        along = renamed("axis", axis, "dimension", dimension)
        return function(input, along, output_type, name)

    help_text = f"""Return where the {which} element is along axis, 0 if None.

    Of equal ones it is the first. dimension is the older name of axis.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.{title}([[1, 9], [5, 2]], 1)).tolist()
    {"[1, 0]" if which == "largest" else "[0, 1]"}
    """
    return explained(made, title, help_text)


argmax = _place("argmax", reductions.argmax, "largest")
argmin = _place("argmin", reductions.argmin, "smallest")


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

    called = f"to_{default.removeprefix('To').lower()}"
    return explained(made, called, f"Return x, dense or sparse, as {dtype}.")


to_float = _to("ToFloat", "float32")
to_double = _to("ToDouble", "float64")
to_int32 = _to("ToInt32", "int32")
to_int64 = _to("ToInt64", "int64")
to_bfloat16 = _to("ToBFloat16", "bfloat16")
to_complex64 = _to("ToComplex64", "complex64")
to_complex128 = _to("ToComplex128", "complex128")

mod = elementwise.floormod
