"""Optional: an element that may be missing, which iterators give instead of an error at the end."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by, to_tensor, tracer
from tensorlite.core.dtypes import bool_, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.nest import Composite
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.ops.control.assertions import assert_true

_MISSING = "The given optional does not have a value."


class Optional(Composite):
    """An element, or none of certain specs: functions traced take and return it as its tensors.

    >>> from tensorlite.data.optionals import Optional
    >>> one, none = Optional.from_value(42), Optional.empty(tl.TensorSpec((), tl.int32))
    >>> print(one.has_value(), one.get_value(), none.has_value())
    True 42 False

    To ask for an element that is not there raises InvalidArgumentError.
    """

    __slots__ = ("_element", "_flag", "_spec")

    def __init__(self, flag: Any, element: Any, spec: Any = None) -> None:
        self._flag, self._element, self._spec = flag, element, spec

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """Return an optional that has an element: a tensor or a structure of tensors."""
        return cls(_flag(True), _tensors(value))

    @classmethod
    def empty(cls, element_spec: Any) -> Self:
        """Return an optional that has none."""
        element = nest.map_structure(_placeholder, element_spec)
        return cls(_flag(False), element, element_spec)

    def has_value(self, name: str | None = None) -> Any:
        """Return whether there is an element, as a tensor."""
        return self._flag

    def get_value(self, name: str | None = None) -> Any:
        """Return the element; InvalidArgumentError if there is none, in graphs when they run."""
        if tracer() is not None:
            assert_true(self._flag, _MISSING)
        elif not bool(self._flag):
            raise InvalidArgumentError(_MISSING)
        return self._element

    @property
    def element_spec(self) -> Any:
        """The specs of the element's tensors."""
        if self._spec is not None:
            return self._spec
        return nest.map_structure(_spec, self._element)

    def members(self) -> dict[str, Any]:
        """Return whether there is an element, and its tensors."""
        return {"flag": self._flag, "element": self._element}

    def with_members(self, members: dict[str, Any]) -> Any:
        """Return an optional of other tensors."""
        return type(self)(members["flag"], members["element"], self._spec)


def _flag(has: bool) -> Tensor:
    with interpreted_by(None):
        return to_tensor(np.asarray(has, bool_.numpy))


def _tensors(value: Any) -> Any:
    """Return a structure with tensors for leaves; a list is one tensor."""
    if value is None:
        return None
    if isinstance(value, list) or not nest.is_nested(value):
        return to_tensor(value)
    return nest.rebuild(value, [_tensors(member) for member in nest.children(value)])


def _placeholder(spec: TensorSpec | None) -> Tensor | None:
    """Return what stands where an element is missing: it is never read."""
    if spec is None:
        return None
    sizes = [size or 0 for size in spec.shape or ()]
    blank: Any = b"" if spec.dtype is string else 0
    return EagerTensor(np.full(sizes, blank, spec.dtype.numpy))


def _spec(leaf: Any) -> Any:
    return leaf.spec.without_value() if isinstance(leaf, Tensor) else leaf
