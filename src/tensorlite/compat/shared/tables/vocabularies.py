"""Tables of words and their numbers, some of which a hash gives, as `tf.contrib.lookup` had them.

The tables that these are made of stand in lookups.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorlite as tl
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared import arrays, elementwise, strings
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.shared.tables.lookups import (
    KeyValueTensorInitializer,
    StaticHashTable,
    TextFileIndex,
    TextFileInitializer,
    number_or,
)
from tensorlite.core.dtypes import as_dtype, int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import name_scope
from tensorlite.ops.ragged.tensor import is_ragged
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse


class HasherSpec(NamedTuple):
    """Which hash of words is taken, and its key."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


def StrongHashSpec(key: Any) -> HasherSpec:
    """Return the choice of a keyed hash, of two integers, for words without a number."""
    if len(key) != 2:
        raise InvalidArgumentError(f"key must have size 2, got {len(key)}.")
    if not all(isinstance(k, int) for k in key):
        raise DTypeError(f"Invalid key {key}. Must be unsigned integer values.")
    return HasherSpec("stronghash", tuple(key))


class IdTableWithHashBuckets:
    """Numbers of words by a table, and behind them by a hash for words that are not there."""

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: Any = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if table is None and num_oov_buckets <= 0:
            raise InvalidArgumentError(
                "oov_buckets must be > 0 if no table is supplied."
            )
        if not isinstance(hasher_spec, HasherSpec):
            raise DTypeError(
                f"hasher_spec must be of type HasherSpec, got {hasher_spec!r}"
            )
        own = string if table is None else table.key_dtype
        self.key_dtype = own if key_dtype is None else as_dtype(key_dtype)
        _check_ids(table, self.key_dtype)
        self.value_dtype = int64
        self.name = name or ("hash_bucket" if table is None else table.name)
        self._table, self._buckets, self._hasher = table, num_oov_buckets, hasher_spec

    @property
    def initializer(self) -> Any:
        """Operation that fills the table."""
        return _nothing() if self._table is None else self._table.initializer

    init = initializer

    @property
    def resource_handle(self) -> Any:
        """The table as operators take it; None if all words are hashed."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """Return how many numbers words may have."""
        return _all_ids(self._table, self._buckets, name=name or f"{self.name}_Size")

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the numbers of words, of the same shape, or sparse as they are.

        DTypeError if the words are of another dtype than the table's.
        """
        own = as_dtype(keys.dtype) if hasattr(keys, "dtype") else self.key_dtype
        if own is not self.key_dtype:
            raise DTypeError(
                f"Signature mismatch. Keys must be dtype {self.key_dtype.name}, got "
                f"{own.name}."
            )
        title = name or f"{self.name}_Lookup"
        how = self._table, self._buckets, self._hasher
        if isinstance(keys, PlainSparse):
            inside = _ids(_wide(keys.values, self._table), *how, name=title)
            return SparseTensor(keys.indices, inside, keys.dense_shape)
        return _ids(_wide(keys, self._table), *how, name=title)

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


class StaticVocabularyTable:
    """Numbers of words, and numbers behind them, by a hash, for words that are not there."""

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise InvalidArgumentError("oov_buckets must be > 0.")
        own = string if initializer is None else initializer.key_dtype
        self.key_dtype = (
            own if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
        )
        self.value_dtype, self._buckets = int64, num_oov_buckets
        _check_ids(initializer, self.key_dtype)
        self._table = (
            None if initializer is None else StaticHashTable(initializer, -1)
        )
        self._name = name or (
            "hash_bucket" if self._table is None else self._table.name
        )

    @property
    def initializer(self) -> Any:
        """Operation that fills the table."""
        return _nothing() if self._table is None else self._table.initializer

    init = initializer

    @property
    def name(self) -> str:
        """Name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """Handle of the table of those words that have numbers; None if there are none."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """Return how many numbers words may have, those of buckets included."""
        return _all_ids(self._table, self._buckets, name=name or f"{self.name}_Size")

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the numbers of words, those not there by a hash; DTypeError for other keys."""
        own = getattr(keys, "dtype", None)
        if own is not None and as_dtype(own) is not self.key_dtype:
            raise DTypeError(
                f"Dtype of argument `keys` must be {self.key_dtype}, received: {own}"
            )
        title = name or f"{self.name}_Lookup"
        how = self._table, self._buckets, self.key_dtype
        if isinstance(keys, PlainSparse):
            values = _wide(keys.values, self._table)
            inside = _or_bucket(values, *how, name=title)
            return PlainSparse(keys.indices, inside, keys.dense_shape)
        if is_ragged(keys):
            return keys.with_values(self.lookup(keys.values, name))
        return _or_bucket(_wide(keys, self._table), *how, name=title)

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


