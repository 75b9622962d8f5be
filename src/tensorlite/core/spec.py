"""TensorSpec: what is known of a tensor before it has a value, and the arithmetic of shapes.

Operators' `infer` methods take and return specs. A spec may also carry the value of a small
integer tensor (a shape, an axis), wholly or in part, so that inference sees through `tl.shape`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from operator import index
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from tensorlite.core import dtypes, texts
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import AxisError, DTypeError, ShapeError

Dim: TypeAlias = int | None
Dims: TypeAlias = tuple[int | None, ...]
Known: TypeAlias = int | tuple[int | None, ...] | None

LONGEST = 2**16
"""How long a vector may be of whose elements it is said, one by one, that they are not known."""


def sizes_of(shape: Any) -> Dims | None:
    """Return a shape that a program gives, which is no tuple yet; ShapeError if it is none."""
    if hasattr(shape, "as_list"):
        return None if shape.rank is None else tuple(shape.as_list())
    if isinstance(shape, (int, np.integer)) and not isinstance(shape, bool):
        return (int(shape),)
    if getattr(shape, "ndim", None) == 0 and hasattr(shape, "__index__"):
        return (index(shape),)
    if isinstance(shape, (str, bytes)) or not isinstance(shape, Iterable):
        raise ShapeError(
            f"{shape!r} is no shape; allowed are sequences of sizes, such as (2, None), and None"
        )
    return tuple(shape)


def all_known(sizes: Dims | None) -> TypeGuard[tuple[int, ...]]:
    """Return whether there are sizes, and none of them is unknown.

    >>> from tensorlite.core.spec import all_known
    >>> all_known((2, 3)), all_known((2, None)), all_known(None)
    (True, False, False)
    """
    return sizes is not None and None not in sizes


def check_sizes(shape: Dims | None) -> None:
    """Raise ShapeError for what is no size: allowed are whole numbers of 0 or more, and None."""
    for n in shape or ():
        whole = isinstance(n, (int, np.integer)) and not isinstance(n, bool)
        if n is not None and not (whole and n >= 0):
            raise ShapeError(
                f"shape={shape!r}: {n!r} is no size; allowed are whole numbers of 0 or more, and "
                "None for a size that is not known"
            )


class TensorSpec:
    """A shape (None for each unknown size; None as a whole for unknown rank) and a dtype.

    A value, not changed once it is made. Tracing makes several for each node, so it is no frozen
    dataclass: making one of those takes five times as long.

    >>> tl.TensorSpec((None, 3), tl.float32)
    TensorSpec(shape=(None, 3), dtype=tl.float32)
    """

    __slots__ = ("_hash", "dtype", "inner", "known", "name", "shape", "trainable")

    def __init__(
        self,
        shape: Sequence[Dim] | None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
        inner: tuple[TensorSpec, ...] = (),
        trainable: bool = False,
        known: Known = None,
    ) -> None:
        self.shape: Dims | None = (
            shape if shape is None or type(shape) is tuple else sizes_of(shape)
        )
        self.dtype: DType = dtype if type(dtype) is DType else as_dtype(dtype)
        self.name = name
        self.inner = inner
        """What lies behind a handle (a variable's value), or in a list or bundle."""
        self.trainable = trainable
        """Whether this is the handle of a variable that tapes watch by themselves."""
        self.known = known
        """The value of a small integer tensor as far as it is known; a matrix lists row by row."""

    def _compared(self) -> tuple[object, ...]:
        """Return what makes two specs equal: everything but the known value."""
        return self.shape, self.dtype, self.name, self.inner, self.trainable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and self._compared() == other._compared()

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:  # set when first it is asked for, which most are not
            self._hash: int = hash(self._compared())
            return self._hash

    @property
    def rank(self) -> int | None:
        """The number of axes, or None when unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every size is known."""
        return self.shape is not None and None not in self.shape

    @property
    def size(self) -> int | None:
        """The number of elements, or None when unknown."""
        if self.shape is None or None in self.shape:
            return None
        return prod(self.shape)  # type: ignore[arg-type]

    @property
    def dims(self) -> Dims:
        """The shape; ShapeError when not even the rank is known."""
        if self.shape is None:
            raise ShapeError("the rank of this tensor is unknown, and is needed here")
        return self.shape

    def vector(self) -> Dims | None:
        """Return what is known of a 1-d integer tensor's elements, or None."""
        if isinstance(self.known, tuple):
            return self.known if self.rank in (None, 1) else None
        if (
            self.shape is not None
            and len(self.shape) == 1
            and self.shape[0] is not None
            and self.shape[0] <= LONGEST
        ):
            return (None,) * self.shape[0]
        return None

    def scalar(self) -> int | None:
        """Return the value of a 0-d integer tensor, or None."""
        return self.known if isinstance(self.known, int) else None

    def axis(self) -> int | None:
        """Return the value of a 0-d tensor that says an axis, or None; DTypeError for floats."""
        if not self.dtype.is_integer:
            raise DTypeError(f"an axis is {self}; allowed are integers")
        return self.scalar()

    def constant(self) -> tuple[int, ...] | None:
        """Return the elements of an integer tensor of rank 0 or 1 if all are known."""
        if isinstance(self.known, int):
            return (self.known,)
        if self.rank in (None, 1) and all_known(self.known):
            return self.known
        return None

    def pairs(self) -> tuple[Dims, ...] | None:
        """Return what is known of the rows of an integer tensor of shape [n, 2], or None."""
        if self.shape is None or len(self.shape) != 2 or self.shape[0] is None:
            return None
        if self.shape[0] > LONGEST:
            return None
        if not isinstance(self.known, tuple):
            return ((None, None),) * self.shape[0]
        return tuple(zip(self.known[::2], self.known[1::2], strict=True))

    def with_shape(self, shape: Sequence[Dim] | None) -> TensorSpec:
        """Return this spec with another shape and no known value."""
        shape = None if shape is None else tuple(shape)
        return TensorSpec(shape, self.dtype, None, self.inner)

    def with_dtype(self, dtype: DType) -> TensorSpec:
        """Return this spec with another dtype and no known value."""
        return TensorSpec(self.shape, dtype)

    def without_value(self) -> TensorSpec:
        """Return this spec with nothing known of the value."""
        if self.known is None:
            return self
        return TensorSpec(
            self.shape, self.dtype, self.name, self.inner, self.trainable
        )

    def without_name(self) -> TensorSpec:
        """Return this spec without the name that error messages use."""
        return self.with_name(None)

    def with_name(self, name: str | None) -> TensorSpec:
        """Return this spec with a name, which error messages and inputs of traces have."""
        return TensorSpec(
            self.shape, self.dtype, name, self.inner, self.trainable, self.known
        )

    def accepts(self, other: TensorSpec) -> bool:
        """Return whether every tensor of `other` is also one of this spec."""
        if self.dtype is not other.dtype:
            return False
        if self.shape is None:
            return True
        if other.shape is None or len(self.shape) != len(other.shape):
            return False
        return all(
            a is None or a == b for a, b in zip(self.shape, other.shape, strict=True)
        )

    def __repr__(self) -> str:
        if texts.wanted():
            return texts.spec_repr(self)
        named = f", name={self.name!r}" if self.name else ""
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}{named})"

    def __str__(self) -> str:
        if texts.wanted():
            return texts.spec_repr(self)
        return f"{self.dtype.name}{shape_text(self.shape)}"


