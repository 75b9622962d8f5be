"""Columns of vectors for networks: classes as ones, and as rows of variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tensorlite.compat.shared import arrays, picking
from tensorlite.compat.shared.ragged_and_sparse import sparse
from tensorlite.compat.v1.contrib.columns.base import (
    Deep,
    FeatureColumn,
    Transformer,
    checked_callable,
    flattened,
)
from tensorlite.compat.v1.contrib.columns.classes import (
    ClassesColumn,
    SparseColumn,
    WeightedSparseColumn,
    check_saved,
)
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    init_ops,
    numbers,
    sparse_embeddings,
    sparse_older,
)
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.training.starting import init_from_checkpoint
from tensorlite.core.dtypes import float32
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    UnimplementedError,
)


@dataclass(frozen=True)
class OneHotColumn(FeatureColumn):
    """Classes as vectors with 1 in the place of each class."""

    sparse_id_column: ClassesColumn

    @property
    def name(self) -> str:
        """What the scope is called."""
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        """How many classes there are."""
        return self.sparse_id_column.length

    @property
    def width(self) -> int:
        """How many classes there are."""
        return self.length

    @property
    def config(self) -> dict[str, Any]:
        """How the classes are read."""
        return self.sparse_id_column.config

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers of the classes."""
        return given.get(self.sparse_id_column)

    def deep(self, found: Any, how: Deep) -> Any:
        """Return the vectors, how often each class is there; with weights, their sums."""
        ids = flattened(self.sparse_id_column.id_tensor(found), how.rank)
        weights = self.sparse_id_column.weight_tensor(found)
        if weights is None:
            dense = sparse.to_dense(ids, default_value=-1)
            marked = picking.one_hot(dense, self.length, 1.0, 0.0)
            return numbers.reduce_sum(marked, axis=[how.rank - 1])
        merged = sparse_older.sparse_merge(ids, weights, self.length)
        whole = merged.dense_shape  # classes below 0 are left out
        known = sparse.slice(merged, v1_arrays.zeros_like(whole), whole)
        dense = sparse.to_dense(known)
        outer = v1_arrays.shape(dense)[:-1]
        return arrays.reshape(dense, arrays.concat([outer, [self.length]], 0))


def one_hot_column(sparse_id_column: Any) -> OneHotColumn:
    """Return a column of vectors with 1 in the place of each class."""
    return OneHotColumn(sparse_id_column)


