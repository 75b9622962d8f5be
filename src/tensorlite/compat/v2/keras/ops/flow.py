"""tf.keras.ops that call functions: conditions, loops, maps, scans; parts by place."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared import along
from tensorlite.compat.shared.python import custom_gradient as custom_gradient
from tensorlite.compat.v2.keras.ops import making
from tensorlite.compat.v2.keras.ops.making import operation, tensor
from tensorlite.core import nest
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of


@operation
def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Return what one of two functions returns, by a scalar."""
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    return tl.cond(tensor(pred, tl.bool), true_fn, false_fn)


@operation
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """Return what the branch of a number returns for the operands.

    Numbers below and beyond stand for the first and the last branch.
    """
    count = len(branches)
    chosen = tl.clip(tensor(index, int32), 0, count - 1)
    return tl.switch_case(chosen, [partial(branch, *operands) for branch in branches])


@operation
def while_loop(
    cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None
) -> Any:
    """Return the variables after body is applied to them for as long as cond holds.

    A loop over one value, not in a list, returns one value.
    """
    is_sequence = isinstance(loop_vars, (tuple, list))
    start = tuple(loop_vars) if is_sequence else (loop_vars,)
    start = nest.map_structure(tensor, start)

    def step(*values: Any) -> Any:
        made = body(*values)
        return tuple(made) if is_sequence else (made,)

    made = tl.while_loop(
        lambda *values: tensor(cond(*values), tl.bool),
        step,
        start,
        maximum_iterations=maximum_iterations,
    )
    return tuple(made) if is_sequence else made[0]


@operation
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    """Return what body_fun(i, value) makes of a value for i from lower to below upper."""
    made = while_loop(
        lambda i, _: i < upper,
        lambda i, value: (i + 1, body_fun(i, value)),
        (tensor(lower), init_val),
    )
    return made[1]


@operation
def map(f: Any, xs: Any) -> Any:
    """Return f's results for the slices along the first axis, stacked."""
    return scan(lambda _, x: (None, f(x)), None, xs)[1]


@operation
def vectorized_map(function: Any, elements: Any) -> Any:
    """Return a function's results for the slices along the first axis, stacked."""
    return map(function, elements)


@operation
def scan(
    f: Any,
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: Any = 1,
) -> Any:
    """Return the last carry, and what a function made of each row with the carry before it."""
    rows = None if xs is None else nest.map_structure(tensor, xs)
    count = length
    if rows is not None:
        count = nest.flatten(rows)[0].shape[0]
    if count is None:
        return _scanned(f, init, rows, reverse)
    carry, found = init, []
    order = range(int(count))
    for i in reversed(order) if reverse else order:
        row = None if rows is None else nest.map_structure(lambda x, i=i: x[i], rows)
        carry, made = f(carry, row)
        found.append(made)
    if reverse:
        found.reverse()
    stacked = (
        None
        if not found or found[0] is None
        else nest.map_structure(lambda *parts: tl.stack([*parts]), *found)
    )
    return carry, stacked


def _scanned(f: Any, init: Any, rows: Any, reverse: bool) -> Any:
    """Scan rows of which it is not known how many there are."""
    if init is None:
        return None, along.map_fn(lambda row: f(None, row)[1], rows)
    first = nest.map_structure(lambda x: x[0], rows)
    kind = nest.map_structure(tl.zeros_like, f(init, first)[1])
    made = tl.scan(
        lambda before, row: f(before[0], row), rows, (init, kind), reverse=reverse
    )
    carry, found = made
    last = 0 if reverse else -1
    return nest.map_structure(lambda x: x[last], carry), found


@operation
def associative_scan(f: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """Return what a function makes of all elements up to each."""
    leaves = [tensor(x) for x in nest.flatten(elems)]
    count = leaves[0].shape[axis]
    order = list(range(count))[:: -1 if reverse else 1]

    def at(i: int) -> Any:
        place = [builtins.slice(None)] * (axis % len(leaves[0].shape))
        parts = [x[(*place, builtins.slice(i, i + 1))] for x in leaves]
        return nest.pack_like(elems, parts)

    found = [at(order[0])]
    for i in order[1:]:
        found.append(f(found[-1], at(i)))
    if reverse:
        found.reverse()
    return nest.map_structure(lambda *parts: tl.concat([*parts], axis=axis), *found)


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: Any = None) -> Any:
    """Return a function that applies pyfunc to each element of its broadcast arguments.

    InvalidArgumentError is raised for excluded and signature.
    """
    if excluded is not None or signature is not None:
        raise InvalidArgumentError(
            "vectorize: excluded and signature are not served; close over what is not an element"
        )

    def each(*args: Any) -> Any:
        spread = tl.broadcast_arrays(*[tensor(x) for x in args])
        flat = [tl.reshape(x, [-1]) for x in spread]
        made = map(lambda row: pyfunc(*row), tuple(flat))
        sizes = shape_of(spread[0])
        return nest.map_structure(lambda x: tl.reshape(x, sizes), made)

    return each


