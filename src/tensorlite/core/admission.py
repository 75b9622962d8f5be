"""Whether an operator may run on what it is given: inference is asked, and its answer kept.

Kernels take without a word a good deal that inference refuses: attributes, ranks, sizes. Asking
anew for each call would cost more than most kernels, so what was let pass is remembered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core.op import Op

MOST = 1024
"""How many calls are remembered of one class of operators."""
LONGEST = 64
"""How many elements a tensor may have whose value inference looks at; see EagerTensor.spec."""


def admit(op: Op, inputs: tuple[Any, ...], arrays: list[Any]) -> None:
    """Let inference refuse a call that the kernel might take, unless it let one like it pass."""
    if op.by_dtype:
        key = tuple([x.dtype if type(x) is np.ndarray else _kind(x) for x in arrays])
    else:
        key = _told(op, arrays)
    if key in op.admitted:
        return
    op.infer(*[x.spec for x in inputs])
    if len(op.admitted) >= MOST:
        op.admitted.clear()
    op.admitted.add(key)


def _kind(x: Any) -> object:
    return getattr(x, "dtype", None)


def _told(op: Op, arrays: list[Any]) -> tuple[object, ...]:
    """Return all that inference is told: attributes, dtypes, shapes, and what shapes hold."""
    told: list[object] = [*op.__dict__.values()]
    for x in arrays:
        if type(x) is np.ndarray:
            told += x.dtype, x.shape
        else:
            told += (x.dtype, x.shape) if hasattr(x, "dtype") else (x.spec,)
    for i in op.host:
        if i < len(arrays):
            x = arrays[i]
            if type(x) is np.ndarray and x.size <= LONGEST and not x.dtype.hasobject:
                told.append(x.tobytes())
    return tuple(told)
