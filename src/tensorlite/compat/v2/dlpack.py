"""tf.experimental.dlpack: tensors shared with other libraries, by DLPack's capsules."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.core.errors import DTypeError
from tensorlite.core.tensor import EagerTensor, Tensor

__all__ = ["from_dlpack", "to_dlpack"]


class _Capsule:
    """What NumPy takes a capsule from, which lies in the memory of the processor."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # kDLCPU


def to_dlpack(tf_tensor: Any) -> Any:
    """Return a capsule that other libraries make an array of, once; it shares the memory.

    DTypeError for what is no tensor that has its value.

    >>> import tensorlite.compat.v2 as tf
    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))
    >>> print(tf.experimental.dlpack.from_dlpack(capsule))
    tf.Tensor([1 2], shape=(2,), dtype=int32)
    """
    if not isinstance(tf_tensor, EagerTensor):
        raise DTypeError(
            f"The argument to `to_dlpack` must be a TF tensor, not {tf_tensor!r}"
        )
    return tf_tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> Tensor:
    """Return the tensor of a capsule, or of an array of another library that exports one.

    A capsule is of the processor's memory, and is used up.
    """
    shared = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    try:
        return tl.asarray(np.from_dlpack(shared))
    except (AttributeError, TypeError, ValueError) as error:
        raise DTypeError(
            f"from_dlpack takes a capsule named dltensor, not {dlcapsule!r}: {error}"
        ) from None


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
