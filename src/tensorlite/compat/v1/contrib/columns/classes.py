"""Columns of classes: words or numbers, by a hash, a list or a file; with weights, and crossed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tensorlite.compat.calling import named
from tensorlite.compat.shared import elementwise, logging, strings
from tensorlite.compat.shared.ragged_and_sparse import sparse_arranged
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.shared.ragged_and_sparse.sparse_strings import cross_hashed
from tensorlite.compat.shared.tables.vocabularies import (
    index_table_from_file,
    index_table_from_tensor,
)
from tensorlite.compat.v1.contrib.columns.base import (
    FeatureColumn,
    Transformer,
    Wide,
    is_sparse,
    of_rank,
)
from tensorlite.compat.v1.contrib.columns.numbers import BucketizedColumn
from tensorlite.compat.v1.functions import sparse_older
from tensorlite.core.dtypes import as_dtype, float32, int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.records.examples import VarLenFeature
from tensorlite.ops.sparse import crossing


class LookupConfig(NamedTuple):
    """Where the numbers of words are from."""

    vocabulary_file: Any = None
    keys: tuple[Any, ...] | None = None
    num_oov_buckets: int = 0
    vocab_size: int | None = None
    default_value: int = -1


class ClassesColumn(FeatureColumn):
    """A column of classes, for linear models, embeddings and crosses."""

    @property
    def length(self) -> int:
        """How many classes there are."""
        raise NotImplementedError

    @property
    def classes(self) -> int:
        """How many classes a linear model looks up."""
        return self.length

    def id_tensor(self, input_tensor: Any) -> Any:
        """Return the classes of what was transformed."""
        return input_tensor

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Return the classes' weights of what was transformed, or None."""
        return None

    def is_compatible(self, other_column: Any) -> bool:
        """Return whether both may share an embedding."""
        raise NotImplementedError