def shape_text(shape: Sequence[Dim] | None) -> str:
    """Return a shape as text: `[2, ?]`, or `[...]` when the rank is unknown."""
    if shape is None:
        return "[...]"
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def broadcast(*shapes: Dims | None) -> Dims | None:
    """Return the shape that `shapes` broadcast to; ShapeError when they do not.

    >>> tl.extend.broadcast((2, 1), (3,))
    (2, 3)
    """
    first, *others = shapes or ((),)
    if all(shape == first for shape in others):
        return first
    if any(shape is None for shape in shapes):
        return None
    known = [shape for shape in shapes if shape is not None]
    rank = max(map(len, known), default=0)
    columns = zip(
        *((1,) * (rank - len(shape)) + shape for shape in known), strict=True
    )
    return tuple(_broadcast_sizes(column, shapes) for column in columns)


def _broadcast_sizes(sizes: tuple[Dim, ...], shapes: Iterable[Dims | None]) -> Dim:
    stretched = {size for size in sizes if size != 1}
    if not stretched:
        return 1
    known = {size for size in stretched if size is not None}
    if len(known) > 1:
        listed = " and ".join(shape_text(shape) for shape in shapes)
        raise ShapeError(
            f"Incompatible shapes {listed} do not broadcast: Dimensions must be equal, but are "
            f"{' and '.join(map(str, sorted(known)))} on one axis"
        )
    return known.pop() if known else None


