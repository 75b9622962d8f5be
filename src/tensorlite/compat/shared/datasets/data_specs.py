"""What is known of datasets, iterators and optionals before they are there: TensorFlow's specs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.datasets.tf_data import Dataset
from tensorlite.compat.shared.specs.spec_parts import (
    NoCommonPart,
    common,
    is_narrower,
)
from tensorlite.compat.shared.specs.tensor_specs import told
from tensorlite.core import nest
from tensorlite.core.errors import StructureError
from tensorlite.data.base import Pipeline
from tensorlite.data.iterators import DatasetIterator
from tensorlite.data.optionals import Optional


class _Spec:
    """The specs of elements, and of what they are elements."""

    __slots__ = ("_element_spec",)

    value_type: type
    _like: type

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = told(element_spec)

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """Return the specification of a value."""
        return cls(value.element_spec)

    @property
    def element_spec(self) -> Any:
        """Specification of the elements."""
        return self._element_spec

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether a spec or a value may be of this spec."""
        is_value = isinstance(spec_or_value, self._like)
        other = self.from_value(spec_or_value) if is_value else spec_or_value
        return type(other) is type(self) and _agree(self.compared(), other.compared())

    def is_subtype_of(self, other: Any) -> bool:
        """Return whether every value of this spec is of another one, too.

        >>> from tensorlite.compat import v2 as tf
        >>> known, open_ = (tf.data.DatasetSpec(tf.TensorSpec([n])) for n in (2, None))
        >>> known.is_subtype_of(open_), open_.is_subtype_of(known)
        (True, False)
        """
        if type(other) is not type(self):
            return False
        return is_narrower(self.compared(), other.compared())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """Return the spec of all values of this one and others; None where there is none."""
        if any(type(other) is not type(self) for other in others):
            return None
        try:
            return type(self)(*common([x.compared() for x in (self, *others)]))
        except NoCommonPart:
            return None

    def compared(self) -> tuple[Any, ...]:
        """Return what is compared with that of another spec."""
        return (self._element_spec,)

    def __eq__(self, other: object) -> bool:
        # As texts: of shapes that are not known nobody says whether they are equal.
        return isinstance(other, type(self)) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._element_spec!r},)"


def _agree(one: Any, other: Any) -> bool:
    """Return whether structures of specs and shapes are alike, and all that is known agrees."""
    try:
        nest.assert_same(one, other)
    except StructureError:
        return False
    pairs = zip(nest.flatten(one), nest.flatten(other), strict=True)
    return all(a.is_compatible_with(b) for a, b in pairs)


class DatasetSpec(_Spec):
    """The specs of the elements of a dataset, or of a tensor of datasets."""

    __slots__ = ("_dataset_shape",)

    value_type = Dataset
    _like = Pipeline

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)
        self._dataset_shape = TensorShape(dataset_shape)

    def compared(self) -> tuple[Any, ...]:
        """Return what is compared with that of another spec: elements and shape."""
        return self._element_spec, self._dataset_shape

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


class IteratorSpec(_Spec):
    """The specs of the elements that an iterator gives."""

    __slots__ = ()

    value_type = _like = DatasetIterator


class OptionalSpec(_Spec):
    """The specs of an element that may be missing."""

    __slots__ = ()

    value_type = _like = Optional


__all__ = ["DatasetSpec", "IteratorSpec", "OptionalSpec"]
