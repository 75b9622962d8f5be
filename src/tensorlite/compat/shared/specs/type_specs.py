"""TypeSpec: what is known of a value of any kind; those that programs derive, and TensorFlow's own.

TensorSpec is in tensor_specs.py, those of datasets in datasets/data_specs.py, those of ragged and
sparse tensors beside them. Here is what they have in common: whose instances they count as.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import methodcaller
from typing import Any

from tensorlite.compat.calling import converted
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.datasets.data_specs import (
    DatasetSpec,
    IteratorSpec,
    OptionalSpec,
)
from tensorlite.compat.shared.ragged_and_sparse.ragged import RaggedTensorSpec
from tensorlite.compat.shared.specs.composite_specs import (
    IndexedSlicesSpec,
    SparseTensorSpec,
)
from tensorlite.compat.shared.specs.spec_parts import (
    NoCommonPart,
    agree,
    common,
    is_narrower,
    key_of,
    mapped,
)
from tensorlite.compat.shared.specs.tensor_specs import TensorSpec
from tensorlite.core import nest
from tensorlite.core.operand import Operand
from tensorlite.core.shapes import AnyShape
from tensorlite.data.base import Pipeline
from tensorlite.data.iterators import DatasetIterator
from tensorlite.data.optionals import Optional
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse.tensor import SparseTensor

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

# What specs say of themselves for others; TensorFlow's names of it.
_serialized = methodcaller("_serialize")
_with_ranks_only = methodcaller("_with_tensor_ranks_only")
_without_names = methodcaller("_without_tensor_names")


class SpecKind(type):
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


class TypeSpec(metaclass=SpecKind):
    """What is known of values of a kind. A derived class says what it is made of.

    It has `value_type`, and `_serialize()`, which returns what its constructor is given.
    """

    @property
    def value_type(self) -> Any:
        """The class of the values; a derived class says which."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError(f"{type(self).__name__}._serialize")

    @property
    def _component_specs(self) -> Any:
        """Return the structure of specs of the tensors that values are made of."""
        raise NotImplementedError(f"{type(self).__name__}._component_specs")

    def _to_components(self, value: Any) -> Any:
        """Return the tensors that a value is made of, in the structure of their specs."""
        raise NotImplementedError(f"{type(self).__name__}._to_components")

    def _from_components(self, components: Any) -> Any:
        """Return a value made of such tensors."""
        raise NotImplementedError(f"{type(self).__name__}._from_components")

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        return cls(*serialization)

    def __reduce__(self) -> Any:
        return type(self), tuple(self._serialize())

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether a spec or a value may be of this spec."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            other = type_spec_from_value(other)
        if type(other) is not type(self):
            return False
        return self.__is_compatible(self._serialize(), _serialized(other))

    def is_subtype_of(self, other: Any) -> bool:
        """Return whether every value of this kind is one of the other, too."""
        if type(other) is not type(self):
            return False
        return is_narrower(self._serialize(), _serialized(other))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return the spec of all values of this kind and others; None where there is none."""
        if any(type(other) is not type(self) for other in others):
            return None
        parts = [self._serialize(), *[_serialized(other) for other in others]]
        try:
            return self._deserialize(common(parts))
        except NoCommonPart:
            return None

    def most_specific_compatible_type(self, other: Any) -> Any:
        """Return the narrowest spec of this and another; ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(
                f"No TypeSpec is compatible with both {self} and {other}"
            )
        return found

    def _with_tensor_ranks_only(self) -> Any:
        return self._deserialize(mapped(_of_rank, self._serialize()))

    def _without_tensor_names(self) -> Any:
        return self._deserialize(mapped(_unnamed, self._serialize()))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        return bool(self.__compared() == other.__compared())

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.__compared())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def __compared(self) -> Any:
        return type(self), self.__make_cmp_key(self._serialize())

    # Classes that compare something else than what they serialise ask these, by such names.

    def __make_cmp_key(self, value: Any) -> Any:
        return key_of(value)

    @staticmethod
    def __is_compatible(one: Any, other: Any) -> bool:
        return agree(one, other)


def _of_rank(part: Any) -> Any:
    """Return a spec or a shape that knows only how many axes there are."""
    if hasattr(part, "_with_tensor_ranks_only"):
        return _with_ranks_only(part)
    sizes = part if isinstance(part, AnyShape) else TensorShape(part.shape)
    loose = TensorShape(None if sizes.rank is None else [None] * sizes.rank)
    if isinstance(part, AnyShape):
        return loose
    return TensorSpec(loose, part.dtype, part.name)


def _unnamed(part: Any) -> Any:
    if hasattr(part, "_without_tensor_names"):
        return _without_names(part)
    return part if isinstance(part, AnyShape) else part.without_name()


def type_spec_from_value(value: Any) -> Any:
    """Return the specification of a value; TypeError for what is no tensor of any kind."""
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
