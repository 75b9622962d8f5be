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
    """Let a layer's results have a mask."""
    if mask is None:
        return
    for x in nest.flatten(tensors)[:1]:
        if isinstance(x, Tensor):
            key = id(x)
            _known[key] = (ref(x, partial(_forget, key)), mask)


def _forget(key: int, _: Any) -> None:
    _known.pop(key, None)


def of(tensors: Any) -> Any:
    """Return the mask of a layer's inputs, None where all steps count."""
    if not _known:
        return None
    leaves = nest.flatten(tensors)
    if not leaves or not isinstance(leaves[0], Tensor):
        return None
    found = _known.get(id(leaves[0]))
    return found[1] if found is not None and found[0]() is leaves[0] else None
