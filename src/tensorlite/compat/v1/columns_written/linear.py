"""TensorFlow 1's linear model of columns: a layer for each column, and one for a bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.ragged_and_sparse.sparse_arranged import reshape
from tensorlite.compat.v1.columns_written.given import Given
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.functions.sparse_embeddings import (
    safe_embedding_lookup_sparse,
)
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.layer_kinds.base import Layer
from tensorlite.graph_mode.graph import get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.train.feature_columns import models
from tensorlite.train.feature_columns.base import (
    CategoricalColumn,
    Column,
    DenseColumn,
)


class _Part(Layer):
    """A layer with one variable, which begins as zeros and is put into collections."""

    def __init__(
        self, collections: Sequence[str], trainable: bool, name: str
    ) -> None:
        super().__init__(trainable=trainable, name=name)
        self._collections = collections

    def _zeros(self, name: str, sizes: Sequence[int]) -> Any:
        made = self.add_variable(
            name,
            sizes,
            initializer=init_ops.Zeros(),
            trainable=self.trainable,
            use_resource=True,
        )
        graph = get_default_graph()
        for key in self._collections:
            if key != GraphKeys.GLOBAL_VARIABLES:
                for part in getattr(made, "parts", [made]):
                    graph.add_to_collection(key, part)
        return made


class _Sum(_Part):
    """The rows of a column times weights."""

    def __init__(self, column: Any, units: int, combiner: str, *given: Any) -> None:
        super().__init__(*given)
        self.column, self._units, self._combiner = column, units, combiner

    def build(self, input_shape: Any) -> None:
        """Make the weights, a row for each category or number."""
        column = self.column
        is_of_categories = isinstance(column, CategoricalColumn)
        count = column.num_buckets if is_of_categories else column.width
        self._weights = self._zeros("weights", [count, self._units])

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the sums for given features."""
        if isinstance(self.column, DenseColumn) and not isinstance(
            self.column, CategoricalColumn
        ):
            rows = rows_of(self.column, inputs)
            return matmul(rows, self._weights, name="weighted_sum")
        ids, weights = inputs.categories(self.column)
        ids = reshape(ids, [shape(ids)[0], -1])
        if weights is not None:
            weights = reshape(weights, [shape(weights)[0], -1])
        return safe_embedding_lookup_sparse(
            self._weights, ids, weights, self._combiner, name="weighted_sum"
        )


class _Bias(_Part):
    """What is added to the sums of all columns."""

    def __init__(self, units: int, *given: Any) -> None:
        super().__init__(*given)
        self._units = units

    def build(self, input_shape: Any) -> None:
        """Make the bias."""
        self.bias = self._zeros("bias_weights", [self._units])

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the bias."""
        return self.bias


def rows_of(column: DenseColumn, given: Given) -> Any:
    """Return the rows of a column as vectors."""
    found = given.dense(column)
    return arrays.reshape(found, (shape(found)[0], column.width))


def weighted_sum(
    columns: Sequence[Column],
    given: Given,
    units: int,
    combiner: str,
    collections: Sequence[str],
    trainable: bool,
) -> tuple[Any, dict[Any, list[Any]]]:
    """Return weighted sums of columns and a bias, and which variables each of these has."""
    with scopes.variable_scope(None, "linear_model") as opened:
        name = opened.name.rpartition("/")[2]
    return sum_inside(name, columns, given, units, combiner, collections, trainable)


def sum_inside(
    name: str,
    columns: Sequence[Column],
    given: Given,
    units: int,
    combiner: str,
    collections: Sequence[str],
    trainable: bool,
) -> tuple[Any, dict[Any, list[Any]]]:
    """Return the same, whose variables are in the scope of a name.

    Layers are made before they are called, so that names are taken in TensorFlow's order.
    """
    layers = [
        _Sum(column, units, combiner, collections, trainable, _taken(column))
        for column in models.in_order(columns)
    ]
    bias = _Bias(units, collections, trainable, "bias_layer")
    owned: dict[Any, list[Any]] = {}
    with name_scope(name), scopes.variable_scope(name):
        sums = []
        for layer in sorted(layers, key=lambda x: x.name):
            sums.append(layer(given))
            owned[layer.column] = scopes.global_variables(layer.scope_name)
        models.of_one_size(sums)
        whole = elementwise.add_n(sums, name="weighted_sum_no_bias")
        constant = bias(given, scope=scopes.get_variable_scope())
        found = nn.bias_add(whole, constant, name="weighted_sum")
    owned["bias"] = list(getattr(bias.bias, "parts", [bias.bias]))
    return found, owned


def _taken(column: Column) -> str:
    """Return the name of a column's layer, and take it from the scope that is open."""
    name = column.variable_scope if isinstance(column, DenseColumn) else column.name
    with scopes.variable_scope(None, name) as opened:
        taken: str = opened.name.rpartition("/")[2]
    return taken
