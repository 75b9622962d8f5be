"""Swapping: what loops save for their gradients leaves memory past a budget, and comes back.

This is the stack swapping of TensorFlow's control-flow paper (EuroSys'18, section 5.3). A loop with
`swap_memory=True` pushes on a list that has a keeper, from here; how arrays go and come back is
in swap_stores.py, and where they lie meanwhile in swap_files.py.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core.check import whole
from tensorlite.core.errors import DTypeError, NotFoundError
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.list_values import Bundled, Keeper
from tensorlite.ops.swap_stores import Kept, Store, owner_of

__all__ = ["set_swap"]

SMALLEST = 1024
"""Arrays of fewer bytes stay in memory."""
_budget: list[int | None] = [None]
_folder: list[str | None] = [None]


def set_swap(
    bytes: int | None = None,
    directory: str | os.PathLike[str] | None = None,
) -> None:
    """Return nothing; from now on, loops with `swap_memory=True` save at most `bytes` in memory.

    What such loops save for their gradients beyond that is written to a file in `directory`
    (None: Python's folder for temporary files) that has no name there, and is read back before the
    gradient needs it. Without `bytes`, half of the device's memory limit is taken, and where
    there is none either, nothing is swapped. Values of fewer than 1024 bytes stay in memory.

    Raises DTypeError or InvalidArgumentError for bytes that are no whole number of at least 0, and
    NotFoundError for a directory that is not there. A loop raises SwapError when the disk is full.

    >>> tl.config.set_swap(bytes=64 * 2**20)
    >>> tl.config.set_swap()  # as it was
    """
    budget = None if bytes is None else int(whole(bytes, "set_swap: bytes", least=0))
    if directory is not None and not isinstance(directory, (str, os.PathLike)):
        raise DTypeError(f"set_swap: directory={directory!r}; give a path, or None")
    if directory is not None and not Path(directory).is_dir():
        raise NotFoundError(
            f"set_swap: there is no folder {str(directory)!r}; make it first"
        )
    _budget[0] = budget
    _folder[0] = None if directory is None else str(directory)


def keeper(xp: Xp) -> Keeper | None:
    """Return what keeps the values that a loop saves, or None when all stay in memory."""
    budget = _budget[0]
    if budget is None or xp is not np:
        return None
    found = store()
    found.budget, found.folder = budget, _folder[0] or tempfile.gettempdir()
    return Swapping(found)


@cache
def store() -> Store:
    """Return the store of what lies in host memory."""
    made = Store()
    atexit.register(made.close)
    os.register_at_fork(
        before=made.before_fork,
        after_in_parent=made.after_fork,
        after_in_child=made.after_fork_in_child,
    )
    return made


class Swapping:
    """Keeps the arrays of what is pushed on a list in a store; other values stay as they are."""

    __slots__ = ("_store",)

    def __init__(self, store: Store) -> None:
        self._store = store

    def keep(self, value: Any) -> Any:
        """Return what stands for an array or for a bundle."""
        pairs: list[tuple[Array, Array]] = []
        shell = _taken_apart(value, pairs)
        if not pairs:
            return shell
        kept = iter(self._store.keep(pairs))
        return _mapped(shell, lambda item: next(kept) if item is _ARRAY else item)

    def take(self, item: Any, ahead: Sequence[Any] = ()) -> Any:
        """Return the value that an item stands for; those of `ahead` are next, the last first."""
        if ahead:
            self._store.prefetch([kept for x in reversed(ahead) for kept in _kept(x)])
        take = self._store.take
        return _mapped(item, lambda x: take(x) if type(x) is Kept else x)


_ARRAY = object()
"""Stands for an array that is being kept."""


def _taken_apart(value: Any, pairs: list[tuple[Array, Array]]) -> Any:
    """Return a value without its larger arrays, which are appended with what owns their memory."""
    if type(value) is Bundled:
        return Bundled(tuple([_taken_apart(x, pairs) for x in value.members]))
    if type(value) is not np.ndarray or value.dtype.hasobject:
        return value
    owner = owner_of(value)
    if owner.nbytes > value.nbytes or owner.base is not None:
        # A part of something larger, which it would hold in memory, or foreign memory.
        owner = value = value.copy("K")
    if owner.nbytes < SMALLEST:
        return value
    pairs.append((owner, value))
    return _ARRAY


def _mapped(item: Any, function: Any) -> Any:
    """Return an item with a function applied to its members, in order."""
    if type(item) is Bundled:
        return Bundled(tuple([_mapped(x, function) for x in item.members]))
    return function(item)


def _kept(item: Any) -> Iterator[Kept]:
    """Return the handles in an item."""
    if type(item) is Bundled:
        for member in item.members:
            yield from _kept(member)
    elif type(item) is Kept:
        yield item
