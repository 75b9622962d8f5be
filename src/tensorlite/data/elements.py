"""Elements of datasets: values as tensors, tensors as batches, and the specs of both.

What makes elements, and in which order, is in the other modules.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from tensorlite.core import dtypes, nest
from tensorlite.core.check import several, whole
from tensorlite.core.dispatch import interpreted_by, to_tensor
from tensorlite.core.dtypes import DType, as_dtype
from tensorlite.core.errors import (
    DataLossError,
    DTypeError,
    InvalidArgumentError,
    ShapeError,
    StructureError,
    TensorliteError,
)
from tensorlite.core.operand import Operand
from tensorlite.core.spec import Dims, TensorSpec, join
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.core.xp import CPU, to_host
from tensorlite.data.base import Pipeline
from tensorlite.data.composites import (
    COMPOSITES,
    RaggedRow,
    batch_spec,
    each,
    gathered_rows,
    leaves,
    packed,
    ragged_column,
    row_count,
    row_reader,
    row_spec,
    structure_of,
)
from tensorlite.data.given import value_of
from tensorlite.data.several import Datasets, all_datasets
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.values import RaggedTensorValue
from tensorlite.ops.sparse.tensor import SparseTensor, sparse_spec


def tensors(value: Any) -> Any:
    """Return a structure with tensors for leaves; a list of numbers is one tensor."""
    if isinstance(value, RaggedTensorValue):
        return RaggedTensor.of(tensors(value.values), tensors(value.row_splits))
    kind = getattr(type(value), "plain_kind", None)
    if kind is SparseTensor and not isinstance(value, SparseTensor):
        if any(isinstance(x, Operand) for x in value):
            return SparseTensor.from_value(value)
        with interpreted_by(None):  # the arrays of one
            return SparseTensor.from_value(value)
    if nest.is_nested(value) and not isinstance(value, list):
        return nest.rebuild(
            value, [tensors(member) for member in nest.children(value)]
        )
    if value is None or isinstance(value, (Pipeline, Datasets)):
        return value
    if all_datasets(value):
        return Datasets(value)
    if isinstance(value, Operand) or any(
        isinstance(x, Operand) for x in nest.flatten(value)
    ):
        return to_tensor(value)
    # What has its value already is no part of a graph that is made here.
    with interpreted_by(None):
        return to_tensor(value)


def returned(value: Any) -> Any:
    """Return what a function made of an element, as an element: a list is a tuple."""
    if type(value) is EagerTensor:
        return value
    return tensors(tuple(value) if isinstance(value, list) else value)


def arguments(element: Any) -> Sequence[Any]:
    """Return an element as the arguments of a function: a tuple's members, or itself."""
    plain = isinstance(element, tuple) and not hasattr(element, "_fields")
    return element if plain else (element,)


def rows_of(whole: Any, what: str) -> int:
    """Return how many rows all tensors of a structure have; InvalidArgumentError if they differ."""
    counts = [row_count(leaf) for leaf in leaves(whole) if leaf is not None]
    sizes = sorted({count or 0 for count in counts})
    if len(sizes) != 1 or None in counts:
        raise InvalidArgumentError(
            f"{what}: the tensors have {sizes} rows; allowed is one number"
        )
    return int(sizes[0])


def rows_known(spec: Any, what: str) -> int | None:
    """Return how many rows all elements of a spec have, None if that is not known.

    InvalidArgumentError if one has none, or they differ.
    """
    tensors_in = [x for x in leaves(spec) if isinstance(x, TensorSpec)]
    shapes = [x.shape for x in tensors_in if x.dtype is not dtypes.variant]
    if () in shapes:
        raise InvalidArgumentError(
            f"{what}: Cannot unbatch an input with scalar components: {spec}"
        )
    first = [shape[0] for shape in shapes if shape is not None]
    sizes = {size for size in first if size is not None}
    if len(sizes) > 1:
        raise InvalidArgumentError(
            f"{what} is only supported for datasets of elements whose components have a matching "
            f"leading dimension; these have {sorted(sizes)}"
        )
    return sizes.pop() if sizes else None


def no_rows(spec: Any) -> Any:
    """Return a batch of no elements of a spec."""

    def empty(leaf: TensorSpec) -> Tensor:
        sizes = [size or 0 for size in leaf.shape or ()]
        return to_tensor(np.zeros((0, *sizes), leaf.dtype.numpy))

    return each(empty, spec)


