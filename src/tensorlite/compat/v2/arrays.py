"""Functions whose arguments TensorFlow 2 has in an order of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import (
    arrays,
    control_flow,
    masks,
    padding,
    picking,
    python,
    ragged_forms,
)
from tensorlite.compat.v1 import together
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import InvalidArgumentError


def boolean_mask(
    tensor: Any, mask: Any, axis: int | None = None, name: str = "boolean_mask"
) -> Any:
    return masks.boolean_mask(tensor, mask, axis, name)


def transpose(
    a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose"
) -> Any:
    return arrays.transpose(a, perm, name, conjugate)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    return padding.pad(tensor, paddings, mode, name, constant_values)


def ones(
    shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None
) -> Any:
    return arrays.ones(shape, dtype, name=name)


def zeros(
    shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None
) -> Any:
    return arrays.zeros(shape, dtype, name=name)


def ones_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Any:
    return arrays.ones_like(input, dtype, name=name)


def zeros_like(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Any:
    return arrays.zeros_like(input, dtype, name=name)


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    return arrays.fill(dims, value, name)


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    return arrays.shape(input, out_type or int32, name)


def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    return arrays.size(input, out_type or int32, name)


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Any:
    if x is None and y is None:
        return picking.places_of(condition, name)
    if x is None or y is None:
        raise InvalidArgumentError("x and y must both be non-None or both be None.")
    return picking.select(condition, x, y, name)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    return arrays.broadcast_dynamic_shape(shape_x, shape_y)


def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    return picking.gather_nd(params, indices, batch_dims, name)


def tuple(tensors: Any, control_inputs: Any = None, name: str | None = None) -> Any:
    return together.tuple_(tensors, name, control_inputs)


def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    if func is not None:
        return python.py_func(func, inp, Tout, stateful, name)
    return lambda decorated: (
        lambda *args: python.py_func(decorated, args, Tout, stateful, name)
    )


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
    signature = dtype if fn_output_signature is None else fn_output_signature
    if ragged_forms.has_ragged((elems, signature)):
        return ragged_forms.map_rows(fn, elems, signature)
    return control_flow.map_fn(fn, elems, parallel_iterations or 10, name)


def vectorized_map(
    fn: Callable[..., Any],
    elems: Any,
    fallback_to_while_loop: bool = True,
    warn: bool = True,
) -> Any:
    if ragged_forms.has_ragged(elems):
        return ragged_forms.map_rows(fn, elems, None)
    return control_flow.vectorized_map(fn, elems)


def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    return control_flow.foldl(fn, elems, initializer, parallel_iterations, name)


def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    return control_flow.foldr(fn, elems, initializer, parallel_iterations, name)


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
    return control_flow.scan(
        fn, elems, initializer, parallel_iterations, reverse, name
    )