def merge(a: Dims | None, b: Dims | None) -> Dims | None:
    """Return the most general shape that is at least as special as both (unknown gives way)."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b):
        raise ShapeError(
            f"Shapes {shape_text(a)} and {shape_text(b)} are incompatible: Shapes must be equal "
            f"rank, but are {len(a)} and {len(b)}"
        )
    if a == b:
        return a
    for axis, (x, y) in enumerate(zip(a, b, strict=True)):
        if x is not None and y is not None and x != y:
            shapes = f"{shape_text(a)} and {shape_text(b)}"
            raise ShapeError(
                f"Shapes {shapes} are incompatible: Dimension {axis} in both shapes must be equal, "
                f"but are {x} and {y}. Shapes are {shapes}."
            )
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


def generalise(a: Dims | None, b: Dims | None) -> Dims | None:
    """Return the most special shape that covers both (what differs becomes unknown)."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def check_rank(what: str, x: TensorSpec, rank: int) -> None:
    """Raise ShapeError where a tensor is known to have another number of axes."""
    if x.rank not in {None, rank}:
        raise ShapeError(
            f"Shape must be rank {rank} but is rank {x.rank}: {what}: {x}"
        )


def check_rank_at_least(what: str, x: TensorSpec, rank: int) -> None:
    """Raise ShapeError where a tensor is known to have fewer axes."""
    if x.rank is not None and x.rank < rank:
        raise ShapeError(
            f"Shape must be at least rank {rank} but is rank {x.rank}: {what}: {x}"
        )


def join(a: TensorSpec, b: TensorSpec) -> TensorSpec:
    """Return the most special spec that covers two of one dtype.

    A list of elements of unknown rank is one that nothing was written to: any other covers it.
    """
    if not a.inner or not b.inner:
        inner = a.inner or b.inner
    elif len(a.inner) == len(b.inner):
        inner = tuple(
            [_join_elements(x, y) for x, y in zip(a.inner, b.inner, strict=True)]
        )
    else:
        inner = ()
    trainable = a.trainable and b.trainable
    return TensorSpec(generalise(a.shape, b.shape), a.dtype, None, inner, trainable)


def _join_elements(a: TensorSpec, b: TensorSpec) -> TensorSpec:
    if a.shape is None or b.shape is None:
        return b if a.shape is None else a
    return join(a, b)


def normalise_axis(axis: int, rank: int, what: str = "axis") -> int:
    """Return `axis` counted from the front; AxisError when it is not there."""
    if axis.__class__ is not int and not hasattr(axis, "__index__"):
        raise DTypeError(f"{what}={axis!r}; allowed are integers")
    if not -rank <= axis < rank:
        raise AxisError(
            f"{what} {axis} is out of range: allowed are {-rank} to {rank - 1}"
        )
    return axis % rank if rank else 0


def normalise_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    """Return `axes` counted from the front; AxisError when one is absent, ShapeError for twins."""
    normal = tuple(normalise_axis(axis, rank) for axis in axes)
    if len(set(normal)) != len(normal):
        raise ShapeError(f"axes {tuple(axes)} name an axis twice")
    return normal


def reduced_shape(x: TensorSpec, axes: TensorSpec, keep_dims: bool) -> Dims | None:
    """Return the shape of a reduction; ShapeError when an axis is not there."""
    if x.shape is None:
        return None
    given = axes.constant()
    if given is None:
        return (None,) * len(x.shape) if keep_dims else None
    gone = set(normalise_axes(given, len(x.shape)))
    if keep_dims:
        return tuple([1 if i in gone else size for i, size in enumerate(x.shape)])
    return tuple([size for i, size in enumerate(x.shape) if i not in gone])


def scalar_of(dtype: DType, *inner: TensorSpec) -> TensorSpec:
    """Return the spec of a 0-d tensor."""
    return TensorSpec((), dtype, None, tuple(inner))


def element(value: Any) -> Known:
    """Return a small integer array or nest as a spec's `known` value, or None."""
    if value.ndim == 0:
        return int(value)
    return (
        tuple(value.ravel().tolist())
        if value.ndim <= 2 and value.size <= 64
        else None
    )