def row_readers(whole: Any) -> list[Callable[[int], Any]]:
    """Return a function for each tensor of a structure that returns a row of it."""
    return [_row_reader(leaf) for leaf in leaves(whole)]


def _row_reader(leaf: Any) -> Callable[[int], Any]:
    if leaf is None:
        return lambda _: None
    if isinstance(leaf, Datasets):
        return leaf.__getitem__
    if isinstance(leaf, COMPOSITES):
        return row_reader(leaf)
    array = leaf.array
    if type(array) is not np.ndarray:
        return lambda i: leaf[i]
    # The short way: a view for each row, which is what an index by dispatch makes, too.
    return lambda i: EagerTensor(array[i, ...], CPU)


def stacked(group: list[Any]) -> Any:
    """Return elements as one, every tensor with a new first axis."""
    try:
        return _stacked(group)
    except ShapeError as error:
        raise InvalidArgumentError(f"{_unlike(group)}{error}") from None
    except TensorliteError as error:
        error.add_note(
            "while batching elements of a dataset, which must be of one shape"
        )
        raise


def _unlike(group: list[Any]) -> str:
    """Return which elements' tensors are not of the shape of the first's, if that is known."""
    first, *others = [nest.flatten(element) for element in group]
    for number, element in builtins.enumerate(others, 1):
        for place, (a, b) in builtins.enumerate(
            builtins.zip(first, element, strict=False)
        ):
            if not (isinstance(a, EagerTensor) and isinstance(b, EagerTensor)):
                continue
            have, found = list(a.array.shape), list(b.array.shape)
            if have != found:
                return (
                    f"Cannot batch tensors with different shapes in component {place}. First "
                    f"element had shape {have} and element {number} had shape {found}. "
                )
    return "Cannot batch tensors with different shapes. "


def stacking(dataset: Pipeline[Any]) -> Callable[[list[Any]], Any]:
    """Return what makes one element of several: rows of ragged tensors are ragged ones again."""
    if not dataset.from_ragged:
        return stacked
    spec = cache(lambda: leaves(dataset.element_spec))

    def one(group: list[Any]) -> Any:
        columns = builtins.zip(spec(), *map(leaves, group), strict=True)
        return packed(group[0], [_rows_or_stacked(*column) for column in columns])

    return one


def _rows_or_stacked(spec: Any, *rows: Any) -> Any:
    if isinstance(spec, RaggedRow):
        return gathered_rows(rows, spec)
    return stacked(list(rows))


def _stacked(group: list[Any]) -> Any:
    first = group[0]
    if not nest.is_nested(first):
        return _column(group)
    if isinstance(first, SparseTensor):
        return _sparse_column(group)
    if isinstance(first, RaggedParts):
        return ragged_column(group)
    columns = builtins.zip(*map(nest.children, group), strict=True)
    return nest.rebuild(first, [_stacked(list(column)) for column in columns])


def _column(leaves: list[Any]) -> Any:
    if leaves[0] is None:
        return None
    if isinstance(leaves[0], Pipeline):
        return Datasets(leaves)
    arrays = [leaf.array for leaf in leaves]
    first = arrays[0]
    kinds = {
        (type(x), getattr(x, "shape", None), getattr(x, "dtype", None))
        for x in arrays
    }
    if len(kinds) == 1 and type(first) is np.ndarray:
        return EagerTensor(np.stack(arrays), CPU)
    return stack(leaves)


def _sparse_column(group: list[SparseTensor]) -> SparseTensor:
    """Return sparse tensors of one rank as one, which is as large as the largest of them."""
    indices = [sp.indices.numpy() for sp in group]
    rows = np.repeat(np.arange(len(group)), [len(x) for x in indices])
    sizes = np.max([sp.dense_shape.numpy() for sp in group], axis=0)
    return SparseTensor(
        np.concatenate([rows[:, None], np.concatenate(indices)], axis=1).astype(
            np.int64
        ),
        np.concatenate([sp.values.numpy() for sp in group]),
        np.asarray([len(group), *sizes.tolist()], np.int64),
    )


def padded(group: list[Any], shapes: list[Any], values: list[Any]) -> Any:
    """Return elements as one, every tensor filled up to a shape, or to the largest of all."""
    columns = list(builtins.zip(*map(nest.flatten, group), strict=True))
    made = [
        _padded_column(
            [to_host(to_tensor(leaf).array) for leaf in column], shape, value
        )
        for column, shape, value in builtins.zip(columns, shapes, values, strict=True)
    ]
    return nest.pack_like(group[0], made)


