"""Accounts of memory: the bytes of live arrays on each device, and the limit that they must keep.

Nothing is counted, and nothing costs anything, until a limit is set or the numbers are asked for;
`tl.config` does both. From then on every array that a tensor or a step holds is entered once, by
the buffer that owns its memory, so that views count as one with what they look at; it is struck
off when that buffer dies. The memory of GPUs is counted and limited by CuPy's own pool.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from heapq import nlargest
from threading import RLock
from types import FrameType
from typing import Any, NamedTuple, Protocol, TypeAlias
from weakref import ref

import numpy as np

from tensorlite.core import tensor
from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import ResourceExhaustedError
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Opaque
from tensorlite.core.provenance import UNKNOWN, Line, entry, user_line
from tensorlite.core.spec import shape_text
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array, Xp, on_device, xp_for

ndarray = np.ndarray
Buffer: TypeAlias = np.ndarray[Any, Any]
Kernel: TypeAlias = Callable[..., Any]
LISTED = 10
"""How many of the largest tensors an error lists."""


class MemoryInfo(NamedTuple):
    """The bytes that live on a device, the most that did so far, and the limit, None without.

    >>> tl.config.MemoryInfo(live=8, peak=16, limit=None).peak
    16
    """

    live: int
    peak: int
    limit: int | None


class Work(Protocol):
    """A task of a plan, as far as it matters here."""

    @property
    def op(self) -> Op:
        """The operator."""

    @property
    def line(self) -> Line:
        """The user's line."""

    @property
    def device(self) -> DeviceName:
        """Where it runs."""


@dataclass
class Account:
    """What is known of one device's memory."""

    device: DeviceName
    live: int = 0
    peak: int = 0
    limit: int | None = None


class _Entry(ref[Buffer]):
    """A buffer that lives, whose account it is on, and what made it."""

    __slots__ = ("account", "bytes", "dtype", "key", "line", "maker", "shape")

    account: Account
    bytes: int
    key: int
    line: Line
    maker: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """As the tensor had it for which the buffer was made, unless that was a part of it."""


_accounts: dict[DeviceName, Account] = {}
_entries: dict[int, _Entry] = {}
"""By the identity of the buffer."""
_dead: deque[_Entry] = deque()
"""Entries whose buffers died, to be struck off: buffers die at any time, in any thread."""
_lock = RLock()


def active() -> bool:
    """Return whether arrays are counted, so that steps have to run plans that do."""
    return tensor.watcher is not None


def begin() -> None:
    """Count from now on, beginning with the tensors and variables that live already."""
    with _lock:
        if active():
            return
        _survive_forks()
        tensor.watcher = _watch
        for x in _eager_tensors():
            _enter_tensor(x)


@cache
def _survive_forks() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)


def _after_fork() -> None:
    global _lock  # noqa: PLW0603  another thread of the parent may have held it
    _lock = RLock()


def end() -> None:
    """Count no more, and forget limits."""
    with _lock:
        tensor.watcher = None
        for known in (_accounts, _entries, _dead):
            known.clear()


def account(device: DeviceName) -> Account:
    """Return the account of a CPU device as it is now."""
    with _lock:
        _strike_off()
        found = _accounts.get(device)
        if found is None:
            found = _accounts[device] = Account(device)
        return found


def info(device: DeviceName) -> MemoryInfo:
    """Return the bytes of a device that are in use, were at most, and may be."""
    if device.kind == "GPU":
        pool = _pool(device)
        with on_device(device):
            limit = int(pool.get_limit()) or None
            return MemoryInfo(int(pool.used_bytes()), int(pool.total_bytes()), limit)
    begin()
    found = account(device)
    return MemoryInfo(found.live, found.peak, found.limit)


def reset_peak(device: DeviceName) -> None:
    """Let the most bytes so far be those that live now."""
    if device.kind == "GPU":
        with on_device(device):
            _pool(device).free_all_blocks()
        return
    begin()
    found = account(device)
    found.peak = found.live


def set_limit(device: DeviceName, limit: int | None) -> None:
    """Let no more than `limit` bytes live on a device; None takes the limit away."""
    if device.kind == "GPU":
        with on_device(device):
            _pool(device).set_limit(size=limit or 0)
        return
    if limit is not None:
        begin()
    account(device).limit = limit


def limit(device: DeviceName) -> int | None:
    """Return how many bytes may live on a device; None for any number."""
    if device.kind == "GPU":
        with on_device(device):
            return int(_pool(device).get_limit()) or None
    found = _accounts.get(device)
    return None if found is None else found.limit


def _pool(device: DeviceName) -> Any:
    """Return CuPy's memory pool, whose numbers are those of the device that is current."""
    return xp_for(device).get_default_memory_pool()


def counted(task: Work, kernel: Kernel) -> Kernel:
    """Return a kernel whose results are counted, and what it is given if it was not yet.

    For runtime/instrument.py. What an operator writes to a variable is never refused: it has been
    written.
    """
    op, line, device = task.op, task.line, task.device
    if device.kind == "GPU":
        return kernel
    checked = op.effect is not Effect.WRITE

    def counting(xp: Xp, *arrays: Array) -> Any:
        for x in arrays:
            if type(x) is ndarray:
                _enter(x, device, f"what {op.name} was given", line, checked=False)
        made = kernel(xp, *arrays)
        if isinstance(made, np.generic):
            made = np.asarray(made)
        for y in made if type(made) is tuple else (made,):
            if type(y) is ndarray:
                _enter(y, device, op.name, line, checked=checked)
        return made

    return counting


