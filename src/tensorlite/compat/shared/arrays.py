"""Functions that make and rearrange tensors, which TensorFlow 1 and 2 have alike.

Picking, scattering and ordering elements is in picking.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import lt, mul
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.adopting import holds_operand, inner_named
from tensorlite.compat.arguments import keep_name
from tensorlite.compat.calling import converted, given_constant, named, own_or
from tensorlite.compat.documenting import documented
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.ragged_and_sparse.written import will_be_written
from tensorlite.compat.shared.sizes import (
    SMALL,
    cast_of_sparse,
    is_one_size,
    is_small,
    placed,
    range_of,
    sizes_of,
    whole_sizes,
)
from tensorlite.compat.views import plain, shown
from tensorlite.core import nest
from tensorlite.core.check import integers_of, one_integer, several
from tensorlite.core.dispatch import call, calls, constant
from tensorlite.core.dtypes import (
    DType,
    as_dtype,
    float32,
    float64,
    int32,
    string,
)
from tensorlite.core.errors import ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.variables import GraphVariable
from tensorlite.ops.arrays.arrange import Size
from tensorlite.ops.arrays.ensure import ensure_shape as ensured
from tensorlite.ops.arrays.identity import IdentityN
from tensorlite.ops.arrays.shape import as_shape as shape_tensor, shape_of
from tensorlite.ops.math.flows import ShapeN
from tensorlite.ops.sparse.tensor import SparseTensor


def tensors_of(
    values: Any, dtype: DType | None = None, name: str = "values_{}"
) -> list[Any]:
    """Return values as tensors; those that are none take the dtype of the first that is one.

    They bear a name with the place among them.
    """
    if isinstance(values, Operand):
        return list(tl.unstack(values))
    several(values, "values", "a list or tuple of tensors")
    of = [x.__tensor__().dtype for x in values if isinstance(x, Operand)]
    found = of[0] if dtype is None and of else dtype
    made = [converted(x, found, name.format(i)) for i, x in enumerate(values)]
    return [converted(x, made[0].dtype) if found is None else x for x in made]


@named("Reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """Return the elements of a tensor, in row-major order, in another shape.

    One size may be -1: it is what the others leave. ShapeError if the counts of elements differ.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.reshape([[1, 2, 3], [4, 5, 6]], [3, -1]).numpy().tolist()
    [[1, 2], [3, 4], [5, 6]]
    """
    return tl.reshape(converted(tensor), sizes_of(shape))


@named("transpose")
def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Any:
    """Return the tensor with its axes in the order of perm, reversed if that is None.

    With conjugate=True complex numbers are conjugated, too; real ones are left as they are.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.transpose([[1, 2, 3]]).numpy().tolist()
    [[1], [2], [3]]
    """
    x = converted(a)
    order = perm.tolist() if isinstance(perm, np.ndarray) else perm
    is_packed = holds_operand(order)
    moved = tl.transpose(x, converted(order, int32, "perm") if is_packed else order)
    return tl.conj(moved) if conjugate and x.dtype.is_complex else moved


def _joined_name(values: Any, *_: Any, name: str | None = None, **__: Any) -> str:
    """Return what the node is called below the name of a call: one value is an Identity in it."""
    one = not isinstance(values, (list, tuple)) or len(values) == 1
    return own_or("concat")(name=name) if one else ""


@named("concat", _joined_name)
def concat(values: Any, axis: Any, name: str | None = "concat") -> Any:
    """Return tensors joined along an axis that they have; all other sizes must agree.

    What is no list counts as a list of one. ShapeError for scalars, which `stack` joins.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.concat([[[1, 2]], [[3, 4]]], axis=1).numpy().tolist()
    [[1, 2, 3, 4]]
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        at = converted(axis, None, "concat_dim")
        if at.spec.axis() is None and at.spec.rank not in {None, 0}:
            raise ShapeError(f"concat: axis is a scalar, not of shape {at.shape}")
        return tl.identity(converted(values[0]))
    parts = tensors_of(values)
    if any(x.spec.rank == 0 for x in parts):
        raise ShapeError("Can't concatenate scalars (use tf.stack instead)")
    return tl.concat(parts, axis=axis)


