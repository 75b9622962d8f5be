"""Meetings: what every collective operation has in common, as one task of its group has it.

Here are the group, the check that all ranks mean the same, and how an error of one ends it on all.
What is sent to whom is in exchanges.py, rings.py and gathers.py; which of them is taken is in
collectives.py. Nothing here waits: all goes on from the thread that brings a message.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from tensorlite.core import errors
from tensorlite.core.errors import (
    AbortedError,
    InvalidArgumentError,
    ProtocolError,
    TensorliteError,
)
from tensorlite.core.waiting import Cancel, Done, ended
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import Carrier
from tensorlite.distributed.transport.messages import BYTES
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.runtime.rendezvous import Tag

GREETING: Tag = (0,)
"""Of the first message to another rank, whatever the algorithm."""
FAILURE: Tag = (-1,)
"""Of the word that a rank has failed."""
UNIT = 64
"""Greetings are filled up to a multiple of this many bytes, so that data behind lies well."""

Then: TypeAlias = Callable[[Array], object]


class Members(NamedTuple):
    """Tasks that work together, in order, and which of them this is."""

    tasks: tuple[str, ...]
    rank: int

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.tasks)


@dataclass(frozen=True)
class Group:
    """The same, with what this task sends and receives by."""

    tasks: tuple[str, ...]
    rank: int
    carrier: Carrier

    @cached_property
    def size(self) -> int:
        """How many there are."""
        return len(self.tasks)

    @cached_property
    def others(self) -> list[int]:
        """The other ranks, from the next one on, so that not all begin with the same."""
        return [(self.rank + i) % self.size for i in range(1, self.size)]


def group_of(tasks: Sequence[str], carrier: Carrier) -> Group:
    """Return the group of these tasks as the carrier's own task has it."""
    names = tuple(tasks)
    if len(set(names)) != len(names):
        raise InvalidArgumentError(
            f"a group has each task once, not {', '.join(names)}"
        )
    if carrier.task not in names:
        raise InvalidArgumentError(
            f"this task, {carrier.task}, is not in the group {', '.join(names)}"
        )
    return Group(names, names.index(carrier.task), carrier)


