"""Values that a run keeps for later ones: handles of them are strings, which come back as feeds.

They lie in the container of the session that ran, until they are deleted or their handles are gone.
"""

from __future__ import annotations

from itertools import count
from threading import Lock
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.containers import current_container
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.fetchable import Fetchable, effect

__all__: list[str] = []


class Keep(Resource):
    """The values that runs have kept, by their handles."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._numbers = count()
        self._held: dict[bytes, Array] = {}

    @property
    def spec(self) -> TensorSpec:
        """The spec of a handle of all of them."""
        return TensorSpec((), dtypes.resource)

    def put(self, value: Array) -> KeptHandle:
        """Keep a value, and return what it is found by."""
        with self._lock:
            handle = KeptHandle(f"kept;{next(self._numbers)};{value.dtype}".encode())
            handle.keep, handle.held = self, True
            self._held[bytes(handle)] = value
        return handle

    def take(self, handle: bytes) -> Array:
        """Return the value of a handle; InvalidArgumentError when there is none any more."""
        found = self._held.get(bytes(handle))
        if found is None:
            raise InvalidArgumentError(
                f"The tensor with handle {bytes(handle)!r} is not in the session store: it was "
                "deleted, or is of another session"
            )
        return found

    def drop(self, handle: bytes) -> None:
        """Give a value up, if it is there still."""
        self._held.pop(bytes(handle), None)


class KeptHandle(bytes):
    """The handle of a value that a run has kept; the value goes when this does, unless told not to.

    >>> from tensorlite.ops.state.kept_values import get_session_handle
    >>> with tl.Graph().as_default():
    ...     kept = get_session_handle(tl.asarray([1.0, 2.0]) * 3.0)
    ...     handle = tl.Session().run(kept)
    >>> print(handle.eval())
    [3. 6.]
    """

    keep: Keep
    held: bool

    @property
    def handle(self) -> KeptHandle:
        """What is fed to `get_session_tensor`'s holder."""
        return self

    def eval(self) -> Any:
        """Return the value, as a run would that fetches it."""
        value = self.keep.take(self)
        return value[()] if value.ndim == 0 else value.copy()

    def delete(self) -> None:
        """Give the value up."""
        self.keep.take(self)
        self.keep.drop(self)

    def get_raw_handle(self) -> bytes:
        """Return the bytes alone; the value stays then until it is deleted."""
        self.held = False
        return bytes(self)

    def __del__(self) -> None:
        """Give the value up that nobody can ask for any more."""
        if getattr(self, "held", False):
            self.keep.drop(self)


def _keep() -> Keep:
    found = current_container.get().shared("", "kept values", Keep, "_kept_values")
    assert isinstance(found, Keep)
    return found


class GetSessionHandle(Op):
    """Keeps a value for later runs of the session."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self, value: TensorSpec) -> TensorSpec:
        """Return a 0-d string."""
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, value: Array) -> Array:
        """Return the handle."""
        made = np.empty((), object)
        made[()] = _keep().put(xp.array(value))
        return made


class GetSessionTensor(Op):
    """The value behind a handle."""

    dtype: DType
    effect = Effect.DRAW
    differentiable = False
    host = (0,)

    def infer(self, handle: TensorSpec) -> TensorSpec:
        """Return the dtype, of no known shape."""
        _check(self.name, handle)
        return TensorSpec(None, self.dtype)

    def kernel(self, xp: Xp, handle: Array) -> Array:
        """Return the value."""
        found = _keep().take(handle.item())
        if dtypes.of_numpy(found.dtype) is not self.dtype:
            raise DTypeError(
                f"{self.name}: the value of {handle.item()!r} is of {found.dtype}, and asked for "
                f"as {self.dtype}; ask for its own dtype"
            )
        return xp.asarray(found)


class DeleteSessionTensor(Op):
    """Gives up the value behind a handle."""

    effect = Effect.IO
    differentiable = False

    def infer(self, handle: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        _check(self.name, handle)
        return ()

    def kernel(self, xp: Xp, handle: Array) -> tuple[Array, ...]:
        """Give it up; InvalidArgumentError when it is not there."""
        keep = _keep()
        keep.take(handle.item())
        keep.drop(handle.item())
        return ()


def _check(what: str, handle: TensorSpec) -> None:
    if handle.dtype is not dtypes.string or handle.rank not in (0, None):
        raise DTypeError(f"{what} takes one handle, a string, not {handle}")


def get_session_handle(value: TensorLike) -> Tensor:
    """Return the handle of a value, which the session that runs this keeps (a `KeptHandle`)."""
    return call(GetSessionHandle(), value)


def get_session_tensor(handle: TensorLike, dtype: DTypeLike) -> Tensor:
    """Return the value of a handle that `get_session_handle` gave in an earlier run."""
    return call(GetSessionTensor(as_dtype(dtype)), handle)


def delete_session_tensor(handle: TensorLike) -> Fetchable:
    """Return what gives up the value of a handle."""
    return effect(DeleteSessionTensor(), handle)
