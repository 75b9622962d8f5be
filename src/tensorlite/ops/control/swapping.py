"""Swapping: what loops save for their gradients leaves memory past a budget, and comes back.

This is the stack swapping of TensorFlow's control-flow paper (EuroSys'18, section 5.3). A loop with
`swap_memory=True` pushes on a list that has a keeper, which is here; how arrays go and come
back is in swap_stores.py, and where they lie meanwhile in swap_places.py.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.core import accounts
from tensorlite.core.check import whole
from tensorlite.core.device import DeviceName, local
from tensorlite.core.errors import DTypeError, NotFoundError
from tensorlite.core.xp import CPU, Array, cpu_count, device_of, is_array, xp_for
from tensorlite.ops.control.list_values import Bundled
from tensorlite.ops.control.swap_places import PinnedMemory, SwapFile
from tensorlite.ops.control.swap_stores import Kept, Store, owner_of

__all__ = ["set_swap"]

SMALLEST = 1024
"""Arrays of fewer bytes stay in memory."""
SHARE = 2
"""Without a budget, saved values may take one SHAREth of the device's memory limit."""
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
    most = None if bytes is None else int(whole(bytes, "set_swap: bytes", least=0))
    if directory is not None and not isinstance(directory, (str, os.PathLike)):
        raise DTypeError(f"set_swap: directory={directory!r}; give a path, or None")
    if directory is not None and not Path(directory).is_dir():
        raise NotFoundError(
            f"set_swap: there is no folder {str(directory)!r}; make it first"
        )
    _budget[0] = most
    _folder[0] = None if directory is None else str(directory)


def budget(device: DeviceName) -> int | None:
    """Return how many bytes of a device's memory saved values may take; None for any number."""
    if _budget[0] is not None:
        return _budget[0]
    limits = [accounts.limit(one) for one in _sharing_memory(device)]
    known = [limit for limit in limits if limit is not None]
    return min(known) // SHARE if known else None


def _sharing_memory(device: DeviceName) -> list[DeviceName]:
    """Return the devices whose memory a device's is: all CPU devices have one."""
    if device.kind == "GPU":
        return [device]
    return [local("CPU", i) for i in range(cpu_count())]


@cache
def store(device: DeviceName) -> Store:
    """Return the store of what lies in host memory, or in that of a GPU."""
    if device.kind == "GPU":
        made = Store(lambda _: PinnedMemory(xp_for(device), device.index or 0))
    else:
        made = Store(SwapFile)
    atexit.register(made.close)
    os.register_at_fork(
        before=made.before_fork,
        after_in_parent=made.after_fork,
        after_in_child=made.after_fork_in_child,
    )
    return made


class Swapping:
    """Keeps the arrays of what is pushed on a list in stores; other values stay as they are."""

    __slots__ = ()

    def keep(self, value: Any) -> Any:
        """Return what stands for an array or for a bundle."""
        if type(value) is Bundled:
            return Bundled(tuple([self.keep(member) for member in value.members]))
        return (
            _kept(value) if is_array(value) and not value.dtype.hasobject else value
        )

    def take(self, item: Any, ahead: Sequence[Any] = ()) -> Any:
        """Return the value that an item stands for; those of `ahead` are next, the last first."""
        for one in reversed(ahead):
            _prefetch(one)
        if type(item) is Bundled:
            return Bundled(tuple([self.take(member) for member in item.members]))
        return item.store.take(item) if type(item) is Kept else item


SWAPPING = Swapping()


def _prefetch(item: Any) -> None:
    if type(item) is Bundled:
        for member in item.members:
            _prefetch(member)
    elif type(item) is Kept:
        item.store.prefetch(item)


def _kept(array: Array) -> Any:
    """Return what stands for an array: a handle, or itself where it is to stay in memory."""
    if array.nbytes < SMALLEST and array.base is None:
        return array
    device = device_of(array)
    most = budget(device)
    if most is None:
        return array
    owner = _owner(array)
    if owner is None:
        # A part of something larger, which it would hold in memory, or of foreign memory.
        owner = array = array.copy("K" if device is CPU else "C")
    if owner.nbytes < SMALLEST:
        return array
    keeper = store(device)
    keeper.budget, keeper.folder = most, _folder[0]
    return keeper.keep(owner, array)


def _owner(array: Array) -> Array | None:
    """Return the array that owns the memory of another, if that is all that it owns.

    On a GPU only whole arrays in C's order are kept as they are; there copies are fast.
    """
    owner = owner_of(array)
    if type(array) is not np.ndarray:
        return array if owner is array and array.flags.c_contiguous else None
    return owner if owner.base is None and owner.nbytes <= array.nbytes else None