@lru_cache(maxsize=4096)
def greeting(**meant: Any) -> bytes:
    """Return the bytes that say what a rank means to do, the same on all ranks that agree."""
    data = json.dumps(meant, separators=(",", ":")).encode()
    return data.ljust(-(-len(data) // UNIT) * UNIT)


class Meeting:
    """A collective operation that is under way. Subclasses call `finish` once it is done."""

    title = "collective"

    def __init__(self, group: Group, step: int, key: str, done: Done) -> None:
        self.group = group
        self.step = step
        self.key = key
        self._done = done
        self._lock = Lock()
        self._over = False
        self._greeted: set[int] = set()
        self._cancels: list[Cancel] = []
        self._watches: list[Cancel] = []

    @property
    def is_over(self) -> bool:
        """Whether this has ended, in whatever way."""
        return self._over

    def begin(self) -> Cancel | None:
        """Begin; return what gives this up, or None when it is over already."""
        self.guarded(self.start)
        return None if self._over else self.cancel

    @abstractmethod
    def start(self) -> None:
        """Send what can be sent, and ask for what is to come."""

    def guarded(self, work: Callable[..., object], *args: Any) -> None:
        """Do something that ends this with an error when it raises one."""
        try:
            work(*args)
        except Exception as error:  # noqa: BLE001  `done` is given it
            self.fail(error)

    def greet(
        self, ranks: Sequence[int], word: bytes, *behind: tuple[Tag, Array | bytes]
    ) -> None:
        """Send ranks the first message, and with it what is to come behind."""
        for rank in ranks:
            self._greeted.add(rank)
            self._send_all(rank, ((GREETING, word), *behind))

    def send(self, rank: int, tag: Tag, value: Array) -> None:
        """Send a value to a rank."""
        group = self.group
        group.carrier.send(group.tasks[rank], self.step, (self.key, tag), value)

    def _send_all(
        self, rank: int, parts: Sequence[tuple[Tag, Array | bytes]]
    ) -> None:
        parcels = [Parcel((self.key, tag), value) for tag, value in parts]
        self.group.carrier.send_all(self.group.tasks[rank], self.step, parcels)

    def hear(self, rank: int, tag: Tag, then: Then) -> None:
        """Call `then` with what a rank sends."""
        cancel = self._ask(rank, tag, then)
        if cancel is not None:
            self._cancels.append(cancel)
            if self._over:
                cancel()

    def watch(self, ranks: Sequence[int]) -> None:
        """Fail when one of these ranks does, or is lost."""
        for rank in ranks:
            cancel = self._ask(rank, FAILURE, partial(self.told, rank))
            if cancel is not None:
                self._watches.append(cancel)
        if self._over:
            self._leave(self._watches)

    def _ask(self, rank: int, tag: Tag, then: Then) -> Cancel | None:
        def came(found: Arrival | TensorliteError) -> None:
            if self._over:
                return
            if isinstance(found, TensorliteError):
                self.fail(found)
                return
            try:
                then(found.value)
            except Exception as error:  # noqa: BLE001  `done` is given it
                self.fail(error)

        group = self.group
        return group.carrier.receive(
            group.tasks[rank], self.step, (self.key, tag), came
        )

    def agree(self, rank: int, own: bytes, came: Array) -> None:
        """Raise an error unless what came begins with the own greeting."""
        if came.dtype != BYTES or came[: len(own)].tobytes() != own:
            self.differ(rank, own, came)
            raise ProtocolError(f"{self.name(rank)} sent no greeting for {self.what}")

    def differ(self, rank: int, own: bytes, came: Array) -> None:
        """Raise the error that tells in what another rank differs from this one."""
        theirs, mine = said(came), json.loads(own)
        if "error" in theirs:
            raise failure(self.what, self.name(rank), theirs)
        for part, value in theirs.items():
            here = mine.get(part)
            if here != value:
                raise InvalidArgumentError(
                    f"{self.what}: {self.name(self.group.rank)} has {part} {_shown(here)}, "
                    f"{self.name(rank)} has {_shown(value)}; all ranks must have the same"
                )

    def told(self, rank: int, text: Array) -> None:
        """Fail as another rank has, which tells all but those who do not look for it yet."""
        self.fail(failure(self.what, self.name(rank), said(text)), first=False)

    @property
    def what(self) -> str:
        """What messages call this."""
        return f"{self.title} {self.key!r}"

    def name(self, rank: int) -> str:
        """Return what messages call a rank."""
        return f"rank {rank} ({self.group.tasks[rank]})"

    def finish(self, value: Any) -> None:
        """Give the outcome to whom it is for."""
        if self._end():
            self._leave(self._watches)
            self._done(value)

    def fail(self, error: Exception, first: bool = True) -> None:
        """End this with an error, here and on the other ranks."""
        if not self._end():
            return
        self.give_up()
        if self.group.size > 1:
            self.group.carrier.later(partial(self._tell, _word(error), first))
        self._done(ended(error) if isinstance(error, TensorliteError) else error)

    def cancel(self) -> None:
        """End this without a word."""
        if self._end():
            self.give_up()

    def give_up(self) -> None:
        """Wait for nothing any more."""
        self._leave(self._cancels)
        self._leave(self._watches)

    def _end(self) -> bool:
        """Note that this is over; return whether it was not."""
        with self._lock:
            over, self._over = self._over, True
        return not over

    def _leave(self, cancels: list[Cancel]) -> None:
        while cancels:
            with suppress(IndexError):  # another thread may take the last
                cancels.pop()()

    def _tell(self, word: bytes, first: bool) -> None:
        """Send the other ranks word that this one has failed, `first` of all or not.

        Those who were not greeted may wait for a greeting, and look for no other word: they may
        have taken another algorithm.
        """
        for rank in self.group.others:
            tags = [FAILURE] if first else []
            if rank not in self._greeted:
                tags.append(GREETING)
            with suppress(TensorliteError):  # it is not there to be told
                self._send_all(rank, [(tag, word) for tag in tags])


def refuse(group: Group, step: int, key: str, error: TensorliteError) -> None:
    """Tell the other ranks that this one cannot even begin."""
    _Refusal(group, step, key, lambda _: None).fail(error)


class _Refusal(Meeting):
    """What a rank has to say that cannot even begin."""

    def start(self) -> None:
        """Send nothing, and ask for nothing."""


def _shown(value: Any) -> str:
    """Return what a greeting holds as people know it, such as a shape."""
    return repr(tuple(value) if isinstance(value, list) else value)


def _word(error: Exception) -> bytes:
    """Return an error as bytes."""
    return json.dumps({"error": type(error).__name__, "text": str(error)}).encode()


def said(text: Array) -> dict[str, Any]:
    """Return what a greeting or word of failure says; ProtocolError when it is none."""
    try:
        head, _ = json.JSONDecoder().raw_decode(text.tobytes().decode("latin-1"))
    except ValueError:
        head = None
    if not isinstance(head, dict):
        raise ProtocolError("what should be a greeting between ranks is none")
    return head


def failure(what: str, who: str, word: dict[str, Any]) -> TensorliteError:
    """Return the error that another rank ended with, of the same type if that can be."""
    kind = getattr(errors, str(word["error"]), None)
    if not (isinstance(kind, type) and issubclass(kind, TensorliteError)):
        kind = AbortedError
    text = str(word.get("text"))
    return kind(text if text.startswith(what) else f"{what} ended by {who}: {text}")
