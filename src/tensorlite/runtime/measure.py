"""measure: how long a kernel takes on a device, and a transfer from one device to another.

Kernels are run on arrays made up from specs; operators with effects never are. What is made of the
numbers, and where they are kept, is passes/cost.py's business.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from math import prod
from queue import SimpleQueue
from statistics import median
from threading import Thread
from time import perf_counter

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import Effect, Op, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, on_device, to_device, xp_for

BUDGET = 0.001
"""Seconds that measuring one kernel aims to take; one that takes longer by itself runs twice."""
MOST = 30
"""How often a kernel is run at most."""
LARGEST = 1 << 28
"""Bytes of inputs, or of outputs, beyond which a kernel is not measured."""
GOLDEN = 0.6180339887498949
HANDED = 40
COPIED = 1 << 26
SIDE = 512


def is_measurable(op: Op, specs: Sequence[TensorSpec]) -> bool:
    """Return whether a kernel may be run on made-up inputs: no effect, and sizes that are known."""
    if op.effect is not Effect.NONE or op.role is not Role.PLAIN or op.regions():
        return False
    if any(spec.size is None or spec.dtype.kind in "SRV" for spec in specs):
        return False
    try:
        inferred = op.infer(*specs)
    except TensorliteError:  # sizes that stand for unknown ones may not fit together
        return False
    outputs = inferred if isinstance(inferred, tuple) else (inferred,)
    return max(_bytes(specs), _bytes(outputs)) <= LARGEST


def _bytes(specs: Iterable[TensorSpec]) -> int:
    return sum([(spec.size or 0) * spec.dtype.itemsize for spec in specs])


def kernel_seconds(
    op: Op, specs: Sequence[TensorSpec], device: DeviceName
) -> float | None:
    """Return the least seconds that a kernel took on inputs of `specs`, or None.

    None says that it cannot be measured: the operator has an effect, a size is unknown, an input
    is no array of numbers, or the kernel refuses the inputs that are made up for it.
    """
    if not is_measurable(op, specs):
        return None
    xp = xp_for(device)
    with on_device(device), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # What a kernel makes of invented numbers is nobody's error.
        with suppress(Exception):
            arrays = [_example(spec) for spec in specs]
            placed = [
                x if i in op.host else xp.asarray(x) for i, x in enumerate(arrays)
            ]
            return least(partial(op.kernel, xp, *placed), _finish(xp))
    return None


def least(run: Callable[[], object], finish: Callable[[], object]) -> float:
    """Return the least seconds of several runs; the first, which warms up, counts if it is long."""
    first = _once(run, finish)
    if first > 10 * BUDGET:
        return min(first, _once(run, finish))
    best, end = math.inf, perf_counter() + BUDGET
    for _ in range(MOST):
        best = min(best, _once(run, finish))
        if perf_counter() > end:
            break
    return best


def _once(run: Callable[[], object], finish: Callable[[], object]) -> float:
    begin = perf_counter()
    run()
    finish()
    return perf_counter() - begin


def _finish(xp: Array) -> Callable[[], object]:
    """Return what waits until a device is done; NumPy is done when it returns."""
    if xp is np:
        return int
    synchronize: Callable[[], object] = xp.cuda.get_current_stream().synchronize
    return synchronize


def _example(spec: TensorSpec) -> Array:
    """Return an array of a spec: what is known of its value, or numbers that most kernels take.

    Floats lie between 0.1 and 0.9, in no order; integers, which may be indices, are zeros.
    """
    assert spec.shape is not None
    shape = tuple(size or 0 for size in spec.shape)
    known = spec.known
    if known is not None and (isinstance(known, int) or None not in known):
        return np.asarray(known, spec.dtype.numpy).reshape(shape)
    if spec.dtype.is_integer:
        return np.zeros(shape, spec.dtype.numpy)
    places = np.arange(prod(shape))
    if spec.dtype.kind == "b":
        return (places % 2 == 0).reshape(shape)
    spread = 0.1 + 0.8 * ((places * GOLDEN) % 1.0)
    return spread.astype(spec.dtype.numpy).reshape(shape)


def rates(device: DeviceName) -> tuple[float, float, float]:
    """Return a device's bytes a second, its flops a second, and the seconds of a small kernel.

    They are those of a copy that no cache holds, of a product of matrices, and of a short sum.
    """
    xp = xp_for(device)
    finish = _finish(xp)
    with on_device(device):
        short = xp.ones(8, np.float32)
        matrix = xp.full((SIDE, SIDE), 0.5, np.float32)
        large, target = (
            xp.ones(COPIED // 4, np.float32),
            xp.empty(COPIED // 4, np.float32),
        )
        copying = least(partial(xp.copyto, target, large), finish)
        product = least(partial(xp.matmul, matrix, matrix), finish)
        call = least(partial(xp.add, short, short), finish)
    return 2 * COPIED / copying, 2.0 * SIDE**3 / product, call


def link(source: DeviceName, target: DeviceName) -> tuple[float, float]:
    """Return the latency (seconds) and the bandwidth (bytes a second) between two devices.

    CPU devices of a process share their memory: a transfer hands a value from one thread to
    another, and its bandwidth is infinite.
    """
    if source.kind in (None, "CPU") and target.kind in (None, "CPU"):
        return _handing_over(), math.inf
    small, large = 4, 1 << 24
    quick, slow = [_transfer(source, target, size) for size in (small, large)]
    return quick, (large - small) / max(slow - quick, 1e-9)


def _transfer(source: DeviceName, target: DeviceName, size: int) -> float:
    array = to_device(np.zeros(size, np.uint8), source)
    end = target if target.kind == "GPU" else source
    with on_device(end):
        return least(partial(to_device, array, target), _finish(xp_for(end)))


def _handing_over() -> float:
    """Return the seconds until a thread that waits has what another one gives it.

    The other one goes on with a kernel meanwhile, as devices do, so that the thread has to be woken
    on another core. The median counts: some are quick, because it had not gone to sleep yet.
    """
    there: SimpleQueue[float] = SimpleQueue()
    times: SimpleQueue[float] = SimpleQueue()
    thread = Thread(target=_note, args=(there, times), daemon=True)
    thread.start()
    matrix = np.full((SIDE // 2, SIDE // 2), 0.5, np.float32)
    for _ in range(HANDED):
        there.put(perf_counter())
        for _ in range(4):
            np.matmul(matrix, matrix)
    there.put(math.inf)
    thread.join()
    return median([times.get() for _ in range(HANDED)])


def _note(there: SimpleQueue[float], times: SimpleQueue[float]) -> None:
    """Put down how long each time that is handed over was on its way, until infinity comes."""
    while (begin := there.get()) < math.inf:
        times.put(perf_counter() - begin)
