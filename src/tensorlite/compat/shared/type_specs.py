"""TypeSpec: what is known of a value of any kind; those that programs derive, and TensorFlow's own.

TensorSpec is in specs.py, those of datasets in data_specs.py, those of ragged and sparse tensors
beside them. Here is what they have in common: whose instances they count as.
"""

from __future__ import annotations

from operator import methodcaller
from typing import Any

from tensorlite.compat.calling import converted
from tensorlite.compat.shared.composite_specs import (
    IndexedSlicesSpec,
    SparseTensorSpec,
)
from tensorlite.compat.shared.data_specs import (
    DatasetSpec,
    IteratorSpec,
    OptionalSpec,
)
from tensorlite.compat.shared.ragged import RaggedTensorSpec
from tensorlite.compat.shared.specs import TensorSpec
from tensorlite.core import nest
from tensorlite.core.operand import Operand
from tensorlite.data.base import Pipeline
from tensorlite.data.iterators import DatasetIterator
from tensorlite.data.optionals import Optional
from tensorlite.ops.ragged_base import RaggedParts
from tensorlite.ops.sparse_tensor import SparseTensor

__all__ = ["TypeSpec", "type_spec_from_value"]

_OWN: tuple[Any, ...] = (
    TensorSpec,
    SparseTensorSpec,
    IndexedSlicesSpec,
    RaggedTensorSpec,
    DatasetSpec,
    IteratorSpec,
    OptionalSpec,
)
_KINDS: tuple[tuple[type, Any], ...] = (
    (SparseTensor, SparseTensorSpec),
    (RaggedParts, RaggedTensorSpec),
    (Pipeline, DatasetSpec),
    (DatasetIterator, IteratorSpec),
    (Optional, OptionalSpec),
)


class _Kind(type):
    """Counts what TensorFlow derives from TypeSpec as instances of it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is TypeSpec and (
            isinstance(instance, _OWN) or _is_extension(instance)
        )


def _is_extension(value: Any) -> bool:
    kind = getattr(type(value), "Spec", None)
    return isinstance(value, nest.Composite) and isinstance(value, kind or ())


class TypeSpec(metaclass=_Kind):
    """What is known of values of a kind. A derived class says what it is made of.

    It has `value_type`, and `_serialize()`, which returns what its constructor is given.
    """

    @property
    def value_type(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = type_spec_from_value(other)
        return isinstance(other, TypeSpec) and self._agrees(other)

    def _agrees(self, other: Any) -> bool:
        if type(other) is not type(self):
            return False
        parts = map(methodcaller("_serialize"), (self, other))
        return all(_agree(a, b) for a, b in zip(*parts, strict=True))

    def is_subtype_of(self, other: Any) -> bool:
        return type(other) is type(self) and other.is_compatible_with(self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def _compared(self) -> Any:
        return type(self), repr(self._serialize())


def _agree(one: Any, other: Any) -> bool:
    asked = getattr(one, "is_compatible_with", None)
    return bool(asked(other)) if asked else one == other


def type_spec_from_value(value: Any) -> Any:
    own = getattr(value, "_type_spec", None)
    if isinstance(own, TypeSpec):
        return own
    if isinstance(value, nest.Composite):
        return nest.map_structure(type_spec_from_value, value)
    for kind, spec in _KINDS:
        if isinstance(value, kind):
            return spec.from_value(value)
    if not isinstance(value, Operand):
        try:
            value = converted(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Could not build a `TypeSpec` for {value!r} with type {type(value).__name__}"
            ) from error
    return TensorSpec(value.get_shape(), value.dtype)
