"""tf.lookup.experimental: tables that change."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tensorlite.compat.calling import converted, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tables import lookups
from tensorlite.compat.shared.tables.lookups import MutableHashTable
from tensorlite.core.dispatch import call
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import EagerTensor
from tensorlite.graph.graph import SymbolicTensor, is_const
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.state.dense_tables import BUCKETS, MutableDenseHashTableV2
from tensorlite.ops.state.making import made
from tensorlite.ops.strings.joining import as_text

__all__ = ["DenseHashTable", "MutableHashTable"]


class DenseHashTable(lookups.MutableHashTable):
    """A table that changes, in which two keys stand for none and for one that was removed."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._reserved = empty_key, deleted_key
        self._buckets = (
            BUCKETS if initial_num_buckets is None else initial_num_buckets
        )
        kinds = key_dtype, value_dtype
        super().__init__(*kinds, default_value, None, name, checkpoint)

    default_title = "default_value"

    def _made(
        self,
        shared: str | None,
        row: tuple[int, ...],
        changing: bool,
        name: str | None,
    ) -> Any:
        pairs = zip(self._reserved, ("empty_key", "deleted_key"), strict=True)
        no_keys = [lookups.in_graph(x, self.key_dtype, kind) for x, kind in pairs]
        kinds = self.key_dtype, self.value_dtype
        return _handle_of(*kinds, no_keys, row, self._buckets, name=name)


@named("MutableDenseHashTable")
def _handle_of(
    key: Any,
    value: Any,
    no_keys: Any,
    row: tuple[int, ...],
    buckets: int,
    name: str | None = None,
) -> Any:
    arrays = [_known(x, key) for x in no_keys]
    if np.array_equal(*arrays):
        raise InvalidArgumentError(
            f"DenseHashTable: empty_key and deleted_key must differ; both are {arrays[0]!r}"
        )
    texts = [_texts(x) for x in arrays]
    op = partial(
        MutableDenseHashTableV2,
        *(key, value, *texts, arrays[0].shape, row, buckets),
    )
    if active_graph() is None:
        return made(op)
    op = partial(op, shared_name=lookups.fresh_name())
    return call(op(), *[converted(x, key) for x in no_keys])


def _known(key: Any, dtype: Any) -> Any:
    """Return a key that stands for none as an array; InvalidArgumentError for no constant."""
    given = converted(key, dtype)
    if isinstance(given, SymbolicTensor) and is_const(given):
        return np.asarray(given.node.op.attributes()["value"])
    if not isinstance(given, EagerTensor):
        raise InvalidArgumentError(
            f"DenseHashTable: {key!r} is no constant; give empty_key and deleted_key as numbers or "
            "texts"
        )
    return np.asarray(given.array)


def _texts(key: Any) -> tuple[str, ...]:
    flat = np.ravel(key).tolist()
    return tuple([as_text(x) if isinstance(x, bytes) else str(x) for x in flat])


__dir__ = listing("lookup.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.lookup.experimental", name, __all__)
