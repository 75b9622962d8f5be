"""Neighbours: all-reduce of large arrays between processes of one host that may read each other.

Linux lets a process read another's memory, given the same user and no rule against it. Then each
rank reads its part of what the others have, merges it in the order of ranks, and they read what
came of it: nothing is copied on the way. Whether they may is tried by reading some random bytes,
whose place each has told the others: so it is known to be the right process, too. If any rank may
not, pieces are sent as rings.py does.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import sys
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.errors import ProtocolError, UnavailableError
from tensorlite.core.xp import Array
from tensorlite.distributed.collectives.meetings import GREETING
from tensorlite.distributed.collectives.rings import Direct

PIECE = 1 << 22
"""Bytes of the largest piece that is read at once."""
PLACES = (2,)
VOTE = (3,)
WHOLE = 4
"""Begins the tags of the word that a piece is whole."""
READ = (5,)
"""Of the word that a rank has read all it needs."""
NOTHING = np.zeros(0, np.int8)
_PROOF = np.frombuffer(secrets.token_bytes(16), np.uint8)
"""What others read to see that they read this process."""


class _Range(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


@cache
def _call() -> Callable[..., int] | None:
    """Return the system's function, if it has one."""
    if sys.platform != "linux":
        return None
    found: Any = getattr(ctypes.CDLL(None, use_errno=True), "process_vm_readv", None)
    if found is None:
        return None
    ranges = ctypes.POINTER(_Range)
    number = ctypes.c_ulong
    found.argtypes = [ctypes.c_int, ranges, number, ranges, number, number]
    found.restype = ctypes.c_ssize_t
    read: Callable[..., int] = found
    return read


def read(process: int, address: int, into: Array) -> None:
    """Copy memory of another process into an array; OSError when that cannot be."""
    call = _call()
    if call is None:
        raise OSError("this system has no way to read another process")
    mine = _Range(into.ctypes.data, into.nbytes)
    theirs = _Range(address, into.nbytes)
    count = call(process, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
    if count != into.nbytes:
        number = ctypes.get_errno()
        raise OSError(number, f"reading process {process}: {os.strerror(number)}")


class Places(NamedTuple):
    """Where a rank has what others read."""

    process: int
    proof: list[int]
    proof_at: int
    source: int
    result: int


def _may_read(places: Places) -> bool:
    found = np.empty_like(_PROOF)
    try:
        read(places.process, places.proof_at, found)
    except OSError:
        return False
    return bool(found.tolist() == places.proof)


class Neighbours(Direct):
    """All-reduce by reading; or else as its base does it."""

    def start(self) -> None:
        """Tell all where to read, and hear it from them."""
        self.lay_out()
        others = self.group.others
        self._places: dict[int, Places] = {}
        self._votes: list[bool] = []
        self._due: deque[tuple[int, int]] = deque()
        self._busy = True
        own = Places(
            os.getpid(),
            _PROOF.tolist(),
            _PROOF.ctypes.data,
            self.source.ctypes.data,
            self.result.ctypes.data,
        )
        self.watch(others)
        self.greet(others, self.greeting, (PLACES, json.dumps(own).encode()))
        for other in others:
            self.hear(other, GREETING, partial(self._greeted_by, other))

    def piece(self, part: int, most: int | None = None) -> int:
        """Return how many elements a piece has; the same if it has to be sent after all."""
        return super().piece(part, most or PIECE)

    def _greeted_by(self, rank: int, came: Array) -> None:
        self.agree(rank, self.greeting, came)
        self.hear(rank, PLACES, partial(self._found, rank))

    def _found(self, rank: int, came: Array) -> None:
        """Note where a rank has what is to be read; say whether all can be."""
        try:
            places = Places(*json.loads(came.tobytes()))
        except (ValueError, TypeError):
            raise ProtocolError(
                f"{self.what}: {self.name(rank)} told no places"
            ) from None
        with self._lock:
            self._places[rank] = places
            last = len(self._places) == self.group.size - 1
        if not last:
            return
        vote = all(map(_may_read, self._places.values()))
        for other in self.group.others:
            self.send(other, VOTE, np.array(vote))
            self.hear(other, VOTE, self._voted)
        self._voted(np.array(vote))

    def _voted(self, came: Array) -> None:
        with self._lock:
            self._votes.append(bool(came))
            last = len(self._votes) == self.group.size
        if not last:
            return
        if all(self._votes):
            self._begin_reading()
            return
        self.expect(self.awaited())
        self.send_pieces()
        for other in self.group.others:
            self.ask(other)

    def _begin_reading(self) -> None:
        others = self.group.others
        self.expect(
            1 + len(others) + sum(len(self.pieces[other]) for other in others)
        )
        for other in others:
            self.hear(other, READ, self._thanked)
            for i in range(len(self.pieces[other])):
                self.hear(other, (WHOLE, i), partial(self._whole_there, other, i))
        self._to_read = sum(len(self.pieces[other]) for other in others)
        self.group.carrier.later(partial(self.guarded, self._work))

    def _thanked(self, _: Array) -> None:
        self.there()

    def _whole_there(self, rank: int, number: int, _: Array) -> None:
        """Have a piece read that another rank says is whole."""
        with self._lock:
            self._due.append((rank, number))
            if self._busy:
                return
            self._busy = True
        self.group.carrier.later(partial(self.guarded, self._read_due))

    def _work(self) -> None:
        """Merge the own part, then read the others'."""
        most = max(
            (x.stop - x.start for x in self.pieces[self.group.rank]), default=0
        )
        rooms = [np.empty(most, self.source.dtype) for _ in range(2)]
        for number, where in enumerate(self.pieces[self.group.rank]):
            if self.is_over:
                return
            self._merge_piece(where, rooms)
            for other in self.group.others:
                self.send(other, (WHOLE, number), NOTHING)
        self.there()
        if not self._to_read:
            self._thank()
        self._read_due()

    def _merge_piece(self, where: slice, rooms: list[Array]) -> None:
        """Read what all ranks have of a piece, and merge it in their order."""
        own, target = self.own(where), self.result[where]
        # What is read first can lie where the outcome goes, unless what is merged lies there.
        free = [room[: where.stop - where.start] for room in rooms]
        if not np.may_share_memory(own, target):
            free.append(target)
        total: Any = None
        for rank in range(self.group.size):
            value = own
            if rank != self.group.rank:
                value = free.pop() if len(free) > 1 else free[0]
                self._read(rank, self._places[rank].source, where, value)
            total = (
                value if total is None else self.fold.merge(total, value, out=target)
            )
        self.fold.ended(target)

    def _read_due(self) -> None:
        """Read what is whole elsewhere, until there is no more of it now."""
        while not self.is_over:
            with self._lock:
                if not self._due:
                    self._busy = False
                    return
                rank, number = self._due.popleft()
            where = self.pieces[rank][number]
            self._read(rank, self._places[rank].result, where, self.result[where])
            self._to_read -= 1
            if not self._to_read:
                self._thank()
            self.there()

    def _thank(self) -> None:
        """Tell all that they may do with their arrays what they like."""
        for other in self.group.others:
            self.send(other, READ, NOTHING)

    def _read(self, rank: int, address: int, where: slice, into: Array) -> None:
        begin = address + where.start * self.source.itemsize
        try:
            read(self._places[rank].process, begin, into)
        except OSError as error:
            raise UnavailableError(
                f"{self.what}: {self.name(rank)} cannot be read any more: {error}"
            ) from error
