"""Gradients of transforms of real signals, of which one half of the spectrum says all."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import concat, ones, range, shape
from tensorlite.compat.shared.elementwise import cast, floormod, real, reciprocal
from tensorlite.compat.shared.reductions import reduce_prod
from tensorlite.compat.shared.spectra import irfft, rfft, rfft2d
from tensorlite.compat.v1.derivatives import gradient_of
from tensorlite.core.dtypes import complex64, float32

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
