"""Stores: arrays that are kept within a budget of bytes, the others waiting in another place.

Who keeps an array holds a `Kept`, and asks the store for the array again. Under it lies a *cell*,
one for each piece of memory however often it is kept: views of the same memory share it. A cell
whose bytes are in memory stands in one of four queues, in the order in which room is made:

    SPENT_CLEAN  it was asked for since, and has been written: dropped at once
    SPENT_DIRTY  it was asked for since: written, then dropped
    FRESH_DIRTY  not asked for yet, the oldest first: written, then dropped
    FRESH_CLEAN  was brought back because it will be asked for soon

One thread moves bytes both ways. It begins to write some way below the budget, so that who keeps
an array rarely has to wait for room; it brings back only what there is room for. It ends when there
was nothing to do for a while, and starts again when there is. What is asked for and not here is
read by the thread that asks, unless it is on its way already: nobody waits for room to read.

When a `Kept` dies, its cell is only noted down, because that may happen anywhere, also in the
middle of this file's own work; whoever lets go of the lock next takes care of the notes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from tensorlite.core.errors import SwapError
from tensorlite.core.xp import Array
from tensorlite.ops.control.swap_places import Extent, Place

SPENT_CLEAN, SPENT_DIRTY, FRESH_DIRTY, FRESH_CLEAN = range(4)
SLACK = 4
"""Writing begins when all but one SLACKth of the budget is taken."""
LINGER = 0.5
"""Seconds without work after which the thread ends, and a place that holds nothing is closed."""


class Cell:
    """The bytes of one piece of memory: here, in another place, or both."""

    __slots__ = ("data", "extent", "nbytes", "spent", "users", "wanted")

    def __init__(self, data: Array) -> None:
        self.data: Array | None = data
        """The array that owns the memory, while the bytes are there."""
        self.nbytes: int = data.nbytes
        self.extent: Extent | None = None
        self.users = 0
        self.spent = False
        self.wanted = False

    @property
    def queue(self) -> int:
        """In which queue the cell stands while it is in memory."""
        if self.spent:
            return SPENT_CLEAN if self.extent else SPENT_DIRTY
        return FRESH_CLEAN if self.extent else FRESH_DIRTY


class Kept:
    """An array in a store's keeping: a view of the bytes of a cell."""

    __slots__ = ("cell", "dtype", "offset", "shape", "store", "strides")

    def __init__(self, store: Store, cell: Cell, array: Array, offset: int) -> None:
        self.store = store
        self.cell = cell
        self.dtype = array.dtype
        self.shape = array.shape
        self.strides = array.strides
        self.offset = offset

    def over(self, data: Array) -> Array:
        """Return the array, given what owns its memory."""
        bytes_ = flat(data)
        if type(data) is not np.ndarray:
            return bytes_.view(self.dtype).reshape(self.shape)
        return np.ndarray(self.shape, self.dtype, bytes_, self.offset, self.strides)

    def __del__(self) -> None:
        self.store.release(self.cell)


