"""Rings: all-reduce of large arrays, of which each rank reduces a part and then tells the others.

Parts are cut into pieces, small enough to stay in a cache between being received and being sent,
and many enough that all links and cores are busy at once. `Ring` passes pieces to the next rank
alone; in `Direct` all pieces of a part go straight to whose part it is, which merges them in the
order of ranks. Small arrays are exchanges.py's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial

import numpy as np

from tensorlite.core.errors import ProtocolError
from tensorlite.core.xp import Array
from tensorlite.distributed.collectives.exchanges import Reduction
from tensorlite.distributed.collectives.folds import Ranked
from tensorlite.distributed.collectives.meetings import GREETING
from tensorlite.runtime.rendezvous import Tag

PIECE = 1 << 21
"""Bytes of the largest piece: what a core's cache holds. A core reads what lies in the cache of
another far more slowly than it reads memory, so that smaller ones gain nothing."""
LEAST = 1 << 17
"""Bytes of the smallest, but for the last of a part: less is dearer to send than to add."""
PIECES = 4
"""In how many pieces parts are cut between these bounds, so that links have all to do at once."""
AHEAD = 2
"""Pieces of its own that a rank has on the way to each other one: for these and their answers there
are segments, so that none is copied once more, and yet nobody is without work."""


class Reaching(Reduction):
    """What both have in common: flat arrays, their parts, and pieces to be sent in time."""

    def lay_out(self) -> None:
        """Cut the arrays."""
        self.source = self.array.reshape(-1)
        self.result = self.out.reshape(-1)
        count = self.piece(self.source.nbytes // self.group.size)
        self.pieces = [
            [slice(i, min(i + count, end)) for i in range(begin, end, count)]
            for begin, end in bounds(self.source.size, self.group.size)
        ]
        self._first: dict[int, deque[tuple[Tag, slice]]] = {}

    def piece(self, part: int, most: int | None = None) -> int:
        """Return how many elements a piece has, given the bytes of a part."""
        nbytes = min(most or PIECE, max(LEAST, part // PIECES))
        return max(1, nbytes // int(self.source.itemsize))

    def expect(self, count: int) -> None:
        """Note how many things are to be there before this is done: greetings, whole pieces."""
        self._left = count

    def offer(self, rank: int, part: int) -> None:
        """Begin to send the own pieces of a part to a rank."""
        pieces = enumerate(self.pieces[part])
        self._first[rank] = deque([((1, 0, i), where) for i, where in pieces])
        for _ in range(AHEAD):
            self.send_next(rank)

    def send_next(self, rank: int) -> None:
        """Send one more of the own pieces, if any are left."""
        try:
            tag, where = self._first[rank].popleft()
        except IndexError:
            return
        self.send(rank, tag, self.source[where])

    def fitting(self, rank: int, came: Array, where: slice) -> None:
        """Raise ProtocolError for a piece that is not what it must be."""
        if came.dtype != self.source.dtype or came.shape != (
            where.stop - where.start,
        ):
            raise ProtocolError(
                f"{self.what}: {self.name(rank)} sent {came.dtype} of shape {came.shape} for "
                f"elements {where.start} to {where.stop}"
            )

    def there(self) -> None:
        """Count one of them; after the last this is done."""
        with self._lock:
            self._left -= 1
            left = self._left
        if not left:
            self.finish(self.outcome())

    def outcome(self) -> Array:
        """Return what this rank gets."""
        return self.out


def bounds(count: int, parts: int) -> Iterator[tuple[int, int]]:
    """Yield where each part begins and ends, all as long as each other to within one."""
    for i in range(parts):
        yield count * i // parts, count * (i + 1) // parts


class Ring(Reaching):
    """Reduce-scatter and all-gather around a ring.

    In turn `t` of the first `size - 1` a rank hears what those before it have of part
    `rank - t - 1`, merges its own and passes it on; then the parts that are whole go round.
    """

    def start(self) -> None:
        """Greet the next rank and send it the first pieces; hear the one before."""
        self.lay_out()
        others = self.group.others
        self._next, self._before = others[0], others[-1]
        turns = range(2 * self.group.size - 2)
        self.expect(1 + sum(len(self.pieces[self._part(turn)]) for turn in turns))
        self.greet([self._next], self.greeting)
        self.watch(others)
        self.offer(self._next, self.group.rank)
        self.hear(self._before, GREETING, self._greets)

    def _part(self, turn: int) -> int:
        """Return the part of which pieces come in a turn."""
        return (self.group.rank - turn - 1) % self.group.size

    def _greets(self, came: Array) -> None:
        self.agree(self._before, self.greeting, came)
        for turn in range(2 * self.group.size - 2):
            for i, where in enumerate(self.pieces[self._part(turn)]):
                self.hear(
                    self._before, (1, turn, i), partial(self._take, turn, i, where)
                )
        self.there()

    def _take(self, turn: int, number: int, where: slice, came: Array) -> None:
        self.fitting(self._before, came, where)
        target = self.result[where]
        last = self.group.size - 2
        if turn <= last:
            self.fold.merge(came, self.source[where], out=target)
            if turn == last:
                self.fold.ended(target)
        else:
            target[...] = came
        if turn < 2 * last + 1:
            self.send(self._next, (1, turn + 1, number), target)
        else:  # it has been everywhere, and makes room for another
            self.send_next(self._next)
        self.there()


class Direct(Reaching):
    """Every rank sends each part to whose it is, and hears from there what it has become."""

    def start(self) -> None:
        """Greet all and send them the first pieces; hear all."""
        self.lay_out()
        others = self.group.others
        self.expect(len(others) + self.awaited())
        self.greet(others, self.greeting)
        self.watch(others)
        self.send_pieces()
        for other in others:
            self.hear(other, GREETING, partial(self._greets, other))

    def send_pieces(self) -> None:
        """Send all others the first pieces of theirs, and make room for the own ones."""
        rank = self.group.rank
        self._ranked = [
            Ranked(self.fold, rank, self.own(where), self.result[where])
            for where in self.pieces[rank]
        ]
        for other in self.group.others:
            self.offer(other, other)

    def awaited(self) -> int:
        """Return how many pieces this rank will have."""
        return sum(map(len, self.pieces))

    def own(self, where: slice) -> Array:
        """Return an own piece, safe from those that are merged before it."""
        piece = self.source[where]
        aliased = np.may_share_memory(piece, self.result)
        return piece.copy() if aliased and self.group.rank > 1 else piece

    def _greets(self, rank: int, came: Array) -> None:
        self.agree(rank, self.greeting, came)
        self.ask(rank)
        self.there()

    def ask(self, rank: int) -> None:
        """Ask a rank for its pieces of the own part, and for what becomes of the others."""
        for i, where in enumerate(self.pieces[self.group.rank]):
            self.hear(rank, (1, 0, i), partial(self.merge, rank, i, where))
        self.hear_whole(rank)

    def hear_whole(self, rank: int) -> None:
        """Ask a rank for its part, once that is whole."""
        for i, where in enumerate(self.pieces[rank]):
            self.hear(rank, (1, 1, i), partial(self._take, rank, where))

    def merge(self, rank: int, number: int, where: slice, came: Array) -> None:
        """Take a piece of the own part."""
        self.fitting(rank, came, where)
        if self._ranked[number].put(rank, came) is not None:
            self.whole(number, where)
            self.there()

    def whole(self, number: int, where: slice) -> None:
        """Tell all of a piece that is whole."""
        for other in self.group.others:
            self.send(other, (1, 1, number), self.result[where])

    def _take(self, rank: int, where: slice, came: Array) -> None:
        self.fitting(rank, came, where)
        self.result[where] = came
        self.send_next(rank)
        self.there()


class Scatter(Direct):
    """The first half of that: each rank has its own part, and is told of no other."""

    title = "reduce-scatter"

    def awaited(self) -> int:
        """Return how many pieces this rank will have."""
        return len(self.pieces[self.group.rank])

    def merge(self, rank: int, number: int, where: slice, came: Array) -> None:
        """Take a piece of the own part; there are as many as go the other way."""
        self.send_next(rank)
        super().merge(rank, number, where, came)

    def hear_whole(self, rank: int) -> None:
        """Ask for nothing more."""

    def whole(self, number: int, where: slice) -> None:
        """Tell nobody."""

    def outcome(self) -> Array:
        """Return the own part, as rows of the array."""
        rows = len(self.array) // self.group.size
        rank = self.group.rank
        return self.out[rank * rows : (rank + 1) * rows]
