"""The data plane of a task: it listens, calls, sends and receives by task, step and key.

Who the other tasks are it is told (`meet`), or learns when one calls that knows the secret. There
is one link between two tasks. When it breaks, all who wait for the other are told at once.
"""

from __future__ import annotations

import secrets
import select
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from mmap import mmap
from threading import Condition, Thread
from time import monotonic

from tensorlite.core.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ProtocolError,
    TensorliteError,
    UnavailableError,
)
from tensorlite.core.waiting import Cancel
from tensorlite.distributed.transport import boards
from tensorlite.distributed.transport.arrivals import Arrivals, Done
from tensorlite.distributed.transport.buffers import Buffers
from tensorlite.distributed.transport.carrier import Lost, Serve
from tensorlite.distributed.transport.commands import Commands
from tensorlite.distributed.transport.endpoints import (
    Address,
    Listeners,
    Tls,
    checked,
    connected,
    shake,
    wrapped,
)
from tensorlite.distributed.transport.handshake import Hello, Verdict, answer, call
from tensorlite.distributed.transport.links import Link
from tensorlite.distributed.transport.messages import Limits
from tensorlite.distributed.transport.parcels import Parcel, Traffic
from tensorlite.distributed.transport.peers import Peer
from tensorlite.distributed.transport.reception import Reception
from tensorlite.distributed.transport.threads import Work, Workers
from tensorlite.distributed.transport.wires import wire_of
from tensorlite.runtime.rendezvous import Key

SHORTEST = 16
"""Bytes of a secret."""
STRANGERS = 32
"""Who may be asked at once who they are; more are turned away."""
LEAST = 1.0
"""Seconds that another machine may be silent at the least."""
AGAIN = 0.05
"""Seconds after which a task is called again that was about to call itself."""


