"""Masks of sequences: which steps count. They travel beside the tensors that layers return."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.beside import Beside
from tensorlite.core import nest
from tensorlite.core.tensor import Tensor

_known = Beside()


class Starting:
    """A layer whose results have a mask though its inputs have none."""


def remember(tensors: Any, mask: Any) -> None:
    """Let a layer's results have masks, each its own."""
    if mask is None:
        return
    for x, own in zip(nest.flatten(tensors), nest.flatten(mask), strict=False):
        if own is not None:
            _known.remember(x, own)


def forget(tensor: Any) -> None:
    """Let a tensor have no mask."""
    _known.forget(tensor)


def of_one(tensor: Any) -> Any:
    """Return the mask of a tensor, None where all steps count."""
    return _known.of(tensor)


def of(tensors: Any) -> Any:
    """Return the masks of a layer's inputs, in their structure; None where all steps count."""
    if not _known:
        return None
    found = [_known.of(x) for x in nest.flatten(tensors)]
    if all(mask is None for mask in found):
        return None
    return nest.pack_like(tensors, found)


def _let(tensor: Any, mask: Any) -> None:
    forget(tensor)
    remember(tensor, mask)


setattr(Tensor, "_keras_mask", property(of_one, _let))  # noqa: B010  what programs read masks by
