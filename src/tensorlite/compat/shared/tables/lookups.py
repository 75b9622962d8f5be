"""Tables of keys and values: `tf.lookup`, and what `tf.contrib.lookup` made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.shared import elementwise
from tensorlite.compat.views import plain, shown
from tensorlite.core.dispatch import call, calls
from tensorlite.core.dtypes import DType, as_dtype, bool_, int32, int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import EagerTensor
from tensorlite.graph.graph import is_const
from tensorlite.graph_mode.graph import active_graph, get_default_graph
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.interop.tensorflow.stored.savers import SaveableTable
from tensorlite.ops.fetchable import effect, group
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.state import tables
from tensorlite.ops.state.making import made

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "TextFileIndex",
    "TextFileInitializer",
]

_numbers = iter(range(2**62))


class TextFileIndex:
    """What of a line of a file is a key or a value, where it is no column."""

    WHOLE_LINE, LINE_NUMBER = tables.WHOLE_LINE, tables.LINE_NUMBER


class KeyValueTensorInitializer:
    """Fills a table with keys and values."""

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        first = None if key_dtype is None else as_dtype(key_dtype)
        second = None if value_dtype is None else as_dtype(value_dtype)
        self.keys = in_graph(keys, first, "keys")
        self.values = in_graph(values, second, "values")
        self.key_dtype = first or _dtype_of(self.keys)
        self.value_dtype = second or _dtype_of(self.values)
        self.name, self.op = name or "key_value_init", tables.LookupTableImportV2()

    def fill(self, handle: Any) -> Any:
        """Return what fills a table."""
        keys = converted(self.keys, self.key_dtype)
        values = converted(self.values, self.value_dtype)
        return effect(self.op, handle, keys, values)


def in_graph(value: Any, dtype: Any, name: str) -> Any:
    """Return a value as a tensor of the graph that is built, where there is one."""
    if active_graph() is None or isinstance(value, Operand):
        return value
    return given_constant(value, dtype, name=name)


def _check_default(default: Any, dtype: DType, may_be_array: bool) -> None:
    """Raise DTypeError for a default of another kind than values, ShapeError for several."""
    if isinstance(default, Operand):
        spec = default.__tensor__().spec
        fits, rank = spec.dtype is dtype, spec.rank
    else:
        kind, rank = np.asarray(default).dtype.kind, np.ndim(default)
        cut = kind in "fc" and (dtype.is_integer or dtype is bool_)
        fits = (kind in "USO") is (dtype is string) and not cut
    if not fits:
        raise DTypeError(
            f"default_value={default!r}; the table's values are {dtype.name}"
        )
    if rank and not may_be_array:
        raise ShapeError(
            f"default_value={default!r}; a table has one value for a key"
        )


def _dtype_of(values: Any) -> Any:
    if isinstance(values, Operand):
        return values.__tensor__().dtype

    @named("Const")
    def made_of(values: Any, name: str | None = None) -> Any:
        return converted(values)

    return made_of(values).dtype


class TextFileInitializer:
    """Fills a table with the lines of a file."""

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if isinstance(filename, str) and not filename:
            raise InvalidArgumentError(f"Filename required for {name or 'a table'}.")
        self.filename = in_graph(filename, string, "asset_path")
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        _check_column("Keys", self.key_dtype, key_index)
        _check_column("Values", self.value_dtype, value_index)
        size = -1 if vocab_size is None else vocab_size
        self.op = tables.InitializeTableFromTextFileV2(
            key_index, value_index, size, delimiter, value_index_offset
        )
        self.name = name or "text_file_init"

    def fill(self, handle: Any) -> Any:
        """Return what fills a table; the file's name is among what a SavedModel keeps."""
        path, graph = converted(self.filename, string), active_graph()
        if graph is not None and is_const(path):
            graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, shown(path))
        return effect(self.op, handle, path)


def _check_column(what: str, dtype: Any, index: int) -> None:
    """Raise InvalidArgumentError unless a column may be of a dtype."""
    if index < TextFileIndex.WHOLE_LINE:
        raise InvalidArgumentError(f"Invalid index of a column: {index}.")
    keys_too = (string, int64, int32) if what == "Keys" else (string,)
    fixed = {TextFileIndex.LINE_NUMBER: (int64,), TextFileIndex.WHOLE_LINE: keys_too}
    wanted = fixed.get(index, (dtype,))
    if dtype not in wanted:
        allowed = " or ".join(one.name for one in wanted)
        raise InvalidArgumentError(
            f"Signature mismatch. {what} must be dtype {allowed}, got {dtype.name}."
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table with numbers of words, by the lines of a file."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_id_table_init",
        key_dtype: Any = string,
    ) -> None:
        parts = (key_dtype, key_column_index, int64, value_column_index)
        super().__init__(filename, *parts, vocab_size, delimiter, name)


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table with words by their numbers, from the lines of a file."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_string_table_init",
    ) -> None:
        parts = (int64, key_column_index, string, value_column_index)
        super().__init__(filename, *parts, vocab_size, delimiter, name)


