"""What tensors are to a program that asks whether they are instances of a class."""

from __future__ import annotations

from tensorlite.core.tensor import Tensor


class TensorsOfAnyKind(type):
    """Lets all tensors be instances of a class, eager ones and those of other traces, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Tensor)
