"""Exchanges: all-reduce of small arrays, in as few messages one after the other as can be.

`Exchange`: all send to all, one message deep. `Tree`: recursive doubling, as many deep as the
number of ranks has binary digits. Ranks that often meet look at each other's memory instead, which
is standing.py's; large arrays, of which each rank reduces a part, are rings.py's.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.waiting import Done
from tensorlite.core.xp import Array
from tensorlite.distributed.collectives.folds import Fold, Ranked
from tensorlite.distributed.collectives.meetings import GREETING, Group, Meeting
from tensorlite.distributed.collectives.standing import NOWHERE, Standing, standing

JOINED = 1 << 14
"""Bytes of an array up to which it is sent in one message with the greeting, by a copy more."""
DATA = (1,)
PLACE = 8
"""Bytes that say where a rank puts up its values."""


class Reduction(Meeting):
    """An all-reduce that is under way. All ranks give equal `greetings`."""

    title = "all-reduce"

    def __init__(
        self,
        group: Group,
        step: int,
        key: str,
        done: Done,
        fold: Fold,
        greeting: bytes,
        array: Array,
        out: Array,
    ) -> None:
        super().__init__(group, step, key, done)
        self.fold = fold
        self.greeting = greeting
        self.array = array
        self.out = out
        """Where the result goes; it may be the array itself."""


class Exchange(Reduction):
    """All send all they have to all, and each merges in the order of ranks.

    What is small is put up for the others where they can look, once they have met before.
    """

    _joined = False
    _standing: Standing | None = None
    _posted = False

    def start(self) -> None:
        """Send to all, then hear all."""
        group, own = self.group, self.array
        absent = group.others
        if group.size > 2:
            self._ranked = self._ordered()
        if own.nbytes > JOINED:
            self.greet(absent, self.greeting, (DATA, own))
        else:
            self._joined = True
            self._standing = standing(group, (self.key, self.greeting), own)
            if self._standing is not None:
                absent = self._look(self._standing)
            else:
                self._send_joined(absent)
        for rank in group.others:
            if rank in absent:
                self.hear(rank, GREETING, partial(self._greets, rank))
            elif self._standing is not None:
                self._take(rank, self._standing.value(rank, self.step))

    def _look(self, places: Standing) -> list[int]:
        """Put the own value up; return the ranks of which a message is to come."""
        step = self.step
        self._posted = places.post(self.group, step, self.array)
        if not self._posted:
            self._send_joined(self.group.others)
            return self.group.others
        absent = places.missing(step)
        late = {*absent, *places.awaiting(step)}
        if late:
            self._send_joined(sorted(late))
        return absent

    def _send_joined(self, ranks: list[int]) -> None:
        """Send the greeting, the value, and where it will be put up, in one message."""
        begin = NOWHERE if self._standing is None else self._standing.begin
        place = begin.to_bytes(PLACE, "little", signed=True)
        self.greet(ranks, self.greeting + self.array.tobytes() + place)

    def _end(self) -> bool:
        first = super()._end()
        if first and self._standing is not None:
            self._standing.end(self.step, self._posted)
        return first

    def _ordered(self) -> Ranked:
        own, rank = self.array, self.group.rank
        aliased = rank > 1 and np.may_share_memory(own, self.out)
        return Ranked(self.fold, rank, own.copy() if aliased else own, self.out)

    def _greets(self, rank: int, came: Array) -> None:
        self.agree(rank, self.greeting, came)
        if self._joined:
            array, begin = self.array, len(self.greeting)
            if self._standing is not None:
                place = int.from_bytes(came[-PLACE:].tobytes(), "little", signed=True)
                self._standing.told(self.group, rank, place)
            self._take(rank, np.ndarray(array.shape, array.dtype, came, begin))
        else:
            self.hear(rank, DATA, partial(self._take, rank))

    def _take(self, rank: int, value: Array) -> None:
        if self.group.size == 2:
            first, second = (self.array, value) if rank else (value, self.array)
            self.finish(self.fold.ended(self.fold.merge(first, second, out=self.out)))
        elif self._ranked.put(rank, value) is not None:
            self.finish(self.out)


class _Turn(NamedTuple):
    """One turn of recursive doubling, as one rank has it."""

    number: int
    partner: int
    sends: bool
    hears: bool
    """With both, the two are merged; else the one who hears takes what comes, or merges it."""
    merges: bool


def turns(rank: int, size: int) -> list[_Turn]:
    """Return what a rank does.

    Ranks beyond a power of two are joined by the one before them at first, and told at last.
    """
    whole = 1 << (size.bit_length() - 1)
    extra = size - whole
    if rank < 2 * extra and rank % 2:
        return [
            _Turn(0, rank - 1, sends=True, hears=False, merges=False),
            _Turn(-1, rank - 1, sends=False, hears=True, merges=False),
        ]
    found = []
    joined = rank < 2 * extra
    if joined:
        found.append(_Turn(0, rank + 1, sends=False, hears=True, merges=True))
    place = rank // 2 if joined else rank - extra
    for number in range(whole.bit_length() - 1):
        other = place ^ (1 << number)
        partner = 2 * other if other < extra else other + extra
        found.append(_Turn(number + 1, partner, sends=True, hears=True, merges=True))
    if joined:
        found.append(_Turn(-1, rank + 1, sends=True, hears=False, merges=False))
    return found


class Tree(Reduction):
    """Recursive doubling: in each turn two ranks exchange what they have, and both merge it.

    Both merge in the order of ranks, so that they have the same to the last bit.
    """

    def start(self) -> None:
        """Greet the next rank, and begin with the first turn."""
        others = self.group.others
        self._turns = iter(turns(self.group.rank, self.group.size))
        self._value = self.array
        self._left = 2
        self.greet(others[:1], self.greeting)
        self.watch(others)
        self.hear(others[-1], GREETING, self._greets)
        self._go_on()

    def _greets(self, came: Array) -> None:
        self.agree(self.group.others[-1], self.greeting, came)
        self._part()

    def _go_on(self) -> None:
        """Do turns until one has to wait."""
        for turn in self._turns:
            if turn.sends:
                self.send(turn.partner, (1, turn.number), self._value)
            if turn.hears:
                self.hear(turn.partner, (1, turn.number), partial(self._take, turn))
                return
        self._part()

    def _take(self, turn: _Turn, came: Array) -> None:
        self._check(turn.partner, came)
        if not turn.merges:
            self._value = came.copy()
        elif turn.partner < self.group.rank:
            self._value = self.fold.merge(came, self._value)
        else:
            self._value = self.fold.merge(self._value, came)
        self._go_on()

    def _check(self, rank: int, came: Array) -> None:
        """Refuse what does not fit; the greeting that says why may be another rank's."""
        own = self.array
        if came.dtype != own.dtype or came.shape != own.shape:
            raise InvalidArgumentError(
                f"{self.what}: {self.name(self.group.rank)} has {own.dtype} of shape "
                f"{own.shape}, {self.name(rank)} has {came.dtype} of shape {came.shape}; all "
                "ranks must have the same"
            )

    def _part(self) -> None:
        """Count one of two things as done: the greeting, and the turns."""
        with self._lock:
            self._left -= 1
            left = self._left
        if not left:
            self.out[...] = self._value
            self.finish(self.fold.ended(self.out))
