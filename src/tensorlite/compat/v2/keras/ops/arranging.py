"""tf.keras.ops that join and part tensors, move and choose their elements."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared import arrays, cutting, elementwise
from tensorlite.compat.v2.keras.ops.creating import ndim, shape, sizes_of_shape
from tensorlite.compat.v2.keras.ops.making import (
    named,
    of_one,
    operation,
    tensor,
    together,
)
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.ops.arrays.repeat import Mode
from tensorlite.ops.arrays.shape import astype, shape_of


@operation
def reshape(x: Any, newshape: Any) -> Any:
    """Return the elements in another shape, one size of which may be -1.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.ops.reshape([1, 2, 3, 4], (2, -1)).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return tl.reshape(tensor(x), sizes_of_shape(newshape))


@operation
def broadcast_to(x: Any, shape: Any) -> Any:
    """Return the tensor repeated to a shape, by the rules of broadcasting."""
    return cutting.broadcast_to(tensor(x), sizes_of_shape(shape))


copy = of_one("copy", tl.identity)
ravel = of_one("ravel", lambda x: tl.reshape(x, [-1]))
fliplr = of_one("fliplr", lambda x: tl.flip(x, axis=1))
flipud = of_one("flipud", lambda x: tl.flip(x, axis=0))
nonzero = of_one("nonzero", lambda x: tuple(astype(i, int32) for i in tl.nonzero(x)))
hstack = named("hstack", lambda xs: _side_by_side(_of_rank(xs, 1)))
vstack = named("vstack", lambda xs: tl.concat(_of_rank(xs, 2), axis=0))
dstack = named("dstack", lambda xs: tl.concat(_of_rank(xs, 3), axis=2))


def _side_by_side(made: list[Any]) -> Any:
    return tl.concat(made, axis=0 if len(made[0].shape) == 1 else 1)


def _of_rank(xs: Any, rank: int) -> list[Any]:
    """Return tensors with at least so many axes, which are added where NumPy adds them."""
    made = together(*xs)
    if rank > 1:
        made = [x[None] if len(x.shape) < 2 else x for x in made]
    if rank > 2:
        made = [x[..., None] if len(x.shape) < 3 else x for x in made]
    return made


@operation
def concatenate(xs: Any, axis: int = 0) -> Any:
    """Return tensors one behind the other along an axis, in their common dtype.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.ops.concatenate([[1, 2], [3]]).numpy().tolist()
    [1, 2, 3]
    """
    return tl.concat(together(*xs), axis=axis)


@operation
def stack(x: Any, axis: int = 0) -> Any:
    """Return tensors as the slices along a new axis."""
    return tl.stack(together(*x), axis=axis)


@operation
def unstack(x: Any, num: int | None = None, axis: int = 0) -> Any:
    """Return the slices along an axis as a list; num has no effect."""
    return list(tl.unstack(tensor(x), axis=axis))


@operation
def append(x1: Any, x2: Any, axis: int | None = None) -> Any:
    """Return x2 behind x1 along an axis, or both as one vector if axis is None."""
    x, y = together(x1, x2)
    if axis is None:
        x, y, axis = tl.reshape(x, [-1]), tl.reshape(y, [-1]), 0
    return tl.concat([x, y], axis=axis)


@operation
def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return parts along an axis: as many as are asked for, or parted at indices.

    The number must divide the size.

    >>> from tensorlite.compat import v2 as tf
    >>> [x.numpy().tolist() for x in tf.keras.ops.split([1, 2, 3], [1])]
    [[1], [2, 3]]
    """
    value = tensor(x)
    if isinstance(indices_or_sections, int):
        return list(tl.split(value, indices_or_sections, axis=axis))
    size = value.shape[axis]
    places = [slice(int(i)).indices(size)[1] for i in indices_or_sections]
    ends = np.maximum.accumulate([0, *places, size])
    return list(tl.split(value, [int(n) for n in np.diff(ends)], axis=axis))


@operation
def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return parts along an axis whose sizes may differ by one, or parted at indices."""
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    parts = np.array_split(np.arange(tensor(x).shape[axis]), indices_or_sections)
    return list(tl.split(tensor(x), [len(part) for part in parts], axis=axis))


