"""CompositeTensor: the base of values of several tensors whose classes have a TypeSpec.

ExtensionType, whose classes are annotated, is in v2/extension_types.py; TypeSpec in type_specs.py.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from operator import methodcaller
from typing import Any

import numpy as np

from tensorlite.compat.shared.nests import map_structure
from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.operand import Operand
from tensorlite.ops.state.variable import Variable

__all__ = [
    "CompositeTensor",
    "convert_variables_to_tensors",
    "replace_variables_with_atoms",
]
_without_variables = methodcaller("_convert_variables_to_tensors")


class CompositeTensor(nest.Composite, metaclass=ABCMeta):
    """A value of several tensors: it passes through functions and loops as these.

    Its class has `_type_spec`, a TypeSpec that takes values apart and puts them together.
    """

    @property
    @abstractmethod
    def _type_spec(self) -> Any:
        """What is known of this value."""

    def members(self) -> dict[str, Any]:
        """Return the tensors that the value is made of, as a dictionary."""
        apart = methodcaller("_to_components", self)
        return {"components": apart(self._type_spec)}

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return such a value of other tensors."""
        return _together(self._type_spec, members["components"])

    def kept(self) -> Any:
        """Return what the value knows beside its tensors: its specification."""
        return self._type_spec

    def _convert_variables_to_tensors(self) -> Any:
        """Return the value with the values of its variables; classes that hold some say how."""
        return self

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        """Return what is known of the value in a loop, of which a shape is told."""
        raise NotImplementedError(
            f"{type(self).__name__}._shape_invariant_to_type_spec"
        )


class Apart(nest.Composite):
    """What stands for such a value while it has something else in the place of its tensors."""

    def __init__(self, type_spec: Any, components: Any) -> None:
        self.type_spec, self.components = type_spec, components

    def members(self) -> dict[str, Any]:
        """Return what stands in the place of the tensors, as a dictionary."""
        return {"components": self.components}

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return the value of such members, if they are tensors."""
        return _together(self.type_spec, members["components"])

    def kept(self) -> Any:
        """Return what is known beside the members: the specification."""
        return self.type_spec


_VALUES = (
    Operand,
    np.ndarray,
    np.generic,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
)


def _is_value(x: Any) -> bool:
    """Return whether something is a tensor, or may become one, and does not wait for a model."""
    return isinstance(x, _VALUES) and not getattr(x, "waits", False)


def _together(type_spec: Any, components: Any) -> Any:
    """Return a value made of tensors, which its class may compute with; Apart for what are none."""
    if all(_is_value(x) for x in nest.flatten(components)):
        return methodcaller("_from_components", components)(type_spec)
    return Apart(type_spec, components)


def convert_variables_to_tensors(values: Any) -> Any:
    """Return a structure with the values of its variables, and of those in composite tensors."""

    def convert(x: Any) -> Any:
        if isinstance(x, Variable):
            return to_tensor(x)
        return _without_variables(x) if isinstance(x, CompositeTensor) else x

    return map_structure(convert, values)


def replace_variables_with_atoms(values: Any) -> Any:
    """Return a structure with 0 in the place of each variable."""
    return map_structure(lambda x: 0 if isinstance(x, Variable) else x, values)
