"""Columns of categories: words by hash or vocabulary, numbers, and crosses of these."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tensorlite.core import dtypes
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.scope import control_dependencies
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.gather import gather_nd
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.arrays.search import nonzero
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.control.assertions import assert_true
from tensorlite.ops.math.compare import greater_equal, less, not_equal, where
from tensorlite.ops.records.examples import VarLenFeature
from tensorlite.ops.sparse.arrange import sparse_expand_dims
from tensorlite.ops.sparse.crossing import HASH_KEY, sparse_cross_hashed
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.strings.hashing import to_hash_bucket_fast
from tensorlite.ops.strings.showing import as_string
from tensorlite.train.feature_columns.base import (
    CategoricalColumn,
    Categories,
    Features,
    Vocabulary,
)
from tensorlite.train.feature_columns.vectors import BucketizedColumn


def without_missing(x: Tensor | SparseTensor) -> SparseTensor:
    """Return a feature as a sparse one; in a dense one "" and -1 stand for what is missing."""
    if isinstance(x, SparseTensor):
        return x
    missing = constant(b"") if x.dtype is dtypes.string else constant(-1, x.dtype)
    places = stack(nonzero(not_equal(x, missing)), axis=1)
    return SparseTensor(places, gather_nd(x, places), shape_of(x, dtypes.int64))


@dataclass(frozen=True)
class _OfOneFeature(CategoricalColumn):
    """Categories that one feature has."""

    key: str
    dtype: DType = field(default=dtypes.string, kw_only=True)

    @property
    def name(self) -> str:
        """The feature's key."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """Any number of values."""
        return {self.key: VarLenFeature(self.dtype)}

    def categories(self, given: Features) -> Categories:
        """Return the numbers of the feature's values."""
        made: Categories = given.once(self, lambda: Categories(self._numbered(given)))
        return made

    def _numbered(self, given: Features) -> SparseTensor:
        found = without_missing(given.read(self.key))
        self.check(found.dtype)
        return found.with_values(self.numbers(found.values, given))

    def check(self, dtype: DType) -> None:
        """Raise InvalidArgumentError for a feature of words whose column is of numbers, or so."""
        if self.dtype.is_integer is not dtype.is_integer:
            raise InvalidArgumentError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column "
                f"dtype: {self.dtype.name}, tensor dtype: {dtype.name}"
            )

    @abstractmethod
    def numbers(self, values: Tensor, given: Features) -> Tensor:
        """Return the categories of values."""


@dataclass(frozen=True)
class HashedCategoricalColumn(_OfOneFeature):
    """Values by their hash."""

    hash_bucket_size: int

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.hash_bucket_size

    def numbers(self, values: Tensor, given: Features) -> Tensor:
        """Return the categories of values."""
        text = values if values.dtype is dtypes.string else as_string(values)
        return to_hash_bucket_fast(text, self.hash_bucket_size)


@dataclass(frozen=True)
class VocabularyCategoricalColumn(_OfOneFeature):
    """Values by their place in a vocabulary."""

    vocabulary: Vocabulary
    vocabulary_size: int

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.vocabulary_size + self.vocabulary.buckets

    @property
    def num_oov_buckets(self) -> int:
        """How many categories there are for words that are not in the vocabulary."""
        return self.vocabulary.buckets

    @property
    def vocabulary_list(self) -> tuple[Any, ...]:
        """The words, if they are not in a file."""
        return self.vocabulary.words

    @property
    def vocabulary_file(self) -> str | None:
        """The file of the words."""
        return self.vocabulary.file

    def numbers(self, values: Tensor, given: Features) -> Tensor:
        """Return the categories of values."""
        asked = astype(values, dtypes.int64) if values.dtype.is_integer else values
        return given.making.numbers_of(self.vocabulary, self.key)(asked)


