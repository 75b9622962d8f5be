"""What is written of each class of columns."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise, picking, raw_ops
from tensorlite.compat.shared.ragged_and_sparse import sparse
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.shared.ragged_and_sparse.sparse_strings import cross_hashed
from tensorlite.compat.shared.strings import as_string, to_hash_bucket_fast
from tensorlite.compat.v1.columns_written.given import (
    CATEGORIES,
    DENSE,
    Given,
    writes,
)
from tensorlite.compat.v1.functions import checks, numbers, sparse_older
from tensorlite.compat.v1.functions.arrays import shape, where, where_v2
from tensorlite.compat.v1.functions.sparse_embeddings import (
    safe_embedding_lookup_sparse,
)
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import float32, int64, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse
from tensorlite.train.feature_columns import categories, vectors
from tensorlite.train.feature_columns.base import Categories


@writes(DENSE, vectors.NumericColumn)
def numeric(column: vectors.NumericColumn, given: Given) -> Any:
    """Return numbers, or what a program's function makes of them."""

    def changed() -> Any:
        found = given.read(column.key)
        column.check(plain(found))
        if column.normalizer_fn is not None:
            found = shown(column.normalizer_fn(plain(found)))
        return elementwise.cast(found, float32)

    return given.once(column, changed)


def _ranges(column: vectors.BucketizedColumn, given: Given) -> Any:
    """Return which range each number is in."""

    def made() -> Any:
        found = given.dense(column.source_column)
        ends = list(map(float, column.boundaries))
        return raw_ops.Bucketize(input=found, boundaries=ends)

    return given.once(column, made)


@writes(DENSE, vectors.BucketizedColumn)
def ranges(column: vectors.BucketizedColumn, given: Given) -> Any:
    """Return 1 in the place of each number's range."""
    places = elementwise.cast(_ranges(column, given), int64)
    return picking.one_hot(places, len(column.boundaries) + 1, 1.0, 0.0)


@writes(CATEGORIES, vectors.BucketizedColumn)
def numbered_ranges(column: vectors.BucketizedColumn, given: Given) -> Categories:
    """Return the ranges of numbers, those of each number behind those of the last."""
    found = _ranges(column, given)
    count, width = shape(found)[0], column.source_column.width
    rows = arrays.expand_dims(arrays.range(0, count), 1)
    rows = arrays.reshape(cutting.tile(rows, [1, width]), (-1,))
    columns = cutting.tile(arrays.range(0, width), [count])
    first = (len(column.boundaries) + 1) * columns
    values = arrays.reshape(found, (-1,)) + first
    places = arrays.transpose(arrays.stack((rows, columns)))
    sizes = arrays.stack([count, width])
    made = SparseTensor(
        elementwise.cast(places, int64), values, elementwise.cast(sizes, int64)
    )
    return Categories(made)


@writes(DENSE, vectors.IndicatorColumn)
def counted(column: vectors.IndicatorColumn, given: Given) -> Any:
    """Return how often each category is in a row, or the sum of its weights."""

    def made() -> Any:
        ids, weights = given.categories(column.categorical_column)
        count = column.categorical_column.num_buckets
        if weights is None:
            marked = picking.one_hot(sparse.to_dense(ids, -1), count, 1.0, 0.0)
            return numbers.reduce_sum(marked, axis=[-2])
        whole = sparse_older.sparse_merge(ids, weights, count)
        whole = sparse.slice(whole, [0, 0], whole.dense_shape)
        return picking.scatter_nd(whole.indices, whole.values, whole.dense_shape)

    return given.once(column, made)


@writes(DENSE, vectors.EmbeddingColumn)
def embedded(column: vectors.EmbeddingColumn, given: Given) -> Any:
    """Return the learnt vectors of the categories of a row, as one."""
    ids, weights = given.categories(column.categorical_column)
    return safe_embedding_lookup_sparse(
        shown(column.table(given.making)),
        ids,
        weights,
        column.combiner,
        name=f"{column.name}_weights",
        max_norm=column.max_norm,
    )


@writes(DENSE, vectors.SharedEmbeddingColumn)
def embedded_alike(column: vectors.SharedEmbeddingColumn, given: Given) -> Any:
    """Return learnt vectors that columns have in common, in the scope of one of them."""
    with name_scope(None, column.name):
        return embedded(column, given)


