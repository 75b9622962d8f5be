"""Gradients of what makes, takes apart and transforms complex numbers."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import reshape, shape, zeros_like
from tensorlite.compat.shared.elementwise import (
    cast,
    complex,
    conj,
    div_no_nan,
    imag,
    real,
    reciprocal,
)
from tensorlite.compat.shared.reductions import reduce_prod, reduce_sum
from tensorlite.compat.shared.spectra import (
    fft,
    fft2d,
    fft3d,
    ifft,
    ifft2d,
    ifft3d,
)
from tensorlite.compat.v1.derivatives import gradient_of
from tensorlite.compat.v1.derivatives.broadcasting import of_shapes
from tensorlite.compat.v1.graphs.constants import constant

_FORTH, _BACK = (fft, fft2d, fft3d), (ifft, ifft2d, ifft3d)
"""Transforms of one, two and three axes."""


@gradient_of("Complex", of_complex=True)
def _complex(op: Any, dy: Any) -> Any:
    sx, sy = shape(op.inputs[0]), shape(op.inputs[1])
    (_, over_x), (_, over_y) = of_shapes(sx, sy)
    dx = reshape(reduce_sum(real(dy), over_x), sx)
    return dx, reshape(reduce_sum(imag(dy), over_y), sy)


@gradient_of("Real", of_complex=True)
def _real(op: Any, dy: Any) -> Any:
    return complex(dy, constant(0, dy.dtype))


@gradient_of("Imag", of_complex=True)
def _imag(op: Any, dy: Any) -> Any:
    return complex(constant(0, dy.dtype), dy)


@gradient_of("Conj", of_complex=True)
def _conj(op: Any, dy: Any) -> Any:
    return conj(dy)


@gradient_of("Angle", of_complex=True)
def _angle(op: Any, dy: Any) -> Any:
    (x,) = op.inputs
    width = real(x)
    turned = reciprocal(complex(imag(x), width))
    return -complex(dy, constant(0, dy.dtype)) * turned


@gradient_of("ComplexAbs", of_complex=True)
def _abs(op: Any, dy: Any) -> Any:
    (x,), (y,) = op.inputs, op.outputs
    flow = complex(dy, zeros_like(dy, None)) * x
    return div_no_nan(flow, complex(y, zeros_like(y, None)))


@gradient_of("FFTND", of_complex=True)
def _transform(op: Any, dy: Any) -> Any:
    count = _axes(op)
    if not count:
        return NotImplemented
    size = cast(_size(dy, count), dy.dtype)
    return _BACK[count - 1](dy) * size


@gradient_of("IFFTND", of_complex=True)
def _inverse(op: Any, dy: Any) -> Any:
    count = _axes(op)
    if not count:
        return NotImplemented
    share = cast(1.0 / cast(_size(dy, count), dy.dtype.real_dtype), dy.dtype)
    return _FORTH[count - 1](dy) * share


def _axes(op: Any) -> int:
    """Return how many axes a transform of TensorFlow's is over, 0 if it is none of these."""
    ends = {"FFT": 1, "IFFT": 1, "FFT2D": 2, "IFFT2D": 2, "FFT3D": 3, "IFFT3D": 3}
    return ends.get(op.type, 0)


def _size(dy: Any, count: int) -> Any:
    """Return the number of elements that one transform has."""
    return reduce_prod(shape(dy)[-count:])