@dataclass(frozen=True)
class IdentityCategoricalColumn(_OfOneFeature):
    """Numbers that are categories themselves."""

    number_buckets: int
    default_value: int | None = None
    dtype: DType = field(default=dtypes.int64, kw_only=True)

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.number_buckets

    def numbers(self, values: Tensor, given: Features) -> Tensor:
        """Return the categories; others are `default_value`, or an error if there is none."""
        ids = astype(values, dtypes.int64)
        inside = greater_equal(ids, 0) & less(ids, self.number_buckets)
        if self.default_value is None:
            said = f"{self.key}: a category is not in 0 .. {self.number_buckets - 1}"
            with control_dependencies([assert_true(inside, said, ids)]):
                return identity(ids)
        return where(inside, ids, constant(self.default_value, dtypes.int64))


@dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
    """Categories with weights, which another feature has."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: DType = dtypes.float32

    @property
    def name(self) -> str:
        """The names of both."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.categorical_column.num_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """As many weights as categories."""
        own = {self.weight_feature_key: VarLenFeature(self.dtype)}
        return {**self.categorical_column.parse_example_spec, **own}

    def categories(self, given: Features) -> Categories:
        """Return the categories and the weights."""
        ids = self.categorical_column.categories(given).ids
        weights = given.read(self.weight_feature_key)
        if not isinstance(weights, SparseTensor):
            weights = ids.with_values(gather_nd(weights, ids.indices))
        return Categories(
            ids, weights.with_values(astype(weights.values, dtypes.float32))
        )


Crossable = str | CategoricalColumn | BucketizedColumn


@dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """Combinations of categories, by their hash."""

    keys: tuple[Crossable, ...]
    hash_bucket_size: int
    hash_key: int | None = None

    @property
    def name(self) -> str:
        """The names of what is crossed."""
        parts = [x if isinstance(x, str) else x.name for x in self.leaves()]
        return "_X_".join(sorted(parts))

    def leaves(self) -> Iterator[Crossable]:
        """Yield what is crossed, those of crosses among it one by one."""
        for key in self.keys:
            if isinstance(key, CrossedColumn):
                yield from key.leaves()
            else:
                yield key

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What those need that are crossed; keys are of strings."""
        found: dict[str, Any] = {}
        for key in self.keys:
            found |= (
                {key: VarLenFeature(dtypes.string)}
                if isinstance(key, str)
                else key.parse_example_spec
            )
        return found

    def categories(self, given: Features) -> Categories:
        """Return the crosses of each row."""
        made: Categories = given.once(self, lambda: Categories(self._crossed(given)))
        return made

    def _crossed(self, given: Features) -> SparseTensor:
        parts = [_crossing(key, given) for key in self.leaves()]
        key = HASH_KEY if self.hash_key is None else self.hash_key
        return sparse_cross_hashed(parts, self.hash_bucket_size, key)


def _crossing(key: Crossable, given: Features) -> Tensor | SparseTensor:
    if isinstance(key, str):
        return given.read(key)
    return key.categories(given).ids


@dataclass(frozen=True)
class SequenceCategoricalColumn(CategoricalColumn):
    """Categories of steps: what rows are in other columns are steps of rows here."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        """The name of the column of one step."""
        return self.categorical_column.name

    @property
    def num_buckets(self) -> int:
        """How many categories there are."""
        return self.categorical_column.num_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """As for one step."""
        return self.categorical_column.parse_example_spec

    def categories(self, given: Features) -> Categories:
        """Return the categories, with a third axis of those of one step."""
        ids, weights = self.categorical_column.categories(given)
        if ids.rank == 2:
            ids = sparse_expand_dims(ids)
            weights = None if weights is None else sparse_expand_dims(weights)
        return Categories(ids, weights)


def whole_dtype(dtype: DType, what: str) -> DType:
    """Return a dtype of categories; InvalidArgumentError if values of it are none."""
    if dtype is not dtypes.string and not dtype.is_integer:
        raise InvalidArgumentError(
            f"{what}: dtype must be string or integer, not {dtype.name}"
        )
    return dtype


def positive(value: int | None, what: str) -> int:
    """Return a number of categories; InvalidArgumentError if there is none."""
    if value is None or value < 1:
        raise InvalidArgumentError(f"{what} must be at least 1, not {value}")
    return value
