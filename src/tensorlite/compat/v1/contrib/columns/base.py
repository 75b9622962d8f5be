"""What a column of tf.contrib.layers is; the kinds stand beside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from tensorlite.compat.shared import arrays, logging
from tensorlite.compat.shared.ragged_and_sparse import sparse_arranged
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse


class Wide(NamedTuple):
    """What a linear model looks up for a column."""

    ids: Any
    weights: Any
    length: int
    combiner: str


class Deep(NamedTuple):
    """How a network makes rows of what a column gives, for those that have variables."""

    collections: Any = None
    trainable: bool = True
    rank: int = 2


@dataclass(frozen=True)
class FeatureColumn(ABC):
    """A description of features; it makes nothing until a model asks for it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the column is called, and the scope of its variables."""

    @property
    @abstractmethod
    def config(self) -> dict[str, Any]:
        """How the features that it needs are read from examples."""

    @property
    def key(self) -> str:
        """What columns are sorted by: the kind, and then all that it was made of."""
        out = self._beside_key()
        names = [x.name for x in fields(self) if x.repr and x.name not in out]
        pairs = [(name, getattr(self, name)) for name in names]
        told = [f"{k}={v}" if out else f"{k}={v!r}" for k, v in pairs]
        return f"_{type(self).__name__}({', '.join(told)})"

    def _beside_key(self) -> tuple[str, ...]:
        """Return the fields by which columns are not sorted."""
        return ()

    @abstractmethod
    def transformed(self, given: Transformer) -> Any:
        """Return what is made of features, before a model makes anything of it."""

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Add to a dict, under the column itself, what is made of the features in it."""
        columns_to_tensors[self] = self.transformed(Transformer(columns_to_tensors))

    def deep(self, found: Any, how: Deep) -> Any:
        """Return the rows that a network is given; found is what was transformed."""
        raise InvalidArgumentError(
            f"Error creating input layer for column: {self.name}. "
            f"_{type(self).__name__} is not supported in DNN. Please use embedding_column or "
            f"one_hot_column. column: {self}"
        )

    def wide(self, found: Any) -> Wide | None:
        """Return what a linear model looks up; None if it multiplies what `dense` gives."""
        raise InvalidArgumentError(
            f"Error creating weighted sum for column: {self.name}. Column {self} is not supported "
            "in linear models. Please use sparse_column."
        )

    def dense(self, found: Any) -> Any:
        """Return what a linear model multiplies."""
        raise InvalidArgumentError(
            f"No dense tensor representation for column {self}."
        )

    def checkpoint(self) -> tuple[Any, Any] | None:
        """Return from where the variable is filled: a checkpoint and a name in it."""
        return None

    @property
    def width(self) -> int | None:
        """How many numbers rows have in a network; None if it takes no such column."""
        return None

    @property
    def classes(self) -> int | None:
        """How many classes a linear model looks up; None if it looks up none."""
        return None

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Any:
        """Return what `deep` does, under TensorFlow's name."""
        return self.deep(
            input_tensor, Deep(weight_collections, trainable, output_rank)
        )


class Transformer:
    """Features and what columns have made of them, in one dict; each is made once."""

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self.kept = columns_to_tensors

    def get(self, key: Any) -> Any:
        """Return a feature by its name, or what a column makes."""
        if key not in self.kept:
            if isinstance(key, str):
                raise InvalidArgumentError(
                    f"features dictionary doesn't contain key ({key})"
                )
            if not isinstance(key, FeatureColumn):
                raise DTypeError(
                    f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}'
                )
            key.insert_transformed_feature(self.kept)
        return self.kept[key]

    transform = get


def checked(columns: Iterable[Any]) -> list[FeatureColumn]:
    """Return columns in the order of their keys, of which no two are alike."""
    if isinstance(columns, dict):
        raise InvalidArgumentError(
            "Expected feature_columns to be iterable, found dict."
        )
    seen: dict[str, FeatureColumn] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise DTypeError(
                f"feature_columns should only contain instances of _FeatureColumn. Given: {column}"
            )
        if column.key in seen:
            raise InvalidArgumentError(
                f"Duplicate feature column key found for column: {column.name}. This usually means "
                "that the column is almost identical to another column, and one must be discarded."
            )
        seen[column.key] = column
    return [seen[key] for key in sorted(seen)]


def is_sparse(x: Any) -> bool:
    """Return whether a feature is sparse."""
    return isinstance(x, (SparseTensor, PlainSparse))


def of_rank(x: Any, rank: int, name: str) -> Any:
    """Return a dense feature with so many axes: one more at the end, or the last ones as one."""
    known = x.get_shape().ndims
    if known is not None and rank > known + 1:
        raise ShapeError(
            f"Error while processing column {name}. Rank of input Tensor ({known}) should be the "
            f"same as output_rank ({rank}). For example, sequence data should typically be 3 "
            "dimensional (rank 3) while non-sequence data is typically 2 dimensional (rank 2)."
        )
    if known == rank:
        return x
    if known is not None and rank == known + 1:
        logging.warning(
            "Rank of input Tensor (%d) should be the same as output_rank (%d) for column. Will "
            "attempt to expand dims.",
            known,
            rank,
        )
        return v1_arrays.expand_dims(x, -1)
    return flattened(x, rank)


def flattened(x: Any, rank: int) -> Any:
    """Return a tensor with its last axes as one, so that there are `rank`."""
    if is_sparse(x):
        outer = x.dense_shape[: rank - 1]
        return sparse_arranged.reshape(x, arrays.concat([outer, [-1]], 0))
    known = x.get_shape()
    if known.ndims == rank:
        return x
    outer = v1_arrays.shape(x)[: rank - 1]
    made = arrays.reshape(x, arrays.concat([outer, [-1]], 0))
    if known.ndims is not None:
        sizes = known.as_list()
        inner = None if None in sizes[rank - 1 :] else _product(sizes[rank - 1 :])
        made.set_shape([*sizes[: rank - 1], inner])
    return made


def _product(sizes: list[int]) -> int:
    found = 1
    for size in sizes:
        found *= size
    return found


def with_axes(x: Any, rank: int, name: str) -> Any:
    """Return a dense or sparse feature with so many axes, whose number must be known."""
    known = x.dense_shape.get_shape().as_list()[0] if is_sparse(x) else None
    if not is_sparse(x):
        known = x.get_shape().ndims
    if known is None:
        raise ShapeError(
            f"Error while processing column {name}. Rank of input Tensor can not be None."
        )
    if not is_sparse(x):
        return of_rank(x, rank, name)
    if rank == known + 1:
        shape = arrays.concat([x.dense_shape, [1]], 0)
        return sparse_arranged.reshape(x, shape)
    if rank > known + 1:
        raise ShapeError(
            f"Error while processing column {name}. Rank of input Tensor ({known}) should be the "
            f"same as output_rank ({rank})."
        )
    return flattened(x, rank) if rank < known else x


def checked_callable(given: Any, what: str) -> Callable[..., Any] | None:
    """Return a function, or None; InvalidArgumentError for anything else."""
    if given is not None and not callable(given):
        raise InvalidArgumentError(f"{what} must be callable if specified.")
    found: Callable[..., Any] | None = given
    return found
