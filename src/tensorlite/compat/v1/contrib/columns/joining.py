"""What models make of columns: rows side by side, and weighted sums."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.shared import arrays, elementwise, nn
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.v1.contrib.columns.base import (
    Deep,
    FeatureColumn,
    Transformer,
    Wide,
    checked,
    is_sparse,
    with_axes,
)
from tensorlite.compat.v1.contrib.columns.classes import CrossedColumn
from tensorlite.compat.v1.contrib.columns.numbers import (
    BucketizedColumn,
    RealValuedColumn,
    RealValuedVarLenColumn,
)
from tensorlite.compat.v1.contrib.columns.vectors import (
    EmbeddingColumn,
    OneHotColumn,
    fill,
)
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.functions import init_ops, sparse_embeddings, sparse_older
from tensorlite.compat.v1.graphs import scopes
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError


def _of_steps(found: Any, name: str) -> Any:
    if isinstance(found, tuple) and not is_sparse(found):
        return tuple(with_axes(x, 3, name) for x in found)
    return with_axes(found, 3, name)


def _joined(
    features: Any,
    columns: Iterable[Any],
    how: Deep,
    scope: Any,
    title: str,
    kept: Any,
) -> Any:
    if kept is not None and not isinstance(kept, dict):
        raise InvalidArgumentError("cols_to_outs must be a dict unless None")
    given = Transformer(dict(features))
    found = []
    with scopes.variable_scope(scope, title):
        for column in checked(columns):
            with scopes.variable_scope(None, column.name):
                made = given.get(column)
                if how.rank == 3:
                    made = _of_steps(made, column.name)
                found.append(column.deep(made, how))
                if kept is not None:
                    kept[column] = found[-1]
        return arrays.concat(found, how.rank - 1)


def input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Iterable[Any],
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: Any = None,
) -> Any:
    """Return the rows of columns side by side, in the order of their keys, for a network.

    cols_to_outs is a dict that is filled with what each column gives.
    """
    how = Deep(weight_collections, trainable)
    title = "input_from_feature_columns"
    return _joined(
        columns_to_tensors, feature_columns, how, scope, title, cols_to_outs
    )


def sequence_input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Iterable[Any],
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Return the steps of columns side by side, [batch, steps, width]."""
    listed = list(feature_columns)
    allowed = (
        OneHotColumn,
        EmbeddingColumn,
        RealValuedColumn,
        RealValuedVarLenColumn,
    )
    for column in listed:
        if not isinstance(column, allowed):
            raise InvalidArgumentError(
                f"FeatureColumn type _{type(column).__name__} is not currently supported for "
                "sequence data."
            )
        inner = getattr(column, "sparse_id_column", None)
        if isinstance(inner, (BucketizedColumn, CrossedColumn)):
            raise InvalidArgumentError(
                f"Column {inner.name} is of type _{type(inner).__name__}, which is not currently "
                "supported for sequences."
            )
    how = Deep(weight_collections, trainable, 3)
    title = "sequence_input_from_feature_columns"
    return _joined(columns_to_tensors, listed, how, scope, title, None)


def _weights(name: str, shape: Any, collections: Any, trainable: bool) -> Any:
    return model_variable(
        name, shape, float32, init_ops.Zeros(), None, trainable, collections
    )


def _parts(variable: Any) -> list[Any]:
    return list(getattr(variable, "parts", [variable]))


def _looked_up(variable: Any, asked: Wide, name: str) -> Any:
    return sparse_embeddings.safe_embedding_lookup_sparse(
        variable, asked.ids, asked.weights, asked.combiner, name=name
    )


def _summed(
    column: FeatureColumn, given: Transformer, outputs: int, how: Deep
) -> tuple[Any, Any]:
    """Return the variable of a column and its part of a weighted sum."""
    found = given.get(column)
    asked = column.wide(found)
    with scopes.variable_scope(None, column.name):
        if asked is not None:
            shape = [asked.length, outputs]
            variable = _weights("weights", shape, how.collections, how.trainable)
            return variable, _looked_up(variable, asked, f"{column.name}_weights")
        rows = with_axes(column.dense(found), 2, column.name)
        shape = [rows.get_shape().as_list()[1], outputs]
        variable = _weights("weight", shape, how.collections, how.trainable)
        return variable, matmul(rows, variable, name="matmul")


def _with_bias(total: Any, outputs: int, how: Deep) -> tuple[Any, Any]:
    bias = _weights("bias_weight", [outputs], how.collections, how.trainable)
    return nn.bias_add(total, bias), bias


def weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Any, dict[Any, list[Any]], Any]:
    """Return weighted sums of columns, [batch, num_outputs], their variables and the bias.

    All weights begin as 0.
    """
    how = Deep(weight_collections, trainable)
    given = Transformer(dict(columns_to_tensors))
    found, variables = [], {}
    with scopes.variable_scope(scope, "weighted_sum_from_feature_columns"):
        for column in checked(feature_columns):
            variable, part = _summed(column, given, num_outputs, how)
            found.append(arrays.reshape(part, [-1, num_outputs]))
            variables[column] = _parts(variable)
            fill(variable, column.checkpoint())
        total, bias = _with_bias(elementwise.add_n(found), num_outputs, how)
        return total, variables, bias


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Any, list[Any], Any]:
    """Return weighted sums of columns of classes, whose weights are one variable."""
    how = Deep(weight_collections, trainable)
    given = Transformer(dict(columns_to_tensors))
    with scopes.variable_scope(scope, "joint_weighted_sum_from_feature_columns"):
        asked = [
            _joint(column, given.get(column)) for column in checked(feature_columns)
        ]
        if not asked:
            raise InvalidArgumentError("At least one column must be in the model.")
        moved, before = [], 0
        for one in asked:
            ids = one.ids
            values = ids.values + before
            moved.append(SparseTensor(ids.indices, values, ids.dense_shape))
            before += one.length
        whole = Wide(sparse_older.sparse_concat(1, moved), None, before, "sum")
        with scopes.variable_scope(None, "linear_weights"):
            shape = [before, num_outputs]
            variable = _weights("weights", shape, weight_collections, trainable)
            part = _looked_up(variable, whole, "_weights")
        total, bias = _with_bias(part, num_outputs, how)
        return total, _parts(variable), bias


def _joint(column: FeatureColumn, found: Any) -> Wide:
    asked = column.wide(found)
    if asked is None:
        raise UnimplementedError(
            "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, "
            "or bucketize these columns."
        )
    if asked.weights is not None or asked.combiner != "sum":
        raise InvalidArgumentError(
            "Weighted sparse columns, and combiners other than sum, are not supported for joint "
            "sums. Please use weighted_sum_from_feature_columns instead."
        )
    return asked
