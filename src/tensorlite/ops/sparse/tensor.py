"""SparseTensor: the elements of a mostly empty tensor and their places. Functions of it are beside.

What is done with it is in dense.py and arrange.py. IndexedSlices, which gradients are made of, are
in slices.py.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from tensorlite.core import dtypes, texts
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import (
    DTypeError,
    ShapeError,
)
from tensorlite.core.shapes import AnyShape, TensorShape, shape_of
from tensorlite.core.spec import (
    Dims,
    TensorSpec,
    check_rank,
)
from tensorlite.core.tensor import Shape, Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, flip
from tensorlite.ops.arrays.gather import gather, gather_nd
from tensorlite.ops.arrays.search import argsort
from tensorlite.ops.math.arithmetic import broadcast_to, sum as sum_of
from tensorlite.ops.math.cumulative import cumulative_prod
from tensorlite.ops.operators import astype, floor_divide, remainder

__all__ = ["SparseTensor", "reorder"]


class _Parts(NamedTuple):
    indices: Tensor
    values: Tensor
    dense_shape: Tensor


class SparseTensor(_Parts):
    """Elements of a tensor that has no others: `values[i]` is at `indices[i]` in `dense_shape`.

    `indices` is a matrix of int64 with one row for each element. It is a tuple of its three parts:
    functions traced take it, and structures hold it.

    >>> x = tl.sparse.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], (3, 2))
    >>> print(tl.sparse.to_dense(x))
    [[0. 5.]
     [0. 0.]
     [6. 0.]]
    """

    __slots__ = ()
    has_own_operators = True
    """It is no tuple of numbers, which could stand for a tensor."""
    is_value = True
    known_as: ClassVar[type | None] = None
    """The class that programs know it by, where that is another."""

    def __new__(cls, indices: Any, values: Any, dense_shape: Any) -> Self:
        parts = _whole(indices), _tensor(values), _whole(dense_shape)
        check_parts(*parts)
        return super().__new__(cls, *parts)

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """Return the tensor of a value: its three arrays, or a sparse tensor.

        >>> x = tl.sparse.SparseTensor([[1]], [2.0], (3,))
        >>> print(tl.sparse.SparseTensor.from_value(x).values)
        [2.]
        """
        parts = (getattr(value, name, None) for name in cls._fields)
        indices, values, dense_shape = parts
        if indices is None or values is None or dense_shape is None:
            raise DTypeError(
                f"SparseTensor.from_value: neither a SparseTensor nor its value: {value!r}"
            )
        return cls(indices, values, dense_shape)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.values.dtype

    @property
    def value_type(self) -> type:
        """The class of what has this spec, where the parts are specs, as programs know it."""
        return type(self).known_as or type(self)

    @property
    def rank(self) -> int | None:
        """The number of axes, or None where a trace does not know it."""
        places = _spec_of(self.indices).shape
        sizes_known = _spec_of(self.dense_shape).shape
        if places is not None and places[1] is not None:
            return places[1]
        return None if sizes_known is None else sizes_known[0]

    @property
    def shape(self) -> Shape:
        """The sizes of the tensor, None for those that a trace does not know."""
        return cast("Shape", self.get_shape())

    def get_shape(self) -> AnyShape:
        """Return the shape, as tensors do."""
        known = _spec_of(self.dense_shape).vector()
        if known is None:
            return shape_of(None if self.rank is None else (None,) * self.rank)
        return shape_of(known)

    @property
    def is_spec(self) -> bool:
        """Whether this is no value, but what is known of one: its parts are specs."""
        return isinstance(self.values, TensorSpec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether another sparse tensor, or what is known of one, may be like this."""
        other = spec_or_value
        if not isinstance(other, SparseTensor) or other.dtype is not self.dtype:
            return False
        return TensorShape(self.get_shape()).is_compatible_with(other.get_shape())

    def __eq__(self, other: object) -> bool:
        if not self.is_spec or not isinstance(other, SparseTensor):
            return tuple.__eq__(self, other)
        return other.is_spec and self._compared() == other._compared()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._compared()) if self.is_spec else tuple.__hash__(self)

    def _compared(self) -> tuple[object, ...]:
        return self.dtype, TensorShape(self.get_shape()).known()

    def __mul__(self, other: Any) -> SparseTensor:
        return self.with_values(self.values * gathered(other, self))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> SparseTensor:
        return self.with_values(self.values / gathered(other, self))

    def __neg__(self) -> SparseTensor:
        return self.with_values(-self.values)

    def with_values(self, values: TensorLike) -> SparseTensor:
        """Return other elements at the same places."""
        return SparseTensor(self.indices, values, self.dense_shape)

    def __repr__(self) -> str:
        if self.is_spec:
            sizes = TensorShape(self.get_shape())
            return f"SparseTensorSpec({sizes!r}, tf.{self.values.dtype.name})"
        if texts.wanted():
            return texts.parts_text("SparseTensor", **self._asdict())
        return f"SparseTensor(indices={self[0]!r}, values={self[1]!r}, dense_shape={self[2]!r})"


