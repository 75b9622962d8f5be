"""Standing exchanges: ranks of one host that often meet put small values up for each other.

Each writes its value on its own board (transport/boards.py) and looks at the others' for a moment;
so no message is sent when all come at about the same time. Who does not see all others in that time
says so on its board, and goes on by messages: exchanges.py. Whoever puts a value up looks after
that who has said so, and looks at boards after that; as both write before they look, one of any two
knows of the other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from mmap import mmap
from threading import Lock
from time import monotonic
from typing import NamedTuple

import numpy as np

from tensorlite.core.xp import Array
from tensorlite.distributed.collectives.meetings import Group
from tensorlite.distributed.transport.boards import ALIGNED, Board

MOST = 1e-4
"""Seconds for which the others are looked for at the most."""
LEAST = 5e-6
"""The same at the least: who waits in vain looks half as long next time."""
LEFT = 2
"""The word that tells the step in which a rank goes on by messages; those before tell the steps
whose values are there."""
OVER = 3
"""The first of the words that tell the last two steps in which a rank needs no value any more."""
WORDS = 5
NOWHERE = -1
"""Of a rank that puts nothing up."""


class _Place(NamedTuple):
    """Where a rank puts up its values: a word for each of the above, and room for two."""

    words: memoryview
    values: Sequence[Array]


def _size(like: Array) -> int:
    """Return how many bytes a value takes there."""
    return -(-int(like.nbytes) // ALIGNED) * ALIGNED


def _room(like: Array) -> int:
    """Return how many bytes a place takes."""
    return ALIGNED + 2 * _size(like)


def _place(memory: mmap, begin: int, like: Array) -> _Place:
    """Return a place in a board."""
    shape, dtype, first = like.shape, like.dtype, begin + ALIGNED
    values = [
        np.ndarray(shape, dtype, memory, at) for at in (first, first + _size(like))
    ]
    return _Place(memoryview(memory)[begin : begin + 8 * WORDS].cast("q"), values)


class Standing:
    """What a rank has of an exchange that takes place again and again with the same meaning."""

    def __init__(self, board: Board, begin: int, like: Array) -> None:
        self.begin = begin
        """Where on its board this rank puts up its values."""
        self._own = _place(board.memory, begin, like)
        self._like = self._own.values[0]
        self._others: dict[int, _Place] = {}
        self._boards: dict[int, mmap] = {}
        self._turn = 0
        self._ended = 0
        self._patience = MOST
        self._busy = Lock()
        """Held while a value is up that is needed."""
        self._fence = Lock()
        """To take it is to have all written before that is read behind it."""

    def told(self, group: Group, rank: int, begin: int) -> None:
        """Note where another rank puts up its values."""
        board = group.carrier.board_of(group.tasks[rank])
        if board is not None and 0 <= begin <= len(board) - _room(self._like):
            self._others[rank] = _place(board, begin, self._like)
            self._boards[rank] = board
        else:
            self._boards.pop(rank, None)

    def post(self, group: Group, step: int, value: Array) -> bool:
        """Put a value up, unless that of another step is, or somebody would not see it."""
        if not self._busy.acquire(blocking=False):
            return False
        own, turn = self._own, self._turn
        if not self._is_free(group, own.words[turn]):
            self._busy.release()
            return False
        own.values[turn][...] = value
        own.words[turn] = step
        return True

    def _is_free(self, group: Group, old: int) -> bool:
        """Return whether all others look here, and need the value of an old step no more."""
        carrier, tasks = group.carrier, group.tasks
        for rank in group.others:
            board = self._boards.get(rank)
            if board is None or carrier.board_of(tasks[rank]) is not board:
                return False
            words = self._others[rank].words
            if old and old != words[OVER] and old != words[OVER + 1]:
                return False
        return True

    def missing(self, step: int) -> list[int]:
        """Return the ranks that have not come within a moment, and will get a message."""
        end = monotonic() + self._patience
        found = self._absent(step)
        while found and monotonic() < end:
            os.sched_yield()
            found = self._absent(step)
        if not found:
            self._patience = min(MOST, 2 * self._patience)
            return found
        self._patience = max(LEAST, self._patience / 2)
        self._own.words[LEFT] = step
        return self._absent(step)

    def _absent(self, step: int) -> list[int]:
        with self._fence:
            return [
                rank
                for rank, (words, _) in self._others.items()
                if words[0] != step and words[1] != step
            ]

    def awaiting(self, step: int) -> list[int]:
        """Return the ranks that wait for a message."""
        return [
            rank for rank, (words, _) in self._others.items() if words[LEFT] == step
        ]

    def value(self, rank: int, step: int) -> Array:
        """Return what a rank has put up."""
        words, values = self._others[rank]
        return values[0] if words[0] == step else values[1]

    def end(self, step: int, posted: bool) -> None:
        """Tell that no value of a step is needed here any more, `posted` or not."""
        with self._fence:
            self._own.words[OVER + self._ended] = step
            self._ended = 1 - self._ended
        if posted:
            self._turn = 1 - self._turn
            self._busy.release()


def standing(
    group: Group, meaning: tuple[str, bytes], like: Array
) -> Standing | None:
    """Return what this rank has of an exchange; None when there is no place for it."""
    board = group.carrier.board
    if board is None:
        return None
    known = group.tasks, meaning
    found: Standing | None = board.uses.get(known)
    if found is None:
        begin = board.reserve(_room(like))
        if begin is not None:
            found = board.uses[known] = Standing(board, begin, like)
    return found
