"""Gathers: what each rank has is told to the others as it is. Reductions are exchanges' and rings'.

Arrays of different ranks may have different numbers of rows, so nothing is in step here: what is
large is sent by threads of its own, which wait where the receiver has too much already.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorlite.core.dtypes import as_dtype, of_numpy
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    ProtocolError,
    TensorliteError,
)
from tensorlite.core.waiting import Done
from tensorlite.core.xp import Array
from tensorlite.distributed.collectives.meetings import (
    GREETING,
    Group,
    Meeting,
    failure,
    greeting,
    said,
)

PIECE = 1 << 21
"""Bytes that are sent at once."""
JOINED = 1 << 16
"""Bytes of an array up to which it is sent in one message with the greeting."""


class Telling(Meeting):
    """Arrays of some ranks are told to others; subclasses say whose."""

    def __init__(
        self, group: Group, step: int, key: str, done: Done, array: Array | None
    ) -> None:
        super().__init__(group, step, key, done)
        self.array = array
        self._left = 0
        self._pieces: dict[int, int] = {}

    def exchange(self, to: Sequence[int], of: Sequence[int]) -> None:
        """Tell the own array to ranks, and hear those of ranks."""
        self._left = len(to) + len(of)
        self.watch(self.group.others)
        if self.array is not None and to:
            self._tell_array(to, self.array)
        for rank in of:
            self.hear(rank, GREETING, partial(self._take, rank))

    def _tell_array(self, to: Sequence[int], array: Array) -> None:
        head = greeting(
            does=self.title, dtype=of_numpy(array.dtype).name, shape=array.shape
        )
        data = array.reshape(-1).view(np.uint8)
        joined = data.nbytes <= JOINED
        self.greet(to, head + data.tobytes() if joined else head)
        for rank in to:
            if joined:
                self.there()
            else:
                work = partial(self.guarded, self._stream, rank, data)
                self.group.carrier.later(work)

    def _stream(self, rank: int, data: Array) -> None:
        """Send the bytes of an array."""
        for i, begin in enumerate(range(0, len(data), PIECE)):
            if self.is_over:
                return
            self.send(rank, (1, i), data[begin : begin + PIECE])
        self.there()

    def _take(self, rank: int, came: Array) -> None:
        """Take a greeting, and ask for what comes after."""
        head = said(came)
        if "error" in head:
            raise failure(self.what, self.name(rank), head)
        if head.get("does") != self.title:
            raise InvalidArgumentError(
                f"{self.what}: {self.name(rank)} does something else: {head}"
            )
        self.check(rank, head)
        array = np.empty(head["shape"], as_dtype(head["dtype"]).numpy)
        data = array.reshape(-1).view(np.uint8)
        if len(data) > JOINED:
            self._ask_for(rank, array, data)
            return
        if len(came) < len(data):
            raise ProtocolError(
                f"{self.what}: {self.name(rank)} sent less than it said"
            )
        data[...] = came[len(came) - len(data) :]
        self.got(rank, array)
        self.there()

    def _ask_for(self, rank: int, array: Array, data: Array) -> None:
        places = range(0, len(data), PIECE)
        self._pieces[rank] = len(places)
        for i, begin in enumerate(places):
            target = data[begin : begin + PIECE]
            self.hear(rank, (1, i), partial(self._piece, rank, target, array))

    def _piece(self, rank: int, target: Array, array: Array, came: Array) -> None:
        if came.dtype != target.dtype or came.shape != target.shape:
            raise ProtocolError(
                f"{self.what}: {self.name(rank)} sent {came.shape} bytes for {target.shape}"
            )
        target[...] = came
        with self._lock:
            self._pieces[rank] -= 1
            whole = not self._pieces[rank]
        if whole:
            self.got(rank, array)
            self.there()

    def there(self) -> None:
        """Count an array as told or heard; after the last this is done."""
        with self._lock:
            self._left -= 1
            left = self._left
        if not left:
            self.finish(self.outcome())

    def check(self, rank: int, head: dict[str, Any]) -> None:
        """Raise the error of an announcement that does not fit."""

    @abstractmethod
    def got(self, rank: int, array: Array) -> None:
        """Take an array that is whole."""

    @abstractmethod
    def outcome(self) -> Any:
        """Return what this rank gets."""


class Gather(Telling):
    """All tell all; the outcome is the arrays of all ranks, in order."""

    title = "all-gather"

    def start(self) -> None:
        """Tell the own array, and hear the others."""
        self._found = [self.array] * self.group.size
        self.exchange(self.group.others, self.group.others)

    def check(self, rank: int, head: dict[str, Any]) -> None:
        """Refuse another dtype, or rows of another shape."""
        own = self.array
        assert own is not None
        dtype, rows = of_numpy(own.dtype).name, list(own.shape[1:])
        shape = head["shape"]
        alike = head["dtype"] == dtype and len(shape) == own.ndim
        if alike and shape[1:] == rows:
            return
        raise InvalidArgumentError(
            f"{self.what}: {self.name(self.group.rank)} has {dtype} of shape {own.shape}, "
            f"{self.name(rank)} has {head['dtype']} of shape {tuple(shape)}; all but the "
            "number of rows must be the same"
        )

    def got(self, rank: int, array: Array) -> None:
        """Keep it."""
        self._found[rank] = array

    def outcome(self) -> tuple[Array | None, ...]:
        """Return the arrays of all ranks."""
        return tuple(self._found)


class Broadcast(Telling):
    """One rank tells all."""

    title = "broadcast"

    def __init__(
        self,
        group: Group,
        step: int,
        key: str,
        done: Done,
        array: Array | None,
        root: int,
    ) -> None:
        super().__init__(group, step, key, done, array)
        self.root = root

    def start(self) -> None:
        """Tell, or hear the one that tells."""
        if self.group.rank == self.root:
            self.exchange(self.group.others, [])
        else:
            self.exchange([], [self.root])

    def got(self, rank: int, array: Array) -> None:
        """Keep it."""
        self.array = array

    def outcome(self) -> Array | None:
        """Return the one array."""
        return self.array


def travelling(array: Array, what: str) -> Array:
    """Return an array of numbers or bools in order; DTypeError for what is told otherwise."""
    try:
        known = of_numpy(array.dtype)
    except TensorliteError as error:
        raise DTypeError(f"{what}: {error}") from None
    if known.kind not in "biufc":
        raise DTypeError(f"{what} is for numbers and bools, not for {known.name}")
    return array if array.flags.c_contiguous else array.copy()