def _watch(x: EagerTensor) -> None:
    """Enter the array of a new eager tensor."""
    array = x._array  # noqa: SLF001  the same layer
    if type(array) is ndarray and not _is_entered(array):
        op, maker, line = _maker()
        checked = op is None or op.effect is not Effect.WRITE
        _enter(array, x.device, maker, line, checked=checked)


def _maker() -> tuple[Op | None, str, Line]:
    """Return the operator that dispatch is running, what to call it, and the user's line."""
    line = user_line()
    frame: FrameType | None = sys._getframe(3)  # noqa: SLF001  no other way to the caller
    while frame is not None and frame.f_code.co_filename != line.file:
        if frame.f_globals.get("__name__") == _DISPATCH:
            op = frame.f_locals.get("op")
            if isinstance(op, Op):
                return op, op.name, line
        frame = frame.f_back
    called = entry()
    return None, called[0] if called else "the program", line


_DISPATCH = "tensorlite.core.dispatch"


def _owner(array: Buffer) -> Buffer:
    """Return the array whose memory it is."""
    base = array.base
    while isinstance(base, ndarray):
        array, base = base, base.base
    return array


def _is_entered(array: Buffer) -> bool:
    owner = _owner(array)
    known = _entries.get(id(owner))
    return known is not None and known() is owner


def _enter(
    array: Buffer, device: DeviceName, maker: str, line: Line, *, checked: bool
) -> None:
    """Count the buffer of an array, unless that has been done; ResourceExhaustedError if too big.

    Buffers that cannot be written to are shapes and axes, shared by all programs.
    """
    if _is_entered(array) or not active():
        return
    owner = _owner(array)
    if not owner.flags.writeable:
        return
    size = owner.nbytes
    if checked and not _fits(account(device), size):
        gc.collect()  # errors that were caught leave cycles, which hold on to what failed
    with _lock:
        found = account(device)
        if checked and not _fits(found, size):
            raise ResourceExhaustedError(_refusal(found, array, size, maker, line))
        entered = _Entry(owner, _dead.append)
        entered.account, entered.bytes, entered.key = found, size, id(owner)
        entered.maker, entered.line = maker, line
        whole = array if array.nbytes == size else owner
        entered.dtype, entered.shape = whole.dtype, whole.shape
        _entries[id(owner)] = entered
        found.live += size
        found.peak = max(found.peak, found.live)


def _fits(found: Account, size: int) -> bool:
    return found.limit is None or found.live + size <= found.limit


def _strike_off() -> None:
    """Take buffers that died off their accounts."""
    while _dead:
        entered = _dead.popleft()
        entered.account.live -= entered.bytes
        if _entries.get(entered.key) is entered:
            del _entries[entered.key]


def _eager_tensors() -> list[EagerTensor]:
    """Return all eager tensors that live, handles of variables among them."""
    return [x for x in gc.get_objects() if type(x) is EagerTensor]


def _enter_tensor(x: EagerTensor) -> None:
    """Enter a tensor's array, or those of its variable, list or queue, that were there before."""
    for array in _arrays_in(x.array):
        _enter(array, x.device, "made before counting began", UNKNOWN, checked=False)


def _arrays_in(value: object) -> Iterator[Buffer]:
    """Yield the arrays that a value is or holds, however deep in lists and the like."""
    left, seen = [value], set[int]()
    while left:
        value = left.pop()
        if type(value) is ndarray:
            yield value
        elif isinstance(value, _HOLDERS) and id(value) not in seen:
            seen.add(id(value))
            left.extend(gc.get_referents(value))


_HOLDERS = (Opaque, list, tuple, dict, deque, EagerTensor)


def _refusal(found: Account, array: Buffer, size: int, maker: str, line: Line) -> str:
    return (
        f"{found.device}: {size} bytes for {_described(array)} ({maker}, made at {line}) do not "
        f"fit: {found.live} bytes live there and the limit is {found.limit}. "
        f"{largest(found.device)}\nLet go of some of them, work on smaller pieces, or raise the "
        "limit with tl.config.set_memory_limit()"
    )


def largest(device: DeviceName) -> str:
    """Return the largest live tensors of a device as text, with what made them if it is known."""
    rows = nlargest(LISTED, _rows(device), key=lambda row: row[0])
    listed = "".join([f"\n  {size} bytes: {text}" for size, text in rows])
    return f"The largest live tensors:{listed}" if rows else "No tensors live there."


def _rows(device: DeviceName) -> Iterator[tuple[int, str]]:
    if active() and device.kind != "GPU":
        with _lock:
            for known in list(_entries.values()):
                if known() is not None and known.account.device == device:
                    at = "" if known.line is UNKNOWN else f", made at {known.line}"
                    yield known.bytes, f"{_described(known)}, {known.maker}{at}"
        return
    for x in _eager_tensors():
        if x.device == device and not isinstance(x.array, Opaque):
            yield int(x.array.nbytes), _described(x.array)


def _described(array: Array) -> str:
    return f"{of_numpy(array.dtype).name}{shape_text(array.shape)}"


def held_by(values: object) -> int:
    """Return the bytes of the arrays that values are or hold, each counted once.

    >>> held_by([np.zeros(4), [np.zeros((2, 2))]])
    64
    """
    return sum(
        {id(array): int(array.nbytes) for array in _arrays_in(values)}.values()
    )
