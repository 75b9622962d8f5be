"""BoundedTensorSpec: a spec that also says between which values the elements are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.specs.named_specs import DenseSpec as DenseSpec
from tensorlite.compat.shared.specs.tensor_specs import TensorSpec
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.interop.tensorflow.stored import structures
from tensorlite.interop.tensorflow.tensors import (
    OF_DTYPE,
    array_of,
    dtype_of,
    proto_of,
    shape_of,
    shape_proto,
)


class _Kind(type(TensorSpec)):  # type: ignore[misc]  # mypy wants a name
    """Counts no other specs as instances, unlike TensorSpec's kind."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance)


class BoundedTensorSpec(TensorSpec, metaclass=_Kind):
    """A shape, a dtype, and the least and greatest value that each element may have.

    >>> BoundedTensorSpec([2], "int32", 0, [3, 4]).maximum
    array([3, 4], dtype=int32)
    """

    __slots__ = ("maximum", "minimum")

    def __init__(
        self,
        shape: Any,
        dtype: DTypeLike,
        minimum: Any,
        maximum: Any,
        name: str | None = None,
    ) -> None:
        super().__init__(shape, dtype, name)
        self.minimum = self._bound("minimum", minimum)
        self.maximum = self._bound("maximum", maximum)

    def _bound(self, what: str, value: Any) -> Any:
        if value is None:
            raise InvalidArgumentError(f"`{what}` can not be None.")
        sizes = TensorShape(self.shape).known()
        given = np.shape(value)
        pairs = zip(reversed(given), reversed(sizes or ()), strict=False)
        fits = sizes is None or len(given) <= len(sizes)
        if not fits or any(x not in {1, y} and y is not None for x, y in pairs):
            raise InvalidArgumentError(
                f"`{what}` {value} is not compatible with shape {TensorShape(self.shape)}."
            )
        made = np.array(value, self.dtype.as_numpy_dtype)
        made.setflags(write=False)
        return made

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """Return another spec's shape and dtype, with its bounds or those of the dtype."""
        dtype = as_dtype(spec.dtype)
        least, most = getattr(spec, "minimum", None), getattr(spec, "maximum", None)
        return cls(
            spec.shape,
            dtype,
            dtype.min if least is None else least,
            dtype.max if most is None else most,
            name or spec.name,
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and super().__eq__(other)
            and np.allclose(self.minimum, other.minimum)
            and np.allclose(self.maximum, other.maximum)
        )

    def __hash__(self) -> int:
        return super().__hash__()

    def __reduce__(self) -> tuple[Any, ...]:
        given = self.shape, self.dtype, self.minimum, self.maximum, self.name
        return BoundedTensorSpec, given

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={TensorShape(self.shape)}, dtype={self.dtype!r}, "
            f"name={self.name!r}, minimum={self.minimum!r}, maximum={self.maximum!r})"
        )


def _write(proto: Any, spec: BoundedTensorSpec) -> None:
    told = proto.bounded_tensor_spec_value
    told.dtype, told.name = OF_DTYPE[spec.dtype], spec.name or ""
    told.shape.CopyFrom(shape_proto(spec.shape))
    told.minimum.CopyFrom(proto_of(spec.minimum))
    told.maximum.CopyFrom(proto_of(spec.maximum))


def _read(told: Any) -> BoundedTensorSpec:
    bounds = array_of(told.minimum), array_of(told.maximum)
    return BoundedTensorSpec(
        shape_of(told.shape), dtype_of(told.dtype), *bounds, told.name or None
    )


structures.register("bounded_tensor_spec_value", BoundedTensorSpec, _write, _read)
