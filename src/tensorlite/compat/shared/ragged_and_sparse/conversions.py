"""tensorflow.python.ops.ragged: tensors of rows that differ in length, made of others and back."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted
from tensorlite.compat.shared.ragged_and_sparse.built_rows import RaggedTensor
from tensorlite.compat.shared.ragged_and_sparse.sparse import (
    SparseTensor,
    SparseTensorValue,
)
from tensorlite.compat.views import shown
from tensorlite.core.dtypes import as_dtype


def is_ragged(value: Any) -> bool:
    """Return whether a value is a ragged tensor."""
    return isinstance(value, RaggedTensor)


def is_sparse(x: Any) -> bool:
    """Return whether something is a sparse tensor, its value, or what is known of one."""
    return isinstance(x, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_ragged_tensor(
    value: Any,
    dtype: Any = None,
    preferred_dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Return a ragged tensor as it is, and other values as tensors."""
    if is_ragged(value):
        return value
    return shown(converted(value, None if dtype is None else as_dtype(dtype)))


def from_tensor(tensor: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the rows of a tensor, as RaggedTensor.from_tensor does."""
    return RaggedTensor.from_tensor(tensor, *args, **kwargs)


def to_tensor(
    rt_input: Any, default_value: Any = None, name: str | None = None
) -> Any:
    """Return rows as a tensor, filled up with a value; what is a tensor as it is."""
    if not is_ragged(rt_input):
        return rt_input
    return rt_input.to_tensor(default_value, name=name)


def from_sparse(st_input: Any, name: str | None = None, **kwargs: Any) -> Any:
    """Return the rows of a sparse tensor."""
    return RaggedTensor.from_sparse(st_input, name=name, **kwargs)


def to_sparse(rt_input: Any, name: str | None = None) -> Any:
    """Return rows as a sparse tensor."""
    return rt_input.to_sparse(name=name)
