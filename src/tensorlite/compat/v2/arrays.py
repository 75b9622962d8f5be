"""Functions whose arguments TensorFlow 2 has in an order of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.calling import deferring
from tensorlite.compat.shared import (
    along,
    arrays,
    cutting,
    masks,
    padding,
    picking,
    python,
)
from tensorlite.compat.shared.ragged_and_sparse import ragged_forms, sparse_rows
from tensorlite.compat.v1.graphs import together
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.function.staging import converts_functions


def boolean_mask(
    tensor: Any, mask: Any, axis: int | None = None, name: str = "boolean_mask"
) -> Any:
    """Return the parts of a tensor where a mask is true, along the first of the mask's axes.

    The mask's shape is that of the tensor's axes from axis on (from 0 if None); these axes become
    one, with as many elements as the mask has true ones.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy().tolist()
    [1, 3]
    """
    return masks.boolean_mask(tensor, mask, axis, name)


def transpose(
    a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose"
) -> Any:
    """Return the tensor with its axes in the order of perm, or reversed if that is None.

    conjugate negates imaginary parts too.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    return arrays.transpose(a, perm, name, conjugate)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    """Return the tensor with elements added before and after it along each axis.

    paddings has a row [before, after] for each axis. mode is "CONSTANT", which fills with
    constant_values, "REFLECT" (the edge is not repeated) or "SYMMETRIC" (it is), in either case of
    letters; InvalidArgumentError is raised for others and for paddings below 0.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.pad([1, 2, 3], [[1, 2]], constant_values=9).numpy().tolist()
    [9, 1, 2, 3, 9, 9]
    """
    return padding.pad(tensor, paddings, mode, name, constant_values)


def ones(
    shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None
) -> Any:
    """Return a tensor of a shape filled with ones, or with true if dtype is bool.

    layout has no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.ones([2, 2]).numpy().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    return arrays.ones(shape, dtype, name=name)


def zeros(
    shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None
) -> Any:
    """Return a tensor of a shape filled with zeros; of strings, with empty ones.

    layout has no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.zeros([2], tf.int32).numpy().tolist()
    [0, 0]
    """
    return arrays.zeros(shape, dtype, name=name)


def ones_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Any:
    """Return ones in the shape of another tensor, with its dtype unless one is given.

    layout has no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.ones_like([3, 4]).numpy().tolist()
    [1, 1]
    """
    return arrays.ones_like(input, dtype, name=name)


def zeros_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Any:
    """Return zeros in the shape of another tensor, with its dtype unless one is given.

    layout has no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.zeros_like([3, 4], tf.float32).numpy().tolist()
    [0.0, 0.0]
    """
    return arrays.zeros_like(input, dtype, name=name)


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """Return a tensor of the shape dims whose elements are all a scalar.

    layout has no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.fill([2, 2], 7).numpy().tolist()
    [[7, 7], [7, 7]]
    """
    return arrays.fill(dims, value, name)


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Return the sizes of a tensor's axes as a vector, of int32 or of out_type.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.shape([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
    [2, 3]
    """
    return arrays.shape(input, out_type or int32, name)


def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Return how many elements a tensor has, as a scalar of int32 or of out_type.

    >>> from tensorlite.compat import v2 as tf
    >>> int(tf.size([[1, 2, 3], [4, 5, 6]]))
    6
    """
    return arrays.size(input, out_type or int32, name)


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Any:
    """Return the elements of x where a condition is true and those of y elsewhere.

    All three broadcast. Without x and y: the indices of the true elements, as rows of an int64
    matrix. With one of the two InvalidArgumentError is raised.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.where([True, False], [1, 2], [10, 20]).numpy().tolist()
    [1, 20]
    """
    if x is None and y is None:
        return picking.places_of(condition, name)
    if x is None or y is None:
        raise InvalidArgumentError("x and y must both be non-None or both be None.")
    return picking.select(condition, x, y, name)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Return the shape that two shapes broadcast to, both given as vectors of integers."""
    return cutting.broadcast_dynamic_shape(shape_x, shape_y)


def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Return the slices of params at indices, whose last axis has an index for each leading axis.

    The first batch_dims axes are common to both. What is not there is an error, or with the
    bad_indices_policy "IGNORE" zeros.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    """
    policy = bad_indices_policy
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise InvalidArgumentError(
            f"gather_nd: bad_indices_policy={policy!r}; allowed are DEFAULT, ERROR and IGNORE"
        )
    if policy == "IGNORE":
        return picking.gather_nd_or_zeros(params, indices, batch_dims, name=name)
    return picking.gather_nd(params, indices, batch_dims, name)


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    """Return the tensors of a list, each once all of them and control_inputs are computed."""
    return together.tuple_(tensors, name, control_inputs)


def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Return what a Python function gives for arrays, as tensors of the dtypes Tout.

    inp are the tensors it is given. It has no gradient; stateful says that it may not be left out
    nor computed once for several calls. Without func a decorator is returned.
    """
    if func is not None:
        return python.py_func(func, inp, Tout, stateful, name)
    return lambda decorated: (
        lambda *args: python.py_func(decorated, args, Tout, stateful, name)
    )


@converts_functions
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Return fn's results for the elements along elems' first axis, stacked.

    elems may be a nest of tensors, of which fn gets one element each, and may be ragged or sparse;
    such a result is asked for by fn_output_signature, or dtype, its older name. back_prop,
    swap_memory and infer_shape have no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]
    """
    signature = dtype if fn_output_signature is None else fn_output_signature
    if sparse_rows.has_sparse((elems, signature)):
        return sparse_rows.map_sparse_rows(fn, elems, signature)
    if ragged_forms.has_ragged((elems, signature)):
        return ragged_forms.map_rows(fn, elems, signature)
    return along.map_fn(fn, elems, parallel_iterations or 10, name)


def vectorized_map(
    fn: Callable[..., Any],
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    """Return fn's results for the elements along elems' first axis, computed all at once.

    fallback_to_while_loop and warn have no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.vectorized_map(lambda x: x + 1, tf.constant([1, 2])).numpy().tolist()
    [2, 3]
    """
    if ragged_forms.has_ragged(elems):
        return ragged_forms.map_rows(fn, elems, None)
    return along.vectorized_map(fn, elems)


@deferring
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return what fn(accumulated, element) comes to, from the first element of elems on.

    Without an initializer the first element is what is accumulated at first. back_prop and
    swap_memory have no effect.
    """
    return along.foldl(fn, elems, initializer, parallel_iterations, name)


@deferring
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return what fn(accumulated, element) comes to, from the last element of elems on.

    Without an initializer the last element is what is accumulated at first. back_prop and
    swap_memory have no effect.
    """
    return along.foldr(fn, elems, initializer, parallel_iterations, name)


@deferring
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return all that fn(accumulated, element) has come to along elems' first axis, stacked.

    Without an initializer the first element, or the last if reverse, stands for itself. back_prop,
    swap_memory and infer_shape have no effect.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    return along.scan(fn, elems, initializer, parallel_iterations, reverse, name)
