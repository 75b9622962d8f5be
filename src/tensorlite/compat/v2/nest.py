"""Structures of tensors: `tf.nest`."""

from __future__ import annotations

from tensorlite.compat.shared.nests import (
    assert_same_structure,
    flatten,
    is_nested,
    map_structure,
    pack_sequence_as,
)

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]
