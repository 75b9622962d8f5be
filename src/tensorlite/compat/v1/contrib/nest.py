"""tf.contrib.framework.nest: structures of tensors, and parts of structures that others tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.nests import (
    alike,
    assert_same_structure,
    flatten,
    is_leaf,
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
    "get_traverse_shallow_structure",
    "is_nested",
    "is_sequence",
    "map_structure",
    "map_structure_up_to",
    "map_structure_with_paths",
    "map_structure_with_tuple_paths",
    "map_structure_with_tuple_paths_up_to",
    "pack_sequence_as",
    "yield_flat_paths",
]

is_sequence = is_nested
_sequence_like = nest.rebuild


def _yield_value(structure: Any) -> Iterator[Any]:
    yield from nest.children(structure)


def _members(structure: Any) -> dict[Any, Any]:
    """Return what a structure consists of, by its keys, its fields' names or by number."""
    if isinstance(structure, Mapping):
        keys: Any = sorted(structure)
    else:
        members = nest.children(structure)
        keys = getattr(structure, "_fields", range(len(members)))
    return dict(zip(keys, nest.children(structure), strict=True))


def _yield_sorted_items(structure: Any) -> Iterator[tuple[Any, Any]]:
    yield from _members(structure).items()


def _is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Return whether something is a named tuple; strictly, and of no class derived from one."""
    kind = type(instance)
    is_one = isinstance(instance, tuple) and hasattr(instance, "_fields")
    return is_one and (not strict or kind.__base__ is tuple)


def assert_shallow_structure(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> None:
    """Check that a structure is as another one is, as far as that goes."""
    if is_leaf(shallow_tree, expand_composites):
        return
    kinds = type(input_tree), type(shallow_tree)
    if is_leaf(input_tree, expand_composites):
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
        assert_shallow_structure(one, other, check_types, expand_composites)


def flatten_up_to(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> list[Any]:
    """Return what of a structure stands where another one has its leaves."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_cut(shallow_tree, input_tree, expand_composites))


def _cut(shallow: Any, whole: Any, expand: bool) -> Iterator[Any]:
    if is_leaf(shallow, expand):
        yield whole
        return
    pairs = zip(nest.children(shallow), nest.children(whole), strict=True)
    for one, other in pairs:
        yield from _cut(one, other, expand)


def map_structure_up_to(
    shallow_tree: Any,
    func: Callable[..., Any],
    *inputs: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> Any:
    """Return a structure like the shallow one, of what a function makes of what stands there."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    columns = [
        flatten_up_to(shallow_tree, x, check_types, expand_composites) for x in inputs
    ]
    made = [func(*row) for row in zip(*columns, strict=True)]
    return pack_sequence_as(shallow_tree, made, expand_composites)


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


def yield_flat_paths(
    nest: Any, expand_composites: bool = False
) -> Iterator[tuple[Any, ...]]:
    """Yield the keys on the way to each leaf, in the order of the leaves."""
    if is_leaf(nest, expand_composites):
        yield ()
        return
    for key, member in _members(nest).items():
        for path in yield_flat_paths(member, expand_composites):
            yield (key, *path)


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """Return the leaves with the keys on the way to each, as one text."""
    found = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in found]


def flatten_with_tuple_paths(
    structure: Any, expand_composites: bool = False
) -> list[tuple[tuple[Any, ...], Any]]:
    """Return the leaves with the keys on the way to each.

    >>> flatten_with_tuple_paths({"a": [3, 4]})
    [(('a', 0), 3), (('a', 1), 4)]
    """
    paths = yield_flat_paths(structure, expand_composites)
    return list(zip(paths, flatten(structure, expand_composites), strict=True))


def map_structure_with_tuple_paths(
    func: Callable[..., Any],
    *structures: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> Any:
    """Return a structure of what a function makes of the keys to each leaf and the leaves there."""
    expand = expand_composites
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types, expand)
    leaves = [flatten(x, expand) for x in structures]
    paths = yield_flat_paths(structures[0], expand)
    made = [func(*found) for found in zip(paths, *leaves, strict=True)]
    return pack_sequence_as(structures[0], made, expand)


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any,
    func: Callable[..., Any],
    *inputs: Any,
    check_types: bool = True,
    **kwargs: Any,
) -> Any:
    """Return a structure like the shallow one, of a function of the keys and what stands there.

    Other arguments are given to the function.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    columns = [flatten_up_to(shallow_tree, x, check_types) for x in inputs]
    paths = _paths_up_to(shallow_tree, inputs[0])
    made = [func(*row, **kwargs) for row in zip(paths, *columns, strict=True)]
    return pack_sequence_as(shallow_tree, made)


def _paths_up_to(shallow: Any, whole: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the keys, as the whole structure has them, on the way to the shallow one's leaves."""
    if not is_nested(shallow):
        yield ()
        return
    pairs = zip(nest.children(shallow), _members(whole).items(), strict=True)
    for one, (key, other) in pairs:
        for path in _paths_up_to(one, other):
            yield (key, *path)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """Return a structure of bools: how far into another one a function says to go.

    The function says it of a structure as a whole, or of each member; TypeError if it says
    anything else. With expand_composites sparse tensors and their like count as structures.
    """
    into = traverse_fn(structure)
    is_structure = is_nested(structure) or (
        expand_composites and nest.is_nested(structure)
    )
    if not is_structure or into is False:
        if not isinstance(into, bool):
            raise TypeError(
                f"traverse_fn returned structure: {into} for non-structure: {structure}"
            )
        return into
    members = nest.children(structure)
    if isinstance(into, bool):
        each = [into] * len(members)
    elif is_nested(into):
        assert_shallow_structure(into, structure)
        each = nest.children(into)
    else:
        raise TypeError(
            f"traverse_fn returned a non-bool scalar: {into} for input: {structure}"
        )
    if not all(isinstance(x, bool) for x in each):
        raise TypeError(
            f"traverse_fn didn't return a depth=1 structure of bools.  saw: {into} for "
            f"structure: {structure}"
        )
    found = [
        x and get_traverse_shallow_structure(traverse_fn, member, expand_composites)
        for x, member in zip(each, members, strict=True)
    ]
    return nest.rebuild(structure, found)


def map_structure_with_paths(
    func: Callable[..., Any],
    *structures: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> Any:
    """Return a structure of what a function makes of the path, "a/0", and the leaves there."""

    def called(path: tuple[Any, ...], *leaves: Any) -> Any:
        return func("/".join(map(str, path)), *leaves)

    return map_structure_with_tuple_paths(
        called,
        *structures,
        check_types=check_types,
        expand_composites=expand_composites,
    )


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
