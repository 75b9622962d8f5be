"""Rooms: where the ranks of a group meet that are all in one process. Tasks meet by collectives.py.

The first to come opens a room, the last has the work done for all and lets everybody go. Those of
one step, and of one turn of its loops, meet each other; outside of steps the first calls of all
ranks do, then the second calls, and so on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from tensorlite.core.waiting import Cancel, Done
from tensorlite.core.xp import Array
from tensorlite.distributed.collectives.context import Turn

Work: TypeAlias = Callable[[list[Array]], Sequence[Any]]
"""Given the arrays of all ranks in order, returns what each of them gets."""


class Place(NamedTuple):
    """Where to meet."""

    turn: Turn
    group: tuple[str, ...]
    key: str


class _Guest(NamedTuple):
    array: Array
    done: Done


_Room: TypeAlias = dict[int, _Guest]
_lock = Lock()
_rooms: dict[Place, deque[_Room]] = {}


def come(
    place: Place, rank: int, array: Array, done: Done, work: Work
) -> Cancel | None:
    """Come to a place; return what leaves it again, or None when all are there already."""
    guest = _Guest(array, done)
    with _lock:
        rooms = _rooms.setdefault(place, deque())
        room = next((each for each in rooms if rank not in each), None)
        if room is None:
            room = {}
            rooms.append(room)
        room[rank] = guest
        full = len(room) == len(place.group)
        if full:
            _close(place, room)
    if not full:
        return partial(_leave, place, room, rank, guest)
    _serve(room, work)
    return None


def _leave(place: Place, room: _Room, rank: int, guest: _Guest) -> None:
    with _lock:
        if len(room) == len(place.group) or room.get(rank) is not guest:
            return
        del room[rank]
        if not room:
            _close(place, room)


def _close(place: Place, room: _Room) -> None:
    left = deque([each for each in _rooms[place] if each is not room])
    if left:
        _rooms[place] = left
    else:
        del _rooms[place]


def _serve(room: _Room, work: Work) -> None:
    """Do the work and tell everybody."""
    guests = [room[rank] for rank in sorted(room)]
    try:
        found = work([guest.array for guest in guests])
    except Exception as error:  # noqa: BLE001  each is given it
        found = [error] * len(guests)
    for guest, value in zip(guests, found, strict=True):
        guest.done(value)
