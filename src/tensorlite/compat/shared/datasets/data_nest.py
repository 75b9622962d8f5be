"""Structures of datasets' elements, as tensorflow.python.data.util.nest has them: a list is no one.

Datasets take a list for a tensor, and a SparseTensorValue for one value. What `tf.nest` has, whose
structures lists are, too, stands in compat/shared/nests.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorlite.compat.shared.nests import alike, is_leaf
from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensorValue
from tensorlite.core import nest

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_up_to",
    "is_nested",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]


def is_nested(structure: Any) -> bool:
    """Return whether something is a structure of an element's parts.

    >>> from tensorlite.compat.v2.python.data.util import nest
    >>> nest.is_nested((1, 2)), nest.is_nested([1, 2])
    (True, False)
    """
    if isinstance(structure, SparseTensorValue) or is_leaf(structure, False):
        return False
    return isinstance(structure, (tuple, Mapping)) or hasattr(
        structure, "__attrs_attrs__"
    )


def flatten(structure: Any) -> list[Any]:
    """Return the parts of an element, those of dictionaries by sorted keys.

    >>> from tensorlite.compat.v2.python.data.util import nest
    >>> nest.flatten({"b": [1, 2], "a": (3, 4)})
    [3, 4, [1, 2]]
    """
    if not is_nested(structure):
        return [structure]
    return [leaf for x in nest.children(structure) for leaf in flatten(x)]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Return parts in a structure like another one; ValueError if there are more or fewer."""
    leaves, count = list(flat_sequence), len(flatten(structure))
    if count != len(leaves):
        if not is_nested(structure):
            raise ValueError(
                f"Argument `structure` is a scalar but `len(flat_sequence)`={len(leaves)} > 1"
            )
        raise ValueError(
            f"Could not pack sequence. Argument `structure` had {count} elements, but argument "
            f"`flat_sequence` had {len(leaves)} elements. Received structure: {structure!r}"
        )
    return _packed(structure, iter(leaves))


def _packed(structure: Any, leaves: Any) -> Any:
    if not is_nested(structure):
        return next(leaves)
    return nest.rebuild(
        structure, [_packed(x, leaves) for x in nest.children(structure)]
    )


def map_structure(
    func: Callable[..., Any], *structure: Any, check_types: bool = True
) -> Any:
    """Return a structure of what a function makes of the parts of one or several."""
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types)
    rows = zip(*map(flatten, structure), strict=True)
    return pack_sequence_as(structure[0], [func(*row) for row in rows])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raise ValueError unless two structures are alike, TypeError if kinds differ."""
    if is_nested(nest1) is not is_nested(nest2):
        raise ValueError(
            f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}"
        )
    if not is_nested(nest1):
        return
    if check_types and not alike(nest1, nest2):
        raise TypeError(
            "The two structures don't have the same sequence type: "
            f"{type(nest1)} and {type(nest2)}"
        )
    mine, theirs = nest.children(nest1), nest.children(nest2)
    keys_differ = check_types and _keys(nest1) != _keys(nest2)
    if len(mine) != len(theirs) or keys_differ:
        raise ValueError(
            f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}"
        )
    for x, y in zip(mine, theirs, strict=True):
        assert_same_structure(x, y, check_types)


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True
) -> None:
    """Raise unless a structure is as another one is, as far as that goes."""
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{type(input_tree).__name__!r}."
        )
    if check_types and not alike(input_tree, shallow_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree).__name__!r}, while shallow structure has type "
            f"{type(shallow_tree).__name__!r}."
        )
    shallow, whole = nest.children(shallow_tree), nest.children(input_tree)
    if len(shallow) != len(whole):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(whole)}, while shallow structure has length {len(shallow)}."
        )
    if check_types and _keys(shallow_tree) != _keys(input_tree):
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{_keys(input_tree)}, while shallow structure has keys {_keys(shallow_tree)}."
        )
    for x, y in zip(shallow, whole, strict=True):
        assert_shallow_structure(x, y, check_types)


def _keys(structure: Any) -> list[Any]:
    return sorted(structure) if isinstance(structure, Mapping) else []


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """Return what of a structure stands where another one has its parts."""
    assert_shallow_structure(shallow_tree, input_tree)
    return _cut(shallow_tree, input_tree)


def _cut(shallow: Any, whole: Any) -> list[Any]:
    if not is_nested(shallow):
        return [whole]
    pairs = zip(nest.children(shallow), nest.children(whole), strict=True)
    return [leaf for x, y in pairs for leaf in _cut(x, y)]


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any
) -> Any:
    """Return a structure like the shallow one, of what a function makes of what stands there."""
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    columns = [flatten_up_to(shallow_tree, x) for x in inputs]
    made = [func(*row) for row in zip(*columns, strict=True)]
    return pack_sequence_as(shallow_tree, made)
