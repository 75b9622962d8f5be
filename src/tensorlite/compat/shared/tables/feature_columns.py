"""tf.feature_column: columns by TensorFlow's arguments. What they do: train/feature_columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.shared.randoms import random
from tensorlite.compat.shared.tables import vocabularies
from tensorlite.compat.views import lifted, plain
from tensorlite.core import dtypes
from tensorlite.core.dispatch import constant
from tensorlite.core.dtypes import DType, as_dtype, float32, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.interop.tensorflow.stored.checkpoints import load_variable
from tensorlite.train.feature_columns import categories, models, vectors
from tensorlite.train.feature_columns.base import (
    CategoricalColumn,
    Lookup,
    Vocabulary,
)

__all__ = [
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_list",
    "crossed_column",
    "embedding_column",
    "indicator_column",
    "make_parse_example_spec",
    "numeric_column",
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column",
    "shared_embedding_columns",
    "vocabulary_file_column",
    "weighted_categorical_column",
]


def _sizes(shape: Any) -> tuple[int, ...]:
    given = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if not all(isinstance(size, Integral) for size in given):
        raise DTypeError(f"shape dimensions must be integer. shape: {shape}")
    if not given or any(int(size) < 1 for size in given):
        raise InvalidArgumentError(
            f"shape dimensions must be greater than 0, given: {shape}"
        )
    return tuple(map(int, given))


def _checked_key(key: Any) -> str:
    if not isinstance(key, str):
        raise InvalidArgumentError(
            f"key must be a string. Got: type {type(key)}. Given key: {key}."
        )
    return key


def _default(
    value: Any, shape: tuple[int, ...], kind: DType, key: str
) -> tuple[Any, ...] | None:
    if value is None:
        return None
    given = np.asarray(value)
    if given.dtype.kind not in ("iu" if kind.is_integer else "iuf"):
        raise DTypeError(
            f"default_value must be compatible with dtype. default_value: {value}, "
            f"dtype: {kind.name}, key: {key}"
        )
    if given.shape not in ((), shape):
        raise ShapeError(
            f"The shape of default_value must be equal to given shape. default_value: {value}, "
            f"shape: {shape}, key: {key}"
        )
    whole = np.broadcast_to(given, shape).astype(int if kind.is_integer else float)
    found: tuple[Any, ...] = _nested(whole.tolist())
    return found


def _nested(values: Any) -> Any:
    return tuple(map(_nested, values)) if isinstance(values, list) else values


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = float32,
    normalizer_fn: Any = None,
) -> Any:
    """Return a column of numbers, `shape` of them for each example.

    A default_value stands for missing ones; normalizer_fn changes the tensor that was read.
    """
    _checked_key(key)
    sizes, kind = _sizes(shape), as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise InvalidArgumentError(
            f"dtype must be convertible to float. dtype: {dtype}, key: {key}"
        )
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise DTypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    change = None if normalizer_fn is None else lifted(normalizer_fn)
    default = _default(default_value, sizes, kind, key)
    return vectors.NumericColumn(key, sizes, default, kind, change)


def bucketized_column(source_column: Any, boundaries: Any) -> Any:
    """Return a column that says between which boundaries, sorted, a number lies.

    The source is a numeric column of one axis at most, else an InvalidArgumentError.
    """
    if not isinstance(source_column, vectors.NumericColumn):
        raise InvalidArgumentError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise InvalidArgumentError(
            f"source_column must be one-dimensional column. Given: {source_column}"
        )
    return vectors.BucketizedColumn(
        source_column, vectors.checked_boundaries(boundaries)
    )


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = string
) -> Any:
    """Return a column of classes, numbered by a hash of words.

    Words are strings or integers, by dtype.
    """
    _checked_key(key)
    if hash_bucket_size is None:
        raise InvalidArgumentError(f"hash_bucket_size must be set. key: {key}")
    count = categories.positive(hash_bucket_size, "hash_bucket_size")
    kind = categories.whole_dtype(as_dtype(dtype), key)
    return categories.HashedCategoricalColumn(key, count, dtype=kind)


def vocabulary_file_column(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None,
    num_oov_buckets: int,
    default_value: int | None,
    dtype: Any,
) -> Any:
    """Return a column of classes, numbered by the lines of a file.

    All lines count unless vocabulary_size is given. Other words have default_value, or one of
    num_oov_buckets numbers by a hash; both are an InvalidArgumentError.
    """
    kind = categories.whole_dtype(as_dtype(dtype), _checked_key(key))
    if not vocabulary_file:
        raise InvalidArgumentError(f"Missing vocabulary_file in {key}.")
    file = str(vocabulary_file)
    lines = (
        len(Path(file).read_bytes().splitlines()) if vocabulary_size is None else 0
    )
    count = categories.positive(vocabulary_size or lines, "vocabulary_size")
    known = Vocabulary(
        kind,
        file=file,
        size=count,
        **_others(default_value, num_oov_buckets, key),
    )
    return categories.VocabularyCategoricalColumn(key, known, count, dtype=kind)


def _others(default: int | None, buckets: int, key: str) -> dict[str, Any]:
    """Return what the words become that are not in a vocabulary."""
    if buckets and default not in (None, -1):
        raise InvalidArgumentError(
            f"Can't specify both num_oov_buckets and default_value in {key}."
        )
    if buckets < 0:
        raise InvalidArgumentError(f"Invalid num_oov_buckets {buckets} in {key}.")
    return {"buckets": buckets, "default": -1 if default is None else default}


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> Any:
    """Return a column of classes, numbered by a list of words.

    Other words have default_value, or one of num_oov_buckets numbers by a hash.
    """
    _checked_key(key)
    if vocabulary_list is None or not len(vocabulary_list):
        raise InvalidArgumentError(
            f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}"
        )
    held = np.asarray(vocabulary_list)
    if held.dtype.kind not in "iuSUO":
        raise InvalidArgumentError(
            f"vocabulary dtype must be string or integer, not {held.dtype}, column_name: {key}"
        )
    words = tuple(held.tolist())
    if len(set(words)) != len(words):
        raise InvalidArgumentError(
            f"Duplicate keys in vocabulary_list: {words} of column {key}"
        )
    own = string if isinstance(words[0], (str, bytes)) else dtypes.int64
    kind = categories.whole_dtype(own if dtype is None else as_dtype(dtype), key)
    if kind.is_integer is not own.is_integer:
        raise InvalidArgumentError(
            f"dtype {kind.name} and vocabulary dtype {own.name} do not match, column {key}"
        )
    known = Vocabulary(kind, words, **_others(default_value, num_oov_buckets, key))
    return categories.VocabularyCategoricalColumn(key, known, len(words), dtype=kind)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> Any:
    """Return a column of classes that are numbers below num_buckets.

    Other numbers are default_value; without one they are an error.
    """
    count = categories.positive(num_buckets, "num_buckets")
    _checked_key(key)
    if default_value is not None and not 0 <= default_value < count:
        raise InvalidArgumentError(
            f"default_value {default_value} not in range [0, {count}), column {key}"
        )
    return categories.IdentityCategoricalColumn(key, count, default_value)


def _categorical(column: Any, what: str) -> CategoricalColumn:
    if not isinstance(column, CategoricalColumn):
        raise InvalidArgumentError(
            f"{what}: the column must be a categorical column. Given: {column}"
        )
    return column


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = float32
) -> Any:
    """Return a column of classes with the weights that a feature gives."""
    own = _categorical(categorical_column, "weighted_categorical_column")
    kind = None if dtype is None else as_dtype(dtype)
    if kind is None or not (kind.is_integer or kind.is_floating):
        raise InvalidArgumentError(f"dtype {dtype} is not convertible to float.")
    return categories.WeightedCategoricalColumn(own, weight_feature_key, kind)


def crossed_column(
    keys: Any, hash_bucket_size: int, hash_key: int | None = None
) -> Any:
    """Return a column of classes: the hash of each combination of other columns' words.

    Keys are names of features or categorical columns, but those of a hash.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise InvalidArgumentError(
            f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}"
        )
    count = hash_bucket_size
    if not isinstance(keys, (list, tuple)) or len(keys) < 2:
        raise InvalidArgumentError(
            f"keys must be a list with length > 1. Given: {keys}"
        )
    for key in keys:
        if isinstance(key, categories.HashedCategoricalColumn):
            raise InvalidArgumentError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
                "crossing will increase probability of collision. Instead, use the feature name as "
                f"a string. Given: {key}"
            )
        if not isinstance(key, (str, CategoricalColumn)):
            raise InvalidArgumentError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
    return categories.CrossedColumn(tuple(keys), count, hash_key)


