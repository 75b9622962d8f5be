"""Columns of numbers: as they are, and by the buckets that they lie in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise, picking, raw_ops
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.v1.contrib.columns.base import (
    Deep,
    FeatureColumn,
    Transformer,
    Wide,
    of_rank,
)
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.core.dtypes import as_dtype, float32, int64
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.records.examples import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)


@dataclass(frozen=True)
class RealValuedColumn(FeatureColumn):
    """So many numbers for each example."""

    column_name: str
    dimension: int
    default_value: tuple[Any, ...] | None
    dtype: Any
    normalizer: Any

    def _beside_key(self) -> tuple[str, ...]:
        return ("normalizer",)

    @property
    def name(self) -> str:
        """What the feature is called."""
        return self.column_name

    @property
    def normalizer_fn(self) -> Any:
        """What changes the numbers first, or None."""
        return self.normalizer

    @property
    def config(self) -> dict[str, Any]:
        """A feature of one length."""
        default = None if self.default_value is None else list(self.default_value)
        return {
            self.column_name: FixedLenFeature([self.dimension], self.dtype, default)
        }

    @property
    def width(self) -> int:
        """How many numbers each example has."""
        return self.dimension

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers as float32, behind the normalizer."""
        found = given.get(self.column_name)
        if self.normalizer is not None:
            found = self.normalizer(found)
        return elementwise.cast(found, float32)

    def deep(self, found: Any, how: Deep) -> Any:
        """Return the numbers."""
        return of_rank(elementwise.cast(found, float32), how.rank, self.name)

    def wide(self, found: Any) -> Wide | None:
        """Return None: numbers are multiplied."""

    def dense(self, found: Any) -> Any:
        """Return the numbers."""
        return found