@dataclass(frozen=True)
class EmbeddingColumn(FeatureColumn):
    """Classes as rows of a variable; those of one example are joined."""

    sparse_id_column: ClassesColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: Any = None
    tensor_name_in_ckpt: Any = None
    shared_embedding_name: str | None = None
    shared_vocab_size: int | None = None
    max_norm: float | None = None
    trainable: bool = True

    def _beside_key(self) -> tuple[str, ...]:
        return ("initializer",)

    @property
    def name(self) -> str:
        """What the scope of the variable is called."""
        middle = "_shared" if self.shared_embedding_name is not None else ""
        return f"{self.sparse_id_column.name}{middle}_embedding"

    @property
    def length(self) -> int:
        """How many rows the variable has."""
        shared = self.shared_vocab_size
        return self.sparse_id_column.length if shared is None else shared

    @property
    def config(self) -> dict[str, Any]:
        """How the classes are read."""
        return self.sparse_id_column.config

    @property
    def width(self) -> int:
        """How many numbers rows of the variable have."""
        return self.dimension

    def checkpoint(self) -> tuple[Any, Any] | None:
        """Return from where the variable is filled."""
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers of the classes."""
        return given.get(self.sparse_id_column)

    def deep(self, found: Any, how: Deep) -> Any:
        """Return the rows of the classes, joined for each example."""
        ids = flattened(self.sparse_id_column.id_tensor(found), how.rank)
        weights = self.sparse_id_column.weight_tensor(found)
        if weights is not None:
            weights = flattened(weights, how.rank)
        table = self._table(how)
        fill(table, self.checkpoint())
        return sparse_embeddings.safe_embedding_lookup_sparse(
            table,
            ids,
            weights,
            self.combiner,
            name=f"{self.name}weights",
            max_norm=self.max_norm,
        )

    def _table(self, how: Deep) -> Any:
        if self.shared_embedding_name is None:
            return self._variable("weights", how)
        graph = framework.get_default_graph()
        key = f"SHARED_EMBEDDING_COLLECTION_{self.shared_embedding_name.upper()}"
        kept = graph.get_collection_ref(key)
        if not kept:
            graph.add_to_collection(
                key, self._variable(self.shared_embedding_name, how)
            )
        (table,) = kept or graph.get_collection(key)
        if table.get_shape().as_list() != [self.length, self.dimension]:
            raise InvalidArgumentError(
                f"The embedding variable with name {self.shared_embedding_name} already exists, "
                "but its shape does not match required embedding shape here. Please make sure to "
                "use different shared_embedding_name for different shared embeddings."
            )
        return table

    def _variable(self, name: str, how: Deep) -> Any:
        return model_variable(
            name,
            [self.length, self.dimension],
            float32,
            self.initializer,
            trainable=how.trainable and self.trainable,
            collections=how.collections,
        )


def fill(variable: Any, saved: tuple[Any, Any] | None) -> None:
    """Let a variable begin with what a checkpoint has under a name."""
    if saved is not None:
        path, name = saved
        init_from_checkpoint(path, {name: variable})


def _beginning(given: Any, column: Any) -> Any:
    """Return an initializer: normal numbers by the number of classes if None."""
    if given is None:
        return init_ops.TruncatedNormal(0.0, 1 / math.sqrt(column.length))
    return checked_callable(given, "initializer")


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """Return a column that gives rows of a variable for classes, joined for each example.

    The variable begins with normal numbers, or with those of a checkpoint.
    """
    begin = _beginning(initializer, sparse_id_column)
    check_saved(ckpt_to_load_from, tensor_name_in_ckpt)
    saved = (ckpt_to_load_from, tensor_name_in_ckpt)
    return EmbeddingColumn(
        sparse_id_column,
        dimension,
        combiner,
        begin,
        *saved,
        max_norm=max_norm,
        trainable=trainable,
    )


def shared_embedding_columns(
    sparse_id_columns: Any,
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Sequence[EmbeddingColumn]:
    """Return columns of embeddings that have one variable, for columns of the same classes."""
    columns = _shareable(sparse_id_columns)
    check_saved(ckpt_to_load_from, tensor_name_in_ckpt)
    title, size = shared_embedding_name, None
    if len(columns) > 1:
        first = columns[0]
        if not all(_alike(first, column) for column in columns[1:]):
            raise InvalidArgumentError(
                "The input sparse id columns are not compatible."
            )
        title, size = title or _shared_name(columns), first.length
    made = [
        EmbeddingColumn(
            column,
            dimension,
            combiner,
            _beginning(initializer, column),
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            title,
            size,
            max_norm,
            trainable,
        )
        for column in columns
    ]
    return made if len(made) == 1 else tuple(made)


def _shareable(given: Any) -> list[Any]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise DTypeError(
            "sparse_id_columns must be a non-string sequence (ex: list or tuple) instead of type "
            f"{type(given)}."
        )
    if not given:
        raise InvalidArgumentError(
            "The input sparse_id_columns should have at least one element."
        )
    for column in given:
        if not isinstance(column, (SparseColumn, WeightedSparseColumn)):
            raise DTypeError(
                "Elements of sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, but "
                f"{column} is not."
            )
    return list(given)


def _alike(first: Any, other: Any) -> bool:
    if isinstance(first, WeightedSparseColumn):
        return first.is_compatible(other)
    found: bool = other.is_compatible(first)
    return found


def _shared_name(columns: list[Any]) -> str:
    plain = [x for x in columns if isinstance(x, SparseColumn)]
    weighted = [x for x in columns if not isinstance(x, SparseColumn)]
    ordered = [sorted(part, key=lambda x: x.name) for part in (plain, weighted)]
    names = [column.name for part in ordered for column in part]
    told = "_".join(names[:3])
    if len(names) > 3:
        told += f"_plus_{len(names) - 3}_others"
    return f"{told}_shared_embedding"


def scattered_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    hash_key: int | None,
    combiner: str = "mean",
    initializer: Any = None,
) -> Any:
    """Raise UnimplementedError: embeddings of hashed elements are not served."""
    raise UnimplementedError(
        "tf.contrib.layers.scattered_embedding_column is not served: use embedding_column of "
        "sparse_column_with_hash_bucket"
    )
