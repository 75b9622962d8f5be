"""Slots of variables, as optimizers outside of TensorFlow make them by its slot_creator."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import zeros
from tensorlite.compat.v1.graphs.variables import of_kind
from tensorlite.compat.views import plain
from tensorlite.graph_mode.slots import new_slot


def create_slot(
    primary: Any, val: Any, name: str, colocate_with_primary: bool = True
) -> Any:
    """Return a variable that belongs to another, or to a tensor, and begins with a value.

    It lies where that does, whatever colocate_with_primary says.
    """
    return new_slot(primary, val, name, of_kind(primary))


def create_slot_with_initializer(
    primary: Any,
    initializer: Any,
    shape: Any,
    dtype: Any,
    name: str,
    colocate_with_primary: bool = True,
) -> Any:
    """Return a variable that belongs to another, and begins with what an initializer gives."""
    sizes = plain(shape)
    make = of_kind(primary)
    return new_slot(
        primary, lambda: initializer(sizes, dtype=dtype), name, make, dtype
    )


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Any:
    """Return a variable that belongs to another, of its shape, and begins with zeros."""
    kind = primary.dtype if dtype is None else dtype
    sizes = plain(primary.get_shape())
    return new_slot(primary, lambda: zeros(sizes, kind), name, of_kind(primary), kind)
