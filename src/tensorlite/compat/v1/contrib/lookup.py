"""tf.contrib.lookup: tables of words and numbers."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tables import vocabularies
from tensorlite.compat.shared.tables.lookup_experimental import (
    DenseHashTable as MutableDenseHashTable,
)
from tensorlite.compat.shared.tables.lookups import (
    HashTable,
    KeyValueTensorInitializer,
    MutableHashTable,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
)
from tensorlite.compat.shared.tables.vocabularies import (
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StrongHashSpec,
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
)

__all__ = [
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "KeyValueTensorInitializer",
    "MutableDenseHashTable",
    "MutableHashTable",
    "StrongHashSpec",
    "TextFileIdTableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
    "TextFileStringTableInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
    "string_to_index",
    "string_to_index_table_from_file",
    "string_to_index_table_from_tensor",
]


def string_to_index(
    tensor: Any, mapping: Any, default_value: int = -1, name: str | None = None
) -> Any:
    """Return where strings stand in mapping, int64; default_value for others.

    Run tf.tables_initializer() first.
    """
    return string_to_index_table_from_tensor(mapping, default_value).lookup(
        tensor, name
    )


def string_to_index_table_from_tensor(
    mapping: Any, default_value: int = -1, name: str | None = None
) -> Any:
    """Return a table from strings to where they stand in mapping."""
    return index_table_from_tensor(mapping, 0, default_value, name=name)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> Any:
    """Return a table from strings to the numbers of their lines in a file.

    Strings that are not there get default_value, or one of num_oov_buckets numbers behind the last.
    """
    given = (vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec)
    return index_table_from_file(*given, name=name)


def index_to_string_table_from_tensor(
    mapping: Any = None,
    default_value: Any = "UNK",
    name: str | None = None,
    vocabulary_list: Any = None,
) -> Any:
    """Return a table from numbers to the strings that stand there in mapping."""
    words = mapping if vocabulary_list is None else vocabulary_list
    return vocabularies.index_to_string_table_from_tensor(words, default_value, name)


def index_to_string(
    tensor: Any, mapping: Any, default_value: Any = "UNK", name: str | None = None
) -> Any:
    """Return the strings of mapping that stand at the indices; default_value elsewhere.

    Run tf.tables_initializer() first.
    """
    table = index_to_string_table_from_tensor(mapping, default_value)
    return table.lookup(tensor, name)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
