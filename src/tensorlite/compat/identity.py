"""What tensors are to a program that asks which they are: keys of dicts, instances of a class."""

from __future__ import annotations

from typing import Any

from tensorlite.core.tensor import Tensor


class TensorsOfAnyKind(type):
    """Lets all tensors be instances of a class, eager ones and those of other traces, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Tensor)


class Reference:
    """A tensor or variable as a key of dicts."""

    __slots__ = ("_referred",)

    def __init__(self, referred: Any) -> None:
        self._referred = referred

    def deref(self) -> Any:
        return self._referred

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._referred is other._referred

    def __lt__(self, other: Reference) -> bool:
        """Return whether this comes first in an order that is the same throughout a program."""
        return id(self._referred) < id(other._referred)

    def __hash__(self) -> int:
        return id(self._referred)
