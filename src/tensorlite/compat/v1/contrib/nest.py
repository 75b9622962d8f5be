"""tf.contrib.framework.nest: structures of tensors, and parts of structures that others tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.nests import (
    alike,
    assert_same_structure,
    flatten,
    is_nested,
    map_structure,
    pack_sequence_as,
)
from tensorlite.core import nest

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_dict_items",
    "flatten_up_to",
    "flatten_with_joined_string_paths",
    "flatten_with_tuple_paths",
    "is_nested",
    "is_sequence",
    "map_structure",
    "map_structure_up_to",
    "map_structure_with_paths",
    "map_structure_with_tuple_paths",
    "pack_sequence_as",
    "yield_flat_paths",
]

is_sequence = is_nested


def _members(structure: Any) -> dict[Any, Any]:
    """Return what a structure consists of, by its keys, its fields' names or by number."""
    if isinstance(structure, Mapping):
        keys: Any = sorted(structure)
    else:
        members = nest.children(structure)
        keys = getattr(structure, "_fields", range(len(members)))
    return dict(zip(keys, nest.children(structure), strict=True))


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True
) -> None:
    """Check that a structure is as another one is, as far as that goes."""
    if not is_nested(shallow_tree):
        return
    kinds = type(input_tree), type(shallow_tree)
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"{kinds[0]}."
        )
    is_kind = isinstance(input_tree, kinds[1]) or alike(input_tree, shallow_tree)
    if check_types and not is_kind:
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{kinds[0]}, while shallow structure has type {kinds[1]}."
        )
    shallow, whole = _members(shallow_tree), _members(input_tree)
    if len(shallow) != len(whole):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(whole)}, while shallow structure has length {len(shallow)}."
        )
    if check_types and shallow.keys() != whole.keys():
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{list(whole)}, while shallow structure has keys {list(shallow)}."
        )
    for one, other in zip(shallow.values(), whole.values(), strict=True):
        assert_shallow_structure(one, other, check_types)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True
) -> list[Any]:
    """Return what of a structure stands where another one has its leaves."""
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    return list(_cut(shallow_tree, input_tree))


def _cut(shallow: Any, whole: Any) -> Iterator[Any]:
    if not is_nested(shallow):
        yield whole
        return
    pairs = zip(nest.children(shallow), nest.children(whole), strict=True)
    for one, other in pairs:
        yield from _cut(one, other)


def map_structure_up_to(
    shallow_tree: Any,
    func: Callable[..., Any],
    *inputs: Any,
    check_types: bool = True,
) -> Any:
    """Return a structure like the shallow one, of what a function makes of what stands there."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    columns = [flatten_up_to(shallow_tree, x, check_types) for x in inputs]
    made = [func(*row) for row in zip(*columns, strict=True)]
    return pack_sequence_as(shallow_tree, made)


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a dict in which keys that are structures have their leaves as keys."""
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys, values = flatten(key), flatten(value) if is_nested(key) else [value]
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                f"{len(values)} elements. Key: {key}, value: {value}."
            )
        for one, held in zip(keys, values, strict=True):
            if one in flat:
                raise ValueError(
                    f"Could not flatten dictionary: the key {one!r} is not unique."
                )
            flat[one] = held
    return flat


def yield_flat_paths(nest: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the keys on the way to each leaf, in the order of the leaves."""
    if not is_nested(nest):
        yield ()
        return
    for key, member in _members(nest).items():
        for path in yield_flat_paths(member):
            yield (key, *path)


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/"
) -> list[tuple[str, Any]]:
    """Return the leaves with the keys on the way to each, as one text."""
    paths = [separator.join(map(str, path)) for path in yield_flat_paths(structure)]
    return list(zip(paths, flatten(structure), strict=True))


def flatten_with_tuple_paths(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the leaves with the keys on the way to each.

    >>> flatten_with_tuple_paths({"a": [3, 4]})
    [(('a', 0), 3), (('a', 1), 4)]
    """
    return list(zip(yield_flat_paths(structure), flatten(structure), strict=True))


def map_structure_with_tuple_paths(
    func: Callable[..., Any], *structures: Any, check_types: bool = True
) -> Any:
    """Return a structure of what a function makes of the keys to each leaf and the leaves there."""
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types)
    leaves = [flatten(x) for x in structures]
    paths = yield_flat_paths(structures[0])
    made = [func(*found) for found in zip(paths, *leaves, strict=True)]
    return pack_sequence_as(structures[0], made)


def map_structure_with_paths(
    func: Callable[..., Any], *structures: Any, check_types: bool = True
) -> Any:
    """Return a structure of what a function makes of the path, "a/0", and the leaves there."""

    def called(path: tuple[Any, ...], *leaves: Any) -> Any:
        return func("/".join(map(str, path)), *leaves)

    return map_structure_with_tuple_paths(
        called, *structures, check_types=check_types
    )


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
