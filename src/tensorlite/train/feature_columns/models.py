"""What is made of several columns: one matrix, a linear model, and how examples are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import reshape
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.records.examples import FixedLenFeature
from tensorlite.ops.sparse.embeddings import (
    Combiner,
    safe_embedding_lookup_sparse,
)
from tensorlite.train.feature_columns.base import (
    CategoricalColumn,
    Column,
    DenseColumn,
    Features,
)
from tensorlite.train.feature_columns.categories import SequenceCategoricalColumn
from tensorlite.train.feature_columns.vectors import SequenceNumericColumn, lengths_of
from tensorlite.train.initializers import zeros

Turn = Callable[[Column], AbstractContextManager[Any]]
"""Opens the scope of a column, in which its variables are made."""
C = TypeVar("C", bound=Column)


def in_order(columns: Iterable[C], kind: Any = Column) -> list[C]:
    """Return columns by their names; InvalidArgumentError for none, for two alike, for others."""
    if isinstance(columns, dict):
        raise InvalidArgumentError(
            "Expected feature_columns to be iterable, found dict."
        )
    listed = list(columns)
    if not listed:
        raise InvalidArgumentError("feature_columns must not be empty.")
    for column in listed:
        if not isinstance(column, kind):
            raise InvalidArgumentError(
                f"Items of feature_columns must be a {kind.__name__}; wrap a column of categories "
                f"by embedding_column or indicator_column. Given: {column!r}"
            )
    names = [column.name for column in listed]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidArgumentError(
            f"Duplicate feature column name found for columns: {', '.join(twice)}"
        )
    return sorted(listed, key=lambda column: column.name)


def rows_of(column: DenseColumn, given: Features) -> Tensor:
    """Return the rows of a column as vectors."""
    return reshape(column.dense(given), (-1, column.width))


def joined(
    columns: Sequence[DenseColumn], given: Features, turn: Turn
) -> list[Tensor]:
    """Return the rows of columns, which side by side are what a model is given."""
    found = []
    for column in in_order(columns, DenseColumn):
        with turn(column):
            found.append(rows_of(column, given))
    return of_one_size(found)


def of_one_size(rows: list[Tensor]) -> list[Tensor]:
    """Return what columns give; InvalidArgumentError if they are known to be of other sizes."""
    sizes = [x.spec.shape[0] if x.spec.shape else None for x in rows]
    known = {size for size in sizes if size is not None}
    if len(known) > 1:
        raise InvalidArgumentError(
            f"Batch size (first dimension) of each feature must be same. Batch sizes: {sizes}"
        )
    return rows


def joined_steps(
    columns: Sequence[DenseColumn], given: Features, turn: Turn
) -> tuple[Tensor, Tensor]:
    """Return the steps that columns have of each row, side by side, and how many there are."""
    found, lengths = [], []
    for column in in_order(columns, DenseColumn):
        with turn(column):
            found.append(column.dense(given))
            lengths.append(_lengths(column, given))
    return concat(found, axis=-1), lengths[0]


def _lengths(column: DenseColumn, given: Features) -> Tensor:
    if isinstance(column, SequenceNumericColumn):
        return column.lengths(given)
    inner = getattr(column, "categorical_column", None)
    if not isinstance(inner, SequenceCategoricalColumn):
        raise InvalidArgumentError(
            f"a layer of steps takes columns of steps (sequence_...), not {column.name}"
        )
    return lengths_of(inner.categories(given).ids)


def weighted_sums(
    columns: Sequence[Column],
    given: Features,
    turn: Turn,
    units: int = 1,
    combiner: Combiner = "sum",
    trainable: bool = True,
) -> list[Tensor]:
    """Return for each column its rows times weights that are learnt, which begin as 0."""
    found = []
    for column in in_order(columns):
        with turn(column):
            found.append(_weighted(column, given, units, combiner, trainable))
    return of_one_size(found)


def _weighted(
    column: Column, given: Features, units: int, combiner: Combiner, trainable: bool
) -> Tensor:
    def weights(count: int) -> Operand:
        return given.making.variable("weights", (count, units), zeros, trainable)

    if isinstance(column, CategoricalColumn):
        ids, factors = column.categories(given)
        table = weights(column.num_buckets)
        return safe_embedding_lookup_sparse(table, ids, factors, combiner)
    if isinstance(column, DenseColumn):
        rows = rows_of(column, given)
        return matmul(rows, weights(column.width))
    raise InvalidArgumentError(f"a linear model takes no {column!r}")


def side_by_side(rows: Sequence[Tensor]) -> Tensor:
    """Return matrices as one, along the second axis."""
    return concat(list(rows), axis=1)


def parse_example_spec(columns: Iterable[Column]) -> dict[str, Any]:
    """Return how the features are read that columns need; those that two need must be alike."""
    found: dict[str, Any] = {}
    for column in columns:
        if not isinstance(column, Column):
            raise InvalidArgumentError(
                f"All feature_columns must be FeatureColumn instances. Given: {column!r}"
            )
        for key, feature in column.parse_example_spec.items():
            if found.setdefault(key, feature) != feature:
                raise InvalidArgumentError(
                    f"feature_columns contain different parse_spec for key {key}: {found[key]} and "
                    f"{feature}"
                )
    return found


def labelled(
    spec: dict[str, Any], key: str, dtype: Any, default: Any, weight: Any, kinds: str
) -> dict[str, Any]:
    """Return how examples with labels are read, and with weights if there are any."""
    if dtypes.as_dtype(dtype).name not in kinds.split():
        raise DTypeError(f"label_dtype must be one of {kinds}, not {dtype}")
    own: dict[str, Any] = {key: FixedLenFeature((1,), dtype, default)}
    if isinstance(weight, str):
        own[weight] = FixedLenFeature((1,), dtypes.float32)
    elif weight is not None:
        own |= weight.parse_example_spec
    both = sorted(set(own) & set(spec))
    if both:
        raise InvalidArgumentError(
            f"label and weight should not be used as features: {both[0]!r}"
        )
    return {**spec, **own}
