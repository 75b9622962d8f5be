"""Links: messages between this task and one other, over a wire. Who is linked is plane.py's.

Any thread sends, by outlets.py; that which receives for the task (reception.py) reads, and writes
what must not wait. The receiver grants what the sender may have on the way: segments, and a window
of bytes that nobody wants yet. When they are used up the sender waits; so memory is bounded on both
sides.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from mmap import mmap
from threading import Condition, Lock
from time import monotonic
from typing import TypeAlias, TypeVar

import numpy as np

from tensorlite.core.errors import ProtocolError, UnavailableError
from tensorlite.core.waiting import ended
from tensorlite.core.xp import Array
from tensorlite.distributed.transport import boards
from tensorlite.distributed.transport.boards import Board
from tensorlite.distributed.transport.buffers import buffer_of
from tensorlite.distributed.transport.decoder import Decoder
from tensorlite.distributed.transport.messages import (
    LENT,
    NEW,
    SEGMENT,
    Kind,
    Limits,
    Message,
    framed,
    notice,
    value_of,
    whole,
)
from tensorlite.distributed.transport.outlets import Item, Outlet
from tensorlite.distributed.transport.parcels import (
    Parcel,
    Traffic,
    message_of,
    size_of,
)
from tensorlite.distributed.transport.reception import Reception
from tensorlite.distributed.transport.segments import (
    SLOTS,
    Loan,
    Mappings,
    Pool,
    Segment,
)
from tensorlite.distributed.transport.wires import CLOSED, Wire

OVERHEAD = 256
"""Bytes that a message counts beside its payload, for what keeps it."""
SMALL = 1 << 16
"""Bytes of a value that is copied to be written at once."""
VIEWS = SLOTS // 2
"""Segments that arrays here may hold at once; what comes beyond is copied."""
MUCH = 1 << 16
"""Bytes taken in at once after which as much more is waited for. A peer that can have only a little
on the way would wait for word that this has come, which a system keeps back for a while."""
LAZY = 4
"""Segments that are given back together, or with what is sent."""

Granted = TypeVar("Granted")


Take: TypeAlias = "Callable[[Link, Message, Array | None], None]"


class Link:
    """Messages between this task and one other.

    `command` is called with each tensor whose step is 0, `arrived` with all others, and `over`
    once, when no more will come; all by the thread that receives. What these call may send, but
    never waits for room.
    """

    def __init__(
        self,
        wire: Wire,
        peer: str,
        incarnations: tuple[int, int],
        number: int,
        limits: Limits,
        traffic: Traffic,
        reception: Reception,
        first: bytes = b"",
        board: Board | None = None,
    ) -> None:
        self.peer = peer
        self.own, self.incarnation = incarnations
        self.number = number
        self.traffic = traffic
        self.error: UnavailableError | None = None
        self._wire = wire
        self._number = wire.socket.fileno()
        self._reception = reception
        self._limits = limits
        self._small = min(limits.inline, limits.payload, SMALL)
        self._decoder = Decoder(limits)
        self._outlet = Outlet(wire, self._wake, self.end)
        if first:
            self._outlet.queue.append(Item([first]))
        if board is not None and wire.carries_descriptors:
            word = notice(Kind.BOARD, self.own)
            self._outlet.queue.append(Item([word], (board.descriptor,)))
        self.board: mmap | None = None
        """The peer's, to be read."""
        self._lock = Lock()
        self._state = Condition(self._lock)
        self._pool = Pool()
        self._on_the_way = 0
        self._deferred: deque[Item] = deque()
        self._mappings = Mappings()
        self._held: set[int] = set()
        self._returned: deque[int] = deque()
        self._came = 0
        """Bytes, as they count for the window; who receives alone changes them."""
        self._taken = 0
        self._owed = 0
        self._command: Take
        self._arrived: Take
        self._over: Callable[[Link], None]

    def start(
        self, command: Take, arrived: Take, over: Callable[[Link], None]
    ) -> None:
        """Begin to receive."""
        self._command = command
        self._arrived = arrived
        self._over = over
        self._reception.begin(self)

    def send(self, step: int, parcels: Sequence[Parcel]) -> None:
        """Send values of a step together; return when they may be changed again.

        Waits while the peer has too much already; but on the thread that receives, which must go
        on, they are copied and sent later. Raises UnavailableError when the peer is gone.
        """
        here = self._reception.is_here()
        last = None
        for ready in [self._ready(step, each) for each in parcels]:
            item = ready if isinstance(ready, Item) else self._item(*ready, here)
            if self._admit(item, here):
                self._outlet.queue.append(item)
                last = item
        if last is not None:
            self._give_back()
            if not self._outlet.write(None if here else last):
                raise self.gone()

    def send_now(self, step: int, parcels: Sequence[Parcel]) -> bool:
        """Send values, if they may go at once; else return False: use `send`. Nothing waits.

        Of small ones copies go; one of them may lie where the peer can read it.
        """
        parts: list[bytes] = []
        lent = None
        size = 0
        for parcel in parcels:
            data = self._whole(step, parcel)
            if data:
                size += size_of(parcel)
            elif lent is None:
                lent = parcel
            else:
                return False
            parts.append(data)
        with self._lock:
            full = self._on_the_way >= self._limits.window or size > self._small
            if full or self._deferred or self.error is not None:
                return False
            if lent is not None:
                data = self._lend(step, lent)
                if not data:
                    return False
                parts[parts.index(b"")] = data
                size += size_of(lent)
            self._on_the_way += size + len(parts) * OVERHEAD
            self.traffic.messages_out += len(parts)
            self.traffic.bytes_out += size
        if self._returned:
            parts.append(self._releases())
        self._outlet.put(parts[0] if len(parts) == 1 else b"".join(parts))
        if self.error is not None:
            raise self.gone()
        return True

    def claimed(self, message: Message) -> None:
        """Note that a message that came has been taken by whom it is for."""
        cost = message.payload + OVERHEAD
        with self._lock:
            self._taken += cost
            self._owed += cost
            if self._owed < self._limits.window // 2:
                return
            owed, self._owed = self._owed, 0
        self._outlet.queue.append(Item([notice(Kind.CREDIT, self.own, owed)]))
        self._outlet.write(None)

    def end(self, reason: str) -> None:
        """Let no more come or go. Who receives tells soon that it is over."""
        with self._state:
            if self.error is None:
                self.error = UnavailableError(
                    f"task {self.peer} (incarnation {self.incarnation:#x}) is not linked any "
                    f"more: {reason}"
                )
                self.error.__notes__ = []
                self._outlet.over = True
                self._wire.shut()
            self._state.notify_all()
        self._wake()

    def _ready(
        self, step: int, parcel: Parcel
    ) -> Item | tuple[Message, Array | None]:
        """Return what is to be written if it is small, else the message and its bytes."""
        data = self._whole(step, parcel)
        if not data:
            return message_of(self.own, step, parcel, self._limits)
        return Item([data], cost=size_of(parcel) + OVERHEAD)

    def _whole(self, step: int, parcel: Parcel) -> bytes:
        """Return the whole message of a small value, b"" for what is none."""
        key, value, dead = parcel
        if dead:
            return whole(self.own, step, key, None, 0)
        return (
            b"" if value is None else whole(self.own, step, key, value, self._small)
        )

    def _lend(self, step: int, parcel: Parcel) -> bytes:
        """Lend a value that the peer can read already; return the message, b"" when it cannot."""
        key, value, _ = parcel
        if type(value) is not np.ndarray or not self._wire.carries_descriptors:
            return b""
        size = value.nbytes
        buffer = buffer_of(value) if value.flags.c_contiguous else None
        if buffer is None or size > self._limits.payload:
            return b""
        loan = self._pool.lend(buffer, value)
        if loan is None:
            return b""
        place = LENT | SEGMENT, loan.slot
        data = b""
        if loan.known:
            data = framed(self.own, step, key, value.dtype, value.shape, size, *place)
        if not data:
            self._pool.back(loan.slot)
        return data

    def _item(self, message: Message, data: Array | None, here: bool) -> Item:
        """Return what is to be written; large data goes into a segment, if there are such."""
        size = message.payload
        cost = size + OVERHEAD
        if data is None or not size:
            return Item([message.encode()], cost=cost)
        if self._wire.carries_descriptors and size > self._limits.inline:
            buffer = buffer_of(data)
            if buffer is not None:
                loan = self._granted(partial(self._pool.lend, buffer, data), not here)
                if loan is not None:
                    return self._in_segment(message, loan, cost, LENT)
            segment = self._granted(partial(self._pool.take, size), not here)
            if segment is not None:
                segment.array[:size] = data
                return self._in_segment(message, segment, cost)
        return Item(
            [message.encode(), data.tobytes() if here else data.data], cost=cost
        )

    def _in_segment(
        self, message: Message, segment: Segment | Loan, cost: int, lent: int = 0
    ) -> Item:
        flags = lent | (SEGMENT if segment.known else SEGMENT | NEW)
        descriptors = () if segment.known else (segment.descriptor,)
        segment.known = True
        _, own, step, key, dtype, shape, size, *_ = message
        assert dtype is not None
        place = flags, segment.slot
        head = framed(own, step, key, dtype.numpy, shape, size, *place)
        if not head:  # strings, or what no message can say
            head = message._replace(flags=flags, segment=segment.slot).encode()
        return Item([head], descriptors, cost)

    def _admit(self, item: Item, here: bool) -> bool:
        """Return whether a message may go, once the peer has room; else it goes later."""

        def room() -> bool | None:
            if self._on_the_way >= self._limits.window:
                return None
            self._goes(item)
            return True

        later = partial(self._deferred.append, item)
        return self._granted(room, not here, later) is not None

    def _goes(self, item: Item) -> None:
        """Count a message that goes to the peer."""
        self._on_the_way += item.cost
        self.traffic.messages_out += 1
        self.traffic.bytes_out += item.cost - OVERHEAD

    def _granted(
        self,
        attempt: Callable[[], Granted | None],
        waits: bool,
        otherwise: Callable[[], object] = lambda: None,
    ) -> Granted | None:
        """Return what `attempt` gives, waiting till the peer lets it give something."""
        flushed = False
        with self._state:
            while self.error is None:
                found = attempt()
                if found is not None:
                    return found
                if not waits:
                    otherwise()
                    return None
                if flushed:
                    self._reception.attend()
                    self._state.wait()
                    continue
                # What the peer is to give back must have been sent.
                flushed = True
                self._state.release()
                try:
                    self._outlet.write(None)
                finally:
                    self._state.acquire()
        raise self.gone()

    def gone(self) -> UnavailableError:
        """Return an error that tells that the peer is gone, and why."""
        assert self.error is not None
        return ended(UnavailableError(*self.error.args))

    def _give_back(self) -> None:
        """Queue word of the segments that are free again."""
        words = self._releases()
        if words:
            self._outlet.queue.append(Item([words]))

    def _releases(self) -> bytes:
        """Return that word, which goes to the peer now."""
        words = b""
        while self._returned:
            try:
                slot = self._returned.popleft()
            except IndexError:  # another thread took the last
                break
            words += notice(Kind.RELEASE, self.own, segment=slot)
        return words

    def _let_go(self, slot: int) -> None:
        """Note that no array is over a segment any more. Runs anywhere, and takes no lock."""
        self._held.discard(slot)
        self._returned.append(slot)
        if len(self._returned) >= LAZY:
            self._wake()

    def _wake(self) -> None:
        self._reception.look(self._number)

    def fileno(self) -> int:
        """Return the descriptor of the wire."""
        return self._number

    def is_stuck(self) -> bool:
        """Return whether something waits until the wire takes more."""
        return self._outlet.stuck

    def attend(self) -> bool:
        """Take in what there is, and write what waits; return whether there can be more."""
        try:
            if self.error is None and not self._take_in():
                self.end(CLOSED)
            if self.error is None:
                if len(self._returned) >= LAZY:
                    self._give_back()
                if self._outlet.queue:
                    self._outlet.write(None)
        except ProtocolError as error:
            self.end(str(error))
        except OSError as error:
            self.end(self._wire.failure("receiving", error))
        except BaseException as error:
            self.end(f"receiving failed: {error!r}")
            raise
        return self.error is None

    def finish(self) -> None:
        """Let go of everything, and tell that it is over."""
        self.end("the connection was closed here")
        self._outlet.close()
        with self._state:
            self._pool.close()
            self._deferred.clear()
        self._over(self)

    def _take_in(self) -> bool:
        """Take in what there is; return False at the end."""
        taken = 0
        while (count := self._wire.read(space := self._decoder.space())) is not None:
            if not count:
                return False
            taken += count
            for message, value in self._decoder.took(count):
                if message.kind is Kind.TENSOR:
                    self._tensor(message, value)
                else:
                    self._notice(message)
            if count < len(space) and self._wire.tells_all:
                break
        self._wire.expect(self._decoder.missing if taken >= MUCH else 0)
        return True

    def _notice(self, message: Message) -> None:
        if message.kind is Kind.RELEASE:
            with self._state:
                self._pool.back(message.segment)
                self._state.notify_all()
        elif message.kind is Kind.CREDIT:
            self._credit(message.step)
        elif message.kind is Kind.BOARD and self.board is None:
            self.board = boards.mapped(self._descriptor("a board"))
        else:
            raise ProtocolError(f"a {message.kind.name} came on a link that is begun")

    def _credit(self, amount: int) -> None:
        with self._state:
            self._on_the_way -= amount
            if self._on_the_way < 0:
                raise ProtocolError("more was taken than was sent")
            while self._deferred and self._on_the_way < self._limits.window:
                item = self._deferred.popleft()
                self._goes(item)
                self._outlet.queue.append(item)
            self._state.notify_all()

    def _tensor(self, message: Message, value: Array | None) -> None:
        if message.flags & SEGMENT:
            value = value_of(message, self._shared(message))
        if self._came - self._taken >= self._limits.window:
            raise ProtocolError("more came than was granted")
        size = message.payload
        self._came += size + OVERHEAD
        traffic = self.traffic
        if message.incarnation != self.incarnation:
            traffic.dropped += 1
            self.claimed(message)
            return
        traffic.heard = monotonic()
        traffic.messages_in += 1
        traffic.bytes_in += size
        if message.step:
            self._arrived(self, message, value)
        else:
            self._command(self, message, value)

    def _descriptor(self, what: str) -> int:
        """Return the descriptor that came with a message."""
        if not self._wire.descriptors:
            raise ProtocolError(f"{what} came without its descriptor")
        return self._wire.descriptors.popleft()

    def _shared(self, message: Message) -> Array:
        """Return the bytes that came in a segment: in place, or copied when many are held."""
        slot, size = message.segment, message.payload
        if message.flags & NEW:
            self._mappings.attach(slot, self._descriptor(f"segment {slot}"))
        if slot in self._held:
            raise ProtocolError(f"segment {slot} was filled again before it was free")
        self._held.add(slot)
        array = self._mappings.array(slot, size, partial(self._let_go, slot))
        array.flags.writeable = not message.flags & LENT
        return array if len(self._held) <= VIEWS else array.copy()
