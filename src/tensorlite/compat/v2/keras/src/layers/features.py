"""Keras' layers of feature columns. The columns themselves are train/feature_columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.shared.tables.feature_columns import numbers_of
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.views import shown
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.operand import Operand
from tensorlite.train.feature_columns import models
from tensorlite.train.feature_columns.base import (
    Column,
    DenseColumn,
    Features,
    Lookup,
    Vocabulary,
)


class LayersMaking:
    """Makes what columns have as weights of a layer, once for each column."""

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self._weights: dict[tuple[str, str], Operand] = {}
        self._common: dict[str, Operand] = {}
        self._lookups: dict[Vocabulary, Lookup] = {}
        self._scope = ""

    @contextmanager
    def turn(self, column: Any) -> Iterator[None]:
        """Let a column be the one that weights are of."""
        is_dense = isinstance(column, DenseColumn)
        self._scope = column.variable_scope if is_dense else column.name
        yield

    def variable(
        self,
        name: str,
        shape: Sequence[int],
        initializer: Any,
        trainable: bool = True,
    ) -> Operand:
        """Return a weight of the column whose turn it is."""
        key = self._scope, name
        if key not in self._weights:
            self._weights[key] = self._layer.add_weight(
                f"{self._scope}/{name}",
                shape,
                initializer=initializer,
                trainable=trainable and self._layer.trainable,
            )
        return self._weights[key]

    def shared(self, key: str, make: Callable[[], Operand]) -> Operand:
        """Return a weight that several columns have."""
        if key not in self._common:
            self._common[key] = make()
        return self._common[key]

    def numbers_of(self, vocabulary: Vocabulary, key: str) -> Lookup:
        """Return what finds the numbers of words, by a table that is made once."""
        if vocabulary not in self._lookups:
            graph = in_graphs.building.get()
            with interpreted_by(None) if graph is None else graph.building():
                self._lookups[vocabulary] = numbers_of(vocabulary, key)
        return self._lookups[vocabulary]


class _OfColumns(Layer):
    """A layer that is given features by their names, and has columns that make numbers of them."""

    keeps_sparse = True

    def __init__(
        self,
        feature_columns: Any,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        is_one = isinstance(feature_columns, Column)
        given = [feature_columns] if is_one else feature_columns
        self.columns: tuple[Any, ...] = tuple(models.in_order(given, DenseColumn))
        self.making = LayersMaking(self)
        self._rows: list[Any] = []

    @in_graphs.wherever
    def _applied(self, *args: Any, **kwargs: Any) -> Any:
        return super()._applied(*args, **kwargs)


class DenseFeatures(_OfColumns):
    """What columns say of features, side by side."""

    def __call__(
        self, features: Any, cols_to_output_tensors: Any = None, **kwargs: Any
    ) -> Any:
        made = super().__call__(features, **kwargs)
        if cols_to_output_tensors is not None:
            rows = zip(self.columns, self._rows, strict=True)
            cols_to_output_tensors.update({x: shown(row) for x, row in rows})
        self._rows = []
        return made

    def call(self, features: Any, training: Any = None) -> Any:
        given = Features(features, self.making)
        self._rows = models.joined(self.columns, given, self.making.turn)
        return models.side_by_side(self._rows)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (None, sum(column.width for column in self.columns))


class SequenceFeatures(_OfColumns):
    """The steps that columns have of each row, side by side, and how many each row has."""

    def call(self, features: Any, training: Any = None) -> Any:
        given = Features(features, self.making)
        return models.joined_steps(self.columns, given, self.making.turn)
