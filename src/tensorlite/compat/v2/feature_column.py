"""tf.feature_column of TensorFlow 2; keras.layers.DenseFeatures computes what they describe."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tables.feature_columns import (
    bucketized_column,
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_list,
    crossed_column,
    embedding_column,
    indicator_column,
    make_parse_example_spec,
    numeric_column,
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
    shared_embedding_columns as shared_embeddings,
    vocabulary_file_column,
    weighted_categorical_column,
)
from tensorlite.core.dtypes import string
from tensorlite.core.errors import InvalidArgumentError

__all__ = [
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file",
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
    "shared_embeddings",
    "weighted_categorical_column",
]


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    dtype: Any = string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> Any:
    """Return a column whose categories are the lines of a file, numbered from 0.

    Words that are not in it get default_value (-1 if None), or one of num_oov_buckets numbers after
    the last. file_format is "text" or None, which means it; others raise InvalidArgumentError.
    """
    if file_format not in (None, "text"):
        raise InvalidArgumentError(f"file_format={file_format!r}; allowed: 'text'")
    return vocabulary_file_column(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