_NUMBERS = (bool, int, float, str, bytes, np.number, np.bool_)


@named("stack")
def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Any:
    """Return tensors of one shape joined along a new axis, which the result has at `axis`.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    if axis or active_graph() is None or isinstance(values, Operand):
        return tl.stack(tensors_of(values), axis=axis)
    several(values, "values", "a list or tuple of tensors")
    if _are_numbers(values):
        return converted(_as_lists(values))
    return tl.stack(tensors_of(values, name="{}"), axis=axis)


def _are_numbers(x: Any) -> bool:
    """Return whether there are numbers only in lists within lists."""
    if isinstance(x, (list, tuple)):
        return all(map(_are_numbers, x))
    return isinstance(x, _NUMBERS)


def _as_lists(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_as_lists(y) for y in x]
    return x.tolist() if isinstance(x, np.generic) else x


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> Any:
    """Return a list of the slices of a tensor along an axis, without that axis.

    The size of the axis must be known, or be given as num; ShapeError if num is another one.

    >>> from tensorlite.compat import v2 as tf
    >>> [x.numpy().tolist() for x in tf.unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]
    """
    if num is None and isinstance(value, GraphVariable):
        value = value.__tensor__()
        keep_name(value.node)  # read by itself, as its size is asked for
    return _unstacked(value if num else given_constant(value), num, axis, name)


@named("unstack")
def _unstacked(value: Any, num: Any, axis: int, name: str | None) -> Any:
    return list(tl.unstack(converted(value), axis=axis, num=num))


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> Any:
    """Return a list of the parts that a tensor is cut into along an axis.

    `num_or_size_splits` is how many parts of one size, or the size of each; one of these may be -1.
    `num` says how many sizes there are where they are a tensor of unknown length.

    >>> from tensorlite.compat import v2 as tf
    >>> [x.numpy().tolist() for x in tf.split([1, 2, 3, 4, 5], [2, 3])]
    [[1, 2], [3, 4, 5]]
    """
    if active_graph() is not None:
        sizes = num_or_size_splits
        if isinstance(sizes, int):
            given_constant(sizes, int32)  # TensorFlow makes it, and seeds count it
        elif isinstance(sizes, (list, tuple)):
            num_or_size_splits = given_constant(sizes)
    return _split(value, num_or_size_splits, axis, num, name=name)


@named("split")
def _split(
    value: Any,
    parts: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> Any:
    if isinstance(parts, np.ndarray):
        parts = parts.tolist()
    if isinstance(parts, (list, tuple)):
        computed = any(isinstance(x, Operand) for x in parts)
        parts = tl.stack(tensors_of(parts)) if computed else list(parts)
    if num is not None and isinstance(parts, Operand):
        parts = ensured(parts, (num,))
    return list(tl.split(converted(value), parts, axis))


@named("ExpandDims")
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """Return the tensor with an axis of size 1 put in, at `axis` of the result.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.expand_dims([1, 2], -1).numpy().tolist()
    [[1], [2]]
    """
    if holds_operand(axis):
        axis = converted(axis, None, "dim")
    elif isinstance(axis, (list, tuple, np.ndarray)):
        axis = one_integer(axis, "expand_dims: axis")
    return tl.expand_dims(converted(input), axis)


@named("Squeeze")
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Return the tensor without the axes of size 1 that are named, or all of them.

    ShapeError if a named axis has another size.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.squeeze([[[1], [2]]], axis=2).numpy().tolist()
    [[1, 2]]
    """
    axes = None if axis is None else integers_of(axis, "squeeze: axis")
    return tl.squeeze(converted(input), axes or None)


