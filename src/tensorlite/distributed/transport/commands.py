"""Commands: messages that are handed over at once, and word of links that end.

The tensors of a step, which wait until they are asked for, are arrivals.py's. What concerns one
task is handed over one after the other, though each of its links has a thread of its own: a link's
commands, then that it is lost, then the commands of the next.
"""

from __future__ import annotations

from collections import deque
from threading import Lock, Thread
from typing import NamedTuple, Protocol

from tensorlite.core.errors import UnavailableError
from tensorlite.core.xp import Array
from tensorlite.distributed.transport.arrivals import Source
from tensorlite.distributed.transport.carrier import Lost, Serve
from tensorlite.distributed.transport.messages import Message
from tensorlite.distributed.transport.threads import report


class Channel(Source, Protocol):
    """A link, as far as it matters here."""

    error: UnavailableError | None

    def end(self, reason: str) -> None:
        """Let no more come or go."""


class _Event(NamedTuple):
    """A command, or that a link is lost: then there is no message."""

    source: Channel
    message: Message | None = None
    value: Array | None = None


class _Inbox:
    """What one task says, in order."""

    __slots__ = ("busy", "lock", "source", "waiting")

    def __init__(self, busy: bool) -> None:
        self.lock = Lock()
        self.source: Channel | None = None
        """The link by which commands may come."""
        self.busy = busy
        """Whether a thread hands over, which will look for more; or nobody serves yet."""
        self.waiting: deque[_Event] = deque()

    def let_go(self) -> bool:
        """Hand over no more, unless something waits; return whether that is so."""
        with self.lock:
            self.busy = bool(self.waiting)
        return not self.busy


class Commands:
    """Hands over what comes, from the thread that brings it unless another is at it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inboxes: dict[str, _Inbox] = {}
        self._command: Serve | None = None
        self._lost: Lost

    def serve(self, command: Serve, lost: Lost) -> None:
        """Hand over to these from now on, first what has come until now."""
        with self._lock:
            held = [] if self._command else list(self._inboxes.values())
            self._lost = lost
            self._command = command
        for inbox in held:
            self._drain(inbox)

    def begin(self, source: Channel) -> None:
        """Take what comes by a link; that of the same task before, if any, is lost."""
        with self._lock:
            inbox = self._inboxes.get(source.peer)
            if inbox is None:
                inbox = self._inboxes[source.peer] = _Inbox(
                    busy=self._command is None
                )
        self._change(inbox, source)

    def arrive(self, source: Channel, message: Message, value: Array | None) -> None:
        """Hand over a command, unless its link is known to be lost."""
        inbox = self._inboxes[source.peer]
        with inbox.lock:
            fresh = inbox.source is source
            if fresh and inbox.busy:
                inbox.waiting.append(_Event(source, message, value))
                return
            if fresh:
                inbox.busy = True
        if not fresh:
            source.claimed(message)
            return
        try:
            self._hand(source, message, value)
        finally:
            if inbox.waiting or not inbox.let_go():
                self._drain(inbox)

    def end(self, source: Channel) -> None:
        """Tell that a link is lost, unless that has been told."""
        inbox = self._inboxes[source.peer]
        self._change(inbox, None, source)

    def _change(
        self, inbox: _Inbox, new: Channel | None, old: Channel | None = None
    ) -> None:
        """Put a link in the place of another; None as `old`: of whichever is there."""
        with inbox.lock:
            lost = inbox.source
            if old is not None and lost is not old:
                return
            inbox.source = new
            if lost is None:
                return
            inbox.waiting.append(_Event(lost))
            if inbox.busy:
                return
            inbox.busy = True
        self._drain(inbox)

    def _drain(self, inbox: _Inbox) -> None:
        """Hand over what waits, until there is nothing more."""
        try:
            while True:
                if inbox.let_go():
                    return
                self._hand(*inbox.waiting.popleft())
        except BaseException:  # an interrupt: what waits is not held up by it
            Thread(target=self._drain, args=(inbox,), daemon=True).start()
            raise

    def _hand(
        self, source: Channel, message: Message | None, value: Array | None
    ) -> None:
        try:
            if message is None:
                self._lost(source.peer, str(source.error))
                return
            source.claimed(message)
            assert self._command is not None
            self._command(source.peer, message.key, value)
        except Exception as error:  # noqa: BLE001  whose it is cannot be told: the other task is
            source.end(f"what it sent could not be handled: {error!r}")
            report(error)