@dataclass(frozen=True)
class RealValuedVarLenColumn(FeatureColumn):
    """Numbers of which examples have more or fewer."""

    column_name: str
    default_value: Any
    dtype: Any
    normalizer: Any
    is_sparse: bool

    def _beside_key(self) -> tuple[str, ...]:
        return ("normalizer",)

    @property
    def name(self) -> str:
        """What the feature is called."""
        return self.column_name

    @property
    def normalizer_fn(self) -> Any:
        """What changes the numbers first, or None."""
        return self.normalizer

    @property
    def config(self) -> dict[str, Any]:
        """A sparse feature, or one that is filled up."""
        if self.is_sparse:
            return {self.column_name: VarLenFeature(self.dtype)}
        feature = FixedLenSequenceFeature([], self.dtype, True, self.default_value)
        return {self.column_name: feature}

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers as float32, behind the normalizer."""
        found = given.get(self.column_name)
        if not self.is_sparse:
            changed = self.normalizer(found) if self.normalizer else found
            return elementwise.cast(changed, float32)
        values = self.normalizer(found.values) if self.normalizer else found.values
        cast = elementwise.cast(values, float32)
        return SparseTensor(found.indices, cast, found.dense_shape)

    def deep(self, found: Any, how: Deep) -> Any:
        """Return the numbers, which are not sparse."""
        return of_rank(self.dense(found), how.rank, self.name)

    def wide(self, found: Any) -> Wide | None:
        """Return None: numbers are multiplied."""

    def dense(self, found: Any) -> Any:
        """Return the numbers; InvalidArgumentError if the column is sparse."""
        if self.is_sparse:
            raise InvalidArgumentError(
                "Set is_sparse to False if you want a dense Tensor for column_name: "
                f"{self.name}"
            )
        return found


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: Any = float32,
    normalizer: Any = None,
) -> RealValuedColumn:
    """Return a column of `dimension` numbers; default_value stands where examples have none.

    normalizer changes the tensor that was read.
    """
    if not isinstance(dimension, int):
        raise DTypeError(
            "dimension must be an integer. Use the _real_valued_var_len_column for variable length "
            f"features. dimension: {dimension}, column_name: {column_name}"
        )
    if dimension < 1:
        raise InvalidArgumentError(
            f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}"
        )
    kind = _number_dtype(dtype, column_name)
    default = _defaults(default_value, dimension, kind, column_name)
    return RealValuedColumn(column_name, dimension, default, kind, normalizer)


def _number_dtype(dtype: Any, name: str) -> Any:
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise InvalidArgumentError(
            f"dtype must be convertible to float. dtype: {dtype}, column_name: {name}"
        )
    return kind


def _defaults(
    value: Any, count: int, kind: Any, name: str
) -> tuple[int | float, ...] | None:
    if value is None:
        return None
    listed = value if isinstance(value, list) else [value] * count
    if len(listed) != count:
        raise InvalidArgumentError(
            "The length of default_value must be equal to dimension. "
            f"default_value: {value}, dimension: {count}, column_name: {name}"
        )
    allowed = int if kind.is_integer else (int, float)
    if not all(isinstance(x, allowed) for x in listed):
        raise DTypeError(
            "default_value must be compatible with dtype. "
            f"default_value: {value}, dtype: {kind}, column_name: {name}"
        )
    return tuple(x if kind.is_integer else float(x) for x in listed)


def real_valued_var_len_column(
    column_name: str,
    default_value: Any = None,
    dtype: Any = float32,
    normalizer: Any = None,
    is_sparse: bool = False,
) -> RealValuedVarLenColumn:
    """Return a column of numbers of which examples have more or fewer."""
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise DTypeError(
            f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}"
        )
    if default_value is None and not is_sparse:
        raise InvalidArgumentError(
            "default_value must be provided when is_sparse=False to parse a padded Tensor. "
            f"column_name: {column_name}"
        )
    if isinstance(default_value, list):
        raise InvalidArgumentError(
            f"Only scalar default value. default_value: {default_value}, "
            f"column_name: {column_name}"
        )
    default = default_value
    if default is not None:
        default = int(default) if kind.is_integer else float(default)
    return RealValuedVarLenColumn(column_name, default, kind, normalizer, is_sparse)


@dataclass(frozen=True)
class BucketizedColumn(FeatureColumn):
    """Between which boundaries numbers lie."""

    source_column: RealValuedColumn
    boundaries: tuple[Any, ...]

    @property
    def name(self) -> str:
        """What the scope of variables is called."""
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        """How many buckets there are."""
        return len(self.boundaries) + 1

    @property
    def config(self) -> dict[str, Any]:
        """How the numbers are read."""
        return self.source_column.config

    @property
    def width(self) -> int:
        """How many buckets there are of all numbers of an example."""
        return self.length * self.source_column.dimension

    @property
    def classes(self) -> int:
        """How many buckets there are of all numbers of an example."""
        return self.width

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers of the buckets."""
        found = given.get(self.source_column)
        boundaries = list(map(float, self.boundaries))
        return raw_ops.Bucketize(input=found, boundaries=boundaries)

    def deep(self, found: Any, how: Deep) -> Any:
        """Return 1 in the place of each number's bucket."""
        if how.rank != 2:
            raise InvalidArgumentError(
                "BucketizedColumn currently only supports output_rank=2"
            )
        marked = picking.one_hot(
            elementwise.cast(found, int64), self.length, 1.0, 0.0
        )
        return arrays.reshape(marked, [-1, self.width])

    def to_sparse_tensor(self, input_tensor: Any) -> SparseTensor:
        """Return the buckets as a sparse tensor, those of each number behind the last one's."""
        dimension = self.source_column.dimension
        count = v1_arrays.shape(input_tensor)[0]
        rows = v1_arrays.expand_dims(arrays.range(0, count), 1)
        places = cutting.tile(arrays.range(0, dimension), arrays.stack([count]))
        flat = arrays.reshape(cutting.tile(rows, [1, dimension]), [-1])
        indices = arrays.transpose(arrays.stack([flat, places]))
        numbers = arrays.reshape(input_tensor, [-1]) + places * self.length
        shape = elementwise.cast(arrays.stack([count, dimension]), int64)
        return SparseTensor(
            elementwise.cast(indices, int64), elementwise.cast(numbers, int64), shape
        )

    def wide(self, found: Any) -> Wide:
        """Return what is looked up: the weight of each number's bucket."""
        return Wide(self.to_sparse_tensor(found), None, self.width, "sum")


def bucketized_column(source_column: Any, boundaries: Any) -> BucketizedColumn:
    """Return a column that says between which boundaries, sorted, numbers lie."""
    if not isinstance(source_column, RealValuedColumn):
        raise DTypeError(
            "source_column must be an instance of _RealValuedColumn. "
            f"source_column: {source_column}"
        )
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise InvalidArgumentError(
            f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}"
        )
    if list(boundaries) != sorted(boundaries):
        raise InvalidArgumentError(
            f"boundaries must be a sorted list. boundaries: {boundaries}"
        )
    return BucketizedColumn(source_column, tuple(dict.fromkeys(boundaries)))
