"""faults, check: what of a result is NaN or infinite, told with what it was made of.

Who asks for it: `tl.debugging.check_numerics` (ops/math/numerics.py), for eager operators and, by
`checking`, for the kernels of plans (runtime/numerics.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

import numpy as np

from tensorlite.core.dtypes import of_numpy
from tensorlite.core.errors import NumericsError
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Opaque, Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, is_array, to_host, xp_of

checking: ContextVar[bool] = ContextVar("checking", default=False)
"""Whether the results of all kernels are looked at, in this context."""


def faults(x: Array) -> str:
    """Return what is not finite in an array, in words; nothing if all is."""
    xp = xp_of(x)
    if bool(xp.isfinite(x).all()):
        return ""
    nans = int(xp.isnan(x).sum())
    infinite = int(xp.isinf(x).sum())
    where = [int(axis[0]) for axis in xp.nonzero(~xp.isfinite(x.reshape(-1)))]
    kinds = " and ".join(["Inf"] * bool(infinite) + ["NaN"] * bool(nans))
    return (
        f"holds {nans} NaN and {infinite} infinite of {x.size} elements, first at {where[0]}: "
        f"Tensor had {kinds} values"
    )


def check(op: Op, given: Iterable[Any], made: Iterable[Any], where: str = "") -> None:
    """Raise NumericsError if a result, or what was written to a variable, is not finite."""
    given = tuple(given)
    for y in made:
        _check_one(f"the result of {op.name}", y, given, where)
    if op.effect is Effect.WRITE:
        for handle in given:
            if isinstance(handle, Resource):
                what = f"what {op.name} wrote to {handle!r}"
                _check_one(what, handle.memory, given, where)


def _check_one(what: str, y: Any, given: tuple[Any, ...], where: str) -> None:
    found = faults(y) if _is_measured(y) else ""
    if found:
        listed = "; ".join([_range(x, y) for x in given]) or "none"
        raise NumericsError(f"{what} {found}. Its inputs: {listed}.{where}")


def _is_measured(y: Any) -> bool:
    """Return whether a value has numbers that may be NaN."""
    if not is_array(y):
        return False
    dtype = of_numpy(y.dtype)
    return dtype.is_floating or dtype.is_complex


def _range(x: Any, made: Array) -> str:
    """Return what is known of an input and the range of its values, as text."""
    if isinstance(x, Opaque):
        return repr(x)
    array = np.asarray(to_host(x))
    spec = TensorSpec(array.shape, of_numpy(array.dtype))
    if not spec.dtype.is_numeric or not array.size:
        return str(spec)
    if array is made or np.may_share_memory(array, made):
        return f"{spec}, since written over"
    array = abs(array) if spec.dtype.is_complex else array
    return f"{spec} in [{array.min()}, {array.max()}]"
