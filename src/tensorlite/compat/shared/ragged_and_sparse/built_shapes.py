"""tf.experimental.RowPartition and DynamicRaggedShape: they make nodes wherever a graph is built.

What functions of tensors make of such shapes, tf.reshape of a tensor to ragged sizes, is here, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from tensorlite.compat.calling import converted
from tensorlite.compat.shared.ragged_and_sparse.built_rows import building
from tensorlite.compat.shared.ragged_and_sparse.ragged_forms import form
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import CompositeError
from tensorlite.ops.ragged import dynamic_shape, partition
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.broadcasting import broadcast_shapes, broadcast_to


class _Partitions(type):
    """Takes partitions for instances that were made before there was the class, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return type.__instancecheck__(partition.RowPartition, instance)


class _Kind(type):
    """Makes instances whose parts are nodes, and counts those of the library's own as such."""

    own: Any

    def __instancecheck__(cls, instance: object) -> bool:
        return type.__instancecheck__(cls.own, instance)

    __call__ = building(type.__call__, of_numbers=False)


@dataclass(frozen=True, eq=False, repr=False)
class RowPartition(partition.RowPartition, metaclass=_Kind):
    """How a sequence is cut into rows, by tensors that are there or will be."""

    own = partition.RowPartition


@dataclass(frozen=True, eq=False, repr=False, init=False)
class DynamicRaggedShape(dynamic_shape.DynamicRaggedShape, metaclass=_Kind):
    """The sizes of a tensor some of whose axes have rows of different lengths."""

    own = dynamic_shape.DynamicRaggedShape

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        """Say that these are no numbers: functions of tensors ask what to do instead."""
        raise CompositeError(self, "a shape with rows of different lengths")


_MADE = {
    RowPartition: "from_row_splits from_row_lengths from_row_starts from_row_limits "
    "from_value_rowids from_uniform_row_length",
    DynamicRaggedShape: "from_lengths from_row_partitions from_tensor",
}
_ASKED = {
    RowPartition: "value_rowids nvals nrows row_starts row_limits row_lengths offsets_in_rows "
    "with_dtype",
    DynamicRaggedShape: "static_lengths __getitem__ size_at with_num_row_partitions with_dtype "
    "num_elements rows_of",
}
for _kind, _names in _MADE.items():
    for _name in _names.split():
        _own = getattr(_kind.own, _name).__func__
        setattr(_kind, _name, classmethod(building(_own, of_numbers=False)))
for _kind, _names in _ASKED.items():
    for _name in _names.split():
        setattr(_kind, _name, building(getattr(_kind.own, _name), of_numbers=False))
partition.RowPartition.root = RowPartition
dynamic_shape.DynamicRaggedShape.root = DynamicRaggedShape


@form("Shape")
def _shape(_: Any, arguments: dict[str, Any]) -> Any:
    kind = arguments["out_type"] or int32
    return DynamicRaggedShape.own.from_tensor(arguments["input"], kind)


@form("BroadcastTo")
def _broadcast_to(_: Any, arguments: dict[str, Any]) -> Any:
    x, shape = arguments["input"], arguments["shape"]
    if not isinstance(shape, DynamicRaggedShape):
        shape = DynamicRaggedShape.own((), shape)
    return broadcast_to(x if isinstance(x, RaggedParts) else converted(x), shape)


@form("BroadcastArgs")
def _broadcast(_: Any, arguments: dict[str, Any]) -> Any:
    given = arguments["shape_x"], arguments["shape_y"]
    kind = DynamicRaggedShape.own
    shapes: list[Any] = [x if isinstance(x, kind) else kind((), x) for x in given]
    return broadcast_shapes(*shapes)


@form("Reshape")
def _reshaped(function: Any, arguments: dict[str, Any]) -> Any:
    x, shape = arguments["tensor"], arguments["shape"]
    values = x.values if isinstance(x, RaggedParts) else x
    if not isinstance(shape, DynamicRaggedShape):
        return function(values, shape)
    return shape.rows_of(function(values, shape.inner_shape))


@form("ones", "zeros", "Fill")
def _filled(function: Any, arguments: dict[str, Any]) -> Any:
    key = "dims" if "dims" in arguments else "shape"
    shape = arguments[key]
    return shape.rows_of(function(**{**arguments, key: shape.inner_shape}))