@operation
def hsplit(x: Any, indices_or_sections: Any) -> Any:
    """Return parts along axis 1, of a vector along axis 0."""
    return split(x, indices_or_sections, 0 if ndim(x) == 1 else 1)


@operation
def vsplit(x: Any, indices_or_sections: Any) -> Any:
    """Return parts along axis 0."""
    return split(x, indices_or_sections, 0)


@operation
def dsplit(x: Any, indices_or_sections: Any) -> Any:
    """Return parts along axis 2."""
    return split(x, indices_or_sections, 2)


@operation
def expand_dims(x: Any, axis: Any) -> Any:
    """Return the tensor with new axes of size 1, at the places they have in the result."""
    value = tensor(x)
    axes = [axis] if isinstance(axis, int) else list(axis)
    rank = len(value.shape) + len(axes)
    for i in sorted(i % rank for i in axes):
        value = tl.expand_dims(value, axis=i)
    return value


@operation
def squeeze(x: Any, axis: Any = None) -> Any:
    """Return the tensor without its axes of size 1, all of them or those given."""
    return arrays.squeeze(tensor(x), axis)


@operation
def transpose(x: Any, axes: Any = None) -> Any:
    """Return the tensor with its axes in another order, or reversed."""
    return arrays.transpose(tensor(x), None if axes is None else list(axes))


