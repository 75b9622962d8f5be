"""Tables that datasets of keys and values fill: `tf.data.experimental`'s."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared.tables.lookups import StaticHashTable
from tensorlite.compat.shared.tables.vocabularies import (
    FastHashSpec,
    IdTableWithHashBuckets,
)
from tensorlite.core.dispatch import constant, interpreted_by
from tensorlite.core.dtypes import as_dtype, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.fetchable import effect
from tensorlite.ops.state import tables


class DatasetInitializer:
    """Fills a table with the keys and values of a dataset of pairs."""

    def __init__(self, dataset: Any) -> None:
        keys, values = _pair(dataset.element_spec)
        self.dataset = dataset
        self.key_dtype, self.value_dtype = keys.dtype, values.dtype
        self.name, self.op = "dataset_init", tables.LookupTableImportV2()

    def fill(self, handle: Any) -> Any:
        """Return what fills a table."""
        with interpreted_by(None):
            pairs = list(self.dataset.source())
        kinds = self.key_dtype, self.value_dtype
        columns = [
            constant(np.array([pair[i].item() for pair in pairs], kind.numpy))
            for i, kind in enumerate(kinds)
        ]
        return effect(self.op, handle, *columns)


def _pair(spec: Any) -> tuple[TensorSpec, TensorSpec]:
    """Return the specs of keys and values; InvalidArgumentError for other elements."""
    whole = spec if isinstance(spec, tuple) else (spec,)
    scalars = all(isinstance(x, TensorSpec) and x.shape in (None, ()) for x in whole)
    if len(whole) != 2 or not scalars:
        raise InvalidArgumentError(
            "Datasets used to initialize lookup tables must produce elements in the form (key, "
            "value), where the keys and values are scalar tensors. However, the given dataset "
            f"produces {spec}."
        )
    return whole[0], whole[1]


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: Any = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
) -> Any:
    """Return a table of the keys and values that a dataset of pairs holds.

    Other keys have default_value, -1 unless given, or one of num_oov_buckets numbers by a hash.
    """
    _, values = _pair(dataset.element_spec)
    key = as_dtype(key_dtype)
    if default_value is None and not (
        values.dtype.is_integer or values.dtype.is_floating
    ):
        raise InvalidArgumentError(
            "`default_value` must be specified when creating a table from a dataset that "
            f"produces values of type {values.dtype.name}."
        )
    if num_oov_buckets < 0:
        raise InvalidArgumentError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if not key.is_integer and key is not string:
        raise DTypeError(
            f"`key_dtype` must be either an integer or string type, but got {key.name}"
        )
    if vocab_size is not None:
        if int(vocab_size) < 1:
            raise InvalidArgumentError(
                f"`vocab_size` must be greater than 0, got {vocab_size}."
            )
        dataset = dataset.take(vocab_size).assert_cardinality(int(vocab_size))
    missing = -1 if default_value is None else default_value
    table = StaticHashTable(DatasetInitializer(dataset), missing, name)
    if not num_oov_buckets:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, name, key)


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: Any = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
) -> Any:
    """Return a table of the numbers of the keys that a dataset holds.

    Other keys have default_value, or one of num_oov_buckets numbers by a hash.
    """
    numbered = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(
        numbered,
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype,
        name,
    )


__all__ = ["DatasetInitializer", "index_table_from_dataset", "table_from_dataset"]
