"""Masks of sequences: which steps count. They travel beside the tensors that layers return."""

from __future__ import annotations

from functools import partial
from typing import Any
from weakref import ref

from tensorlite.core import nest
from tensorlite.core.tensor import Tensor

_known: dict[int, tuple[ref[Any], Any]] = {}


class Starting:
    """A layer whose results have a mask though its inputs have none."""


def remember(tensors: Any, mask: Any) -> None:
    """Let a layer's results have masks, each its own."""
    if mask is None:
        return
    for x, own in zip(nest.flatten(tensors), nest.flatten(mask), strict=False):
        if isinstance(x, Tensor) and own is not None:
            key = id(x)
            _known[key] = (ref(x, partial(_forget, key)), own)


def forget(tensor: Any) -> None:
    """Let a tensor have no mask."""
    _known.pop(id(tensor), None)


def _forget(key: int, _: Any) -> None:
    _known.pop(key, None)


def of(tensors: Any) -> Any:
    """Return the masks of a layer's inputs, in their structure; None where all steps count."""
    if not _known:
        return None
    found = [_of_one(x) for x in nest.flatten(tensors)]
    if all(mask is None for mask in found):
        return None
    return nest.pack_like(tensors, found)


def _of_one(x: Any) -> Any:
    found = _known.get(id(x))
    return found[1] if found is not None and found[0]() is x else None
