"""Structures of tensors: `tf.nest`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.core import nest
from tensorlite.core.shapes import AnyShape
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]


_COMPOSITE = (SparseTensor, RaggedParts, TensorArray, nest.Composite)
"""What has tensors inside and is one thing to programs."""


def is_leaf(x: Any, expand_composites: bool) -> bool:
    """Return whether something is no structure, or a value of tensors that stays together."""
    if isinstance(x, AnyShape) or not nest.is_nested(x):
        return True
    return isinstance(x, _COMPOSITE) and not expand_composites


def is_nested(seq: Any) -> bool:
    """Return whether something is a list, tuple, dictionary or other structure."""
    is_kept_apart = hasattr(seq, "__tf_flatten__") and not isinstance(seq, type)
    is_plain = isinstance(seq, (list, tuple, dict, *nest.VIEWS))
    return (is_plain or is_kept_apart) and not is_leaf(seq, False)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """Return the leaves of a structure as a list, those of dictionaries by sorted keys.

    expand_composites=True takes sparse tensors and their like apart.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nest.flatten({"b": [1, 2], "a": 3})
    [3, 1, 2]
    """
    if is_leaf(structure, expand_composites):
        return [structure]
    return [
        leaf
        for x in nest.children(structure)
        for leaf in flatten(x, expand_composites)
    ]


def pack_sequence_as(
    structure: Any, flat_sequence: Any, expand_composites: bool = False
) -> Any:
    """Return a structure like another one with leaves in their order.

    ValueError if there are more or fewer.
    """
    leaves = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if count != len(leaves):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had "
            f"{len(leaves)} elements."
        )
    return _packed(structure, iter(leaves), expand_composites)


def _packed(structure: Any, leaves: Any, expand_composites: bool) -> Any:
    if is_leaf(structure, expand_composites):
        return next(leaves)
    members = [
        _packed(x, leaves, expand_composites) for x in nest.children(structure)
    ]
    return nest.rebuild(structure, members)


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """Return a structure of what a function makes of the leaves of one or several.

    They must be alike: ValueError, or TypeError where kinds differ and check_types is True.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.nest.map_structure(lambda x, y: x + y, {"a": 1}, {"a": 10})
    {'a': 11}
    """
    expand = kwargs.pop("expand_composites", False)
    check_types = kwargs.pop("check_types", True)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: {kwargs}"
        )
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    rows = zip(*[flatten(x, expand) for x in structure], strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows], expand)


def alike(one: Any, other: Any) -> bool:
    """Return whether two containers count as of one kind: lists do, and mappings, of any class.

    So do named tuples whose names and fields are the same.
    """
    kinds = type(one), type(other)
    if kinds[0] is kinds[1]:
        return True
    if any(
        isinstance(one, kind) and isinstance(other, kind) for kind in (list, Mapping)
    ):
        return True
    fields = [(kind.__name__, getattr(kind, "_fields", None)) for kind in kinds]
    return fields[0] == fields[1] and fields[0][1] is not None


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise ValueError unless structures are alike, TypeError if kinds differ."""
    first, second = (is_leaf(x, expand_composites) for x in (nest1, nest2))
    if first is not second:
        raise ValueError(
            f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}"
        )
    if first:
        return
    if check_types and not alike(nest1, nest2):
        raise TypeError(
            f"The two structures don't have the same sequence type: {type(nest1)} and {type(nest2)}"
        )
    mine, theirs = nest.children(nest1), nest.children(nest2)
    if len(mine) != len(theirs) or (
        isinstance(nest1, Mapping) and set(nest1) != set(nest2)
    ):
        raise ValueError(
            f"The two structures don't have the same number of elements: {nest1!r} and {nest2!r}"
        )
    for x, y in zip(mine, theirs, strict=True):
        assert_same_structure(x, y, check_types, expand_composites)