def indicator_column(categorical_column: Any) -> Any:
    """Return a column of how often each class of a categorical one is there."""
    return vectors.IndicatorColumn(
        _categorical(categorical_column, "indicator_column")
    )


def _initializer(given: Any, dimension: int, saved: tuple[Any, Any]) -> Any:
    """Return what makes the vectors: as given, from a checkpoint, or drawn."""
    if (saved[0] is None) != (saved[1] is None):
        raise InvalidArgumentError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if given is not None and not callable(given):
        raise InvalidArgumentError("initializer must be callable if specified.")
    if saved[0] is not None:
        return lambda shape, dtype: constant(load_variable(*saved), dtype)
    if given is not None:
        return given
    deviation = float(1 / np.sqrt(dimension))
    return lambda shape, dtype: plain(
        random.truncated_normal(tuple(shape), 0.0, deviation, dtype)
    )


def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: Any = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> Any:
    """Return a column of vectors that are learnt, one for each class.

    `combiner` joins those of one example: 'mean', 'sqrtn' or 'sum'. Vectors are drawn with
    deviation 1/sqrt(dimension), or made by `initializer`, or read from a checkpoint.
    """
    width = categories.positive(dimension, "dimension")
    saved = ckpt_to_load_from, tensor_name_in_ckpt
    return vectors.EmbeddingColumn(
        _categorical(categorical_column, "embedding_column"),
        width,
        combiner,
        _initializer(initializer, width, saved),
        *saved,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )


def shared_embedding_columns(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: Any = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[Any]:
    """Return columns of learnt vectors that categorical columns have in common.

    All must have as many classes. Arguments are those of `embedding_column`.
    """
    width = categories.positive(dimension, "dimension")
    own = [_categorical(x, "shared_embedding_columns") for x in categorical_columns]
    if len({x.num_buckets for x in own}) > 1:
        raise InvalidArgumentError(
            "To use shared_embedding_column, all categorical_columns must have the same number of "
            f"buckets. Given: {[x.num_buckets for x in own]}"
        )
    saved = ckpt_to_load_from, tensor_name_in_ckpt
    name = shared_embedding_collection_name or (
        "_".join(sorted(x.name for x in own)) + "_shared_embedding"
    )
    first = _initializer(initializer, width, saved)
    last: Any = (max_norm, trainable, use_safe_embedding_lookup, name)
    return [
        vectors.SharedEmbeddingColumn(x, width, combiner, first, *saved, *last)
        for x in own
    ]


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = 0.0,
    dtype: Any = float32,
    normalizer_fn: Any = None,
) -> Any:
    """Return a column of sequences of numbers.

    What is shorter is filled up with default_value.
    """
    own = numeric_column(key, shape, None, dtype, normalizer_fn)
    return vectors.SequenceNumericColumn(
        key, own.shape, default_value, own.dtype, own.normalizer_fn
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = string
) -> Any:
    """Return a column of sequences of hashed words."""
    own = categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    return categories.SequenceCategoricalColumn(own)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> Any:
    """Return a column of sequences of class numbers."""
    own = categorical_column_with_identity(key, num_buckets, default_value)
    return categories.SequenceCategoricalColumn(own)


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> Any:
    """Return a column of sequences of listed words."""
    own = categorical_column_with_vocabulary_list(
        key, vocabulary_list, dtype, default_value, num_oov_buckets
    )
    return categories.SequenceCategoricalColumn(own)


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = string,
) -> Any:
    """Return a column of sequences of a file's words."""
    own = vocabulary_file_column(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )
    return categories.SequenceCategoricalColumn(own)


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Return the features, by their names, that columns read of examples."""
    return models.parse_example_spec(feature_columns)


def numbers_of(vocabulary: Vocabulary, key: str) -> Lookup:
    """Return what finds the numbers of words, by a table that is called by a feature's key."""
    others: dict[str, Any] = {
        "name": f"{key}_lookup",
        "num_oov_buckets": vocabulary.buckets,
        "default_value": vocabulary.default,
    }
    if vocabulary.file is None:
        words = list(vocabulary.words)
        others["dtype"] = string if vocabulary.dtype is string else dtypes.int64
        table = vocabularies.index_table_from_tensor(words, **others)
    else:
        table = vocabularies.index_table_from_file(
            vocabulary.file,
            vocab_size=vocabulary.size,
            key_dtype=string if vocabulary.dtype is string else dtypes.int64,
            **others,
        )
    return lambda words: plain(table.lookup(words))
