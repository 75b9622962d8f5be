"""tensorflow.python.framework.ops: the conversions of TensorFlow 1 that may return references."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorlite.compat.shared.values import convert_to_tensor_or_indexed_slices
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.graphs.resources import ResourceVariable
from tensorlite.compat.v1.graphs.variable_insides import Inside
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError

__all__ = ["internal_convert_to_tensor", "internal_convert_n_to_tensor"]


def internal_convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    ctx: Any = None,
    accept_symbolic_tensors: bool = True,
) -> Any:
    """Return a value as a tensor, a variable as its reference if asked for that.

    ctx and accept_symbolic_tensors have no effect.
    """
    if not as_ref or not _has_reference(value):
        return convert_to_tensor(value, dtype, name, preferred_dtype)
    if dtype is not None and as_dtype(dtype) is not as_dtype(value.dtype):
        raise InvalidArgumentError(
            "Incompatible type conversion requested to type "
            f"{as_dtype(dtype).name!r} for variable of type {value.dtype.name!r}"
        )
    return value._ref()  # noqa: SLF001  it is what programs ask for


def internal_convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """Return slices as they are, anything else as a tensor, or a variable's reference."""
    if as_ref and _has_reference(value):
        return internal_convert_to_tensor(value, dtype, name, as_ref)
    return convert_to_tensor_or_indexed_slices(value, dtype, name)


def internal_convert_n_to_tensor(
    values: Iterable[Any],
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    ctx: Any = None,
) -> list[Any]:
    """Return values as tensors, whose names end in their numbers; ctx has no effect."""

    def one(value: Any, name: str | None) -> Any:
        return internal_convert_to_tensor(value, dtype, name, as_ref, preferred_dtype)

    return _each(one, values, name)


def internal_convert_n_to_tensor_or_indexed_slices(
    values: Iterable[Any],
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
) -> list[Any]:
    """Return values as tensors but for slices and None, which stay what they are."""

    def one(value: Any, name: str | None) -> Any:
        if value is None:
            return None
        return internal_convert_to_tensor_or_indexed_slices(
            value, dtype, name, as_ref
        )

    return _each(one, values, name)


def _has_reference(value: Any) -> bool:
    return isinstance(value, Inside) and not isinstance(value, ResourceVariable)


def _each(
    convert: Callable[[Any, str | None], Any], values: Iterable[Any], name: str | None
) -> list[Any]:
    """Return what each value is converted to, by a name that ends in its number."""
    return [convert(x, name and f"{name}_{i}") for i, x in enumerate(values)]
