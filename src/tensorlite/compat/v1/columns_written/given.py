"""Given: the features that columns of a graph are made of, and what each column is made to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.ragged_and_sparse.sparse_arranged import reshape
from tensorlite.compat.shared.values import convert_to_tensor_or_sparse_tensor
from tensorlite.compat.v1.functions import checks, control_flow
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import in_graph, plain
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse
from tensorlite.train.feature_columns.base import (
    CategoricalColumn,
    Categories,
    Column,
    DenseColumn,
    Features,
    Making,
)

Made = Callable[[Any, "Given"], Any]
DENSE: dict[type[Column], Made] = {}
"""What makes the rows of columns, by their class."""
CATEGORIES: dict[type[Column], Made] = {}
"""What makes the categories of columns, by their class; `Categories` of what programs see."""


def writes(
    table: dict[type[Column], Made], kind: type[Column]
) -> Callable[[Made], Made]:
    """Return a decorator of the function that writes a class of columns."""

    def noted(function: Made) -> Made:
        table[kind] = function
        return function

    return noted


class Given:
    """Raw features by their keys, as programs see them, and what columns are made of them."""

    def __init__(self, raw: Mapping[str, Any], making: Making) -> None:
        self._raw, self.making = raw, making
        self._unwritten: Features | None = None
        self._ready: dict[Any, Any] = {}

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what is made for a key, a column or part of one, which is made once."""
        if key not in self._ready:
            self._ready[key] = make()
        return self._ready[key]

    def read(self, key: str) -> Any:
        """Return a feature, dense or sparse, with an axis of rows and at least one more."""
        return self.once(key, lambda: self._two_axes(key))

    def dense(self, column: DenseColumn) -> Any:
        """Return the rows of a column."""
        written = DENSE.get(type(column))
        if written is not None:
            return written(column, self)
        return in_graph(lambda: column.dense(self._as_features()), None, None, None)

    def categories(self, column: CategoricalColumn) -> Categories:
        """Return the categories of the rows of a column."""
        written = CATEGORIES.get(type(column))
        found: Categories
        if written is not None:
            found = written(column, self)
        else:
            found = column.categories(self._as_features())
        return found

    def _as_features(self) -> Features:
        """Return the features for columns that are not written: those of a program's own."""
        if self._unwritten is None:
            self._unwritten = Features(plain(dict(self._raw)), self.making)
        return self._unwritten

    def _two_axes(self, key: str) -> Any:
        if key not in self._raw:
            raise InvalidArgumentError(
                f"Feature {key} is not in features dictionary."
            )
        found = convert_to_tensor_or_sparse_tensor(self._raw[key])
        rank = found.get_shape().rank
        if rank == 0:
            raise InvalidArgumentError(
                f"Feature (key: {key}) cannot have rank 0. Given: {found}"
            )
        if rank is not None:
            return _with_axis(found) if rank == 1 else found
        said = f"Feature (key: {key}) cannot have rank 0. Given: {found}"
        count = arrays.rank(found)
        with framework.control_dependencies(
            [checks.assert_positive(count, message=said)]
        ):
            return control_flow.cond(
                elementwise.equal(1, arrays.rank(found)),
                lambda: _with_axis(found),
                lambda: found,
            )


def _with_axis(found: Any) -> Any:
    if isinstance(found, PlainSparse):
        return reshape(found, [shape(found)[0], 1])
    return arrays.expand_dims(found, -1)
