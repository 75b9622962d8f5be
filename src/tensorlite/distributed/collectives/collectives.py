"""Collectives: all-reduce, reduce-scatter, all-gather, broadcast and barrier over a carrier.

Here are the functions, and which algorithm is taken. Each returns at once; `done` is called with
the outcome, or with the error that ended the operation on all ranks, from this call or later from
any thread. All ranks of a group call the same function with the same step and key, once. How it
goes on is in exchanges.py, rings.py and gathers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from math import prod
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import InvalidArgumentError, ShapeError, TensorliteError
from tensorlite.core.waiting import Cancel, Done, ended
from tensorlite.core.xp import Array, device_of, to_device, to_host, xp_of
from tensorlite.distributed.collectives import nccl
from tensorlite.distributed.collectives.exchanges import Exchange, Reduction, Tree
from tensorlite.distributed.collectives.folds import Fold, fold_of
from tensorlite.distributed.collectives.gathers import Broadcast, Gather, travelling
from tensorlite.distributed.collectives.meetings import (
    Group,
    greeting,
    group_of,
    refuse,
)
from tensorlite.distributed.collectives.neighbours import Neighbours
from tensorlite.distributed.collectives.rings import Direct, Ring, Scatter

__all__ = [
    "ALGORITHMS",
    "Group",
    "all_gather",
    "all_reduce",
    "barrier",
    "broadcast",
    "chosen",
    "group_of",
    "reduce_scatter",
]

ALGORITHMS: dict[str, type[Reduction]] = {
    "exchange": Exchange,
    "tree": Tree,
    "ring": Ring,
    "direct": Direct,
    "neighbours": Neighbours,
}
SMALL = {2: 1 << 20, 4: 1 << 17, 8: 1 << 15}
"""Bytes up to which all send all they have to all, by the most ranks for which that holds. So few
ranks send pieces of larger arrays straight to whose they are: that takes two messages one after the
other, and a link to every rank, where a ring takes two for each rank."""
LARGE = 1 << 22
"""Bytes from which it is worth asking whether all are on one host and may read each other."""
SMALL_TREE = 1 << 16
"""Bytes up to which more ranks than those take the tree."""
EMPTY = np.zeros(0, np.int8)

Work: TypeAlias = Callable[[], Cancel | None]


def chosen(size: int, nbytes: int, deterministic: bool = False) -> str:
    """Return the algorithm for so many ranks and bytes.

    >>> chosen(2, 4_000), chosen(2, 100_000_000), chosen(64, 4_000), chosen(64, 100_000_000)
    ('exchange', 'neighbours', 'tree', 'ring')
    """
    for ranks, most in SMALL.items():
        if size <= ranks:
            large = "neighbours" if nbytes >= LARGE else "direct"
            return "exchange" if nbytes <= most else large
    if deterministic:
        return "exchange" if nbytes <= SMALL_TREE // size else "direct"
    return "tree" if nbytes <= SMALL_TREE else "ring"


def all_reduce(
    group: Group,
    step: int,
    key: str,
    array: Array,
    done: Done,
    op: str = "sum",
    algorithm: str = "auto",
    deterministic: bool = False,
    out: Array | None = None,
) -> Cancel | None:
    """Give `done` the sum (or mean, max, min) of the arrays of all ranks, the same on all.

    With `deterministic` the terms are added in the order of ranks, whatever the algorithm. The
    outcome is in `out`, which may be the array itself; it may be changed again once it is there.
    Arrays on GPUs are reduced by NCCL where it is there, unless they have to be in that order.
    Returns what gives this up, or None when `done` has been called.
    """
    try:
        on_gpu = type(array) is not np.ndarray and xp_of(array) is not np
        by_nccl = (
            on_gpu and group.size > 1 and not deterministic and nccl.takes(array)
        )
        if on_gpu and not by_nccl:
            back, there = partial(_brought, device_of(array), done), to_host(array)
            return all_reduce(
                group, step, key, there, back, op, algorithm, deterministic
            )
        what = key, array.dtype, array.shape, op, algorithm, deterministic, by_nccl
        fold, name, meant = _meant(group.tasks, *what)
        if by_nccl:
            return nccl.AllReduce(group, step, key, done, fold, meant, array).begin()
        own = _ordered(array)
        room = _room(own, out, key)
        if group.size > 1:
            kind = ALGORITHMS[name]
            return kind(group, step, key, done, fold, meant, own, room).begin()
        room[...] = own
        done(fold.ended(room))
    except TensorliteError as error:
        _refused(group, step, key, done, error)
    return None


@lru_cache(4096)
def _meant(
    tasks: tuple[str, ...],
    key: str,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    op: str,
    algorithm: str,
    deterministic: bool,
    by_nccl: bool,
) -> tuple[Fold, str, bytes]:
    """Return how an all-reduce merges, its algorithm, and the greeting that says all this."""
    fold = fold_of(op, dtype, len(tasks), f"all-reduce {key!r}")
    nbytes = dtype.itemsize * prod(shape)
    name = _checked(algorithm, deterministic, len(tasks), nbytes)
    word = greeting(
        does="all-reduce",
        op=op,
        dtype=of_numpy(dtype).name,
        shape=shape,
        algorithm="nccl" if by_nccl else name,
        tasks=tasks,
    )
    return fold, name, word


def reduce_scatter(
    group: Group, step: int, key: str, array: Array, done: Done, op: str = "sum"
) -> Cancel | None:
    """Give `done` this rank's share of the rows of the sum, added in the order of ranks."""

    def begin() -> Cancel | None:
        what = f"reduce-scatter {key!r}"
        fold = fold_of(op, array.dtype, group.size, what)
        if not array.ndim or len(array) % group.size:
            raise ShapeError(
                f"{what}: the rows of an array of shape {array.shape} cannot be shared out "
                f"evenly among {group.size} ranks; pad them"
            )
        own = _ordered(array)
        meant = greeting(
            does="reduce-scatter",
            op=op,
            dtype=of_numpy(array.dtype).name,
            shape=array.shape,
            tasks=group.tasks,
        )
        out = np.empty_like(own)
        if group.size == 1:
            out[...] = own
            done(fold.ended(out))
            return None
        return Scatter(group, step, key, done, fold, meant, own, out).begin()

    return _begun(group, step, key, done, begin)


