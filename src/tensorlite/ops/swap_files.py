"""Files without a name, where swapped values lie. What goes there and when: swap_stores.py.

The file is made in the folder asked for and unlinked at once, so that its space is free again when
it is closed or the process ends, however it ends; only this process can read it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensorlite.core.errors import SwapError
from tensorlite.core.xp import Array

PAGE = 4096


class SwapFile:
    """Raw bytes in one file. Space that was freed is used again by what is as long."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.live = 0
        """How many extents are in use."""
        self.retired = False
        """Whether no new extents are made, so that the file goes with its last one."""
        self._end = 0
        self._spare: dict[int, list[int]] = {}
        try:
            self._file = tempfile.TemporaryFile(  # noqa: SIM115  it lives as long as its extents
                prefix="tensorlite-swap-", dir=folder, buffering=0
            )
        except OSError as error:
            raise failure("make a file for saved values", folder, error) from error

    @property
    def size(self) -> int:
        """How many bytes the file reaches."""
        return self._end

    def extent(self, nbytes: int) -> Extent:
        """Return space for that many bytes."""
        length = -(-nbytes // PAGE) * PAGE
        spare = self._spare.get(length)
        if spare:
            offset = spare.pop()
        else:
            offset, self._end = self._end, self._end + length
        self.live += 1
        return Extent(self, offset, nbytes)

    def free(self, extent: Extent) -> None:
        """Let an extent's space be used again."""
        self.live -= 1
        length = -(-extent.nbytes // PAGE) * PAGE
        self._spare.setdefault(length, []).append(extent.offset)
        if self.retired and not self.live:
            self.close()

    def retire(self) -> None:
        """Make no more extents here, and close the file as soon as there are none."""
        self.retired = True
        if not self.live:
            self.close()

    def close(self) -> None:
        """Give the space back to the disk."""
        self._file.close()

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
                moved = move(self._file.fileno(), [left[done:]], extent.offset + done)
            except OSError as error:
                raise failure(what, self.folder, error) from error
            if not moved:
                raise failure(what, self.folder, "the file ended early")
            done += moved


@dataclass(frozen=True, eq=False, slots=True)
class Extent:
    """Where in which file the bytes of one value lie."""

    file: SwapFile
    offset: int
    nbytes: int


def failure(what: str, folder: str, why: object) -> SwapError:
    """Return the error that says what the disk refused."""
    return SwapError(
        f"cannot {what} in {folder}: {why}; free space there, or name another folder with "
        "tl.config.set_swap(directory=...), or a larger budget with bytes=..."
    )
