"""Beside: what is known of tensors, for as long as they are there.

Masks of sequences are remembered so (src/layers/masks.py), and what probabilities were made of
(src/losses/logits.py).
"""

from __future__ import annotations

from functools import partial
from typing import Any
from weakref import ref

from tensorlite.core.tensor import Tensor


class Beside:
    """Values that travel beside tensors."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[ref[Any], Any]] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def remember(self, tensor: Any, value: Any) -> None:
        """Keep a value beside a tensor for as long as that is there."""
        if isinstance(tensor, Tensor):
            key = id(tensor)
            self._known[key] = (ref(tensor, partial(self._dropped, key)), value)

    def forget(self, tensor: Any) -> None:
        """Drop what is kept beside a tensor."""
        self._known.pop(id(tensor), None)

    def of(self, tensor: Any) -> Any:
        """Return the value beside a tensor, None if there is none."""
        found = self._known.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def _dropped(self, key: int, _: Any) -> None:
        self._known.pop(key, None)
