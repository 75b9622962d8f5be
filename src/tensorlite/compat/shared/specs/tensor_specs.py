"""TensorSpec as programs meet it: its shape answers, and it says which tensors are like it.

What inference computes with are the specs of core/spec.py. These are such specs, too, and all
such specs count as instances: programs ask it of what they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.core import nest, spec
from tensorlite.core.dtypes import DTypeLike, float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape, TupleShape, shape_of
from tensorlite.core.tensor import Tensor


class _Kind(type):
    """Counts every spec as an instance."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, spec.TensorSpec)


class _Sizes(TupleShape):
    """A spec's sizes, with which inference computes: parts of them are tuples of numbers, too.

    Those of tensors' shapes may be of another kind, in which sizes are no numbers.
    """

    __slots__ = ()

    def like(self, dims: Any) -> AnyShape:
        """Return other sizes as a shape of this kind, if their number is known."""
        sizes = None if dims is None else spec.sizes_of(dims)
        return shape_of(None) if sizes is None else tuple.__new__(_Sizes, sizes)


class TensorSpec(spec.TensorSpec, metaclass=_Kind):
    """A shape and a dtype."""

    __slots__ = ()

    shape: Any

    def __init__(
        self, shape: Any, dtype: DTypeLike = float32, name: str | None = None
    ) -> None:
        sizes = TensorShape(shape).known()
        super().__init__(sizes, dtype, name)
        self.shape = None if sizes is None else _Sizes(sizes)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """Return the spec of another one's shape and dtype, with a name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """Return the spec of a tensor, with its operation's name unless given."""
        return cls(tensor.get_shape(), tensor.dtype, name or _name(tensor))

    @property
    def value_type(self) -> type:
        """The class of tensors."""
        return Tensor

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Return whether a spec or a tensor has this dtype, and a shape that may be this."""
        return _agree(self, spec_or_tensor) and TensorShape(
            self.shape
        ).is_compatible_with(_sizes(spec_or_tensor))

    def is_subtype_of(self, other: Any) -> bool:
        """Return whether all tensors of this spec are of another one, too."""
        return self._named_alike(other) and spec.TensorSpec.accepts(other, self)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return the narrowest spec of this and others, None if dtypes or names differ."""
        if not all(_agree(self, x) and self._named_alike(x) for x in others):
            return None
        sizes = self.shape
        for other in others:
            sizes = spec.generalise(sizes, other.shape)
        same = all(x.name == self.name for x in others)
        return TensorSpec(sizes, self.dtype, self.name if same else None)

    def most_specific_compatible_type(self, other: Any) -> TensorSpec:
        """Return the narrowest spec of this and another; ValueError if there is none."""
        found: TensorSpec | None = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"no type has both {self} and {other}")
        return found

    def _batch(self, batch_size: int | None) -> TensorSpec:
        """Return the spec of so many of these tensors in one."""
        sizes = self.shape
        whole = None if sizes is None else (batch_size, *sizes)
        return TensorSpec(whole, self.dtype)

    def _unbatch(self) -> TensorSpec:
        """Return the spec of one of the tensors in one; ValueError where there is no axis."""
        sizes = self.shape
        if sizes is not None and not sizes:
            raise InvalidArgumentError(f"{self} has no axis to be taken apart along")
        return TensorSpec(None if sizes is None else sizes[1:], self.dtype)

    def _named_alike(self, other: Any) -> bool:
        return not self.name or self.name == other.name


def _agree(one: TensorSpec, other: Any) -> bool:
    """Return whether this is a spec or a tensor of the same dtype."""
    known = isinstance(other, (spec.TensorSpec, Operand))
    return known and one.dtype is other.dtype


def _sizes(given: Any) -> Any:
    return given.get_shape() if hasattr(given, "get_shape") else given.shape


def _name(tensor: Any) -> Any:
    return getattr(getattr(tensor, "op", None), "name", None)


def told(structure: Any) -> Any:
    """Return a structure with these specs in the place of those that inference has."""
    return nest.map_structure(_told, structure)


def _told(leaf: Any) -> Any:
    if type(leaf) is not spec.TensorSpec or leaf.inner:
        return leaf
    made = TensorSpec.from_spec(leaf)
    made.known = leaf.known
    return made