@dataclass(frozen=True)
class SparseColumn(ClassesColumn):
    """Words, or numbers, of which examples have any number."""

    column_name: str
    is_integerized: bool = False
    bucket_size: int | None = None
    lookup_config: LookupConfig | None = None
    combiner: str = "sum"
    dtype: Any = string

    def __post_init__(self) -> None:
        told = f"column_name: {self.column_name}"
        if self.is_integerized and not self.dtype.is_integer:
            raise InvalidArgumentError(
                "dtype must be an integer if is_integerized is True. "
                f"dtype: {self.dtype}, {told}."
            )
        if self.dtype is not string and not self.dtype.is_integer:
            raise InvalidArgumentError(
                f"dtype must be string or integer. dtype: {self.dtype}, {told}"
            )
        if self.bucket_size is None and self.lookup_config is None:
            raise InvalidArgumentError(
                f"one of bucket_size or lookup_config must be set. {told}"
            )
        if self.bucket_size is not None and self.bucket_size < 1:
            raise InvalidArgumentError(
                f"bucket_size must be at least 1. bucket_size: {self.bucket_size}, {told}"
            )

    @property
    def name(self) -> str:
        """What the feature is called."""
        return self.column_name

    @property
    def length(self) -> int:
        """How many classes there are."""
        if self.bucket_size is not None:
            return self.bucket_size
        asked = self.lookup_config or LookupConfig()
        return (asked.vocab_size or 0) + asked.num_oov_buckets

    @property
    def config(self) -> dict[str, Any]:
        """A sparse feature."""
        return {self.column_name: VarLenFeature(self.dtype)}

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers of the classes, sparse."""
        return self.numbered(self._sparse(given.get(self.column_name)))

    def _sparse(self, found: Any) -> Any:
        """Return a feature as a sparse one; of a dense one "" or -1 is nothing."""
        if is_sparse(found):
            return found
        nothing: Any = "" if found.dtype.base_dtype is string else -1
        rows = of_rank(found, 2, self.name)
        return sparse_arranged.without(rows, nothing)

    def numbered(self, words: Any) -> Any:
        """Return the numbers of words."""
        raise NotImplementedError

    def wide(self, found: Any) -> Wide:
        """Return what is looked up: a weight for each class."""
        return Wide(found, None, self.length, self.combiner)

    def is_compatible(self, other_column: Any) -> bool:
        """Return whether both may share an embedding."""
        if self.lookup_config and other_column.lookup_config:
            return bool(self.lookup_config == other_column.lookup_config)
        alike = self.dtype == other_column.dtype or (
            self.dtype.is_integer and other_column.dtype.is_integer
        )
        if self.length != other_column.length or not alike:
            return False
        logging.warning(
            "Column %s and %s may not have the same vocabulary.",
            self.name,
            other_column.name,
        )
        return True


def _of_words(words: Any, change: Any) -> Any:
    return SparseTensor(words.indices, change(words.values), words.dense_shape)


@dataclass(frozen=True)
class SparseColumnIntegerized(SparseColumn):
    """Numbers that are the classes."""

    def numbered(self, words: Any) -> Any:
        """Return the numbers, those that are too large once around."""
        return _of_words(words, lambda x: elementwise.floormod(x, self.bucket_size))


@dataclass(frozen=True)
class SparseColumnHashed(SparseColumn):
    """Words by a hash of them."""

    hash_keys: Any = field(default=None, compare=False, repr=False)

    def numbered(self, words: Any) -> Any:
        """Return the hashes, one for each key if there are keys."""
        plain = _of_words(words, _as_text(self.dtype))
        count = self.bucket_size or 0
        if not self.hash_keys:
            return _of_words(plain, lambda x: strings.to_hash_bucket_fast(x, count))

        def keyed(key: Any) -> Any:
            return _of_words(
                plain,
                lambda x: strings.to_hash_bucket_strong(x, count, key),
            )

        return sparse_older.sparse_concat(1, [keyed(key) for key in self.hash_keys])


def _as_text(dtype: Any) -> Any:
    return strings.as_string if dtype.is_integer else lambda x: x


@dataclass(frozen=True)
class SparseColumnKeys(SparseColumn):
    """Words by a list of them."""

    def numbered(self, words: Any) -> Any:
        """Return the places in the list."""
        asked = self.lookup_config or LookupConfig()
        table = index_table_from_tensor(
            list(asked.keys or ()),
            default_value=asked.default_value,
            dtype=self.dtype,
            name="lookup",
        )
        return table.lookup(words)


@dataclass(frozen=True)
class SparseColumnVocabulary(SparseColumn):
    """Words by the lines of a file."""

    def numbered(self, words: Any) -> Any:
        """Return the numbers of the lines."""
        asked = self.lookup_config or LookupConfig()
        table = index_table_from_file(
            asked.vocabulary_file,
            asked.num_oov_buckets,
            asked.vocab_size,
            asked.default_value,
            name=f"{self.name}_lookup",
        )
        return table.lookup(_of_words(words, _as_text(self.dtype)))


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = int64
) -> SparseColumnIntegerized:
    """Return a column of integers that are classes."""
    if bucket_size is None:
        raise InvalidArgumentError(
            "bucket_size must be set if is_integerized is True. "
            f"column_name: {column_name}"
        )
    given = (column_name, True, bucket_size, None, combiner, as_dtype(dtype))
    return SparseColumnIntegerized(*given)


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: Any = string,
    hash_keys: Any = None,
) -> SparseColumnHashed:
    """Return a column of words or integers, numbered by a hash.

    hash_keys, a list of pairs of integers, gives several hashes of each.
    """
    if hash_keys is not None:
        if not isinstance(hash_keys, list) or not hash_keys:
            raise InvalidArgumentError("hash_keys must be a non-empty list.")
        for pair in hash_keys:
            is_pair = isinstance(pair, list) and len(pair) == 2
            if not is_pair or not all(isinstance(x, int) for x in pair):
                raise InvalidArgumentError(
                    "Each element of hash_keys must be a pair of integers."
                )
    given = (column_name, False, hash_bucket_size, None, combiner, as_dtype(dtype))
    return SparseColumnHashed(*given, hash_keys=hash_keys)


def sparse_column_with_keys(
    column_name: str,
    keys: Any,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = string,
) -> SparseColumnKeys:
    """Return a column of words or integers, numbered by a list."""
    listed = tuple(keys)
    asked = LookupConfig(
        keys=listed, vocab_size=len(listed), default_value=default_value
    )
    given = (column_name, False, None, asked, combiner, as_dtype(dtype))
    return SparseColumnKeys(*given)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: Any,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = string,
) -> SparseColumnVocabulary:
    """Return a column of words or integers, numbered by the lines of a file."""
    if vocab_size is None:
        raise InvalidArgumentError(
            f"vocab_size should be defined. column_name: {column_name}"
        )
    asked = LookupConfig(
        vocabulary_file, None, num_oov_buckets, vocab_size, default_value
    )
    given = (column_name, False, None, asked, combiner, as_dtype(dtype))
    return SparseColumnVocabulary(*given)


@dataclass(frozen=True)
class WeightedSparseColumn(ClassesColumn):
    """Classes, and weights of them that another feature has."""

    sparse_id_column: SparseColumn
    weight_column_name: str
    dtype: Any

    @property
    def name(self) -> str:
        """What the scope of variables is called."""
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> int:
        """How many classes there are."""
        return self.sparse_id_column.length

    @property
    def lookup_config(self) -> LookupConfig | None:
        """Where the numbers of words are from."""
        return self.sparse_id_column.lookup_config

    @property
    def config(self) -> dict[str, Any]:
        """Two sparse features."""
        weights = {self.weight_column_name: VarLenFeature(self.dtype)}
        return {**self.sparse_id_column.config, **weights}

    def id_tensor(self, input_tensor: Any) -> Any:
        """Return the classes."""
        return input_tensor[0]

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Return the weights."""
        return input_tensor[1]

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers of classes and their weights, both sparse."""
        ids = given.get(self.sparse_id_column)
        weights = given.get(self.weight_column_name)
        if not is_sparse(weights):
            weights = sparse_arranged.without(weights, 0)
        if not self.dtype.is_floating:
            weights = elementwise.cast(weights, float32)
        return ids, weights

    def wide(self, found: Any) -> Wide:
        """Return what is looked up: a weight for each class, times what the example has."""
        ids, weights = found
        return Wide(ids, weights, self.length, self.sparse_id_column.combiner)

    def is_compatible(self, other_column: Any) -> bool:
        """Return whether both may share an embedding."""
        inner = getattr(other_column, "sparse_id_column", other_column)
        return self.sparse_id_column.is_compatible(inner)


def weighted_sparse_column(
    sparse_id_column: SparseColumn, weight_column_name: str, dtype: Any = float32
) -> WeightedSparseColumn:
    """Return a column of classes with weights that another feature has."""
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise InvalidArgumentError(f"dtype is not convertible to float. Given {kind}")
    return WeightedSparseColumn(sparse_id_column, weight_column_name, kind)


@dataclass(frozen=True)
class CrossedColumn(ClassesColumn):
    """All combinations of the classes of several columns, by a hash."""

    columns: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None
    combiner: str = "sum"
    ckpt_to_load_from: Any = None
    tensor_name_in_ckpt: Any = None

    @property
    def name(self) -> str:
        """The names of what is crossed, with _X_ between."""
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def length(self) -> int:
        """How many classes there are."""
        return self.hash_bucket_size

    @property
    def config(self) -> dict[str, Any]:
        """How all features are read."""
        return {k: v for column in self.columns for k, v in column.config.items()}

    def checkpoint(self) -> tuple[Any, Any] | None:
        """Return from where the weights are filled."""
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt

    def leaves(self) -> list[Any]:
        """Return what is crossed, without crosses between."""
        return [
            leaf
            for column in self.columns
            for leaf in (
                column.leaves() if isinstance(column, CrossedColumn) else [column]
            )
        ]

    def transformed(self, given: Transformer) -> Any:
        """Return the numbers of the combinations, sparse."""
        parts = []
        for column in self.leaves():
            if isinstance(column, BucketizedColumn):
                parts.append(column.to_sparse_tensor(given.get(column)))
            else:
                parts.append(given.get(column.name))
        return sparse_feature_cross(
            parts, True, self.hash_bucket_size, hash_key=self.hash_key
        )

    def wide(self, found: Any) -> Wide:
        """Return what is looked up: a weight for each combination."""
        return Wide(found, None, self.length, self.combiner)


def sparse_feature_cross(
    inputs: Any,
    hashed_output: bool = False,
    num_buckets: int = 0,
    name: str | None = None,
    hash_key: int | None = None,
) -> Any:
    """Return combinations of the elements of rows: strings, or hashes, an older kind if no key."""
    if not isinstance(inputs, list):
        raise DTypeError("Inputs must be a list")
    if not hashed_output:
        return _crossed(inputs, name=name)
    if hash_key is None:
        return _older_hashes(inputs, num_buckets, name=name)
    return cross_hashed(inputs, num_buckets, hash_key, name)


@named("SparseFeatureCross")
def _crossed(inputs: Any, name: str | None = None) -> Any:
    return crossing.sparse_cross(inputs)


@named("SparseFeatureCross")
def _older_hashes(inputs: Any, num_buckets: int, name: str | None = None) -> Any:
    return crossing.sparse_feature_cross(inputs, num_buckets)


def crossed_column(
    columns: Sequence[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    hash_key: int | None = None,
) -> CrossedColumn:
    """Return a column of all combinations of several columns' classes, by a hash."""
    for column in columns:
        if not isinstance(column, (SparseColumn, CrossedColumn, BucketizedColumn)):
            raise DTypeError(
                "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn "
                f"instances. (column {column} is a {type(column).__name__})"
            )
    if len(columns) < 2:
        raise InvalidArgumentError(
            f"columns must contain at least 2 elements. columns: {columns}"
        )
    if hash_bucket_size < 2:
        raise InvalidArgumentError(
            f"hash_bucket_size must be at least 2. hash_bucket_size: {hash_bucket_size}"
        )
    check_saved(ckpt_to_load_from, tensor_name_in_ckpt)
    ordered = tuple(sorted(columns, key=lambda column: column.name))
    saved = (ckpt_to_load_from, tensor_name_in_ckpt)
    return CrossedColumn(ordered, hash_bucket_size, hash_key, combiner, *saved)


def check_saved(path: Any, name: Any) -> None:
    """Raise InvalidArgumentError unless both or none of a checkpoint and a name are given."""
    if (path is None) != (name is None):
        raise InvalidArgumentError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