@named("Shape", cast_of_sparse)
def shape(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    """Return the sizes of a tensor as a vector of int32, or of `out_type`.

    Of a sparse tensor its dense shape.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.shape([[1, 2, 3]]).numpy().tolist()
    [1, 3]
    """
    if isinstance(input, SparseTensor):
        return tl.astype(input.dense_shape, as_dtype(out_type))
    return shape_of(_packed(input), as_dtype(out_type))


@named("ShapeN")
def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    """Return a list of the shapes of tensors, vectors of int32 or of `out_type`."""
    return list(calls(ShapeN(as_dtype(out_type)), *map(converted, input)))


@named("Size")
def size(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    """Return how many elements a tensor has, or places a sparse one, as int32 or `out_type`."""
    if isinstance(input, SparseTensor):
        return tl.astype(tl.prod(input.dense_shape), as_dtype(out_type))
    x, wanted = _packed(input), as_dtype(out_type)
    n = x.spec.size
    return call(Size(wanted), x) if n is None else constant(n, wanted)


@named("Rank")
def rank(input: Any, name: str | None = None) -> Any:
    """Return how many axes a tensor has, as a scalar of int32."""
    if isinstance(input, SparseTensor):
        return tl.size(input.dense_shape)
    return tl.rank(_packed(input))


def _packed(input: Any) -> Tensor:
    """Return a value as a tensor; a list with tensors in it is packed by that name."""
    return converted(input, None, "packed" if holds_operand(input) else "Const")


def _filled(default: str, value: Any) -> Callable[..., Any]:
    @named(default)
    def made(shape: Any, dtype: Any = float32, name: str | None = None) -> Any:
        wanted, sizes = as_dtype(dtype), sizes_of(whole_sizes(shape))
        if is_small(sizes) and not is_one_size(shape):
            array = np.full([int(n) for n in sizes], _bare(wanted, value))
            return constant(array)
        _ask_how_many(shape)
        is_whole = isinstance(shape, Operand)
        return _all_alike(sizes if is_whole else _listed(sizes), wanted, value)

    return made


def _all_alike(sizes: Any, dtype: DType, value: Any) -> Any:
    """Return a tensor that holds a value throughout, as TensorFlow names what it is made of."""
    return tl.fill(sizes, inner_named(_element(dtype, value), "Const"))


def _listed(sizes: Any) -> Any:
    """Return sizes that were listed as a tensor, as TensorFlow names it."""
    if isinstance(sizes, Operand):
        return inner_named(sizes.__tensor__(), "packed")
    fine = all(type(n) is int and n >= 0 for n in sizes)
    made = placed(sizes, int32) if fine else shape_tensor(sizes)
    return inner_named(made, "shape_as_tensor")


def _ask_how_many(sizes: Any) -> None:
    """Make the nodes by which TensorFlow asks in vain whether there are few elements."""
    listed = sizes if isinstance(sizes, (list, tuple)) else []
    if active_graph() is not None and any(isinstance(x, Operand) for x in listed):
        lt(reduce(mul, shown(list(listed))), SMALL)


def _element(dtype: DType, value: Any) -> Any:
    return constant(_bare(dtype, value))


def _bare(dtype: DType, value: Any) -> np.ndarray[Any, Any]:
    if dtype is string:
        return np.asarray(b"" if not value else b"1", object)
    return np.asarray(value, dtype.numpy)


zeros = documented(
    _filled("zeros", 0),
    """Return a tensor of a shape that holds 0 throughout, of float32 or of a dtype.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.zeros([2, 3], tf.int32).numpy().tolist()
    [[0, 0, 0], [0, 0, 0]]
    """,
)
ones = documented(
    _filled("ones", 1),
    "Return a tensor of a shape that holds 1 throughout, of float32 or of a dtype.",
)


def _like(
    default: str, function: Callable[..., Any], value: Any
) -> Callable[..., Any]:
    @named(default)
    def made(x: Any, dtype: Any, name: str | None = None) -> Any:
        operand = given_constant(x, name="tensor")
        wanted = operand.dtype if dtype is None else as_dtype(dtype)
        if active_graph() is None and wanted is not string:
            return function(operand, dtype=wanted)
        sizes = operand.spec.shape
        if not value and sizes is not None and is_small(list(sizes)):
            return constant(np.full(sizes, _bare(wanted, 0), wanted.numpy))
        if not value and wanted is operand.dtype and wanted is not string:
            return function(operand, dtype=wanted)
        return _all_alike(inner_named(shape_of(operand), "Shape"), wanted, value)

    return made


zeros_like = documented(
    _like("zeros_like", tl.zeros_like, 0),
    "Return 0 in the shape of a tensor, and in its dtype unless one is given.",
)
ones_like = documented(
    _like("ones_like", tl.ones_like, 1),
    "Return 1 in the shape of a tensor, and in its dtype unless one is given.",
)


@named("Fill")
def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """Return a tensor of shape `dims` that holds a scalar throughout, of its dtype.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.fill([2, 3], 7).numpy().tolist()
    [[7, 7, 7], [7, 7, 7]]
    """
    return tl.fill(sizes_of(dims), converted(value))


@named("eye", "diag")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    """Return an identity matrix of float32 or of `dtype`, one for each place of a batch.

    Without num_columns it is square. With a batch_shape the shape is [*batch_shape, rows, columns].

    >>> from tensorlite.compat import v2 as tf
    >>> tf.eye(2, 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    made = tl.eye(num_rows, num_columns, dtype=as_dtype(dtype))
    if batch_shape is None:
        return made
    batch = shape_tensor(sizes_of(batch_shape))
    return tl.broadcast_to(made, tl.concat([batch, shape_of(made)]))


@named("range")
def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Any = None,
    name: str | None = "range",
) -> Any:
    """Return the numbers from start up to limit, which is left out, in steps of delta.

    With one argument they begin at 0. The dtype is that of the arguments unless one is given.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.range(3, 12, 4).numpy().tolist()
    [3, 7, 11]
    """
    ends = [0, start, delta] if limit is None else [start, limit, delta]
    wanted = None if dtype is None else as_dtype(dtype)
    return range_of(ends, wanted)


@named("LinSpace")
def linspace(
    start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0
) -> Any:
    """Return `num` numbers from start to stop, both included, at equal distances.

    Ends that are tensors are interpolated element by element; the new axis then lies at `axis`.
    Whole numbers become float64.
    """
    first = converted(start)
    if first.dtype.is_integer:
        first = tl.astype(first, float64)
    last = converted(stop, first.dtype)
    if first.ndim == 0 and last.ndim == 0:
        return tl.linspace(first, last, num)
    steps = tl.linspace(0.0, 1.0, num)
    steps = tl.astype(steps, first.dtype)
    rows = tl.reshape(steps, [-1, *[1] * first.ndim])
    return tl.moveaxis(first + rows * (last - first), 0, axis)


@named("Identity")
def identity(input: Any, name: str | None = None) -> Any:
    """Return a tensor of the same shape and values.

    Sparse tensors, slices and other composite values come back as their own kind.
    """
    if isinstance(input, SparseTensor):
        return SparseTensor(*[tl.identity(x) for x in input])
    if isinstance(input, IndexedSlices):
        rows = tl.identity(input.values), tl.identity(input.indices)
        return IndexedSlices(*rows, input.dense_shape)
    if isinstance(input, nest.Composite) and not will_be_written(input):
        return nest.map_structure(lambda x: tl.identity(converted(x)), input)
    return tl.identity(converted(input))


@named("IdentityN")
def identity_n(input: Any, name: str | None = None) -> Any:
    """Return a list of tensors with the shapes and values of those given."""
    return list(calls(IdentityN(), *map(converted, input)))


@named("StopGradient")
def stop_gradient(input: Any, name: str | None = None) -> Any:
    """Return the tensor as it is, as a constant to whatever asks for gradients."""
    return tl.stop_gradient(converted(input))


@named("EnsureShape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Return the tensor, of a shape whose sizes may be None; an error if it is another one."""
    return ensured(converted(x), plain(TensorShape(shape)))
