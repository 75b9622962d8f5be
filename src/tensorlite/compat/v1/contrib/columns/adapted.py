"""Columns of tf.contrib.layers where those of tf.feature_column are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tensorlite.compat.v1.contrib.columns.base import Deep, FeatureColumn, Transformer
from tensorlite.compat.views import lifted, plain, shown
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.train.feature_columns.base import (
    CategoricalColumn,
    Categories,
    Column,
    DenseColumn,
    Features,
)


def _made(source: FeatureColumn, given: Features) -> Any:
    """Return what a column makes of features, before a model makes anything of it."""
    raw = {key: shown(given.read(key)) for key in source.config}
    return Transformer(raw).get(source)


@dataclass(frozen=True)
class _Adapted(Column):
    source: FeatureColumn

    @property
    def name(self) -> str:
        """What the column is called."""
        return self.source.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """How the features that it needs are read from examples."""
        return self.source.config


@dataclass(frozen=True)
class AdaptedRows(_Adapted, DenseColumn):
    """Rows that a column has for a network."""

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """The shape of a row."""
        return (self.source.width or 0,)

    def dense(self, given: Features) -> Tensor:
        """Return the rows."""
        source = self.source
        found: Tensor = lifted(lambda: source.deep(_made(source, given), Deep()))()
        return found


@dataclass(frozen=True)
class AdaptedClasses(_Adapted, CategoricalColumn):
    """Classes that a column has for a linear model."""

    @property
    def num_buckets(self) -> int:
        """How many classes there are."""
        return self.source.classes or 0

    def categories(self, given: Features) -> Categories:
        """Return the classes of each row."""
        asked = self.source.wide(_made(self.source, given))
        if asked is None:
            raise InvalidArgumentError(f"column {self.name} has no classes")
        return Categories(plain(asked.ids), plain(asked.weights))


def rows_of(column: Any) -> Any:
    """Return a column for a network; those of tf.feature_column as they are."""
    if not isinstance(column, FeatureColumn) or column.width is None:
        return column
    return AdaptedRows(column)


def sums_of(column: Any) -> Any:
    """Return a column for a linear model; those of tf.feature_column as they are."""
    if not isinstance(column, FeatureColumn) or column.classes is None:
        return rows_of(column)
    return AdaptedClasses(column)


def given_by(found: dict[Any, Any]) -> dict[Any, Any]:
    """Return a dict by the columns that the program gave."""
    return {
        key.source if isinstance(key, _Adapted) else key: value
        for key, value in found.items()
    }
