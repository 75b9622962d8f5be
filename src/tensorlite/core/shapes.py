"""TensorShape: the sizes of a tensor's axes, a tuple that also answers as TensorFlow's shapes do.

What inference computes with are plain tuples, in spec.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, Self, SupportsIndex, overload

from tensorlite.core import texts
from tensorlite.core.errors import ShapeError
from tensorlite.core.spec import all_known, merge


class TensorShape(tuple[Any, ...]):
    """Sizes, None for each that is not known; `TensorShape(None)` knows not even how many.

    >>> shape = tl.ones((2, 3)).shape
    >>> shape, shape.rank, shape.as_list(), shape[1:].num_elements()
    ((2, 3), 2, [2, 3], 3)
    """

    __slots__ = ()

    def __new__(cls, dims: Iterable[Any] | int | None = ()) -> Self:
        """Return the shape of some sizes; one number stands for that many elements in a row."""
        if dims is None:
            return cls._unknown()
        if isinstance(dims, UnknownShape):
            return cls._unknown()
        return tuple.__new__(cls, cls.sizes(dims))

    @classmethod
    def _unknown(cls) -> Self:
        made: Self = tuple.__new__(cls.unknown_kind())
        return made

    @classmethod
    def sizes(cls, dims: Iterable[Any] | int) -> Iterable[Any]:
        """Return sizes as this kind of shape holds them."""
        if isinstance(dims, tuple):
            return dims
        given = dims if isinstance(dims, Iterable) else (dims,)
        return [None if x is None else x.__index__() for x in given]

    @classmethod
    def unknown_kind(cls) -> Any:
        """Return the class of shapes of this kind whose rank is not known."""
        return UnknownShape

    @property
    def rank(self) -> int | None:
        """The number of axes, None where it is not known."""
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[Any] | None:
        """The sizes as a list, None where their number is not known."""
        return list(self)

    def as_list(self) -> list[int | None]:
        """Return the sizes as a list; ShapeError where their number is not known."""
        return list(tuple.__iter__(self))

    def is_fully_defined(self) -> bool:
        """Return whether every size is known."""
        return None not in self.as_list()

    def num_elements(self) -> int | None:
        """Return the number of elements, None where a size is not known."""
        sizes = tuple(self.as_list())
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

    def merge_with(self, other: Any) -> TensorShape:
        """Return what both shapes say together; ShapeError where they differ."""
        made = merge(self.known(), type(self)(other).known())
        return type(self)(made)

    def concatenate(self, other: Any) -> TensorShape:
        """Return the shape of these axes followed by those of another."""
        behind = type(self)(other)
        if self.rank is None or behind.rank is None:
            return type(self)(None)
        return type(self)((*self, *behind))

    def with_rank(self, rank: int) -> TensorShape:
        """Return this shape, of so many axes; ShapeError if it has another number of them."""
        return self.merge_with((None,) * rank)

    def assert_has_rank(self, rank: int) -> None:
        """Raise ShapeError unless there may be so many axes."""
        self.with_rank(rank)

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return this shape; ShapeError if it has fewer axes."""
        if self.rank is not None and self.rank < rank:
            raise ShapeError(
                f"the shape {self} has {self.rank} axes; at least {rank} are wanted"
            )
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return this shape; ShapeError if it has more axes."""
        if self.rank is not None and self.rank > rank:
            raise ShapeError(
                f"the shape {self} has {self.rank} axes; at most {rank} are wanted"
            )
        return self

    def assert_is_fully_defined(self) -> None:
        """Raise ShapeError unless every size is known."""
        if not self.is_fully_defined():
            raise ShapeError(f"the shape {self} is not fully defined")

    assert_same_rank = assert_is_compatible_with

    def known(self) -> tuple[int | None, ...] | None:
        """Return the sizes as a plain tuple, None where their number is not known."""
        return None if self.rank is None else tuple(self.as_list())

    def __add__(self, other: Any) -> Any:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> Any:
        return type(self)(other).concatenate(self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return type(self)(found) if isinstance(key, slice) else found

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sequence) and not isinstance(other, (tuple, str)):
            other = tuple(other)
        return tuple.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return texts.shape_repr(self.known()) if texts.wanted() else str(self)

    def __str__(self) -> str:
        return tuple.__repr__(self)


class UnknownShape(TensorShape):
    """The shape of a tensor of which not even the rank is known."""

    __slots__ = ()

    rank = None
    ndims = None
    dims = None

    def as_list(self) -> list[int | None]:
        """Raise ShapeError: there is no list."""
        raise ShapeError("as_list() of a shape whose rank is not known")

    def is_fully_defined(self) -> bool:
        """Return that it is not."""
        return False

    def num_elements(self) -> int | None:
        """Return None: nobody knows."""
        return None

    def __iter__(self) -> Iterator[Any]:
        raise ShapeError("a shape whose rank is not known has no sizes to go through")

    def __len__(self) -> int:
        raise ShapeError("len() of a shape whose rank is not known")

    def __bool__(self) -> bool:
        return False

    def __getitem__(self, key: Any) -> Any:
        return type(self)(None) if isinstance(key, slice) else None

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, UnknownShape)

    __hash__ = object.__hash__

    def __str__(self) -> str:
        return "<unknown>"


def shape_of(dims: tuple[int | None, ...] | None) -> TensorShape:
    """Return sizes as a shape."""
    return tuple.__new__(UnknownShape if dims is None else TensorShape, dims or ())