def _wide(keys: Any, table: Any) -> Any:
    """Return numbers that are asked for as a table has them."""
    kind = getattr(keys, "dtype", int64)
    if table is None or table.key_dtype is not int64 or as_dtype(kind) is int64:
        return keys
    return elementwise.cast(keys, int64)


def _last_of(_: Any, table: Any, *__: Any, **___: Any) -> str:
    """Return what the node of numbers is called, which may all come of a hash."""
    return "hash_bucket" if table is None else "SelectV2"


@named("string_to_index_Lookup", _last_of)
def _or_bucket(
    keys: Any, table: Any, buckets: int, dtype: Any, name: str | None = None
) -> Any:
    words = converted(keys, dtype)
    asked = tl.astype(words, int64) if dtype.is_integer else words
    text = words if dtype is string else tl.strings.as_string(words)
    hashed = strings.to_hash_bucket_fast(text, buckets, name="hash_bucket")
    return hashed if table is None else number_or(table, asked, hashed)


@named("init", "NoOp")
def _nothing(name: str | None = None) -> Any:
    return tl.group()


def _check_ids(table: Any, key: Any) -> None:
    """Raise DTypeError unless keys of a dtype may be asked for."""
    if not key.is_integer and key is not string:
        raise DTypeError(
            f"Invalid key_dtype, expected integer or string, got {key.name}."
        )
    if table is None:
        return
    if table.key_dtype not in (int64, string):
        raise DTypeError(
            f"Invalid key dtype, expected int64 or string, got {table.key_dtype.name}."
        )
    if table.key_dtype.is_integer != key.is_integer:
        raise DTypeError(
            f"Invalid key dtype, expected {table.key_dtype.name}, got {key.name}."
        )
    if table.value_dtype is not int64:
        raise DTypeError(
            f"Invalid value dtype, expected int64, got {table.value_dtype.name}."
        )


@named("hash_table_Size", "add")
def _all_ids(table: Any, buckets: int, name: str | None = None) -> Any:
    own = given_constant(0, int64) if table is None else table.size()
    return own + buckets


@named("hash_bucket_Lookup", _last_of)
def _ids(
    keys: Any, table: Any, buckets: int, hasher: HasherSpec, name: str | None = None
) -> Any:
    words = converted(keys, None if table is None else table.key_dtype)
    asked = tl.astype(words, int64) if words.dtype.is_integer else words
    if buckets == 0:
        return table.lookup(asked)
    text = words if words.dtype is string else tl.strings.as_string(words)
    if hasher.hasher not in _HASHES:
        raise InvalidArgumentError(f"Unknown hasher {hasher.hasher}")
    hashed = _HASHES[hasher.hasher](text, buckets, hasher.key)
    return hashed if table is None else number_or(table, asked, hashed)


_HASHES: dict[str, Callable[[Any, int, Any], Any]] = {
    "fasthash": lambda x, n, key: strings.to_hash_bucket_fast(
        x, n, name="hash_bucket"
    ),
    "legacy": lambda x, n, key: strings.to_hash_bucket(x, n, name="hash_bucket"),
    "stronghash": lambda x, n, key: strings.to_hash_bucket_strong(
        x, n, key, name="hash_bucket"
    ),
}