@operation
def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """Return the part of a shape that begins at indices; -1 in the shape is all that is left."""
    value = tensor(inputs)
    from_ = [tensor(i, int32) for i in _parts(start_indices)]
    asked = _parts(shape)
    whole = shape_of(value)
    for axis, (start, size) in enumerate(zip(from_, asked, strict=True)):
        end = whole[axis] if _is_rest(size) else start + tensor(size, int32)
        value = tl.gather(value, tl.arange(start, end, dtype=int32), axis=axis)
    known = [n if _is_whole(n) and n >= 0 else None for n in asked]
    return value if None in known else tl.reshape(value, [int(n) for n in known])  # type: ignore[arg-type]


def _is_whole(size: Any) -> bool:
    return isinstance(size, (int, np.integer))


def _is_rest(size: Any) -> bool:
    return _is_whole(size) and size == -1


def _parts(given: Any) -> list[Any]:
    return (
        [*given]
        if isinstance(given, (list, tuple))
        else list(tl.unstack(tensor(given)))
    )


@operation
def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """Return a tensor in which a part that begins at indices is replaced."""
    value = tensor(inputs)
    new = tensor(updates, value.dtype)
    starts = [tensor(i, int32) for i in _parts(start_indices)]
    steps = [
        start + tl.arange(0, size, dtype=int32)
        for start, size in zip(starts, shape_of(new), strict=True)
    ]
    places = tl.stack(list(tl.meshgrid(*steps, indexing="ij")), axis=-1)
    return tl.tensor_scatter_nd_update(value, places, new)


@operation
def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Return zeros of a shape with values at indices, added up where these are alike."""
    return tl.scatter_nd(tensor(indices), tensor(values), tensor(list(shape), int32))


@operation
def scatter_update(
    inputs: Any, indices: Any, updates: Any, reduction: Any = None
) -> Any:
    """Return a tensor with the elements at indices replaced by updates.

    reduction "add", "max", "min" or "mul" brings both together; others raise InvalidArgumentError.
    """
    value = tensor(inputs)
    places, new = tensor(indices), tensor(updates, value.dtype)
    if reduction == "mul":
        return value * _factors(value, places, new)
    known = {
        None: tl.tensor_scatter_nd_update,
        "add": tl.tensor_scatter_nd_add,
        "max": tl.tensor_scatter_nd_max,
        "min": tl.tensor_scatter_nd_min,
    }
    if reduction not in known:
        raise InvalidArgumentError(
            f"scatter_update: reduction={reduction!r}; it is None, add, max, min or mul"
        )
    return known[reduction](value, places, new)


def _factors(value: Any, places: Any, new: Any) -> Any:
    """Return the products of all that is to be multiplied with each element, ones elsewhere."""
    depth = int(places.shape[-1])
    sizes = shape_of(value)
    inner = tl.flip(tl.concat([sizes[1:depth], [1]]), axis=0)
    steps = tl.flip(tl.cumulative_prod(inner, axis=0), axis=0)
    rows = tl.reshape(tl.sum(places * astype(steps, places.dtype), axis=-1), [-1])
    parts = tl.reshape(new, tl.concat([[-1], sizes[depth:]]))
    found = tl.unsorted_segment_prod(parts, rows, tl.prod(sizes[:depth]))
    return tl.reshape(found, sizes)


@operation
def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """Return a tensor whose axes are ordered, joined and parted as a pattern says."""
    value = making.tensor(tensor)
    left, right = (_groups(side) for side in pattern.split("->"))
    sizes: dict[str, Any] = dict(axes_lengths)
    for group, size in zip(left, shape_of(value), strict=True):
        unknown = [name for name in group if name not in sizes]
        known = int(np.prod([sizes[name] for name in group if name in sizes]))
        if len(unknown) == 1:
            sizes[unknown[0]] = size // known
    flat = [name for group in left for name in group]
    value = tl.reshape(value, [sizes[name] for name in flat])
    order = [flat.index(name) for group in right for name in group]
    value = tl.permute_dims(value, tuple(order))
    return tl.reshape(value, [_product(sizes[name] for name in g) for g in right])


def _product(sizes: Any) -> Any:
    total: Any = 1
    for size in sizes:
        total = total * size
    return total


def _groups(side: str) -> list[list[str]]:
    """Return the names of axes, those in parentheses together."""
    found: list[list[str]] = []
    inside = False
    for word in side.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            inside = True
            found.append([])
        elif word == ")":
            inside = False
        elif inside:
            found[-1].append(word)
        else:
            found.append([] if word == "1" else [word])
    return found
