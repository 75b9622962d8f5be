"""Which frequencies the elements of a spectrum stand for, and their order. Transforms: fft.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError
from tensorlite.core.spec import normalise_axes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import roll
from tensorlite.ops.arrays.create import asarray
from tensorlite.ops.arrays.gather import take
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.math.rounding import floor_divide

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftfreq(
    n: int,
    /,
    *,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: str | DeviceName | None = None,
) -> Tensor:
    """Return the frequencies that the elements of `fft` stand for, at samples `d` apart.

    >>> print(tl.fft.fftfreq(4))
    [ 0.    0.25 -0.5  -0.25]
    """
    numbers = np.fft.fftfreq(whole(n, "fftfreq: n", least=1), d)
    return asarray(numbers, dtype=_float("fftfreq", dtype), device=device)


def rfftfreq(
    n: int,
    /,
    *,
    d: float = 1.0,
    dtype: DTypeLike | None = None,
    device: str | DeviceName | None = None,
) -> Tensor:
    """Return the frequencies that the elements of `rfft` stand for, at samples `d` apart.

    >>> print(tl.fft.rfftfreq(4))
    [0.   0.25 0.5 ]
    """
    numbers = np.fft.rfftfreq(whole(n, "rfftfreq: n", least=1), d)
    return asarray(numbers, dtype=_float("rfftfreq", dtype), device=device)


def _float(what: str, dtype: DTypeLike | None) -> DType:
    found = dtypes.float32 if dtype is None else as_dtype(dtype)
    if not found.is_floating:
        raise DTypeError(
            f"{what}: dtype={found!r}; allowed are floating-point dtypes"
        )
    return found


def fftshift(x: TensorLike, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return `x` with frequency 0 moved to the middle of each axis.

    >>> print(tl.fft.fftshift([0, 1, 2, -2, -1]))
    [-2 -1  0  1  2]
    """
    return _shifted(x, axes, 1)


def ifftshift(x: TensorLike, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Return the inverse of `fftshift`.

    >>> print(tl.fft.ifftshift([-2, -1, 0, 1, 2]))
    [ 0  1  2 -2 -1]
    """
    return _shifted(x, axes, -1)


def _shifted(x: TensorLike, axes: int | Sequence[int] | None, sign: int) -> Tensor:
    tensor = to_tensor(x)
    if axes is None:
        axes = range(tensor.ndim)
    places = (axes,) if isinstance(axes, int) else tuple(axes)
    normalise_axes(places, tensor.ndim)
    if not places:
        return apart(tensor, x)
    halves = floor_divide(take(shape_of(tensor), list(places)), 2)
    return roll(tensor, sign * halves, axis=places)
