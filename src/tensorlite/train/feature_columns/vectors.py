"""Columns of vectors: numbers, numbers by ranges, and vectors of categories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.gather import scatter_nd, sizes
from tensorlite.ops.arrays.scatter import one_hot
from tensorlite.ops.arrays.search import Bucketize
from tensorlite.ops.arrays.segment import unsorted_segment_max
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.records.examples import FixedLenFeature, VarLenFeature
from tensorlite.ops.sparse.crossing import every_element
from tensorlite.ops.sparse.dense import to_dense
from tensorlite.ops.sparse.embeddings import (
    Combiner,
    safe_embedding_lookup_sparse,
)
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.train.feature_columns.base import (
    CategoricalColumn,
    Categories,
    DenseColumn,
    Features,
    Making,
)


@dataclass(frozen=True)
class NumericColumn(DenseColumn):
    """Numbers as they are, or as a function of them."""

    key: str
    shape: tuple[int, ...] = (1,)
    default_value: tuple[Any, ...] | None = None
    dtype: DType = dtypes.float32
    normalizer_fn: Callable[[Any], Any] | None = None

    @property
    def name(self) -> str:
        """The feature's key."""
        return self.key

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of a row."""
        return self.shape

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """As many values as the shape has."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def dense(self, given: Features) -> Tensor:
        """Return the rows."""
        made: Tensor = given.once(self, lambda: self._changed(given.read(self.key)))
        return made

    def check(self, found: Tensor | SparseTensor) -> None:
        """Raise InvalidArgumentError for a feature that is sparse."""
        if isinstance(found, SparseTensor):
            raise InvalidArgumentError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is "
                f"not supported. key: {self.key}"
            )

    def _changed(self, found: Any) -> Tensor:
        self.check(found)
        changed = found if self.normalizer_fn is None else self.normalizer_fn(found)
        return astype(changed, dtypes.float32)


@dataclass(frozen=True)
class SequenceNumericColumn(DenseColumn):
    """Numbers of steps; rows with fewer steps than others are filled up."""

    key: str
    shape: tuple[int, ...] = (1,)
    padding_value: float = 0.0
    dtype: DType = dtypes.float32
    normalizer_fn: Callable[[Any], Any] | None = None

    @property
    def name(self) -> str:
        """The feature's key."""
        return self.key

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of a step."""
        return self.shape

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Any number of values."""
        return {self.key: VarLenFeature(self.dtype)}

    def dense(self, given: Features) -> Tensor:
        """Return the steps of each row."""
        found = given.read(self.key)
        if not isinstance(found, SparseTensor):
            raise InvalidArgumentError(
                f"{self.key}: steps are given as a SparseTensor"
            )
        filled = to_dense(found, constant(self.padding_value, found.dtype))
        changed = filled if self.normalizer_fn is None else self.normalizer_fn(filled)
        rows = reshape(changed, (sizes(filled)[0], -1, *self.shape))
        return astype(rows, dtypes.float32)

    def lengths(self, given: Features) -> Tensor:
        """Return how many steps each row has."""
        found = given.read(self.key)
        assert isinstance(found, SparseTensor)
        per_step = self.width if found.rank == 2 else 1
        return lengths_of(found, per_step)


