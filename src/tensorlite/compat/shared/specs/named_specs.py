"""tensorflow.python.framework: specs that libraries derive from, and register by names.

What is public of specs is in type_specs.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.specs.tensor_specs import TensorSpec
from tensorlite.compat.shared.specs.type_specs import (
    SpecKind,
    TypeSpec,
    type_spec_from_value as _spec_of,
)
from tensorlite.core.dtypes import as_dtype, float32
from tensorlite.ops.state.variable import Variable

__all__ = [
    "BatchableTypeSpec",
    "DenseSpec",
    "VariableSpec",
    "get_name",
    "lookup",
    "register",
    "register_type_spec_from_value_converter",
    "type_spec_from_value",
]

_NAME = re.compile(r"^(\w+\.)+\w+$")
_NAME_TO_TYPE_SPEC: dict[str, type] = {}
_TYPE_SPEC_TO_NAME: dict[type, str] = {}
_converters: dict[type, tuple[Callable[[Any], Any], bool]] = {}


class BatchableTypeSpec(TypeSpec):
    """What is known of values of which there are batches, too."""


class _DenseKind(SpecKind):
    """Counts specs of tensors as instances."""

    def __instancecheck__(self, instance: Any) -> bool:
        if type.__instancecheck__(self, instance):
            return True
        return self is DenseSpec and isinstance(instance, TensorSpec)


class DenseSpec(TypeSpec, metaclass=_DenseKind):
    """What is known of a value that has one shape and dtype: libraries derive from it."""

    __hash__ = TypeSpec.__hash__

    def __init__(self, shape: Any, dtype: Any = float32, name: Any = None) -> None:
        self._shape, self._dtype = TensorShape(shape), as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> Any:
        """The shape of the values."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self._dtype

    @property
    def name(self) -> Any:
        """What the values are called, if anything."""
        return self._name

    @property
    def rank(self) -> int | None:
        """How many axes the values have, if that is known."""
        rank: int | None = self._shape.rank
        return rank

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name


class VariableSpec(DenseSpec):
    """What is known of a variable; it stands for that variable in structures of specs."""

    __hash__ = DenseSpec.__hash__
    value_type = Variable

    def __init__(
        self,
        shape: Any,
        dtype: Any = float32,
        trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable, self.alias_id = trainable, alias_id

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """Return the specification of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def _component_specs(self) -> Any:
        return self

    def _to_components(self, value: Any) -> Any:
        return value

    def _from_components(self, components: Any) -> Any:
        return components

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self.trainable, self.alias_id


def register(name: str) -> Callable[[type], type]:
    """Return a decorator of classes of specs, `package.Class`; ValueError for a name twice."""
    if not isinstance(name, str):
        raise TypeError(f"register() expected `name` to be a string, got {name!r}")
    if not _NAME.match(name):
        raise ValueError(
            f"Registered name must have the form '{{project_name}}.{{type_name}}', got {name!r}"
        )

    def decorate(spec_class: type) -> type:
        if spec_class in _TYPE_SPEC_TO_NAME or name in _NAME_TO_TYPE_SPEC:
            raise ValueError(
                f"{spec_class.__name__} or the name {name} has already been registered"
            )
        _TYPE_SPEC_TO_NAME[spec_class] = name
        _NAME_TO_TYPE_SPEC[name] = spec_class
        return spec_class

    return decorate


def get_name(cls: type) -> str:
    """Return the name that a class of specs is registered by; ValueError if it is not."""
    if cls not in _TYPE_SPEC_TO_NAME:
        raise ValueError(
            f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered."
        )
    return _TYPE_SPEC_TO_NAME[cls]


def lookup(name: str) -> type:
    """Return the class of specs that is registered by a name; ValueError if none is."""
    if name not in _NAME_TO_TYPE_SPEC:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _NAME_TO_TYPE_SPEC[name]


def register_type_spec_from_value_converter(
    type_object: type,
    converter_fn: Callable[[Any], Any],
    allow_subclass: bool = False,
) -> None:
    """Have values of a class, or of its subclasses as well, tell their spec by a function."""
    _converters[type_object] = converter_fn, allow_subclass


def type_spec_from_value(value: Any) -> Any:
    """Return the specification of a value; TypeError for what is no tensor of any kind."""
    for kind, (convert, may_derive) in _converters.items():
        if type(value) is kind or (may_derive and isinstance(value, kind)):
            return convert(value)
    if isinstance(value, Variable):
        return VariableSpec.from_value(value)
    return _spec_of(value)