def _vocabulary(
    initializer: Any, buckets: int, default: Any, hasher: Any, key: Any
) -> Any:
    if not isinstance(hasher, HasherSpec):
        raise DTypeError(f"hasher_spec must be of type HasherSpec, got {hasher!r}")
    table = StaticHashTable(initializer, default)
    if buckets or table.key_dtype is not key:
        return IdTableWithHashBuckets(table, buckets, hasher, None, key)
    return table


def index_table_from_tensor(
    mapping: Any = None,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: Any = string,
    name: str | None = None,
    vocabulary_list: Any = None,
) -> Any:
    """Return a table of words' numbers, by a list of words.

    Other words have default_value, or one of num_oov_buckets numbers behind, by a hash.
    """
    words = mapping if vocabulary_list is None else vocabulary_list
    if words is None:
        raise InvalidArgumentError("mapping (vocabulary_list) must be specified.")
    key = as_dtype(dtype)
    with name_scope(name, "string_to_index"):
        of = _words(words, None if key.is_integer else key)
        if of.dtype.is_integer is not key.is_integer:
            kind = "integer" if key.is_integer else "non-integer"
            raise InvalidArgumentError(f"Expected {kind}, got {of.dtype.name}.")
        numbers = _counted(of)
        with name_scope(None, "hash_table"):
            if key.is_integer:
                of = elementwise.cast(of, int64)
            filler = KeyValueTensorInitializer(
                of, numbers, of.dtype, int64, name="table_init"
            )
            return _vocabulary(
                filler, num_oov_buckets, default_value, hasher_spec, key
            )


def _words(words: Any, dtype: Any) -> Any:
    if isinstance(words, Operand) and words.__tensor__().dtype is dtype:
        return words
    return _made_of(words, dtype)


@named("Const")
def _made_of(words: Any, dtype: Any, name: str | None = None) -> Any:
    return converted(words, dtype)


def _counted(words: Any) -> Any:
    return elementwise.cast(arrays.range(arrays.size(words)), int64)


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: Any = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    """Return a table of words' numbers, by the lines of a file.

    Other words have default_value, or one of num_oov_buckets numbers behind, by a hash.
    """
    _check_vocabulary(vocabulary_file, vocab_size)
    key = as_dtype(key_dtype)
    parts = (int64 if key.is_integer else key, key_column_index)
    columns = (*parts, int64, value_column_index)
    with name_scope(name, "string_to_index"), name_scope(None, "hash_table"):
        filler = TextFileInitializer(
            vocabulary_file, *columns, vocab_size, delimiter, "table_init"
        )
        return _vocabulary(filler, num_oov_buckets, default_value, hasher_spec, key)


def _check_vocabulary(file: Any, size: int | None) -> None:
    """Raise InvalidArgumentError for a file or number of words that cannot be."""
    if file is None or (isinstance(file, str) and not file):
        raise InvalidArgumentError(
            "vocabulary_file must be specified and must not be empty."
        )
    if size is not None and size < 1:
        raise InvalidArgumentError(f"vocab_size must be greater than 0, got {size}.")


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: Any = "UNK", name: str | None = None
) -> Any:
    """Return a table of the words of numbers, by a list of words."""
    with name_scope(name, "index_to_string"):
        of = _words(vocabulary_list, string)
        filler = KeyValueTensorInitializer(
            _counted(of), of, int64, string, name="table_init"
        )
        return StaticHashTable(filler, default_value)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: Any = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> Any:
    """Return a table of the words of numbers, by the lines of a file."""
    parts = (int64, key_column_index, string, value_column_index)
    with name_scope(name, "index_to_string"):
        filler = TextFileInitializer(
            vocabulary_file, *parts, vocab_size, delimiter, "table_init"
        )
        return StaticHashTable(filler, default_value)