def _padded_column(arrays: list[Any], shape: Dims | None, value: Any) -> Tensor:
    rank = arrays[0].ndim
    wanted = (None,) * rank if shape is None else tuple(shape)
    if any(x.ndim != len(wanted) for x in arrays):
        found = sorted({x.shape for x in arrays})
        raise InvalidArgumentError(
            f"padded_batch: elements of shapes {found}; padded_shapes gives {len(wanted)} axes"
        )
    longest = [
        max(sizes) for sizes in builtins.zip(*[x.shape for x in arrays], strict=True)
    ]
    sizes = [
        most if size is None or size < 0 else size
        for size, most in builtins.zip(wanted, longest, strict=True)
    ]
    if any(most > size for size, most in builtins.zip(sizes, longest, strict=True)):
        raise DataLossError(
            f"padded_batch: an element of {tuple(longest)} does not fit padded shape "
            f"{tuple(sizes)}; allowed are None or -1 for sizes that differ"
        )
    out = np.full(
        (len(arrays), *sizes), padding_for(arrays[0].dtype, value), arrays[0].dtype
    )
    for i, array in builtins.enumerate(arrays):
        filled: Any = (i, *[slice(0, n) for n in array.shape])
        out[filled] = array[()]
    return to_tensor(out)


def filled(group: list[Any], shapes: Any, values: Any) -> Any:
    """Return elements as one, filled up; one shape or value alone is for all tensors of them."""
    given = spread(value_of(shapes), group[0], is_shape)
    fillers = spread(values, group[0], not_nested)
    return padded(group, [shape_from(shape) for shape in given], fillers)


def padded_spec(spec: Any, shapes: Any, rows: int | None) -> Any:
    """Return the specs of batches of elements of `spec`, filled up."""
    given = spread(shapes, spec, is_shape)
    leaves = [
        leaf.with_shape((rows, *_padded_sizes(leaf, shape_from(shape))))
        for leaf, shape in zip(nest.flatten(spec), given, strict=True)
    ]
    return nest.pack_like(spec, leaves)


def _padded_sizes(leaf: TensorSpec, shape: Any) -> tuple[int | None, ...]:
    """Return the sizes that a batch has behind its first: those asked for, else unknown."""
    if shape is None:
        return (None,) * len(leaf.dims)
    return tuple(shape)


def padding_for(dtype: np.dtype[Any], value: Any) -> Any:
    """Return what fills up: the value that is given, else zero, or the empty string."""
    if value is None:
        return b"" if dtype.kind == "O" else dtype.type(0)
    return value.item() if isinstance(value, (Tensor, np.ndarray)) else value


def spread(structure: Any, like: Any, leaf: Callable[[Any], bool]) -> list[Any]:
    """Return one of `structure`'s leaves for each leaf of an element; one alone is for all."""
    count = len(nest.flatten(like))
    if structure is None or leaf(structure):
        return [structure] * count
    found = _leaves(structure, leaf)
    if len(found) != count:
        raise StructureError(
            f"{structure!r} has {len(found)} leaves; the dataset's elements have {count}"
        )
    return found


def _leaves(structure: Any, leaf: Callable[[Any], bool]) -> list[Any]:
    if leaf(structure) or not isinstance(structure, (list, tuple, dict)):
        return [structure]
    return [x for member in nest.children(structure) for x in _leaves(member, leaf)]


def is_shape(value: Any) -> bool:
    """Return whether a value is a shape, or its one size, rather than a structure of them."""
    if isinstance(value, (np.ndarray, Tensor, int, np.integer)):
        return True
    sizes = isinstance(value, (list, tuple)) and all(
        size is None or isinstance(size, (int, np.integer)) for size in value
    )
    return sizes or (
        not isinstance(value, (list, tuple, dict)) and hasattr(value, "__iter__")
    )


def shape_from(value: Any) -> Dims | None:
    """Return a shape as a tuple, with None for sizes that are not known."""
    if value is None:
        return None
    if isinstance(value, (int, np.integer)):
        value = [value]
    sizes = value.tolist() if isinstance(value, (np.ndarray, Tensor)) else value
    known = [
        n if n is None else whole(n, f"shape={value!r}: a size")
        for n in several(sizes, "shape", "integers and None")
    ]
    return tuple([None if n is None or n < 0 else int(n) for n in known])


