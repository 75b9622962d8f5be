"""tf.contrib.lookup: tables of words and numbers."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.lookups import (
    HashTable,
    KeyValueTensorInitializer,
    MutableHashTable,
    TextFileIndex,
    TextFileInitializer,
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
)

__all__ = [
    "HashTable",
    "KeyValueTensorInitializer",
    "MutableHashTable",
    "TextFileIndex",
    "TextFileInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
]


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