def fresh_name() -> str:
    """Return what no other table is known by in sessions."""
    return f"hash_table_{next(_numbers)}"


@named("hash_table")
def _handle_of(
    key: Any,
    value: Any,
    changing: bool,
    shared: str | None = None,
    row: tuple[int, ...] = (),
    name: str | None = None,
) -> Any:
    if active_graph() is None:
        return made(lambda: tables.HashTableV2(key, value, changing, row))
    shared = shared or fresh_name()
    return call(tables.HashTableV2(key, value, changing, row, shared_name=shared))


class Table:
    """What all tables have in common."""

    handle: Any
    default_value: Any
    is_checkpointed = False
    """Whether checkpoints of objects have keys and values of it."""

    def __init__(
        self,
        key: Any,
        value: Any,
        changing: bool,
        default: Any,
        name: str | None,
        shared: str | None = None,
    ) -> None:
        self.key_dtype, self.value_dtype = as_dtype(key), as_dtype(value)
        _check_default(default, self.value_dtype, changing)
        self.default_value = in_graph(default, self.value_dtype, self.default_title)
        row = _sizes(default) if changing else ()
        self.handle = self._made(shared, row, changing, name)

    def _made(
        self,
        shared: str | None,
        row: tuple[int, ...],
        changing: bool,
        name: str | None,
    ) -> Any:
        """Return the handle of a new table, whose values have a shape."""
        kinds = self.key_dtype, self.value_dtype
        return _handle_of(*kinds, changing, shared, row, name=name)

    @property
    def resource_handle(self) -> Any:
        return self.handle

    @property
    def name(self) -> str:
        whole = str(getattr(self.handle, "name", "hash_table")).partition(":")[0]
        return whole.rpartition("/")[2]

    default_title = "Const"
    """How the default value is called in graphs."""
    found_in = "Lookup"
    """How lookups are called, behind a table's name."""

    def _title(self, name: str | None, of: str) -> str:
        return name or f"{self.name}_{of}"

    def size(self, name: str | None = None) -> Any:
        op = tables.LookupTableSizeV2()
        return _asked(self.handle, op, name=self._title(name, "Size"))

    def export(self, name: str | None = None) -> Any:
        op, title = tables.LookupTableExportV2(), "lookup_table_export_values"
        return _asked(self.handle, op, name=self._title(name, title))

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        return _found(
            self.handle,
            keys,
            self.key_dtype,
            self.value_dtype,
            self.default_value,
            name=self._title(name, self.found_in),
        )

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


def _sizes(value: Any) -> tuple[int, ...]:
    is_tensor = isinstance(value, Operand)
    return tuple(value.get_shape().as_list()) if is_tensor else np.shape(value)


@named("hash_table_Lookup", "LookupTableFindV2")
def _found(
    handle: Any,
    keys: Any,
    key: Any,
    value: Any,
    default: Any,
    name: str | None = None,
) -> Any:
    other = converted(default, value)
    if isinstance(keys, SparseTensor):
        found = call(tables.LookupTableFindV2(), handle, keys.values, other)
        return SparseTensor(keys.indices, found, keys.dense_shape)
    return call(tables.LookupTableFindV2(), handle, converted(keys, key), other)


def _its_own(handle: Any, maker: Any, *_: Any, **__: Any) -> str:
    """Return what a node is called that makes what an operator, or what has one, says."""
    name: str = getattr(maker, "op", maker).name
    return name


@named("hash_table_Size", _its_own)
def _asked(handle: Any, op: Any, name: str | None = None) -> Any:
    found = calls(op, handle)
    return found[0] if len(found) == 1 else tuple(found)


@named("table_init", _its_own)
def _filled(handle: Any, initializer: Any, name: str | None = None) -> Any:
    return initializer.fill(handle)


