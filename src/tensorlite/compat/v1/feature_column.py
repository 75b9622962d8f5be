"""tf.feature_column of TensorFlow 1: its columns, and the models that they are given to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tensorlite as tl
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.arrays import concat
from tensorlite.compat.shared.tables.feature_columns import (
    bucketized_column,
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_list,
    crossed_column,
    embedding_column,
    indicator_column,
    make_parse_example_spec,
    numbers_of,
    numeric_column,
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
    shared_embedding_columns,
    vocabulary_file_column,
    weighted_categorical_column,
)
from tensorlite.compat.v1.columns_written import kinds as kinds
from tensorlite.compat.v1.columns_written.given import Given
from tensorlite.compat.v1.columns_written.linear import (
    rows_of,
    sum_inside,
    weighted_sum,
)
from tensorlite.compat.v1.contrib.columns import adapted
from tensorlite.compat.v1.contrib.columns.base import FeatureColumn
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v1.graphs import scopes
from tensorlite.core.dtypes import float32, string
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.train.feature_columns import models
from tensorlite.train.feature_columns.base import (
    Column,
    DenseColumn,
    Features,
    Lookup,
    Vocabulary,
)

__all__ = [
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file",
    "categorical_column_with_vocabulary_list",
    "crossed_column",
    "embedding_column",
    "indicator_column",
    "input_layer",
    "linear_model",
    "make_parse_example_spec",
    "numeric_column",
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column",
    "shared_embedding_columns",
    "weighted_categorical_column",
]


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = string,
) -> Any:
    """Return a column that makes of a feature the numbers of its values' lines in a file.

    Other values get default_value (-1 if None), or one of num_oov_buckets numbers behind the last.
    """
    return vocabulary_file_column(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )


class ScopedMaking:
    """Makes what columns have in variable scopes; notes which variables each column has."""

    def __init__(self, collections: Any, trainable: bool) -> None:
        given = list(collections or ())
        always = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
        self.collections = list(dict.fromkeys([*always, *given]))
        self._trainable = trainable
        self._kept: dict[str, Operand] = {}
        self.of_column: dict[Any, list[Any]] = {}
        self._turn: Any = None

    @contextmanager
    def noting(self, owner: Any) -> Iterator[None]:
        """Note what is made in the block as a column's."""
        self._turn = owner
        self.of_column.setdefault(owner, [])
        yield

    @contextmanager
    def turn(self, column: Any) -> Iterator[None]:
        """Open the scope of a column."""
        name = (
            column.variable_scope if isinstance(column, DenseColumn) else column.name
        )
        scope = scopes.variable_scope(None, name.replace("/", "_"))
        with self.noting(column), scope as opened:
            yield
            if isinstance(column, adapted.AdaptedRows):
                own = scopes.global_variables(f"{opened.name}/")
                self.of_column[column].extend(own)

    def variable(
        self,
        name: str,
        shape: Sequence[int],
        initializer: Any,
        trainable: bool = True,
    ) -> Any:
        """Return a variable of the scope, which may exist."""
        made = scopes.get_variable(
            name,
            shape,
            float32,
            initializer,
            trainable=trainable and self._trainable,
            collections=self.collections,
        )
        self.of_column.setdefault(self._turn, []).append(made)
        return made

    def shared(self, key: str, make: Callable[[], Operand]) -> Operand:
        """Return what columns of the graph have in common."""
        graph = active_graph()
        kept = self._kept if graph is None else graph.kept.setdefault("columns", {})
        if key not in kept:
            kept[key] = make()
            if graph is not None:
                graph.add_to_collection(key, kept[key])
        found: Operand = kept[key]
        self.of_column.setdefault(self._turn, []).append(found)
        return found

    def numbers_of(self, vocabulary: Vocabulary, key: str) -> Lookup:
        """Return what finds the numbers of words."""
        return numbers_of(vocabulary, key)


def input_layer(
    features: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
    cols_to_output_tensors: Any = None,
) -> Any:
    """Return the dense columns side by side, [batch, width], in the order of their names.

    cols_to_vars and cols_to_output_tensors are dicts that are filled in.
    """
    making = ScopedMaking(weight_collections, trainable)
    listed = [adapted.rows_of(column) for column in _listed(feature_columns)]
    with scopes.variable_scope(None, "input_layer"):
        rows, whole = _rows(listed, features, making)
    if cols_to_vars is not None:
        cols_to_vars.update(adapted.given_by(making.of_column))
    if cols_to_output_tensors is not None:
        ordered = models.in_order(listed)
        by_column = dict(zip(ordered, rows, strict=True))
        cols_to_output_tensors.update(adapted.given_by(by_column))
    return whole


def _rows(columns: Any, features: Any, making: ScopedMaking) -> tuple[Any, Any]:
    """Return the rows of each column, and all side by side."""
    if active_graph() is None:
        rows = models.joined(columns, Features(dict(features), making), making.turn)
        return rows, models.side_by_side(rows)
    given, rows = Given(dict(features), making), []
    for column in models.in_order(columns, DenseColumn):
        with making.turn(column):
            rows.append(rows_of(column, given))
    return rows, concat(models.of_one_size(rows), 1)


def _listed(columns: Any) -> list[Any]:
    if isinstance(columns, (Column, FeatureColumn)):
        return [columns]
    if isinstance(columns, dict):
        return models.in_order(columns)
    return list(columns)


def linear_model(
    features: Any,
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: Any = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
) -> Any:
    """Return weighted sums of the columns and a bias, [batch, units].

    sparse_combiner ("sum", "mean" or "sqrtn") joins the weights of several values. cols_to_vars is
    a dict that is filled in.
    """
    making = ScopedMaking(weight_collections, trainable)
    columns = [adapted.sums_of(column) for column in _listed(feature_columns)]
    if active_graph() is None:
        with scopes.variable_scope(None, "linear_model"):
            found = _summed(columns, features, making, units, sparse_combiner)
        owned = making.of_column
    else:
        given = Given(dict(features), making)
        found, owned = weighted_sum(
            columns, given, units, sparse_combiner, making.collections, trainable
        )
    if cols_to_vars is not None:
        cols_to_vars.update(adapted.given_by(owned))
    return found


def linear_layer(
    features: Any, feature_columns: Any, units: int, sparse_combiner: str
) -> tuple[Any, list[Any], list[Any]]:
    """Return weighted sums of the columns and a bias as a model of layers, and its variables.

    These are the weights of columns, and the parts of the bias.
    """
    making = ScopedMaking(None, trainable=True)
    columns = [adapted.sums_of(column) for column in _listed(feature_columns)]
    own = [GraphKeys.GLOBAL_VARIABLES]
    with name_scope("linear_model"):
        given = Given(dict(features), making)
        found, owned = sum_inside(
            "linear_model", columns, given, units, sparse_combiner, own, True
        )
    bias = owned.pop("bias")
    return found, [x for one in owned.values() for x in one], bias


def _summed(
    columns: Any, features: Any, making: ScopedMaking, units: int, combiner: Any
) -> Tensor:
    given = Features(dict(features), making)
    parts = models.weighted_sums(columns, given, making.turn, units, combiner)
    with making.noting("bias"):
        bias = making.variable("bias_weights", (units,), init_ops.Zeros())
    return sum(parts[1:], parts[0]) + tl.asarray(bias)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
