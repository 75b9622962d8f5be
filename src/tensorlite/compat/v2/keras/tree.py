"""tf.keras.tree: structures of values, walked and made anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError


class MAP_TO_NONE:  # noqa: N801  Keras' name
    """What `traverse`'s function returns for None in the place of a value."""


def is_nested(structure: Any) -> bool:
    """Return whether something is a list, a tuple or a dict."""
    return isinstance(structure, (list, tuple, dict))


def flatten(structure: Any) -> list[Any]:
    """Return the values in a structure as a list, those of dicts by their keys in order."""
    return [x for _, x in flatten_with_path(structure)]


def flatten_with_path(structure: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Return pairs of the keys that lead to a value, and the value."""
    if not is_nested(structure):
        return [((), structure)]
    return [
        ((key, *path), x)
        for key, part in _members(structure)
        for path, x in flatten_with_path(part)
    ]


def _members(structure: Any) -> list[tuple[Any, Any]]:
    if isinstance(structure, dict):
        return sorted(structure.items())
    return list(enumerate(structure))


def map_structure(
    func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True
) -> Any:
    """Return a structure of what func makes of the values of one, or of several alike.

    Unless none_is_leaf, None stays None.
    """
    first, *others = structures
    for other in others:
        assert_same_structure(first, other)

    def one(*values: Any) -> Any:
        if not none_is_leaf and all(x is None for x in values):
            return None
        return func(*values)

    flat = zip(*map(flatten, structures), strict=True)
    return pack_sequence_as(first, [one(*values) for values in flat])


def map_structure_up_to(
    shallow_structure: Any, func: Callable[..., Any], *structures: Any
) -> Any:
    """Return func's results for the parts that stand at the leaves of a shallow structure."""
    if not is_nested(shallow_structure):
        return func(*structures)
    keys = [key for key, _ in _members(shallow_structure)]
    shallow = dict(_members(shallow_structure))
    parts = {
        key: map_structure_up_to(shallow[key], func, *[x[key] for x in structures])
        for key in keys
    }
    return _like(shallow_structure, parts)


def map_shape_structure(func: Callable[..., Any], structure: Any) -> Any:
    """Return a structure of what a function makes of shapes: lists and tuples of sizes."""
    if isinstance(structure, (list, tuple)) and all(
        x is None or isinstance(x, int) for x in structure
    ):
        return func(tuple(structure))
    parts = {key: map_shape_structure(func, x) for key, x in _members(structure)}
    return _like(structure, parts)


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """Return a list's values in a structure; InvalidArgumentError if their number differs."""
    values = list(flat_sequence)
    wanted = len(flatten(structure))
    if len(values) != wanted:
        raise InvalidArgumentError(
            f"pack_sequence_as: the structure has {wanted} values, and {len(values)} were given"
        )
    rest = iter(values)

    def filled(part: Any) -> Any:
        if not is_nested(part):
            return next(rest)
        return _like(part, {key: filled(x) for key, x in _members(part)})

    return filled(structure)


def _like(structure: Any, parts: dict[Any, Any]) -> Any:
    """Return a structure of the same kind with other members."""
    if isinstance(structure, dict):
        return type(structure)((key, parts[key]) for key in structure)
    made = [parts[i] for i in range(len(structure))]
    if hasattr(structure, "_fields"):
        return type(structure)(*made)
    return type(structure)(made)


def assert_same_structure(a: Any, b: Any, check_types: Any = None) -> None:
    """Raise InvalidArgumentError or TypeError where two structures differ.

    check_types has no effect.
    """
    assert_same_paths(a, b)
    if nest.is_nested(a) and type(a) is not type(b):
        raise TypeError(
            f"a {type(a).__name__} and a {type(b).__name__} differ in kind"
        )


def assert_same_paths(a: Any, b: Any) -> None:
    """Raise InvalidArgumentError where values stand at other keys."""
    first, second = ([path for path, _ in flatten_with_path(x)] for x in (a, b))
    if first != second:
        raise InvalidArgumentError(
            f"the structures differ: values at {first} in one, at {second} in the other"
        )


def traverse(
    func: Callable[[Any], Any], structure: Any, top_down: bool = True
) -> Any:
    """Return a structure in which a function has replaced parts; None leaves a part as it is."""
    if top_down:
        found = func(structure)
        if found is not None:
            return None if found is MAP_TO_NONE else found
    if is_nested(structure):
        parts = {key: traverse(func, x, top_down) for key, x in _members(structure)}
        structure = _like(structure, parts)
    if top_down:
        return structure
    found = func(structure)
    if found is None:
        return structure
    return None if found is MAP_TO_NONE else found


def lists_to_tuples(structure: Any) -> Any:
    """Return a structure with tuples in the place of lists."""

    def one(part: Any) -> Any:
        return tuple(part) if isinstance(part, list) else None

    return traverse(one, structure, top_down=False)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