def all_gather(
    group: Group, step: int, key: str, array: Array, done: Done
) -> Cancel | None:
    """Give `done` a tuple of the arrays of all ranks; they may differ in their number of rows."""

    def begin() -> Cancel | None:
        own = travelling(to_host(array), f"all-gather {key!r}")
        if group.size == 1:
            done((own,))
            return None
        return Gather(group, step, key, done, own).begin()

    return _begun(group, step, key, done, begin)


def broadcast(
    group: Group, step: int, key: str, array: Array | None, done: Done, root: int = 0
) -> Cancel | None:
    """Give `done` the array of the rank `root`; the others may have None for it."""

    def begin() -> Cancel | None:
        what = f"broadcast {key!r}"
        if not 0 <= root < group.size:
            raise InvalidArgumentError(
                f"{what}: root={root}; there are {group.size} ranks, from 0 on"
            )
        own = None
        if group.rank == root:
            if array is None:
                raise InvalidArgumentError(
                    f"{what}: rank {root} tells all, and has None"
                )
            own = travelling(to_host(array), what)
        if group.size == 1:
            done(own)
            return None
        return Broadcast(group, step, key, done, own, root).begin()

    return _begun(group, step, key, done, begin)


def barrier(group: Group, step: int, key: str, done: Done) -> Cancel | None:
    """Call `done` with None once all ranks have come here."""

    def come(found: object) -> None:
        done(found if isinstance(found, BaseException) else None)

    return all_reduce(group, step, key, EMPTY, come)


def _begun(
    group: Group, step: int, key: str, done: Done, begin: Work
) -> Cancel | None:
    """Begin; tell the other ranks, too, when this one cannot."""
    try:
        return begin()
    except TensorliteError as error:
        _refused(group, step, key, done, error)
        return None


def _refused(
    group: Group, step: int, key: str, done: Done, error: TensorliteError
) -> None:
    """Tell all that this rank cannot begin."""
    refuse(group, step, key, error)
    done(ended(error))


def _checked(algorithm: str, deterministic: bool, size: int, nbytes: int) -> str:
    """Return the name of the algorithm to take."""
    if algorithm == "auto":
        return chosen(size, nbytes, deterministic)
    if algorithm not in ALGORITHMS:
        raise InvalidArgumentError(
            f"algorithm={algorithm!r}; allowed are auto, {', '.join(ALGORITHMS)}"
        )
    if deterministic and algorithm in ("tree", "ring"):
        raise InvalidArgumentError(
            f"algorithm={algorithm!r} adds in an order of its own; with deterministic=True "
            "take 'auto', 'exchange', 'direct' or 'neighbours'"
        )
    return algorithm


def _brought(device: DeviceName, done: Done, found: Any) -> None:
    """Give `done` an array in the memory of a device, or the error."""
    done(found if isinstance(found, BaseException) else to_device(found, device))


def _ordered(array: Array) -> Array:
    """Return the array in host memory, with its elements one after the other."""
    if type(array) is not np.ndarray:
        array = to_host(array)
    return array if array.flags.c_contiguous else array.copy()


def _room(array: Array, out: Array | None, key: str) -> Array:
    """Return where the outcome goes."""
    if out is None:
        return np.empty_like(array)
    if (
        out.dtype != array.dtype
        or out.shape != array.shape
        or not out.flags.c_contiguous
    ):
        raise InvalidArgumentError(
            f"all-reduce {key!r}: out is {out.dtype} of shape {out.shape}; it must be "
            f"{array.dtype} of shape {array.shape}, with its elements one after the other"
        )
    return out
