"""Nested structures (lists, tuples, named tuples, dicts, dataclasses): flatten, pack, map.

A structure's leaves are whatever is no container. Dicts are walked in sorted order of keys.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    ItemsView,
    Iterator,
    KeysView,
    Mapping,
    MutableMapping,
    ValuesView,
)
from copy import copy
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, cast

from tensorlite.core.errors import StructureError

VIEWS = (ItemsView, KeysView, ValuesView)
"""What dicts give of their members, which is a structure as a list of these is."""


class Composite:
    """A container that says itself what its members are, and is made of others without a call."""

    __slots__ = ()
    is_value = True

    def members(self) -> dict[str, Any]:
        """Return the members by their names, in order."""
        raise NotImplementedError

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return a container like this one with other members of the same names."""
        raise NotImplementedError

    def kept(self) -> Any:
        """Return what it has beside its members, hashable: what is not the same is another kind."""
        return ()


def _is_named_tuple(value: object) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _keys(value: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def is_nested(value: object) -> bool:
    """Return whether `value` is a container rather than a leaf."""
    return _is_container(type(value))  # type: ignore[arg-type]  # a class is hashable


@lru_cache(maxsize=1024)
def _is_container(kind: type) -> bool:
    if issubclass(kind, (list, tuple, Mapping, Composite, *VIEWS)):
        return True
    return (
        (
            is_dataclass(kind)
            or hasattr(kind, "__attrs_attrs__")
            or _takes_itself_apart(kind)
        )
        and not hasattr(kind, "__tensor__")
        and not hasattr(kind, "is_leaf")
    )


def _takes_itself_apart(value: Any) -> bool:
    """Return whether a class says by TensorFlow's methods what its members are."""
    return hasattr(value, "__tf_flatten__") and hasattr(value, "__tf_unflatten__")


def kept_of(value: Any) -> Any:
    """Return what a container has beside its members, hashable where programs keep to that."""
    if isinstance(value, Composite):
        return value.kept()
    return value.__tf_flatten__()[0] if _takes_itself_apart(value) else ()


def is_value(value: object) -> bool:
    """Return whether a container is one value of several tensors, as its class says of itself."""
    return bool(getattr(type(value), "is_value", False))


def children(value: Any) -> list[Any]:
    """Return the direct members of a container, in order."""
    if isinstance(value, (list, tuple, *VIEWS)):
        return list(value)
    if isinstance(value, Mapping):
        return [value[key] for key in _keys(value)]
    if isinstance(value, Composite):
        return list(value.members().values())
    if _takes_itself_apart(value):
        return list(value.__tf_flatten__()[1])
    return [getattr(value, name) for name in _field_names(value)]


def _field_names(value: Any) -> list[str]:
    """Return the names of the fields of a dataclass, or of a class made by attrs."""
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return [field.name for field in value.__attrs_attrs__]


def rebuild(value: Any, members: list[Any]) -> Any:
    """Return a container like `value` with other direct members; for a dict's values, a list."""
    if _is_named_tuple(value):
        return type(value)(*members)
    if isinstance(value, (list, tuple)):
        return type(value)(members)
    if isinstance(value, VIEWS):
        return members
    if isinstance(value, Mapping):
        packed = dict(zip(_keys(value), members, strict=True))
        return _like(value, {key: packed[key] for key in value})
    if isinstance(value, Composite):
        return value.with_members(dict(zip(value.members(), members, strict=True)))
    if _takes_itself_apart(value):
        return type(value).__tf_unflatten__(value.__tf_flatten__()[0], tuple(members))
    if hasattr(value, "__attrs_attrs__"):  # whose arguments lack underscores
        return type(value)(*members)
    named = dict(zip(_field_names(value), members, strict=True))
    if value.__dataclass_params__.init:
        return type(value)(**named)
    made = copy(value)  # which may have more than its fields say
    for name, member in named.items():
        setattr(made, name, member)
    return made


def _like(value: Mapping[Any, Any], members: dict[Any, Any]) -> Any:
    """Return members in a mapping of the kind of `value`: an OrderedDict, a defaultdict."""
    if type(value) is dict:
        return members
    if not isinstance(value, MutableMapping):
        return cast("Any", type(value))(members)
    made: Any = copy(value)
    for key, x in members.items():  # some mappings refuse update
        made[key] = x
    return made


def flatten(structure: Any) -> list[Any]:
    """Return the leaves of `structure`, depth first.

    >>> tl.nest.flatten({"b": [1, 2], "a": 3})
    [3, 1, 2]
    """
    if not is_nested(structure):
        return [structure]
    return [leaf for member in children(structure) for leaf in flatten(member)]


def pack_like(structure: Any, leaves: list[Any]) -> Any:
    """Return a structure like the given one whose leaves are `leaves`, in order.

    >>> tl.nest.pack_like({"b": [0, 0], "a": 0}, [3, 1, 2])
    {'b': [1, 2], 'a': 3}
    """
    source = iter(leaves)
    packed = _pack(structure, source)
    if next(source, source) is not source:
        raise StructureError(
            f"{len(leaves)} leaves are too many for {describe(structure)}"
        )
    return packed


def _pack(structure: Any, source: Iterator[Any]) -> Any:
    if is_nested(structure):
        return rebuild(
            structure, [_pack(member, source) for member in children(structure)]
        )
    try:
        return next(source)
    except StopIteration:
        raise StructureError("too few leaves for this structure") from None


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """Return a structure of `function`'s results over leaves that correspond.

    >>> tl.nest.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    for other in structures[1:]:
        assert_same(structures[0], other)
    leaves = zip(*map(flatten, structures), strict=True)
    return pack_like(structures[0], [function(*group) for group in leaves])


def assert_same(a: Any, b: Any, where: str = "") -> None:
    """Raise StructureError naming the place where two structures first differ."""
    place = f" at {where}" if where else ""
    if is_nested(a) != is_nested(b) or (is_nested(a) and _kind(a) is not _kind(b)):
        raise StructureError(
            f"structures differ{place}: {describe(a)} and {describe(b)}"
        )
    if not is_nested(a):
        return
    if isinstance(a, dict) and set(a) != set(b):
        raise StructureError(f"keys differ{place}: {_keys(a)} and {_keys(b)}")
    first, second = children(a), children(b)
    if len(first) != len(second):
        raise StructureError(f"lengths differ{place}: {len(first)} and {len(second)}")
    labels = _keys(a) if isinstance(a, dict) else range(len(first))
    for label, x, y in zip(labels, first, second, strict=True):
        assert_same(x, y, f"{where}[{label!r}]")


def _kind(structure: Any) -> type:
    """Return the class of a structure, or the one that its class says it stands for."""
    kind: type = getattr(type(structure), "plain_kind", type(structure))
    return kind


def paths(structure: Any, where: str = "") -> list[str]:
    """Return the path of each leaf, in the order of `flatten`: `['x'][0]`."""
    if not is_nested(structure):
        return [where]
    if isinstance(structure, Mapping):
        labels = [f"[{key!r}]" for key in _keys(structure)]
    elif _is_named_tuple(structure):
        labels = [f".{name}" for name in structure._fields]
    elif isinstance(structure, (list, tuple, *VIEWS)):
        labels = [f"[{index}]" for index in range(len(structure))]
    elif isinstance(structure, Composite):
        labels = [f".{name}" for name in structure.members()]
    elif _takes_itself_apart(structure):
        labels = [f"[{index}]" for index in range(len(children(structure)))]
    else:
        labels = [f".{name}" for name in _field_names(structure)]
    members = zip(labels, children(structure), strict=True)
    return [
        path for label, member in members for path in paths(member, where + label)
    ]


def describe(structure: Any) -> str:
    """Return the kind of a structure as short text."""
    if not is_nested(structure):
        return f"a leaf ({type(structure).__name__})"
    return f"a {type(structure).__name__} of {len(children(structure))}"