def not_nested(value: Any) -> bool:
    """Return whether a value is a leaf of a structure."""
    return not isinstance(value, (list, tuple, dict))


def with_axis(spec: Any, rows: int | None) -> Any:
    """Return the specs of batches of elements of `spec`."""
    if isinstance(spec, SparseTensor):
        sizes = spec.get_shape().known()
        return sparse_spec(spec.dtype, None if sizes is None else (rows, *sizes))
    if isinstance(spec, RaggedParts):
        return batch_spec(spec, rows)
    if isinstance(spec, RaggedRow):
        return batch_spec(spec, rows, spec.row_splits_dtype)
    if nest.is_nested(spec):
        return nest.rebuild(spec, [with_axis(x, rows) for x in nest.children(spec)])
    if not isinstance(spec, TensorSpec):
        return spec
    return spec.with_shape(None if spec.shape is None else (rows, *spec.shape))


def without_axis(spec: Any) -> Any:
    """Return the specs of the rows of elements of `spec`."""

    def row(leaf: Any) -> Any:
        if isinstance(leaf, COMPOSITES):
            return row_spec(leaf)
        if leaf is None or isinstance(leaf, Pipeline):
            return leaf
        return leaf.with_shape(None if leaf.shape is None else leaf.shape[1:])

    return each(row, spec)


def joined(a: Any, b: Any) -> Any:
    """Return the most special specs that cover two structures of them."""
    if a is None or b is None:
        return None
    return nest.map_structure(join, a, b)


def spec_of(element: Any) -> Any:
    """Return the specs of an element's tensors, in its structure."""

    def part_spec(part: Any) -> Any:
        is_sparse = isinstance(part, SparseTensor) and not part.is_spec
        return structure_of(part) if is_sparse else state_spec_of(part)

    return each(part_spec, element)


def state_spec_of(state: Any) -> Any:
    """Return the specs of a state's tensors; sparse ones may have other sizes next time."""

    def leaf_spec(leaf: Any) -> Any:
        if isinstance(leaf, (Operand, np.ndarray)) or np.isscalar(leaf):
            return to_tensor(leaf).spec.without_value()
        return leaf

    return nest.map_structure(leaf_spec, state)


def as_declared(value: Any, spec: Any) -> Any:
    """Return a generator's value as tensors of declared specs; InvalidArgumentError if it differs.

    Lists are tensors here unless the specs stand in a list, too.
    """
    if isinstance(spec, TensorSpec):
        return _leaf_as_declared(value, spec)
    if isinstance(spec, dict):
        if not isinstance(value, dict) or set(value) != set(spec):
            raise _not_as_declared(value, spec)
        return {key: as_declared(value[key], inner) for key, inner in spec.items()}
    if not isinstance(spec, (list, tuple)):
        return tensors(value)
    if not isinstance(value, (list, tuple)) or len(value) != len(spec):
        raise _not_as_declared(value, spec)
    members = [
        as_declared(x, inner) for x, inner in builtins.zip(value, spec, strict=True)
    ]
    return nest.rebuild(spec, members)


def _not_as_declared(value: Any, spec: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"the dataset gives {nest.map_structure(_described, value)}; "
        f"its element_spec says {spec}"
    )


def _described(leaf: Any) -> Any:
    return TensorSpec(np.shape(leaf), as_dtype(np.asarray(leaf).dtype))


def _leaf_as_declared(value: Any, spec: TensorSpec) -> Tensor:
    known = isinstance(value, Tensor)
    made = value if known else to_tensor(_converted(value, spec.dtype))
    if not spec.accepts(made.spec):
        raise InvalidArgumentError(
            f"the dataset gives {[made.spec]}; its element_spec says {[spec]}"
        )
    return made


def _converted(value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Return a generator's value as an array of a dtype, which may take no fraction away."""
    if dtype is dtypes.string:
        return np.asarray(value, object)
    try:
        found = np.asarray(value)
        made = np.asarray(value, dtype.numpy)
    except (TypeError, ValueError) as error:
        raise DTypeError(
            f"{value!r}, which a generator gives, is nothing of dtype {dtype.name}: {error}"
        ) from None
    if (
        found.dtype.kind in "fc"
        and dtype.is_integer
        and not np.array_equal(found, made)
    ):
        raise DTypeError(
            f"{value!r}, which a generator gives, has fractions; its element_spec says {dtype.name}"
        )
    return made