class Store:
    """Arrays in memory up to `budget` bytes, the others in what `make` gives for `folder`."""

    def __init__(self, make: Callable[[str | None], Place]) -> None:
        self.budget = 0
        self.folder: str | None = None
        self._make = make
        self.held = 0
        """How many bytes are in memory."""
        self._alive = 0
        self._place: Place | None = None
        self._known: dict[int, Cell] = {}
        """The cells in memory, by the identity of what owns it."""
        self._wanted: deque[Cell] = deque()
        self._dead: deque[Cell] = deque()
        self._busy: set[Cell] = set()
        """Cells whose bytes a thread moves right now."""
        self._failures: list[str] = []
        self._queues: tuple[OrderedDict[Cell, None], ...] = tuple(
            [OrderedDict() for _ in range(4)]
        )
        self.renew()

    def renew(self) -> None:
        """Forget the thread and the lock, which a forked process does not have."""
        self._lock = threading.Lock()
        self._turn = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Hold the lock, with the notes of what died taken care of before and after."""
        try:
            with self._lock:
                self._bury()
                yield
                self._bury()
        finally:
            self._tidy()

    def _tidy(self) -> None:
        """Take care of notes, unless another thread, which will do it, is at work."""
        while self._dead and self._lock.acquire(blocking=False):
            try:
                self._bury()
            finally:
                self._lock.release()

    # --- what users of the store call ------------------------------------------------------

    def keep(self, owner: Array, view: Array) -> Kept:
        """Return a handle of an array, given what owns its memory too; waits for room.

        Raises SwapError when there is none and the disk does not take what would make some.
        """
        with self._working():
            kept = self._keep(owner, view)
            if self.held > self._low:
                self._make_room()
        return kept

    def take(self, kept: Kept) -> Array:
        """Return a kept array; SwapError when it was written and cannot be read."""
        cell = kept.cell
        with self._working():
            while cell.data is None and cell in self._busy:
                self._turn.wait()
            data = cell.data
            if data is None:
                self._busy.add(cell)
            else:
                self._requeue(cell, spent=True)
        return kept.over(self._read(cell, spent=True) if data is None else data)

    def prefetch(self, kept: Kept) -> None:
        """Bring back an array that will be asked for soon, when there is room."""
        cell = kept.cell
        if cell.data is None and not cell.wanted:
            with self._working():
                cell.wanted = True
                self._wanted.append(cell)
                self._wake()

    def release(self, cell: Cell) -> None:
        """Note that a handle of a cell died."""
        self._dead.append(cell)
        self._tidy()

    def close(self) -> None:
        """Wait until the thread has ended, and close a place that holds nothing."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._turn.notify_all()
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        with self._lock:
            self._bury()
            self._close_place()

    @property
    def is_working(self) -> bool:
        """Whether a thread is there, or anything is kept."""
        return self._thread is not None or self._alive > 0

    @property
    def size(self) -> int:
        """How many bytes are in use outside memory."""
        return 0 if self._place is None else self._place.size

    # --- bookkeeping, under the lock -------------------------------------------------------

    @property
    def _low(self) -> int:
        return self.budget - self.budget // SLACK

    def _keep(self, owner: Array, view: Array) -> Kept:
        cell = self._known.get(id(owner))
        if cell is None:
            cell = self._known[id(owner)] = Cell(owner)
            self._alive += 1
            self.held += cell.nbytes
        cell.users += 1
        self._requeue(cell, spent=cell.extent is not None)
        offset = 0 if view is owner else address(view) - address(owner)
        return Kept(self, cell, view, offset)

    def _requeue(self, cell: Cell, spent: bool) -> None:
        self._queues[cell.queue].pop(cell, None)
        cell.spent = spent
        self._queues[cell.queue][cell] = None

    def _drop(self, cell: Cell) -> None:
        """Free the memory of a cell that is in a queue, or was."""
        if cell.data is not None:
            self._queues[cell.queue].pop(cell, None)
            self.held -= cell.nbytes
            del self._known[id(cell.data)]
            cell.data = None

    def _bury(self) -> None:
        """Take care of the notes: cells whose handles have all died go."""
        while self._dead:
            cell = self._dead.popleft()
            cell.users -= 1
            if not cell.users and cell not in self._busy:
                self._end(cell)
                self._turn.notify_all()

    def _end(self, cell: Cell) -> None:
        self._drop(cell)
        self._alive -= 1
        if cell.extent is not None:
            cell.extent.place.free(cell.extent)
            cell.extent = None
        if not self._alive and self._thread is None:
            self._close_place()

    def _make_room(self) -> None:
        """Let values go, waiting only while the budget itself is passed."""
        failures = len(self._failures)
        self._wake()
        while self.held > self.budget:
            self._shed(self.budget)
            if self.held <= self.budget or not self._may_shrink():
                return
            self._turn.wait()
            self._bury()
            if len(self._failures) > failures:
                raise SwapError(self._failures[-1])
            self._wake()

    def _may_shrink(self) -> bool:
        """Whether bytes are on their way out, or could be."""
        return any(self._queues[:FRESH_CLEAN])

    def _shed(self, most: int) -> None:
        """Drop what is spent and on disk too until `most` bytes are held."""
        clean = self._queues[SPENT_CLEAN]
        while self.held > most and clean:
            self._drop(next(iter(clean)))

    def _retire(self) -> None:
        if self._place is not None:
            self._place.retire()
            self._place = None

    def _close_place(self) -> None:
        if self._place is not None and not self._place.live:
            self._retire()

    # --- the thread ------------------------------------------------------------------------

    def _wake(self) -> None:
        """Let the thread look for work, with one started if there is none."""
        if self._thread is None:
            thread = threading.Thread(
                target=self._work, name="tensorlite-swap", daemon=True
            )
            thread.start()
            self._thread = thread
        else:
            self._turn.notify_all()

    def _work(self) -> None:
        """Move bytes until there was nothing to move for a while, or the disk refused."""
        me = threading.current_thread()
        while True:
            with self._working():
                cell = self._job()
                while cell is None and self._thread is me:
                    rested = not self._turn.wait(LINGER)
                    self._bury()
                    cell = self._job()
                    if rested and cell is None:
                        self._thread = None
                        self._close_place()
                if cell is None or self._thread is not me:
                    return
                self._busy.add(cell)
            try:
                self._write(cell) if cell.extent is None else self._read(cell)
            except Exception as error:  # noqa: BLE001  told by those who wait for it
                if cell.extent is None:
                    self._give_up(error)
                    return
            del cell

    def _job(self) -> Cell | None:
        """Return a cell to read, if one is wanted and there is room, or else one to write."""
        while self._wanted:
            cell = self._wanted[0]
            away = cell.users and cell.data is None and cell not in self._busy
            if away:
                self._shed(max(self.budget - cell.nbytes, 0))
                if self.held + cell.nbytes > self.budget:
                    break
            self._wanted.popleft().wanted = False
            if away:
                return cell
        self._shed(self._low)
        if self.held <= self._low:
            return None
        return self._first(SPENT_DIRTY) or self._first(FRESH_DIRTY)

    def _first(self, queue: int) -> Cell | None:
        cells = self._queues[queue]
        return next((cell for cell in cells if cell not in self._busy), None)

    def _give_up(self, error: Exception) -> None:
        """Tell those that wait for room why there will be none; the next who does tries again."""
        with self._working():
            self._failures.append(str(error))
            self._thread = None
            self._close_place()
            self._turn.notify_all()

    def _write(self, cell: Cell) -> None:
        """Write a cell's bytes, and drop them unless they were asked for meanwhile."""
        data = cell.data
        assert data is not None
        extent: Extent | None = None
        try:
            extent = self._extent(cell.nbytes)
            extent.place.write(extent, flat(data))
        except BaseException:
            with self._working():
                if extent is not None:
                    extent.place.free(extent)
                self._moved(cell)
            raise
        with self._working():
            self._queues[cell.queue].pop(cell, None)
            cell.extent = extent
            self._queues[cell.queue][cell] = None
            if not cell.spent:
                self._drop(cell)
            self._moved(cell)

    def _extent(self, nbytes: int) -> Extent:
        """Return space for some bytes, in a place that is made when it is needed."""
        with self._working():
            if self._place is not None and self._place.folder != self.folder:
                self._retire()
            if self._place is None:
                self._place = self._make(self.folder)
            return self._place.extent(nbytes)

    def _read(self, cell: Cell, spent: bool = False) -> Array:
        """Return a cell's bytes, read from disk; they are in memory from now on."""
        assert cell.extent is not None
        try:
            data = cell.extent.place.read(cell.extent)
        except (
            BaseException
        ):  # an interrupt too: nobody may wait for this cell for ever
            with self._working():
                self._moved(cell)
            raise
        with self._working():
            cell.data = data
            self.held += cell.nbytes
            self._known[id(data)] = cell
            self._requeue(cell, spent)
            self._moved(cell)
            self._shed(self.budget)
        return data

    def _moved(self, cell: Cell) -> None:
        """End a move: those who wait for it go on, and a cell that died meanwhile goes."""
        self._busy.discard(cell)
        if not cell.users:
            self._end(cell)
        self._turn.notify_all()

    # --- processes that fork ---------------------------------------------------------------

    def before_fork(self) -> None:
        """Stand still, and let neither process write where the other may read."""
        self._lock.acquire()
        self._retire()

    def after_fork(self) -> None:
        """Go on in the process that forked."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Go on in the new process, without the thread and what it was about to do."""
        self.renew()
        self._busy.clear()
        for cell in self._wanted:
            cell.wanted = False
        self._wanted.clear()


def owner_of(array: Array) -> Array:
    """Return the array that owns the memory of a view, or the view whose memory is no array's."""
    while type(array.base) is type(array):
        array = array.base
    return array


def address(array: Array) -> int:
    """Return where in memory an array begins."""
    begin: int = array.__array_interface__["data"][0]
    return begin


def flat(owner: Array) -> Array:
    """Return the bytes of an array that owns its memory, in the order in which they lie there."""
    if not owner.flags.c_contiguous:
        axes = sorted(range(owner.ndim), key=lambda i: -owner.strides[i])
        owner = owner.transpose(axes)
    return owner.reshape(-1).view(np.uint8)
