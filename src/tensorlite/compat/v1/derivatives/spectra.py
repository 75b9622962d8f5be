"""Gradients of transforms of real signals, of which one half of the spectrum says all."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    ones,
    range,
    rank,
    reshape,
    shape,
    transpose,
)
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import (
    cast,
    conj,
    exp,
    floormod,
    real,
    reciprocal,
)
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.reductions import reduce_prod
from tensorlite.compat.shared.spectra import irfft, irfft2d, rfft, rfft2d
from tensorlite.compat.v1.derivatives import gradient_of
from tensorlite.core.dtypes import complex64, float32, int32

_FORTH = {"IRFFT": rfft, "IRFFT2D": rfft2d}


@gradient_of("RFFT", of_complex=True)
def _spectrum(op: Any, dy: Any) -> Any:
    """Write the inverse, and what the half that is not there would have added."""
    x, length = op.inputs
    if not _is_whole(x, length):
        return NotImplemented
    own = shape(x)
    is_even = cast(1 - (length[-1] % 2), complex64)
    first, last = dy[..., 0:1], dy[..., -1:]
    rest = first + is_even * last * _signs(own[-1])
    size = cast(reduce_prod(shape(x)[-1:]), float32)
    return 0.5 * (irfft(dy, length) * size + real(rest)), None


@gradient_of("RFFT2D", of_complex=True)
def _spectrum_of_two(op: Any, dy: Any) -> Any:
    """Write the inverse, and what the half would have added, taken back along the first axis."""
    x, length = op.inputs
    if dy.dtype is not complex64 or not _is_whole(x, length):
        return NotImplemented
    own = shape(x)
    is_even = cast(1 - (length[-1] % 2), complex64)
    first = dy[..., 0:1]
    turns = _for_each(_turns(own[-2]), first)
    rest = matmul(turns, conj(first))
    last = matmul(turns, conj(dy[..., -1:]))
    width = own[-1]
    times = concat([ones([rank(dy) - 1], int32), [width]], 0)
    rest += is_even * (tile(last, times) * _signs(width))
    size = cast(reduce_prod(shape(x)[-2:]), float32)
    return 0.5 * (irfft2d(dy, length) * size + real(rest)), None


def _turns(count: Any) -> Any:
    """Return exp(-2 pi i j k / count) for all pairs of numbers below it."""
    rows = tile(expand_dims(range(count), 0), (count, 1))
    products = cast(rows * transpose(rows, [1, 0]), complex64)
    return exp(-2j * np.pi * products / cast(count, complex64))


def _for_each(matrix: Any, stack: Any) -> Any:
    """Return a matrix once for each of a stack's."""
    wide = concat([ones([rank(stack) - 2], int32), shape(matrix)], 0)
    return tile(reshape(matrix, wide), concat([shape(stack)[:-2], [1, 1]], 0))


def _signs(count: Any) -> Any:
    return cast(1 - 2 * (range(count) % 2), complex64)


@gradient_of("IRFFT", "IRFFT2D", of_complex=True)
def _signal(op: Any, dy: Any) -> Any:
    """Write the transform, twice where it stands for two numbers of the spectrum."""
    x, length = op.inputs
    if dy.dtype is not float32 or not _is_whole(op.outputs[0], length):
        return NotImplemented
    axes = 1 if op.type == "IRFFT" else 2
    is_odd = floormod(length[-1], 2)
    count = shape(x)[-1]
    middle = 2.0 * ones([count - 2 + is_odd])
    mask = concat([[1.0], middle, ones([1 - is_odd])], 0)
    share = reciprocal(cast(reduce_prod(shape(dy)[-axes:]), float32))
    return _FORTH[op.type](dy, length) * cast(share * mask, complex64), None


def _is_whole(x: Any, length: Any) -> bool:
    """Return whether a signal of float32 is transformed as it is, not cut or filled."""
    sizes = length.spec.vector()
    dims = x.spec.shape
    if sizes is None or dims is None or x.dtype is not float32:
        return False
    return tuple(sizes) == tuple(dims[-len(sizes) :])
