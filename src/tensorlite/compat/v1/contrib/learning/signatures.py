"""What tensors a model was trained with: those that come later must be like them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorlite.compat.v1.contrib.columns.base import is_sparse
from tensorlite.compat.v1.functions import sparse_older
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.errors import InvalidArgumentError


class TensorSignature(NamedTuple):
    """The dtype and the shape of a tensor, and whether it is sparse."""

    dtype: Any
    shape: Any
    is_sparse: bool

    def is_compatible_with(self, other: TensorSignature) -> bool:
        """Return whether tensors are alike, the number of rows aside."""
        if self.is_sparse or other.is_sparse:
            both = self.is_sparse and other.is_sparse
            return both and bool(self.dtype == other.dtype)
        if self.dtype != other.dtype:
            return False
        if self.shape.ndims is None or other.shape.ndims is None:
            return True
        if self.shape.ndims != other.shape.ndims:
            return False
        return bool(self.shape[1:].is_compatible_with(other.shape[1:]))

    def placeholder(self) -> Any:
        """Return a placeholder for such tensors."""
        if self.is_sparse:
            return sparse_older.sparse_placeholder(self.dtype)
        return framework.placeholder(self.dtype, [None, *self.shape.as_list()[1:]])


def signature_of(tensors: Any) -> Any:
    """Return the signature of a tensor, or of each of a dict."""
    if isinstance(tensors, dict):
        return {key: signature_of(x) for key, x in tensors.items()}
    if tensors is None:
        return None
    if is_sparse(tensors):
        return TensorSignature(tensors.values.dtype.base_dtype, None, True)
    x = framework.convert_to_tensor(tensors)
    return TensorSignature(x.dtype.base_dtype, x.get_shape(), False)


def are_compatible(tensors: Any, known: Any) -> bool:
    """Return whether tensors are like those of a signature; more of a dict may be there."""
    if tensors is None or known is None:
        return tensors is None and known is None
    if isinstance(known, dict):
        return isinstance(tensors, dict) and all(
            key in tensors and are_compatible(tensors[key], one)
            for key, one in known.items()
        )
    if isinstance(tensors, dict):
        return False
    found: TensorSignature = signature_of(tensors)
    return found.is_compatible_with(known)


def checked_signature(what: str, tensors: Any, known: Any) -> Any:
    """Return the signature of tensors, which is the known one if there is any.

    Others raise InvalidArgumentError.
    """
    if known is None:
        return signature_of(tensors)
    if not are_compatible(tensors, known):
        raise InvalidArgumentError(
            f"{what} are incompatible with given information. Given {what.lower()}: {tensors}, "
            f"required signatures: {known}."
        )
    return known


def placeholders(known: Any) -> Any:
    """Return placeholders for the tensors of a signature, None if there are none."""
    if isinstance(known, dict):
        return {key: placeholders(one) for key, one in known.items()}
    return None if known is None else known.placeholder()