class Plane:
    """What a task sends and receives tensors by.

    A larger incarnation is a later one. `host` is the address of the interface to listen on, None
    for unix sockets alone; `timeout` the seconds that a beginning connection may take; `silence`
    the seconds without a sign of life from another machine after which a link is given up. A
    process that is stopped, or long in a kernel that lets no other thread run, still gives such
    signs; over a unix socket all do that have not ended.
    """

    def __init__(
        self,
        task: str,
        incarnation: int,
        secret: bytes,
        *,
        host: str | None = None,
        port: int = 0,
        unix: bool = True,
        tls: Tls | None = None,
        limits: Limits | None = None,
        timeout: float = 10.0,
        silence: float = 6.0,
    ) -> None:
        _check(secret, silence)
        self.task = task
        self.incarnation = incarnation
        self._arrivals, self._buffers = Arrivals(), Buffers()
        self.room = self._buffers.room() if unix else None
        self.refused: list[str] = []
        """Why the last of those who called were refused."""
        self._secret = secret
        self._tls = None if tls is None else checked(tls)
        self._limits = limits or Limits()
        self._timeout = timeout
        self._silence = silence
        self._commands = Commands()
        self._workers = Workers(f"work-{task}")
        self._peers: dict[str, Peer] = {}
        self._links: set[Link] = set()
        """Those that are not over, though another may have taken their place."""
        self._state, self._closed = Condition(), False
        self._talking: set[socket.socket] = set()
        self._answering: dict[socket.socket, Thread] = {}
        """Who called and has not said who it is, in the order of calling."""
        self._listeners = Listeners(host, port, unix)
        self.address = self._listeners.address
        self.board = boards.made() if unix else None
        self._reception = Reception(f"receive-{task}")
        self._woken, self._waker = socket.socketpair()
        self._thread = Thread(target=self._listen, name=f"plane-{task}", daemon=True)
        self._thread.start()

    def meet(self, task: str, address: Address, incarnation: int) -> None:
        """Learn where a task listens, or that it has been started anew."""
        with self._state:
            peer = self._known(task, incarnation)
            peer.address = Address(*address)
            stale, tell = None, None
            if incarnation > peer.incarnation:
                stale, peer.link = peer.link, None
                self._renew(peer, incarnation)
                tell = self._arrivals.renew(task)
        if tell is not None:
            tell()
        if stale is not None:
            stale.end(f"incarnation {incarnation:#x} of it has begun")
            self._commands.end(stale)

    def connect(self, task: str) -> None:
        """Link this task with another, unless it is; UnavailableError when that cannot be."""
        self._link(self._peer(task))

    def serve(self, command: Serve, lost: Lost) -> None:
        """Hand commands to `command` from now on, and tell `lost` of links that end.

        What came before is handed over first. Both are called by the thread that receives.
        """
        self._commands.serve(command, lost)

    def send(
        self, task: str, step: int, key: Key, value: object, dead: bool = False
    ) -> None:
        """Send a value; return when it may be changed again.

        Waits while the other task has too much of this one's that nobody there has asked for.
        Raises UnavailableError when it is gone, DTypeError for what cannot travel.
        """
        self.send_all(task, step, (Parcel(key, value, dead),))

    def send_all(self, task: str, step: int, parcels: Sequence[Parcel]) -> None:
        """Send values that are ready together, together; else as `send`."""
        peer = self._peers.get(task) or self._peer(task)
        link = peer.link
        if link is None or not link.send_now(step, parcels):
            self._link(peer).send(step, parcels)

    def receive(self, task: str, step: int, key: Key, done: Done) -> Cancel | None:
        """Call `done` with the Arrival that `task` sends, or with the UnavailableError.

        It is called from here, or later from the thread that receives, which it must not hold up.
        Returns what gives the wait up, or None when `done` has been called.
        """
        if task not in self._peers:
            self._peer(task)
        return self._arrivals.receive(task, step, key, done)

    def forget(self, step: int) -> None:
        """Drop all that came in a step, is waited for in it, or comes later: it is over."""
        self._arrivals.forget(step)

    def waiting(self, step: int) -> Iterator[tuple[str, Key]]:
        """Yield the task and key of each value of a step that is waited for."""
        return self._arrivals.waiting(step)

    def board_of(self, task: str) -> mmap | None:
        """Return the board of a task that is linked, if there is one to look into."""
        link = self._peer(task).link
        return None if link is None else link.board

    def traffic(self) -> dict[str, Traffic]:
        """Return what went to and came from each task."""
        with self._state:
            return {task: replace(peer.traffic) for task, peer in self._peers.items()}

    def wait(self, until: Callable[[], bool], timeout: float | None = None) -> bool:
        """Hold up this thread until `until()` is true; return whether it was in time."""
        return self._reception.wait(until, timeout)

    def wake(self) -> None:
        """Let those who wait look again."""
        self._reception.wake()

    def now(self) -> float:
        """Return the seconds since this machine began."""
        return monotonic()

    def later(self, work: Work, device: str = "") -> None:
        """Run `work` soon, on another thread: it may take long."""
        self._workers.do(work)

    def close(self) -> None:
        """End all links and listen no more; who waits is told. No thread is left but workers."""
        with self._state:
            if self._closed:
                return
            self._closed = True
            self._state.notify_all()
        self._waker.send(b"w")
        self._thread.join()
        self._listeners.close()
        with self._state:
            threads = list(self._answering.values())
            for sock in {*self._talking, *self._answering}:
                _shut(sock)
        for thread in threads:
            thread.join()
        for link in list(self._links):
            link.end("the connection was closed here")
        self._reception.close()
        for task in list(self._peers):
            self._arrivals.lose(task, f"the data plane of {self.task} is closed")
        self._arrivals.clear()
        self._buffers.close()
        if self.board is not None:
            self.board.close()
        self._workers.close()
        self.wake()
        self._woken.close()
        self._waker.close()

    def _peer(self, task: str) -> Peer:
        peer = self._peers.get(task)
        if peer is not None:
            return peer
        if task == self.task:
            raise InvalidArgumentError(f"{task} is this task: nothing is sent to it")
        raise NotFoundError(
            f"there is no task {task!r}; known are {', '.join(self._peers) or 'none'}"
        )

    def _known(self, task: str, incarnation: int) -> Peer:
        """Return a task, as it may be new."""
        peer = self._peers.get(task)
        if peer is None:
            peer = self._peers[task] = Peer(task, None, incarnation)
        if incarnation < peer.incarnation:
            raise InvalidArgumentError(
                f"incarnation {incarnation:#x} of {task} is over; it is {peer.incarnation:#x}"
            )
        return peer

    def _renew(self, peer: Peer, incarnation: int) -> None:
        if incarnation > peer.incarnation:
            peer.incarnation = incarnation
            peer.lost = 0

    # Calling.

    def _link(self, peer: Peer) -> Link:
        """Return the link to a task, which is called if there is none."""
        link = peer.link
        if link is not None and link.error is None:
            return link
        until = monotonic() + self._timeout
        with peer.turn:
            while True:
                with self._state:
                    if self._closed:
                        raise FailedPreconditionError(
                            f"the data plane of {self.task} is closed"
                        )
                    if peer.link is not None and peer.link.error is None:
                        return peer.link
                    peer.calling = True
                try:
                    verdict = self._call(peer)
                finally:
                    peer.calling = False
                self._await(peer, until, verdict)

    def _call(self, peer: Peer) -> Verdict:
        """Call a task; return whether it is linked, which may have to wait for its own call."""
        if peer.address is None:
            raise UnavailableError(
                f"task {peer.task} cannot be called, for it is not known where it listens"
            )
        try:
            sock = connected(peer.address, self._tls, self._silence, self._timeout)
            with self._talk(sock):
                return self._introduce(sock, peer)
        except (ConnectionResetError, BrokenPipeError) as error:
            return Verdict(0, str(error))  # it may have had too many callers
        except OSError as error:
            reason = f"task {peer.task} cannot be reached at {peer.address}: {error}"
            self._arrivals.lose(peer.task, reason)
            raise UnavailableError(reason) from error

    def _introduce(self, sock: socket.socket, peer: Peer) -> Verdict:
        shake(sock, self._timeout)
        me = Hello(self.task, self.incarnation, peer.lost)
        other, verdict = call(sock, me, peer.task, self._secret, self._timeout)
        if other.incarnation != peer.incarnation:
            raise ProtocolError(
                f"it is incarnation {other.incarnation:#x} now, not {peer.incarnation:#x}"
            )
        if verdict.number:
            self._join(sock, other, verdict.number)
        else:
            sock.close()
        return verdict

    def _await(self, peer: Peer, until: float, verdict: Verdict) -> None:
        """Wait a little for a link that the other task may be making."""
        with self._state:
            if peer.link is None and not self._closed and not verdict.final:
                self._state.wait(AGAIN)
            if monotonic() < until and not verdict.final:
                return
        reason = f"task {peer.task} would not be linked: {verdict.reason}"
        self._arrivals.lose(peer.task, reason)
        raise UnavailableError(reason)

    # Being called.

    def _listen(self) -> None:
        """Accept connections, and have each asked by a thread of its own."""
        ready = select.poll()
        ready.register(self._woken, select.POLLIN)
        by_number = {each.fileno(): each for each in self._listeners.sockets}
        for number in by_number:
            ready.register(number, select.POLLIN)
        while not self._closed:
            for number, _ in ready.poll():
                if number in by_number:
                    self._accept(by_number[number])

    def _accept(self, listener: socket.socket) -> None:
        try:
            sock = wrapped(
                listener.accept()[0], self._tls, self._silence, called=True
            )
        except BlockingIOError:
            return
        except OSError:  # no descriptors are left, until somebody goes
            with self._state:
                self._state.wait(AGAIN)
            return
        if len(self._answering) >= 2 * STRANGERS:
            sock.close()
            return
        with self._state:
            if len(self._answering) >= STRANGERS:
                _shut(next(iter(self._answering)))  # tasks say at once who they are
            thread = Thread(target=self._answer, args=(sock,), daemon=True)
            self._answering[sock] = thread
        thread.start()

    def _answer(self, sock: socket.socket) -> None:
        """Ask who calls, and link with it if that is to be."""
        caller: list[Peer] = []
        try:
            with self._talk(sock):
                shake(sock, self._timeout)
                other, verdict = answer(
                    sock,
                    self._hello,
                    self._secret,
                    self._timeout,
                    lambda hello: self._decide(hello, caller),
                )
                if verdict.number:
                    first = verdict.message().encode()
                    self._join(sock, other, verdict.number, first)
                else:
                    sock.close()
        except (OSError, TensorliteError) as error:
            self.refused[:-9] = []
            self.refused.append(str(error))
        finally:
            with self._state:
                del self._answering[sock]
                for peer in caller:
                    peer.reserved = False

    def _hello(self, task: str) -> Hello:
        peer = self._peers.get(task)
        return Hello(self.task, self.incarnation, 0 if peer is None else peer.lost)

    def _decide(self, hello: Hello, caller: list[Peer]) -> Verdict:
        """Return the number of a new link with the task that calls, or why there is to be none."""
        with self._state:
            if self._closed or hello.task == self.task:
                return Verdict(0, "it is closed, or is this task itself", final=True)
            try:
                peer = self._known(hello.task, hello.incarnation)
            except InvalidArgumentError as error:
                return Verdict(0, str(error), final=True)
            later = hello.incarnation > peer.incarnation
            if not later and peer.link is not None and peer.link.number != hello.lost:
                return Verdict(0, "linked already")
            if peer.reserved:
                return Verdict(0, "being linked already")
            if peer.calling and self.task < hello.task:
                return Verdict(0, "being called already")
            peer.reserved = True
            caller.append(peer)
        return Verdict(secrets.randbits(62) + 1)

    @contextmanager
    def _talk(self, sock: socket.socket) -> Iterator[None]:
        """Have a socket shut when this plane is closed; close it when what is done fails."""
        with self._state:
            if self._closed:
                sock.close()
                raise FailedPreconditionError(
                    f"the data plane of {self.task} is closed"
                )
            self._talking.add(sock)
        try:
            yield
        except BaseException:
            sock.close()
            raise
        finally:
            with self._state:
                self._talking.discard(sock)

    # Links.

    def _join(
        self, sock: socket.socket, other: Hello, number: int, first: bytes = b""
    ) -> None:
        """Begin a link, in place of one that may be there; `first` is said on it first."""
        with self._state:
            if self._closed:
                raise ConnectionAbortedError(
                    f"the data plane of {self.task} is closed"
                )
            peer = self._known(other.task, other.incarnation)
            self._renew(peer, other.incarnation)
            old = peer.link
            link = Link(
                wire_of(sock),
                peer.task,
                (self.incarnation, other.incarnation),
                number,
                self._limits,
                peer.traffic,
                self._reception,
                first,
                self.board,
            )
            peer.link = link
            self._links.add(link)
            tell = self._arrivals.begin(link)
        tell()
        if old is not None:
            old.end("another link has taken its place")
        self._commands.begin(link)
        link.start(self._commands.arrive, self._arrivals.arrive, self._over)
        with self._state:
            self._state.notify_all()

    def _over(self, link: Link) -> None:
        """Tell all who wait for a task that its link is over."""
        with self._state:
            self._links.discard(link)
            peer = self._peers[link.peer]
            if peer.link is link:
                peer.link = None
                peer.lost = link.number
        self._arrivals.end(link, str(link.error))
        self._commands.end(link)


def _shut(sock: socket.socket) -> None:
    """Wake whoever waits for a socket."""
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _check(secret: bytes, silence: float) -> None:
    """Raise InvalidArgumentError for a secret that is short, or too little silence."""
    if len(secret) < SHORTEST:
        raise InvalidArgumentError(
            f"a secret of {len(secret)} bytes can be guessed: take {SHORTEST} or more, such "
            "as secrets.token_bytes(32)"
        )
    if silence < LEAST:
        raise InvalidArgumentError(
            f"silence={silence}: a link cannot be given up that soon; allowed are {LEAST} "
            "seconds and more"
        )
