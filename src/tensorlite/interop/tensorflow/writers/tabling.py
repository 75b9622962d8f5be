"""How tables are written, and what fills them."""

from __future__ import annotations

from collections.abc import Callable

from tensorlite.core.op import Op
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.writers.parts import Spelled, constant_part
from tensorlite.ops.state.dense_tables import MutableDenseHashTableV2


def _table(op: Op, node: Node) -> tuple[Spelled, ...]:
    given = op.attributes()
    given["shared_name"] = given["shared_name"] or node.name
    row = given.pop("value_shape")
    if row:
        shape = {"value_shape": Shape(row)}
        return (Spelled("MutableHashTableOfTensorsV2", given | shape),)
    name = "MutableHashTableV2" if given["changing"] else op.name
    return (Spelled(name, given),)


def _dense_table(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a table with the keys that are none of its own, which are inputs there."""
    assert isinstance(op, MutableDenseHashTableV2)
    given, kind = op.attributes(), op.key_dtype
    added = () if node.inputs else _NO_KEYS
    parts = [constant_part(x, op.no_key(x), kind) for x in added]
    for name in (*_NO_KEYS, "key_shape"):
        del given[name]
    given["shared_name"] = given["shared_name"] or node.name
    given["value_shape"] = Shape(given["value_shape"])
    taken = range(len(node.inputs)) if node.inputs else _NO_KEYS
    return (*parts, Spelled(op.name, given, tuple(taken)))


_NO_KEYS = ("empty_key", "deleted_key")


TABLES: dict[str, Callable[[Op, Node], tuple[Spelled, ...]]] = {
    "HashTableV2": _table,
    "MutableDenseHashTableV2": _dense_table,
}
