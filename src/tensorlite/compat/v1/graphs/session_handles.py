"""Values that stay in a session between runs, and their handles."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.core import dtypes
from tensorlite.core.errors import DTypeError
from tensorlite.core.tensor import Tensor
from tensorlite.graph.manual import placeholder
from tensorlite.ops.state import kept_values


@named("GetSessionHandle")
def get_session_handle(data: Any, name: str | None = None) -> Any:
    """Return a handle of the tensor's value, which stays in the session.

    What is no tensor raises DTypeError.
    """
    if not isinstance(data, Tensor):
        raise DTypeError("`data` must be of type Tensor.")
    return kept_values.get_session_handle(converted(data))


@named("GetSessionTensor")
def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> Any:
    """Return (a placeholder for a handle, the value of dtype that the handle stands for)."""
    holder = placeholder(dtypes.string, ())
    return holder, kept_values.get_session_tensor(holder, dtype)


@named("DeleteSessionTensor")
def delete_session_tensor(handle: Any, name: str | None = None) -> Any:
    """Return (a placeholder for a handle, an operator that forgets its value)."""
    holder = placeholder(dtypes.string, ())
    return holder, kept_values.delete_session_tensor(holder)