def lengths_of(steps: SparseTensor, per_step: int = 1) -> Tensor:
    """Return how many steps each row has, by the last place that it fills."""
    rows, last = steps.indices[:, 0], steps.indices[:, 1]
    ends = unsorted_segment_max(last // per_step + 1, rows, steps.dense_shape[0])
    return maximum(ends, 0)


@dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """Which of the ranges between boundaries each number is in."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        """The name of the numbers."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What the numbers need."""
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of the numbers, with an axis of the ranges."""
        return (*self.source_column.shape, len(self.boundaries) + 1)

    @property
    def num_buckets(self) -> int:
        """The ranges of all numbers of a row."""
        return (len(self.boundaries) + 1) * self.source_column.width

    def _ranges(self, given: Features) -> Tensor:
        def made() -> Tensor:
            numbers = self.source_column.dense(given)
            return call(Bucketize(tuple(map(float, self.boundaries))), numbers)

        found: Tensor = given.once(self, made)
        return found

    def dense(self, given: Features) -> Tensor:
        """Return 1 for the range of each number, 0 for others."""
        count = len(self.boundaries) + 1
        return one_hot(self._ranges(given), count, dtype=dtypes.float32)

    def categories(self, given: Features) -> Categories:
        """Return the ranges as numbers, each number of a row having its own."""
        width, count = self.source_column.width, len(self.boundaries) + 1
        ranges = astype(reshape(self._ranges(given), (-1, width)), dtypes.int64)
        firsts = constant(np.arange(width) * count, dtypes.int64)
        return Categories(every_element(ranges + firsts))


@dataclass(frozen=True)
class _OfCategories(DenseColumn):
    """A vector for each row of categories."""

    categorical_column: CategoricalColumn

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What the categories need."""
        return self.categorical_column.parse_example_spec


@dataclass(frozen=True)
class IndicatorColumn(_OfCategories):
    """How often each category is in a row, or the sum of its weights."""

    @property
    def name(self) -> str:
        """The name of the categories."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """As many numbers as categories."""
        return (1, self.categorical_column.num_buckets)

    def dense(self, given: Features) -> Tensor:
        """Return the rows."""
        ids, weights = self.categorical_column.categories(given)
        count = self.categorical_column.num_buckets
        if weights is not None:
            places = stack([*_columns(ids)[:-1], ids.values], axis=1)
            shape = stack([*_outer(ids), constant(count, dtypes.int64)])
            return scatter_nd(places, weights.values, shape)
        numbers = to_dense(ids, -1)
        return sum_of(one_hot(numbers, count, dtype=dtypes.float32), axis=-2)


def _columns(ids: SparseTensor) -> list[Tensor]:
    return [ids.indices[:, axis] for axis in range(ids.rank or 2)]


def _outer(ids: SparseTensor) -> list[Tensor]:
    return [ids.dense_shape[axis] for axis in range((ids.rank or 2) - 1)]


@dataclass(frozen=True)
class EmbeddingColumn(_OfCategories):
    """The learnt vectors of the categories of a row, as one."""

    dimension: int
    combiner: Combiner = "mean"
    initializer: Any = None
    ckpt_to_load_from: str | None = None
    tensor_name_in_ckpt: str | None = None
    max_norm: float | None = None
    trainable: bool = True
    use_safe_embedding_lookup: bool = True

    @property
    def name(self) -> str:
        """The name of the categories."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """A vector."""
        return (self.dimension,)

    def dense(self, given: Features) -> Tensor:
        """Return the rows; of one without categories, 0."""
        table = self.table(given.making)
        ids, weights = self.categorical_column.categories(given)
        return safe_embedding_lookup_sparse(
            table, ids, weights, self.combiner, max_norm=self.max_norm
        )

    def table(self, making: Making) -> Any:
        """Return the variable of the vectors."""
        shape = (self.categorical_column.num_buckets, self.dimension)
        return making.variable(
            "embedding_weights", shape, self.initializer, self.trainable
        )


@dataclass(frozen=True)
class SharedEmbeddingColumn(EmbeddingColumn):
    """Vectors that several columns of categories have in common."""

    shared_name: str = ""

    @property
    def name(self) -> str:
        """The name of the categories."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def variable_scope(self) -> str:
        """What the name of the common variable begins with."""
        return self.shared_name

    def table(self, making: Making) -> Any:
        """Return the variable of the vectors, which the first of the columns makes."""
        own = super().table
        return making.shared(self.shared_name, lambda: own(making))


def checked_boundaries(boundaries: Any) -> tuple[float, ...]:
    """Return boundaries of ranges; InvalidArgumentError unless each is above the one before."""
    given = tuple(boundaries or ())
    if not given or any(a >= b for a, b in pairwise(given)):
        raise InvalidArgumentError(
            f"boundaries must be a sorted list, not {list(given)}"
        )
    return given
