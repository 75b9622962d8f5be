"""Masks of sequences: which steps count. They travel beside the tensors that layers return."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras.beside import Beside
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor

_known = Beside()


def remember(tensors: Any, mask: Any) -> None:
    """Let a layer's results have masks, each its own."""
    if mask is None:
        return
    for x, own in zip(nests.flatten(tensors), nests.flatten(mask), strict=False):
        if own is not None:
            _known.remember(_own(x), own)


def forget(tensor: Any) -> None:
    """Let a tensor have no mask."""
    _known.forget(_own(tensor))


def of_one(tensor: Any) -> Any:
    """Return the mask of a tensor, None where all steps count."""
    return _known.of(_own(tensor))


def _own(tensor: Any) -> Any:
    """Return a tensor of a graph as its node has it, whoever shows it."""
    if isinstance(tensor, SymbolicTensor):
        return tensor.node.outputs[tensor.index]
    return tensor


def of(tensors: Any) -> Any:
    """Return the masks of a layer's inputs, in their structure; None where all steps count."""
    if not _known:
        return None
    found = [of_one(x) for x in nests.flatten(tensors)]
    if all(mask is None for mask in found):
        return None
    return nests.pack_sequence_as(tensors, found)


def _let(tensor: Any, mask: Any) -> None:
    forget(tensor)
    remember(tensor, mask)


setattr(Tensor, "_keras_mask", property(of_one, _let))  # noqa: B010  what programs read masks by
