"""Values that several replicas have, each its own: made of what they return, taken apart again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tensorlite.core import nest
from tensorlite.core.errors import PlaceError, StructureError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices


class DistributedValues:
    """What has one value for each replica, or for each device: `values`."""

    __slots__ = ()
    values: Any

    def __repr__(self) -> str:
        return _shown(self, repr)

    def __str__(self) -> str:
        return _shown(self, str)


def _shown(of: Any, text: Callable[[Any], str]) -> str:
    lines = ",\n".join(f"  {i}: {text(x)}" for i, x in enumerate(of.values))
    return f"{type(of).__name__}:{{\n{lines}\n}}"


class PerReplica(DistributedValues, nest.Composite):
    """One value for each replica; None for a replica that takes no part.

    Functions that are traced take it and return it as they do tensors.

    >>> shares = tl.distribute.PerReplica((tl.ones(2), None))
    >>> len(shares), shares[1]
    (2, None)
    """

    __slots__ = ("__weakref__", "values")
    values: tuple[Any, ...]

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)

    def members(self) -> dict[str, Any]:
        """Return the values by the numbers of their replicas."""
        return {str(i): x for i, x in enumerate(self.values)}

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return other values, one for each replica."""
        return type(self)(tuple(members.values()))

    def kept(self) -> Any:
        """Return for how many replicas there are values."""
        return len(self.values)

    def __len__(self) -> int:
        """Return the number of replicas."""
        return len(self.values)

    def __getitem__(self, index: int) -> Any:
        """Return the value of a replica."""
        return self.values[index]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values, the first replica's first."""
        return iter(self.values)


class PerReplicaSpec(PerReplica):
    """What is known of values per replica: one spec for each."""

    __slots__ = ()
    plain_kind = PerReplica

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return such specs, or values per replica where there are values for them."""
        own = tuple(members.values())
        told = all(isinstance(x, TensorSpec) for x in nest.flatten(own))
        return PerReplicaSpec(own) if told else PerReplica(own)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self.values))})"

    __str__ = __repr__


class Mirrored(PerReplica):
    """One value for each replica, all of them equal."""

    __slots__ = ()


_WHOLE = (PerReplica, IndexedSlices)


def leaves(structure: Any) -> list[Any]:
    """Return the leaves of a structure; values per replica and slices stay one."""
    if isinstance(structure, _WHOLE) or not nest.is_nested(structure):
        return [structure]
    return [leaf for member in nest.children(structure) for leaf in leaves(member)]


def each(change: Callable[[Any], Any], structure: Any) -> Any:
    """Return a structure with something made of each leaf, as `leaves` has them."""
    if isinstance(structure, _WHOLE) or not nest.is_nested(structure):
        return change(structure)
    members = [each(change, member) for member in nest.children(structure)]
    return nest.rebuild(structure, members)


def part_of(index: int, structure: Any) -> Any:
    """Return what a replica has of a structure: its own of what is per replica, else all.

    PlaceError is raised for values of fewer replicas.
    """

    def own(x: Any) -> Any:
        if not isinstance(x, PerReplica):
            return x
        if index >= len(x):
            raise PlaceError(
                f"values for {len(x)} replicas have none for replica {index}: they are of a "
                "strategy with fewer replicas"
            )
        return x.values[index]

    return each(own, structure)


def grouped(
    values: Sequence[Any], kind: type[PerReplica] = PerReplica, always: bool = False
) -> Any:
    """Return what replicas have each as one structure, with values per replica for its leaves.

    What is the very same object for all replicas stays itself, unless `always`. StructureError is
    raised where replicas' structures differ.
    """
    first = values[0]
    if _is_container(first):
        return _grouped_members(values, kind, always)
    is_same = all(x is first for x in values[1:])
    if is_same and (not always or is_copied(first)):
        return first
    return kind(values)


def is_copied(value: object) -> bool:
    """Return whether something is a variable with copies, which is one for all replicas."""
    return isinstance(value, DistributedValues) and not isinstance(value, PerReplica)


def _is_container(value: Any) -> bool:
    is_one = nest.is_value(value)
    return isinstance(value, (list, tuple, Mapping)) and not is_one


def _grouped_members(
    values: Sequence[Any], kind: type[PerReplica], always: bool
) -> Any:
    first = values[0]
    for other in values[1:]:
        same = type(other) is type(first) and len(nest.children(other)) == len(
            nest.children(first)
        )
        if not same or (isinstance(first, Mapping) and set(first) != set(other)):
            raise StructureError(
                f"the replicas return structures that differ: {nest.describe(first)} and "
                f"{nest.describe(other)}"
            )
    columns = zip(*map(nest.children, values), strict=True)
    return nest.rebuild(first, [grouped(column, kind, always) for column in columns])
