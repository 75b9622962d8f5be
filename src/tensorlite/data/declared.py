"""What programs declare of a generator's elements: dtypes and shapes, as specs."""

from __future__ import annotations

from typing import Any

from tensorlite.core import nest
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import StructureError
from tensorlite.core.spec import TensorSpec
from tensorlite.data.elements import is_shape, shape_from


def declared_specs(types: Any, shapes: Any) -> Any:
    """Return the specs that dtypes and shapes of one structure make; specs stay what they are."""
    if types is None:
        return None
    if isinstance(types, dict):
        return {
            key: declared_specs(kind, _member(shapes, key))
            for key, kind in types.items()
        }
    if isinstance(types, (list, tuple)):
        parts = _members(shapes, len(types))
        made = [declared_specs(kind, x) for kind, x in zip(types, parts, strict=True)]
        return nest.rebuild(tuple(made) if isinstance(types, list) else types, made)
    if isinstance(types, TensorSpec):
        return types
    return TensorSpec(shape_from(shapes), as_dtype(types))


def _member(shapes: Any, key: Any) -> Any:
    return None if shapes is None else shapes[key]


def _members(shapes: Any, count: int) -> list[Any]:
    if shapes is None:
        return [None] * count
    listed = (
        list(shapes) if not is_shape(shapes) or len(list(shapes)) == 0 else [shapes]
    )
    if len(listed) != count:
        raise StructureError(
            f"output_shapes={shapes!r}: {count} dtypes need as many shapes"
        )
    return listed