class StaticHashTable(Table):
    """A table that is filled once; in a graph by `tf.tables_initializer()`."""

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
        *,
        shared_name: str | None = None,
    ) -> None:
        kinds = initializer.key_dtype, initializer.value_dtype
        super().__init__(*kinds, False, default_value, name, shared_name)
        self._init_op = _filled(self.handle, initializer, name=initializer.name)
        if active_graph() is not None:
            get_default_graph().add_to_collection(
                GraphKeys.TABLE_INITIALIZERS, self._init_op
            )

    @property
    def initializer(self) -> Any:
        """Operation that fills the table."""
        return self._init_op

    init = initializer


class MutableHashTable(Table):
    """A table that changes."""

    found_in = "lookup_table_find"

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(
            key_dtype, value_dtype, True, default_value, name, shared_name
        )
        self.is_checkpointed = checkpoint
        if checkpoint and active_graph() is not None:
            get_default_graph().add_to_collection(
                GraphKeys.SAVEABLE_OBJECTS,
                SaveableTable(self.name, self, exported=self.export()),
            )

    def lookup(  # type: ignore[override]
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Any:
        """Return the values of keys; a default for others, or one for each key where given."""
        if dynamic_default_values is None:
            return super().lookup(keys, name)
        kinds = self.key_dtype, self.value_dtype, dynamic_default_values
        title = self._title(name, self.found_in)
        return _found(self.handle, keys, *kinds, name=title)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Put in values of keys, in the place of those that were there."""
        kinds = self.key_dtype, self.value_dtype
        title = self._title(name, "lookup_table_insert")
        return _inserted(self.handle, keys, values, kinds, name=title)

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Take out keys; those that are not there are left alone."""
        title = self._title(name, "lookup_table_remove")
        return _removed(self.handle, keys, self.key_dtype, name=title)

    erase = remove

    @property
    def is_of_graph(self) -> bool:
        """Whether sessions alone know what the table has."""
        return not isinstance(self.handle, EagerTensor)

    def saved_tensors(self, session: Any = None) -> dict[str, Any]:
        """Return keys and values as checkpoints of objects have them, by the ends of names."""
        held = self.export()
        if self.is_of_graph:
            held = chosen_session(session, "Checkpoint.save").run(held)
        return dict(zip(("-keys", "-values"), held, strict=True))

    def load(self, held: tuple[Any, Any], session: Any = None) -> None:
        """Have these keys and values and no others, in a session if the table is of a graph."""
        kinds = self.key_dtype, self.value_dtype
        made = _imported(self.handle, *held, kinds)
        if self.is_of_graph:
            chosen_session(session, "restore").run(made)


@named("table_restore", "LookupTableImportV2")
def _imported(
    handle: Any, keys: Any, values: Any, kinds: Any, name: str | None = None
) -> Any:
    given = converted(keys, kinds[0]), converted(values, kinds[1])
    return effect(tables.LookupTableImportV2(), handle, *given)


def known(keys: Any, dtype: Any) -> list[Any] | None:
    """Return keys as Python's values, None where only the run knows them."""
    given = converted(keys, dtype)
    if not isinstance(given, EagerTensor):
        return None
    return [*np.ravel(given.numpy()).tolist()]


@named("MutableHashTable_lookup_table_insert", "LookupTableInsertV2")
def _inserted(
    handle: Any, keys: Any, values: Any, kinds: Any, name: str | None = None
) -> Any:
    given = converted(keys, kinds[0]), converted(values, kinds[1])
    return effect(tables.LookupTableInsertV2(), handle, *given)


@named("MutableHashTable_lookup_table_remove", "LookupTableRemoveV2")
def _removed(handle: Any, keys: Any, key: Any, name: str | None = None) -> Any:
    return effect(tables.LookupTableRemoveV2(), handle, converted(keys, key))


def number_or(table: StaticHashTable, words: Any, hashed: Any) -> Any:
    """Return the numbers of words, behind the table's size those of a hash for other ones."""
    found, size = plain(table.lookup(words)), plain(table.size())
    behind = plain(elementwise.add(plain(hashed), size))
    other = plain(elementwise.not_equal(found, plain(table.default_value)))
    return tl.where(other, found, behind)


@named("init_all_tables")
def tables_initializer(name: str = "init_all_tables") -> Any:
    """Return an operation that fills all tables of the graph."""
    graph = active_graph()
    held = [] if graph is None else graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*[_node(x) for x in held])


def _node(x: Any) -> Any:
    return getattr(x, "node", x)


initialize_all_tables = tables_initializer


class HashTable(StaticHashTable):
    """A table that is filled once, as `tf.contrib.lookup` makes it."""

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(initializer, default_value, name, shared_name=shared_name)
