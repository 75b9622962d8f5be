"""tf.lookup.experimental: tables that change."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tables import lookups
from tensorlite.compat.shared.tables.lookups import MutableHashTable
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError

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
        if empty_key == deleted_key:
            raise InvalidArgumentError(
                f"DenseHashTable: empty_key and deleted_key must differ; both are {empty_key!r}"
            )
        super().__init__(key_dtype, value_dtype, default_value, None, name)
        self.is_checkpointed = checkpoint
        self._reserved = empty_key, deleted_key

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Put in values of keys; InvalidArgumentError for the two reserved ones."""
        self._check(keys)
        return super().insert(keys, values, name)

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Take out keys; InvalidArgumentError for the two reserved ones."""
        self._check(keys)
        return super().remove(keys, name)

    erase = remove

    def saved_tensors(self, session: Any = None) -> dict[str, Any]:
        """Raise UnimplementedError: TensorFlow saves buckets as they lie in memory."""
        raise UnimplementedError(
            "DenseHashTable: what checkpoints of objects have of it is in an order of "
            "TensorFlow's own; use a MutableHashTable, or pass checkpoint=False"
        )

    def load(self, held: tuple[Any, Any], session: Any = None) -> None:
        """Have what buckets hold that TensorFlow saved, without those of reserved keys."""
        keys = np.ravel(held[0])
        reserved = [
            x for k in self._reserved for x in lookups.known(k, self.key_dtype) or []
        ]
        used = ~np.isin(keys, np.asarray(reserved, keys.dtype))
        super().load((keys[used], held[1][used]), session)

    def _check(self, keys: Any) -> None:
        """Raise InvalidArgumentError for keys that stand for something else, if they are known."""
        given = lookups.known(keys, self.key_dtype) or []
        for kind, key in zip(("empty", "deleted"), self._reserved, strict=True):
            reserved = lookups.known(key, self.key_dtype) or []
            if set(reserved) & set(given):
                raise InvalidArgumentError(
                    f"Using the {kind}_key as a table key is not allowed: {key!r}"
                )


__dir__ = listing("lookup.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.lookup.experimental", name, __all__)