@operation
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Return the tensor with two axes in each other's place."""
    value = tensor(x)
    order = list(range(len(value.shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tl.permute_dims(value, tuple(order))


@operation
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Return the tensor with axes moved to other places, the others in their order."""
    return tl.moveaxis(tensor(x), source, destination)


@operation
def flip(x: Any, axis: Any = None) -> Any:
    """Return the tensor in reverse along an axis, several, or all."""
    return tl.flip(tensor(x), axis=axis)


@operation
def rot90(array: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Return the tensor turned k times by 90 degrees, from the first axis to the second."""
    value = tensor(array)
    first, second = axes
    turns = k % 4
    if turns == 2:
        return tl.flip(value, axis=(first, second))
    if turns in (1, 3):
        value = tl.flip(value, axis=second if turns == 1 else first)
        return swapaxes(value, first, second)
    return value


@operation
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Return the tensor moved along axes, what leaves at the end coming in at the front.

    Without an axis it is moved as a vector.
    """
    return tl.roll(tensor(x), shift, axis=axis)


@operation
def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return each element repeated along an axis, or those of all as a vector.

    repeats is one number, or one for each element.
    """
    return tl.repeat(tensor(x), tensor(repeats), axis=axis)


@operation
def tile(x: Any, repeats: Any) -> Any:
    """Return the tensor put one after the other repeats times along each axis."""
    value = tensor(x)
    counts = [repeats] if isinstance(repeats, int) else list(repeats)
    short = len(value.shape) - len(counts)
    value = tl.reshape(value, sizes_of_shape([*[1] * -short, *shape(value)]))
    return tl.tile(value, sizes_of_shape([*[1] * short, *counts]))


@operation
def pad(
    x: Any, pad_width: Any, mode: Mode = "constant", constant_values: Any = None
) -> Any:
    """Return the tensor with elements added around it.

    pad_width is a number, a pair for all axes, or one pair for each; mode "constant", which fills
    with constant_values, "reflect" or "symmetric".
    """
    value = tensor(x)
    widths = np.broadcast_to(np.asarray(pad_width), (len(value.shape), 2))
    filling = 0 if constant_values is None else constant_values
    return tl.pad(value, widths, mode, tensor(filling, value.dtype))


@operation
def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Return the elements at indices along an axis, or of the tensor as a vector.

    Indices below 0 count from the end.
    """
    value = tensor(x)
    if axis is None:
        value, axis = tl.reshape(value, [-1]), 0
    places = tensor(indices)
    count = tl.asarray(shape_of(value)[axis])
    places = tl.where(places < 0, places + astype(count, places.dtype), places)
    return tl.gather(value, places, axis=axis)


@operation
def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Return along an axis, at each place, the element at that place's index.

    Indices below 0 count from the end; without an axis both are vectors.
    """
    value, places = tensor(x), tensor(indices)
    if axis is None:
        value, places, axis = tl.reshape(value, [-1]), tl.reshape(places, [-1]), 0
    count = tl.asarray(shape_of(value)[axis])
    places = tl.where(places < 0, places + astype(count, places.dtype), places)
    return tl.take_along_axis(value, places, axis=axis)


@operation
def get_item(x: Any, key: Any) -> Any:
    """Return x[key]."""
    return tensor(x)[tuple(key) if isinstance(key, list) else key]


@operation
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Return at each place the choice of the first condition that is true, or default."""
    *choices, made = together(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        made = tl.where(tensor(condition, tl.bool), choice, made)
    return made


@operation
def sort(x: Any, axis: int | None = -1) -> Any:
    """Return the elements in order along an axis, or all as a vector if axis is None."""
    value = tensor(x)
    return (
        tl.sort(tl.reshape(value, [-1]))
        if axis is None
        else tl.sort(value, axis=axis)
    )


@operation
def argsort(x: Any, axis: int | None = -1) -> Any:
    """Return the indices, as int32, that would put the elements in order along an axis."""
    value = tensor(x)
    value = tl.reshape(value, [-1]) if axis is None else value
    return astype(tl.argsort(value, axis=-1 if axis is None else axis), int32)


argpartition = named("argpartition", lambda x, kth, axis=-1: argsort(x, axis))


@operation
def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    """Return the k greatest elements of each row, and their indices."""
    return tl.top_k(tensor(x), k, sorted=sorted)


@operation
def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return whether each element of x1 is among those of x2, or is not if invert.

    assume_unique has no effect.
    """
    return tl.isin(*together(x1, x2), invert=invert)


@operation
def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """Return the values that there are, in order; of rows, by way of NumPy."""
    value = tensor(x)
    asked: Any = [return_index, return_inverse, return_counts]
    kinds = [value.dtype, *[int32 for wanted in asked if wanted]]

    def found(array: Any) -> Any:
        results: Any = np.unique(array, asked[0], asked[1], asked[2], axis)
        made = list(results) if isinstance(results, tuple) else [results]
        if size is not None:
            made[0] = _resized(made[0], size, axis or 0, fill_value)
        return [
            np.asarray(a, kind.numpy) for a, kind in zip(made, kinds, strict=True)
        ]

    specs = [tl.TensorSpec(None, kind) for kind in kinds]
    made = tl.numpy_function(found, [value], specs)
    results = tuple(made)
    return results if any(asked) else results[0]


def _resized(values: Any, size: int, axis: int, fill_value: Any) -> Any:
    short = size - values.shape[axis]
    if short <= 0:
        return np.take(values, range(size), axis)
    widths = [(0, short if i == axis else 0) for i in range(values.ndim)]
    filling = values.min() if fill_value is None else fill_value
    return np.pad(values, widths, constant_values=filling)


@operation
def meshgrid(*x: Any, indexing: Literal["xy", "ij"] = "xy") -> Any:
    """Return tensors of coordinates, one for each vector, on the grid that they span.

    indexing "xy" has the second vector along the first axis, "ij" the first.
    """
    return list(tl.meshgrid(*[tensor(a) for a in x], indexing=indexing))


@operation
def tril(x: Any, k: int = 0) -> Any:
    """Return the tensor with zeros above the k-th diagonal of its matrices."""
    return tl.tril(tensor(x), k=k)


@operation
def triu(x: Any, k: int = 0) -> Any:
    """Return the tensor with zeros below the k-th diagonal of its matrices."""
    return tl.triu(tensor(x), k=k)


@operation
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Return the differences of neighbours along an axis, taken n times."""
    return tl.diff(tensor(a), n=n, axis=axis)


@operation
def unravel_index(indices: Any, shape: Any) -> Any:
    """Return the index along each axis of elements numbered in a shape."""
    rest, found = tensor(indices), []
    for n in reversed([int(n) for n in shape]):
        found.append(tl.remainder(rest, n))
        rest = tl.floor_divide(rest, n)
    return tuple(reversed(found))


@operation
def view(x: Any, dtype: Any = None) -> Any:
    """Return the tensor's bytes as another dtype."""
    value = tensor(x)
    return value if dtype is None else elementwise.bitcast(value, as_dtype(dtype))
