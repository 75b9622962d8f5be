"""What linear operators are made of: they pass through functions, loops and tapes as their tensors.

What they do is in linear_operator.py, what is known of their matrices in known_matrices.py.
"""

from __future__ import annotations

from abc import ABCMeta
from copy import copy
from functools import cache
from inspect import Signature, signature
from typing import Any, Self

from tensorlite.compat.shared.specs.composite_values import CompositeTensor
from tensorlite.compat.shared.specs.type_specs import TypeSpec, type_spec_from_value
from tensorlite.core.dtypes import DType
from tensorlite.core.operand import Operand

_PLAIN = (bool, int, str, type(None), DType)


class Remembering(ABCMeta):
    """Keeps what operators were made with, where their classes do not say it."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return a new operator that knows its arguments, by their names."""
        made = super().__call__(*args, **kwargs)
        if not vars(made)["_parameters"]:
            given = _arguments(cls).bind(made, *args, **kwargs)
            given.apply_defaults()
            _, *named = given.arguments.items()
            vars(made)["_parameters"] = dict(named)
        return made


@cache
def _arguments(kind: Any) -> Signature:
    return signature(kind.__init__)


class OperatorParts(CompositeTensor, metaclass=Remembering):
    """A value of the tensors and operators that its parameters give, each kept by its name."""

    _parameters: dict[str, Any]

    def members(self) -> dict[str, Any]:
        """Return the parameters that are tensors or operators, by their names."""
        own = vars(self)
        names = own.get("_members")
        if names is None:
            held = {key: self._held(key) for key in self._parameters}
            names = [key for key, x in held.items() if _is_made_of_tensors(x)]
        return {key: self._held(key) for key in names}

    def _held(self, parameter: str) -> Any:
        own = vars(self)
        return own.get(parameter, own.get(f"_{parameter}"))

    def with_members(self, members: dict[str, Any]) -> Self:
        """Return such an operator of other tensors and operators."""
        made, own = copy(self), vars(self)
        for key, value in members.items():
            vars(made)[key if key in own else f"_{key}"] = value
        vars(made)["_members"] = list(members)
        vars(made)["_parameters"] = {**self._parameters, **members}
        return made

    def kept(self) -> Any:
        """Return the kind of the operator, and its parameters that are no tensors."""
        return type(self), tuple(sorted(self._others().items()))

    def _others(self) -> dict[str, Any]:
        """Return parameters that are neither tensors nor operators, hints as they have come out."""
        members = self.members()
        hints = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
        found = {
            key: getattr(self, key) if key in hints else x
            for key, x in self._parameters.items()
            if key not in members and key != "name" and isinstance(x, _PLAIN)
        }
        return {key: x for key, x in found.items() if x is not None}

    @property
    def _type_spec(self) -> Any:
        specs = {key: _spec_of(x) for key, x in self.members().items()}
        return LinearOperatorSpec(type(self), specs, self._others())


class LinearOperatorSpec(TypeSpec):
    """What is known of an operator: its kind, the specs of its tensors, and what else made it."""

    def __init__(self, kind: type, specs: Any, others: dict[str, Any]) -> None:
        self._kind, self._specs, self._others = kind, specs, others

    @property
    def value_type(self) -> type:
        """The class of the operators."""
        return self._kind

    @property
    def _component_specs(self) -> Any:
        return self._specs

    def _to_components(self, value: Any) -> Any:
        return value.members()

    def _from_components(self, components: Any) -> Any:
        return self._kind(**self._others, **components)

    def _serialize(self) -> tuple[Any, ...]:
        return self._kind, self._specs, self._others

    def __repr__(self) -> str:
        return f"{self._kind.__name__}Spec({self._specs!r}, {self._others!r})"


def _spec_of(x: Any) -> Any:
    """Return the spec of a tensor or an operator, a list of those of a list's."""
    if isinstance(x, (list, tuple)):
        return [_spec_of(y) for y in x]
    return type_spec_from_value(x)


def _is_made_of_tensors(x: Any) -> bool:
    """Return whether a value is a tensor or an operator, or a list of such."""
    if isinstance(x, (Operand, OperatorParts)):
        return True
    is_list = isinstance(x, (list, tuple)) and bool(x)
    return is_list and all(_is_made_of_tensors(y) for y in x)
