"""Operators on sparse tensors, tables and counts that are functions here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorlite.core.op import REGISTRY
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter, Plain
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.search import Bincount
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.records.sparse_values import DeserializeSparse
from tensorlite.ops.records.tensor_bytes import DeserializeManySparse
from tensorlite.ops.sparse.forms import SparseFillEmptyRows
from tensorlite.ops.sparse.kept import TakeManySparseFromTensorsMap
from tensorlite.ops.state import tables


def _of(function: Callable[..., Any]) -> Adapter:
    return lambda given: given.composed(function, *given.tensors)


def _sparse_rows(given: Given) -> Values:
    """Read sparse tensors from rows of three strings each."""
    return given.made(DeserializeManySparse(given.dtype("dtype")), given.tensor(0))


def _sparse_parts(given: Given) -> Values:
    """Read sparse tensors from what three strings or values along the last axis are."""
    op = DeserializeSparse(given.dtype("dtype"), given.dtype("Tserialized"))
    return given.made(op, given.tensor(0))


def _table(changing: bool) -> Adapter:
    def adapter(given: Given) -> Values:
        for name in _OF_MEMORY & given.record.given.keys():
            given.attribute(name)
        op = tables.HashTableV2(
            debug_name=given.name,
            container=given.typed("container", str),
            shared_name=given.typed("shared_name", str) or given.name,
            key_dtype=given.dtype("key_dtype"),
            value_dtype=given.dtype("value_dtype"),
            changing=changing,
        )
        given.check_attributes()
        return given.node(op).outputs

    return adapter


_OF_MEMORY = {"use_node_name_sharing", "initial_num_buckets", "max_load_factor"}


def _filled_rows(
    rows: Tensor, values: Tensor, count: Tensor, default: Tensor
) -> tuple[Tensor, ...]:
    """Return a ragged tensor without empty rows, whose values have the numbers of their rows."""
    places, whole = stack([rows, zeros_like(rows)], axis=1), stack([count, 1])
    made, *rest = SparseFillEmptyRows().compose(places, values, whole, default)
    return (made[:, 0], *rest)


def _from_file(given: Given) -> Values:
    op = tables.InitializeTableFromTextFileV2(
        key_index=given.typed("key_index", int),
        value_index=given.typed("value_index", int),
        vocab_size=given.typed("vocab_size", int),
        delimiter=given.typed("delimiter", str),
        offset=given.typed("offset", int),
    )
    return given.made(op, *given.tensors)


def _keeping(name: str, given: Given) -> Values:
    """Put sparse tensors into a map, which bears the node's name unless it has another."""
    return given.node(REGISTRY[name](**_map_of(given)), *given.tensors).outputs


def _map_of(given: Given) -> dict[str, str]:
    return {
        "container": given.typed("container", str),
        "shared_name": given.typed("shared_name", str) or given.name,
    }


def _taken(given: Given) -> Values:
    op = TakeManySparseFromTensorsMap(**_map_of(given), dtype=given.dtype("dtype"))
    return given.node(op, *given.tensors).outputs


SCATTERING: dict[str, Adapter] = {
    "AddManySparseToTensorsMap": partial(_keeping, "AddManySparseToTensorsMap"),
    "AddSparseToTensorsMap": partial(_keeping, "AddSparseToTensorsMap"),
    "Bincount": lambda given: given.made(Bincount(True), *given.tensors),
    "DeserializeManySparse": _sparse_rows,
    "DeserializeSparse": _sparse_parts,
    "HashTable": _table(changing=False),
    "HashTableV2": _table(changing=False),
    "InitializeTable": Plain("LookupTableImportV2").__call__,
    "InitializeTableFromTextFile": _from_file,
    "InitializeTableFromTextFileV2": _from_file,
    "InitializeTableV2": Plain("LookupTableImportV2").__call__,
    "MutableHashTable": _table(changing=True),
    "MutableHashTableV2": _table(changing=True),
    "RaggedFillEmptyRows": _of(_filled_rows),
    "TakeManySparseFromTensorsMap": _taken,
}
for _name in ("Export", "Find", "Import", "Insert", "Size"):
    SCATTERING[f"LookupTable{_name}"] = Plain(f"LookupTable{_name}V2").__call__
