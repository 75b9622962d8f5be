"""Places where swapped values lie: files without a name, and page-locked host memory for GPUs.

What goes there and when is in swap_stores.py.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tensorlite.core.errors import SwapError
from tensorlite.core.xp import Array, Xp

PAGE = 4096


class Extent:
    """Where in which place the bytes of one value lie."""

    __slots__ = ("nbytes", "place", "where")

    def __init__(self, place: Place, nbytes: int, where: Any) -> None:
        self.place = place
        self.nbytes = nbytes
        self.where = where
        """An offset in a file, or the memory itself."""


class Place(ABC):
    """Keeps bytes. Extents are made and freed under a store's lock, written and read outside it."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self.size = 0
        """How many bytes are taken, freed ones that can be used again among them."""
        self.live = 0
        """How many extents are in use."""
        self._spare: dict[int, list[Any]] = {}
        """What was freed, by length."""
        self._is_retired = False

    def extent(self, nbytes: int) -> Extent:
        """Return space for that many bytes; SwapError when there is none."""
        length = -(-nbytes // PAGE) * PAGE
        spare = self._spare.get(length)
        where = spare.pop() if spare else self._grown(length)
        self.live += 1
        return Extent(self, nbytes, where)

    def free(self, extent: Extent) -> None:
        """Let an extent's space be used again."""
        self.live -= 1
        length = -(-extent.nbytes // PAGE) * PAGE
        self._spare.setdefault(length, []).append(extent.where)
        if self._is_retired and not self.live:
            self.close()

    def retire(self) -> None:
        """Close as soon as there are no extents; nobody asks for new ones."""
        self._is_retired = True
        if not self.live:
            self.close()

    def close(self) -> None:
        """Give the space back."""
        self._spare.clear()

    @abstractmethod
    def _grown(self, length: int) -> Any:
        """Return where that many further bytes may lie."""

    @abstractmethod
    def write(self, extent: Extent, data: Array) -> None:
        """Write bytes; SwapError when that fails."""

    @abstractmethod
    def read(self, extent: Extent) -> Array:
        """Return the bytes of an extent in new memory; SwapError when that fails."""


class SwapFile(Place):
    """One growing file in a folder.

    It is unlinked as it is made, so that its space is free again when it is closed or the process
    ends, however it ends; nobody else can open it.
    """

    def __init__(self, folder: str | None) -> None:
        super().__init__(folder)
        tempfile = import_module("tempfile")  # which loads a dozen modules
        self._folder = folder or tempfile.gettempdir()
        try:
            self._file = tempfile.TemporaryFile(
                prefix="tensorlite-swap-", dir=self._folder, buffering=0
            )
        except OSError as error:
            what = "make a file for saved values"
            raise _failure(what, self._folder, error) from error

    def close(self) -> None:
        """Give the space back to the disk."""
        super().close()
        self._file.close()

    def _grown(self, length: int) -> int:
        self.size += length
        return self.size - length

    def write(self, extent: Extent, data: Array) -> None:
        """Write bytes; SwapError when the disk does not take them."""
        self._move(os.pwritev, extent, data, "write")

    def read(self, extent: Extent) -> Array:
        """Return the bytes of an extent; SwapError when the disk does not give them."""
        data = np.empty(extent.nbytes, np.uint8)
        self._move(os.preadv, extent, data, "read")
        return data

    def _move(
        self,
        move: Callable[[int, list[Any], int], int],
        extent: Extent,
        data: Array,
        verb: str,
    ) -> None:
        """Move all bytes of an extent, which the system may do in several goes."""
        done, left = 0, memoryview(data)
        what = f"{verb} {extent.nbytes} bytes of saved values"
        while done < extent.nbytes:
            try:
                moved = move(self._file.fileno(), [left[done:]], extent.where + done)
            except OSError as error:
                raise _failure(what, self._folder, error) from error
            if not moved:
                raise _failure(what, self._folder, "the file ended early")
            done += moved


class PinnedMemory(Place):
    """Page-locked host memory, to and from which a GPU copies while it computes.

    The copies run on a stream of their own, behind what the default stream has been given so far:
    that is what computes the bytes to be written, and what last used the memory that is read into.
    """

    def __init__(self, xp: Xp, device: int) -> None:
        super().__init__(None)
        self._xp = xp
        self._device = device
        with xp.cuda.Device(device):
            self._stream = xp.cuda.Stream(non_blocking=True)

    def _grown(self, length: int) -> Array:
        cuda = self._xp.cuda
        try:
            memory = cuda.alloc_pinned_memory(length)
        except cuda.runtime.CUDARuntimeError as error:
            what = f"page-lock {length} bytes for saved values"
            raise _failure(what, "host memory", error) from error
        self.size += length
        return np.frombuffer(memory, np.uint8, length)

    def write(self, extent: Extent, data: Array) -> None:
        """Copy bytes from the GPU."""
        with self._xp.cuda.Device(self._device):
            self._stream.wait_event(self._xp.cuda.Stream.null.record())
            data.get(stream=self._stream, out=extent.where[: extent.nbytes])
            self._stream.synchronize()

    def read(self, extent: Extent) -> Array:
        """Return a copy of the bytes on the GPU."""
        with self._xp.cuda.Device(self._device):
            data = self._xp.empty(extent.nbytes, np.uint8)
            self._stream.wait_event(self._xp.cuda.Stream.null.record())
            data.set(extent.where[: extent.nbytes], stream=self._stream)
            self._stream.synchronize()
        return data


def _failure(what: str, folder: str, why: object) -> SwapError:
    """Return the error that says what was refused."""
    return SwapError(
        f"cannot {what} in {folder}: {why}; free space there, or name another folder with "
        "tl.config.set_swap(directory=...), or a larger budget with bytes=..."
    )