def without_missing(x: Any, missing: Any = None) -> Any:
    """Return a feature as a sparse one; in a dense one "" and -1 stand for what is missing."""
    if isinstance(x, PlainSparse):
        return x
    if missing is None:
        missing = "" if x.dtype == string else -1
    with name_scope(None, "to_sparse_input"):
        kept = elementwise.cast(missing, x.dtype, name="ignore_value")
        places = where(elementwise.not_equal(x, kept), name="indices")
        values = picking.gather_nd(x, places, name="values")
        return SparseTensor(
            places, values, shape(x, out_type=int64, name="dense_shape")
        )


def _values(column: Any, given: Given) -> Any:
    found = without_missing(given.read(column.key))
    column.check(found.dtype)
    return found


@writes(CATEGORIES, categories.HashedCategoricalColumn)
def hashed(column: categories.HashedCategoricalColumn, given: Given) -> Categories:
    """Return values by their hash."""

    def made() -> Any:
        found = _values(column, given)
        texts = found.values if column.dtype is string else as_string(found.values)
        ids = to_hash_bucket_fast(texts, column.hash_bucket_size, name="lookup")
        return SparseTensor(found.indices, ids, found.dense_shape)

    return Categories(given.once(column, made))


@writes(CATEGORIES, categories.VocabularyCategoricalColumn)
def listed(
    column: categories.VocabularyCategoricalColumn, given: Given
) -> Categories:
    """Return values by their place in a vocabulary."""

    def made() -> Any:
        found = _values(column, given)
        if found.dtype.is_integer:
            found = elementwise.cast(found, int64)
        lookup: Any = given.making.numbers_of(column.vocabulary, column.key)
        return shown(lookup(found))

    return Categories(given.once(column, made))


@writes(CATEGORIES, categories.IdentityCategoricalColumn)
def numbered(
    column: categories.IdentityCategoricalColumn, given: Given
) -> Categories:
    """Return numbers that are categories themselves."""

    def made() -> Any:
        found = _values(column, given)
        ids = _inside(column, found.values)
        return SparseTensor(found.indices, ids, found.dense_shape)

    return Categories(given.once(column, made))


def _inside(column: categories.IdentityCategoricalColumn, given: Any) -> Any:
    """Return numbers, checked to be categories, or a default for those that are none."""
    values = elementwise.cast(given, int64, name="values")
    count = elementwise.cast(column.num_buckets, int64, name="num_buckets")
    zero = elementwise.cast(0, int64, name="zero")
    if column.default_value is not None:
        outside = elementwise.logical_or(
            values < zero, values >= count, name="out_of_range"
        )
        default = elementwise.cast(column.default_value, int64)
        filled = arrays.fill(shape(values), default, name="default_values")
        return where_v2(outside, filled, values)
    of_column = f'index for categorical column "{column.name}"'
    below = checks.assert_less(
        values,
        count,
        data=(values, count),
        message=f"Bucket {of_column} exceeds number of buckets",
        name="assert_less_than_num_buckets",
    )
    above = checks.assert_greater_equal(
        values,
        zero,
        data=(values,),
        message=f"Negative bucket {of_column}",
        name="assert_greater_or_equal_0",
    )
    with framework.control_dependencies((below, above)):
        return arrays.identity(values)


@writes(CATEGORIES, categories.WeightedCategoricalColumn)
def weighted(
    column: categories.WeightedCategoricalColumn, given: Given
) -> Categories:
    """Return categories and their weights."""

    def made() -> Any:
        weights = given.read(column.weight_feature_key)
        if weights.dtype != column.dtype:
            raise InvalidArgumentError(
                f"Bad dtype, expected {column.dtype!r}, but got {weights.dtype!r}."
            )
        weights = without_missing(weights, 0.0)
        if not weights.dtype.is_floating:
            weights = elementwise.cast(weights, float32)
        return weights

    weights = given.once(column, made)
    return Categories(given.categories(column.categorical_column).ids, weights)


@writes(CATEGORIES, categories.CrossedColumn)
def crossed(column: categories.CrossedColumn, given: Given) -> Categories:
    """Return combinations of categories, by their hash."""

    def made() -> Any:
        parts = [_part(key, given) for key in column.leaves()]
        return cross_hashed(parts, column.hash_bucket_size, column.hash_key)

    return Categories(given.once(column, made))


def _part(key: categories.Crossable, given: Given) -> Any:
    if isinstance(key, str):
        return given.read(key)
    ids, weights = given.categories(key)
    if weights is not None:
        raise InvalidArgumentError(
            "crossed_column does not support weight_tensor, but the given column populates "
            f"weight_tensor. Given column: {key.name}"
        )
    return ids