def sparse_spec(dtype: DType, sizes: Dims | None) -> SparseTensor:
    """Return the spec of a sparse tensor, of which as many sizes are known as there are.

    >>> from tensorlite.ops.sparse.tensor import sparse_spec
    >>> sparse_spec(tl.float32, (None, 3)).rank
    2
    """
    rank = None if sizes is None else len(sizes)
    return SparseTensor(
        TensorSpec((None, rank), dtypes.int64),
        TensorSpec((None,), dtype),
        TensorSpec((rank,), dtypes.int64, known=sizes),
    )


def check_parts(indices: Any, values: Any, dense_shape: Any) -> None:
    """Raise ShapeError for parts that are no sparse tensor's together, as far as that is known."""
    parts = indices, values, dense_shape
    if not all(isinstance(x, (Tensor, TensorSpec)) for x in parts):
        return  # what structures hold meanwhile
    places, elements, sizes = map(_spec_of, parts)
    check_rank("SparseTensor: indices", places, 2)
    check_rank("SparseTensor: values", elements, 1)
    check_rank("SparseTensor: dense_shape", sizes, 1)
    rows, columns = (None, None) if places.shape is None else places.shape
    count = None if elements.shape is None else elements.shape[0]
    rank = None if sizes.shape is None else sizes.shape[0]
    if None not in {rows, count} and rows != count:
        raise ShapeError(f"SparseTensor: {rows} rows of indices for {count} values")
    if None not in {columns, rank} and columns != rank:
        raise ShapeError(
            f"SparseTensor: indices of {columns} axes for a dense_shape of {rank}"
        )


def _spec_of(x: Any) -> TensorSpec:
    """Return the spec of a tensor, or what stands for one in a structure of specs."""
    return x if isinstance(x, TensorSpec) else cast("TensorSpec", x.spec)


def _tensor(value: Any) -> Any:
    """Return a value as a tensor; what structures hold meanwhile, such as specs, stays."""
    plain = (
        list,
        tuple,
        int,
        float,
        complex,
        bool,
        str,
        bytes,
        np.ndarray,
        np.generic,
    )
    return to_tensor(value) if isinstance(value, plain) else value


def _whole(value: Any) -> Any:
    """Return places or sizes as a tensor of int64."""
    if isinstance(value, (list, tuple)) and not any(
        isinstance(x, Tensor) for x in value
    ):
        value = np.asarray(value, np.int64)
        value = value.reshape(0, 1) if value.shape == (1, 0) else value
    found = _tensor(value)
    if isinstance(found, Tensor) and found.dtype is not dtypes.int64:
        return astype(found, dtypes.int64)
    return found


def gathered(other: TensorLike, like: SparseTensor) -> Tensor:
    """Return the elements that a dense tensor, broadcast, has where a sparse one has its own."""
    dense = to_tensor(other)
    if dense.spec.rank == 0:
        return dense
    return gather_nd(broadcast_to(dense, like.dense_shape), like.indices)


def strides_of(dense_shape: Tensor) -> Tensor:
    """Return by how much an element's number grows from place to place along each axis."""
    behind = cumulative_prod(flip(dense_shape, axis=0), include_initial=True)
    return flip(behind[:-1], axis=0)


def numbers_of(indices: Tensor, dense_shape: Tensor) -> Tensor:
    """Return the number of each place in a flattened tensor."""
    return sum_of(indices * strides_of(dense_shape), axis=1)


def places_of(numbers: Tensor, dense_shape: Tensor) -> Tensor:
    """Return the places that numbers of a flattened tensor stand for."""
    step = strides_of(dense_shape)
    return remainder(floor_divide(expand_dims(numbers, 1), step), dense_shape)


def reorder(sp: SparseTensor) -> SparseTensor:
    """Return the elements in the order of their places, row by row.

    >>> x = tl.sparse.SparseTensor([[1, 0], [0, 1]], [6, 5], (2, 2))
    >>> print(tl.sparse.reorder(x).values)
    [5 6]
    """
    order = argsort(numbers_of(sp.indices, sp.dense_shape))
    return SparseTensor(
        gather(sp.indices, order), gather(sp.values, order), sp.dense_shape
    )
