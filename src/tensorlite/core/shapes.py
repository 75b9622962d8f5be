"""The shapes that tensors have: tuples that also answer as TensorFlow's do, or TensorFlow's own.

What inference computes with are plain tuples, in spec.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Any, cast

from tensorlite.core import texts
from tensorlite.core.errors import DTypeError, PlaceError, ShapeError
from tensorlite.core.sizes import Dimension
from tensorlite.core.spec import (
    Dims,
    TensorSpec,
    all_known,
    generalise,
    merge,
    sizes_of,
)


class AnyShape:
    """What may be asked of a shape, whatever keeps its sizes: None for each that is not known."""

    __slots__ = ()

    def known(self) -> Dims | None:
        """Return the sizes as a plain tuple, None where their number is not known."""
        raise NotImplementedError

    def like(self, dims: Any) -> AnyShape:
        """Return other sizes as a shape of this kind."""
        raise NotImplementedError

    @property
    def rank(self) -> int | None:
        """The number of axes, None where it is not known."""
        sizes = self.known()
        return None if sizes is None else len(sizes)

    @property
    def ndims(self) -> int | None:
        """The number of axes, by its other name."""
        return self.rank

    @property
    def dims(self) -> list[Any] | None:
        """The sizes as a list of Dimensions, None where their number is not known."""
        sizes = self.known()
        return None if sizes is None else [Dimension(size) for size in sizes]

    def as_list(self) -> list[int | None]:
        """Return the sizes as a list; ShapeError where their number is not known."""
        sizes = self.known()
        if sizes is None:
            raise ShapeError(
                "as_list() is not defined on an unknown TensorShape: the number of its axes is "
                "not known, and is needed here"
            )
        return list(sizes)

    def is_fully_defined(self) -> bool:
        """Return whether every size is known."""
        return all_known(self.known())

    def num_elements(self) -> int | None:
        """Return the number of elements, None where a size is not known."""
        sizes = self.known()
        return prod(sizes) if all_known(sizes) else None

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether one tensor may have both shapes."""
        try:
            self.merge_with(other)
        except ShapeError:
            return False
        return True

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ShapeError unless one tensor may have both shapes."""
        self.merge_with(other)

    def merge_with(self, other: Any) -> AnyShape:
        """Return what both shapes say together; ShapeError where they differ."""
        return self.like(merge(self.known(), self.like(other).known()))

    def most_specific_compatible_shape(self, other: Any) -> AnyShape:
        """Return the shape of what may have either: where they differ, nothing is known."""
        return self.like(generalise(self.known(), self.like(other).known()))

    def concatenate(self, other: Any) -> AnyShape:
        """Return the shape of these axes followed by those of another."""
        before, behind = self.known(), self.like(other).known()
        return self.like(
            None if before is None or behind is None else before + behind
        )

    def with_rank(self, rank: int) -> AnyShape:
        """Return this shape, of so many axes; ShapeError if it has another number of them."""
        if self.rank not in (None, rank):
            raise ShapeError(
                f"Shape {self} must have rank {rank}, and has {self.rank}"
            )
        return self.merge_with((None,) * rank)

    def assert_has_rank(self, rank: int) -> None:
        """Raise ShapeError unless there may be so many axes."""
        self.with_rank(rank)

    def with_rank_at_least(self, rank: int) -> AnyShape:
        """Return this shape; ShapeError if it has fewer axes."""
        if self.rank is not None and self.rank < rank:
            raise ShapeError(
                f"Shape {self} must have rank at least {rank}, and has {self.rank}"
            )
        return self

    def with_rank_at_most(self, rank: int) -> AnyShape:
        """Return this shape; ShapeError if it has more axes."""
        if self.rank is not None and self.rank > rank:
            raise ShapeError(
                f"Shape {self} must have rank at most {rank}, and has {self.rank}"
            )
        return self

    def assert_is_fully_defined(self) -> None:
        """Raise ShapeError unless every size is known."""
        if not self.is_fully_defined():
            raise ShapeError(f"Shape {self} is not fully defined")

    def assert_same_rank(self, other: Any) -> None:
        """Raise ShapeError where both have a known number of axes, and not the same one."""
        rank = self.like(other).rank
        if None not in {self.rank, rank} and self.rank != rank:
            raise ShapeError(
                f"Shapes {self} and {other} must have the same rank, not {self.rank} and {rank}"
            )

    def __iter__(self) -> Iterator[Any]:
        return iter(self.as_list())

    def __len__(self) -> int:
        return len(self.as_list())

    def __getitem__(self, key: Any) -> Any:
        sizes = self.known()
        if sizes is None:
            return self.like(None) if isinstance(key, slice) else None
        if not isinstance(key, slice) and not -len(sizes) <= key < len(sizes):
            raise PlaceError(
                f"axis {key} of the shape {self}, which has {len(sizes)}"
            )
        found = sizes[key]
        return self.like(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> Any:
        return self.like(other).concatenate(self)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return texts.shape_repr(self.known()) if texts.wanted() else str(self)

    def __str__(self) -> str:
        sizes = self.known()
        return "<unknown>" if sizes is None else str(sizes)


class TupleShape(AnyShape, tuple[Any, ...]):
    """The sizes of a tensor's axes as a tuple, which the standard of arrays asks for.

    >>> shape = tl.ones((2, 3)).shape
    >>> shape, shape.rank, shape.as_list(), shape[1:].num_elements()
    ((2, 3), 2, [2, 3], 3)
    """

    __slots__ = ()

    def known(self) -> Dims:
        """Return the sizes as a plain tuple."""
        return tuple(tuple.__iter__(self))

    def like(self, dims: Any) -> AnyShape:
        """Return other sizes as a shape of this kind, if their number is known."""
        return shape_of(None if dims is None else sizes_of(dims))

    __iter__ = tuple.__iter__
    __len__ = tuple.__len__
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return other == self
        if isinstance(other, Sequence) and not isinstance(other, (tuple, str)):
            other = tuple(other)
        return tuple.__eq__(self, other) is True


SCALAR = TupleShape()
"""The shape of no axes: unlike an empty tuple it holds whole numbers."""


class TensorShape(AnyShape):
    """A shape as TensorFlow's: no sequence to what asks, so that structures have it as a leaf.

    `TensorShape(None)` knows not even how many sizes there are.

    >>> from tensorlite.core.shapes import TensorShape
    >>> print(TensorShape([2, None]), TensorShape(5).as_list(), TensorShape(None).rank)
    (2, None) [5] None
    """

    __slots__ = ("sizes",)

    def __init__(self, dims: Iterable[Any] | int | None = ()) -> None:
        given = None if dims is None else sizes_of(dims)
        self.sizes = None if given is None else tuple(map(self.size, given))

    @classmethod
    def of(cls, known: Dims | None) -> TensorShape:
        """Return plain sizes as a shape, the short way."""
        made = cls.__new__(cls)
        made.sizes = known
        return made

    @staticmethod
    def size(given: Any) -> int | None:
        """Return one size as a number, None if it is not known."""
        known = given.value if isinstance(given, Dimension) else given
        if known is not None and not hasattr(known, "__index__"):
            raise DTypeError(f"a size is an integer or None, not {known!r}")
        return None if known is None else known.__index__()

    def known(self) -> Dims | None:
        """Return the sizes as a plain tuple, None where their number is not known."""
        return self.sizes

    def like(self, dims: Any) -> AnyShape:
        """Return other sizes as a shape of this kind."""
        return type(self)(dims)

    def as_proto(self) -> Any:
        """Return the shape as a TensorShapeProto message."""
        return Results.message(self.sizes)

    def is_subtype_of(self, other: object) -> bool:
        """Return whether another shape says nothing that this one does not say too.

        >>> from tensorlite.core.shapes import TensorShape
        >>> TensorShape([2, 3]).is_subtype_of(TensorShape([2, None]))
        True
        """
        if not isinstance(other, TensorShape):
            return False
        if other.sizes is None or self.sizes is None:
            return other.sizes is None
        return len(self.sizes) == len(other.sizes) and all(
            theirs in (None, own)
            for own, theirs in zip(self.sizes, other.sizes, strict=True)
        )

    def most_specific_common_supertype(
        self, others: Iterable[object]
    ) -> TensorShape | None:
        """Return what this shape and all others say alike; None if one is no shape."""
        common = self.sizes
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            common = generalise(common, other.sizes)
        return type(self).of(common)

    def __bool__(self) -> bool:
        return self.sizes is not None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, AnyShape):
            return self.sizes == other.known()
        try:
            return self.sizes == self.like(other).known()
        except (TypeError, ValueError, AttributeError):
            return False

    def __hash__(self) -> int:
        return hash(self.sizes)


class Results:
    """Of which kind shapes are where results are TensorFlow's."""

    kind: type[TensorShape] = TensorShape
    message: Callable[[Dims | None], Any]
    """Makes the message of sizes that TensorFlow's files have; compat/shapes.py says which."""


def shape_of(dims: Dims | None) -> AnyShape:
    """Return sizes as a shape, of the kind that results are asked for as."""
    if dims is None or texts.wanted():
        return Results.kind.of(dims)
    return tuple.__new__(TupleShape, dims)


def shape_asked(spec: TensorSpec) -> tuple[Any, ...]:
    """Return the shape of a tensor as `x.shape` has it: to types a tuple, whichever kind it is."""
    return cast(
        "tuple[Any, ...]", shape_of(spec.shape if texts.wanted() else spec.dims)
    )
