"""tensorflow.python.util.object_identity: sets and dictionaries of things by what they are.

Variables and tensors compare element by element, so that they are no keys by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSet
from typing import Any

__all__ = ["ObjectIdentityDictionary", "ObjectIdentitySet", "Reference"]


class Reference:
    """Stands for one thing, and is equal to what stands for the same one.

    >>> Reference(len) == Reference(len), Reference([]) == Reference([])
    (True, False)
    """

    __slots__ = ("_unwrapped",)

    def __init__(self, unwrapped: Any) -> None:
        self._unwrapped = unwrapped

    @property
    def unwrapped(self) -> Any:
        """The thing."""
        return self._unwrapped

    def deref(self) -> Any:
        """Return the thing."""
        return self._unwrapped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return self._unwrapped is other._unwrapped

    def __hash__(self) -> int:
        return id(self._unwrapped)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self._unwrapped!r}>"


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are the things themselves, whatever they are equal to."""

    def __init__(self, given: Any = ()) -> None:
        self._held: dict[Reference, Any] = {}
        self.update(given.items() if isinstance(given, Mapping) else given)

    def __getitem__(self, key: Any) -> Any:
        return self._held[Reference(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._held[Reference(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._held[Reference(key)]

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        return (x.unwrapped for x in self._held)

    def __repr__(self) -> str:
        return f"ObjectIdentityDictionary({list(self.items())!r})"


class ObjectIdentitySet(MutableSet[Any]):
    """A set of the things themselves, in the order in which they came."""

    def __init__(self, given: Iterable[Any] = ()) -> None:
        self._held = {Reference(x): None for x in given}

    def __contains__(self, item: object) -> bool:
        return Reference(item) in self._held

    def add(self, value: Any) -> None:
        """Have a thing among those of the set."""
        self._held[Reference(value)] = None

    def discard(self, value: Any) -> None:
        """Take a thing out of the set, if it is there."""
        self._held.pop(Reference(value), None)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        return (x.unwrapped for x in self._held)


ObjectIdentityOrderedSet = ObjectIdentitySet
