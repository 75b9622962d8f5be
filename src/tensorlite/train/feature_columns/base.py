"""What columns are, and the features that they are computed from. The kinds stand beside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, Protocol

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.sparse.arrange import sparse_expand_dims
from tensorlite.ops.sparse.tensor import SparseTensor

Lookup = Callable[[Tensor], Tensor]


class Making(Protocol):
    """What makes the variables and the tables of words that columns have."""

    def variable(
        self,
        name: str,
        shape: Sequence[int],
        initializer: Any,
        trainable: bool = True,
    ) -> Operand:
        """Return a variable of the column whose turn it is."""

    def shared(self, key: str, make: Callable[[], Operand]) -> Operand:
        """Return what columns have in common, known by a key, made by the first that asks."""

    def numbers_of(self, vocabulary: Vocabulary, key: str) -> Lookup:
        """Return what finds the numbers of words, for the feature of a key."""


@dataclass(frozen=True)
class Vocabulary:
    """Words with numbers, listed or in a file; others have `default`, or a bucket behind."""

    dtype: DType
    words: tuple[Any, ...] = ()
    file: str | None = None
    size: int | None = None
    buckets: int = 0
    default: int = -1


class Categories(NamedTuple):
    """The categories of each row, and their weights if they have any."""

    ids: SparseTensor
    weights: SparseTensor | None = None


class Column(ABC):
    """A column: a description, which computes nothing until it is given features."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the column is called; columns are taken in the order of their names."""

    @property
    @abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """How the features that it needs are read from examples."""

    @property
    def features(self) -> tuple[str, ...]:
        """The keys of the features that it needs."""
        return tuple(self.parse_example_spec)


class CategoricalColumn(Column):
    """A column of categories, which are numbers below `num_buckets`."""

    @property
    @abstractmethod
    def num_buckets(self) -> int:
        """How many categories there are."""

    @abstractmethod
    def categories(self, given: Features) -> Categories:
        """Return the categories of each row."""


class DenseColumn(Column):
    """A column of vectors, or of tensors of one shape."""

    @property
    @abstractmethod
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of a row."""

    @abstractmethod
    def dense(self, given: Features) -> Tensor:
        """Return the rows."""

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return prod(self.variable_shape)

    @property
    def variable_scope(self) -> str:
        """What the names of its variables begin with."""
        return self.name


class Features:
    """Raw features by their keys, and what makes variables and tables for their columns."""

    def __init__(self, raw: Mapping[str, Any], making: Making) -> None:
        self._raw = raw
        self.making = making
        self._ready: dict[Any, Any] = {}

    def read(self, key: str) -> Tensor | SparseTensor:
        """Return a feature; of a dense one rows are on the first axis, and there are two axes."""
        if key not in self._ready:
            self._ready[key] = self._two_axes(key)
        found: Tensor | SparseTensor = self._ready[key]
        return found

    def _two_axes(self, key: str) -> Tensor | SparseTensor:
        if key not in self._raw:
            raise InvalidArgumentError(
                f"Feature {key} is not in features dictionary; there are "
                f"{sorted(map(str, self._raw))}"
            )
        given = self._raw[key]
        if hasattr(given, "dense_shape") and not isinstance(given, SparseTensor):
            parts = given.indices, given.values, given.dense_shape
            given = SparseTensor(*map(_packed, parts))
        if isinstance(given, SparseTensor):
            return sparse_expand_dims(given) if given.rank == 1 else given
        tensor = _packed(given)
        shape = tensor.spec.shape
        if shape == ():
            raise InvalidArgumentError(
                f"Feature (key: {key}) cannot have rank 0. Given: {tensor.spec}"
            )
        return (
            expand_dims(tensor, -1)
            if shape is not None and len(shape) == 1
            else tensor
        )

    def once(self, column: Column, make: Callable[[], Any]) -> Any:
        """Return what is made of a column, which is made once."""
        if column not in self._ready:
            self._ready[column] = make()
        return self._ready[column]


def _packed(given: Any) -> Tensor:
    """Return a feature as a tensor; lists may hold tensors of a graph, as layers make of them."""
    if isinstance(given, (list, tuple)) and _holds_tensors(given):
        return stack([_packed(x) for x in given])
    return to_tensor(given)


def _holds_tensors(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        return any(_holds_tensors(x) for x in given)
    return isinstance(given, Tensor)
