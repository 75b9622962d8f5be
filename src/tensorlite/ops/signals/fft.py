"""Discrete Fourier transforms over any axes: FFTND, RFFTND and their inverses.

float32 and complex64 stay in single precision. Gradients are transforms themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole, whole_numbers
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import (
    DType,
    complex_of,
    real_of,
)
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import Dim, Dims, TensorSpec, normalise_axes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.gather import size_at
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import pad
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.arithmetic import conj
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.rounding import real

__all__ = [
    "fft",
    "fftn",
    "hfft",
    "ifft",
    "ifftn",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftn",
]

_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


OPEN = -1
"""A size that is the signal's own, which only the run knows."""


class _Transform(Op, abstract=True):
    """A transform over some axes; `sizes` are those of the axes of the signal.

    The operand is cut, or filled with zeros at the end, to them. Axes are counted from the end
    where the operand's rank was not known.
    """

    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    norm: str = "backward"
    halves = False
    """Whether of the last axis's result the half is given that says all."""

    def signal(self, shape: Dims) -> list[Dim]:
        """Return the sizes of the signal along the axes, for an operand of a shape."""
        pairs = zip(self.axes, self.sizes, strict=True)
        return [shape[axis] if size == OPEN else size for axis, size in pairs]

    def resized(
        self, x: TensorSpec, dtype: DType, halves: bool = False
    ) -> TensorSpec:
        """Return the operand's shape with the signal's sizes, or half the last, on the axes."""
        if x.shape is None:
            return TensorSpec(None, dtype)
        sizes, shape = self.signal(x.shape), list(x.shape)
        last = sizes[-1]
        if self.halves and last:
            sizes[-1] = last // 2 + 1
        for axis, size in zip(self.axes, sizes, strict=True):
            shape[axis] = size
        return TensorSpec(tuple(shape), dtype)

    def need(self, x: TensorSpec, right: bool, what: str) -> None:
        """Raise DTypeError unless the operand is of the right kind."""
        if not right:
            raise DTypeError(
                f"{self.name} takes {what}, not {x}; cast it with tl.astype"
            )

    def run(self, xp: Xp, transform: Any, x: Array, dtype: Any) -> Array:
        """Return what a transform of the library makes; of signals without elements, nothing."""
        sizes = self.signal(x.shape)
        if 0 in sizes:
            made = self.resized(TensorSpec(x.shape), dtypes.float32)
            return xp.zeros(made.dims, dtype)
        found = transform(x, s=sizes, axes=self.axes, norm=self.norm)
        return found.astype(dtype, copy=False)

    def opposite(self) -> Any:
        """Return the fields of the transform that leads back, scaled as this one is."""
        return self.axes, self.sizes, _OPPOSITE[self.norm]


class FFTND(_Transform):
    """The transform of complex numbers."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        self.need(x, x.dtype.is_complex, "complex numbers")
        return self.resized(x, x.dtype)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the spectrum."""
        return self.run(xp, xp.fft.fftn, x, x.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the inverse transform, scaled by the same factor as forward."""
        return (
            _as_wide(_run(IFFTND(*self.opposite()), dy), call.inputs[0], self.axes),
        )


class IFFTND(_Transform):
    """The inverse transform of complex numbers."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        self.need(x, x.dtype.is_complex, "complex numbers")
        return self.resized(x, x.dtype)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the signal."""
        return self.run(xp, xp.fft.ifftn, x, x.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the forward transform, scaled by the same factor as the inverse."""
        return (
            _as_wide(_run(FFTND(*self.opposite()), dy), call.inputs[0], self.axes),
        )


class RFFTND(_Transform):
    """The transform of real numbers; of the last axis's spectrum, the half that says all."""

    halves = True

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return complex numbers, half as many on the last axis."""
        self.need(x, x.dtype.is_floating, "floats")
        return self.resized(x, complex_of(x.dtype))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the half of the spectrum."""
        return self.run(xp, xp.fft.rfftn, x, np.result_type(x.dtype, np.complex64))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the real part of the transform of the half with zeros for the other."""
        (x,) = call.inputs
        last, size = self.axes[-1], self.sizes[-1]
        whole_size = _size(x, last) if size == OPEN else size
        full = _wide(dy, last, whole_size)
        return (_as_wide(real(_run(IFFTND(*self.opposite()), full)), x, self.axes),)


class IRFFTND(_Transform):
    """The real numbers of which half a spectrum is given."""

    def signal(self, shape: Dims) -> list[Dim]:
        """Return the sizes of the signal, of which there is half of the last."""
        sizes = super().signal(shape)
        if self.sizes[-1] == OPEN and sizes[-1] is not None:
            sizes[-1] = max(2 * (sizes[-1] - 1), 0)
        return sizes

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return floats of the sizes of the signal."""
        self.need(x, x.dtype.is_complex, "complex numbers")
        return self.resized(x, real_of(x.dtype))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the signal."""
        return self.run(xp, xp.fft.irfftn, x, x.real.dtype)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the spectrum of the gradient; what stands for two frequencies counts twice."""
        last = self.axes[-1]
        spectrum = _run(RFFTND(*self.opposite()), dy)
        places = arange(0, _size(spectrum, last))
        alone = equal(places, 0) | equal(places * 2, _size(dy, last))
        counts = where(alone, 1.0, 2.0)
        rank = dy.spec.rank or 1
        behind = 0 if last == -1 else rank - 1 - last % rank
        shaped = reshape(counts, [-1, *[1] * behind])
        found = spectrum * astype(shaped, spectrum.dtype)
        return (_as_wide(found, call.inputs[0], self.axes),)


def _run(op: Op, x: Tensor) -> Tensor:
    return call(op, x)


def _size(x: Tensor, axis: int) -> Any:
    known = None if x.spec.shape is None else x.shape[axis]
    return size_at(x, axis) if known is None else known


def _wide(x: Tensor, axis: int, size: Any) -> Tensor:
    """Return `x` cut, or filled with zeros at the end, to a size along an axis."""
    have = _size(x, axis)
    if isinstance(have, int) and isinstance(size, int) and have == size:
        return x
    rank = x.ndim
    key: list[Any] = [slice(None)] * rank
    key[axis] = slice(0, size)
    more = maximum(size - have, 0)
    ends = [0] * rank
    ends[axis] = 1
    paddings = stack(
        [
            constant(np.zeros(rank, np.int32)),
            constant(np.asarray(ends, np.int32)) * more,
        ],
        axis=1,
    )
    return pad(x[tuple(key)], paddings)


def _as_wide(x: Tensor, like: Tensor, axes: Sequence[int]) -> Tensor:
    """Return a gradient of what was cut or filled as what it was."""
    for axis in axes:
        x = _wide(x, axis, _size(like, axis)) if x.spec.rank is not None else x
    return x


def _arguments(
    what: str, x: Tensor, s: Any, axes: Any, norm: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes, counted from the front, and the sizes of the signal along them."""
    if norm not in _OPPOSITE:
        raise InvalidArgumentError(
            f"{what}: norm={norm!r}; allowed: {', '.join(_OPPOSITE)}"
        )
    rank = x.spec.rank
    if axes is None:
        if rank is None:
            raise ShapeError(
                f"{what}: the rank of the operand must be known, or axes given"
            )
        axes = range(rank) if s is None else range(rank - len(s), rank)
    places = whole_numbers(tuple(axes), f"{what}: axes")
    if rank is not None:
        places = normalise_axes(places, rank)
    if not places:
        raise InvalidArgumentError(f"{what}: axes={tuple(axes)}; name one at least")
    if s is None:
        return tuple(places), (OPEN,) * len(places)
    given = whole_numbers(tuple(s), f"{what}: sizes")
    if len(given) != len(places):
        raise ShapeError(
            f"{what}: {len(given)} sizes for {len(places)} axes; give one each"
        )
    if any(size < 0 and size != OPEN for size in given):
        raise InvalidArgumentError(
            f"{what}: sizes {list(given)}; allowed are 0 and more"
        )
    return tuple(places), tuple(int(size) for size in given)


def _complex(x: TensorLike) -> Tensor:
    tensor = to_tensor(x)
    if tensor.dtype.is_complex:
        return tensor
    return astype(tensor, complex_of(_real(tensor).dtype))


def _real(x: TensorLike) -> Tensor:
    tensor = to_tensor(x)
    if not tensor.dtype.is_numeric:
        raise DTypeError(
            f"Fourier transforms take numbers, not {tensor.spec}; see tl.astype"
        )
    return astype(tensor, dtypes.float32) if tensor.dtype.kind in "iub" else tensor


def fftn(
    x: TensorLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """Return the discrete Fourier transform over `axes`, cut or filled with zeros to sizes `s`.

    `norm` is "backward" (the inverse is divided by the number of elements), "ortho" or "forward".

    >>> print(tl.fft.fftn([[1.0, 2.0], [3.0, 4.0]]))
    [[10.+0.j -2.+0.j]
     [-4.+0.j  0.+0.j]]
    """
    tensor = _complex(x)
    places, sizes = _arguments("fftn", tensor, s, axes, norm)
    return call(FFTND(places, sizes, norm), tensor)


def ifftn(
    x: TensorLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """Return the inverse of `fftn`.

    >>> print(tl.fft.ifftn([[10.0, -2.0], [-4.0, 0.0]]))
    [[1.+0.j 2.+0.j]
     [3.+0.j 4.+0.j]]
    """
    tensor = _complex(x)
    places, sizes = _arguments("ifftn", tensor, s, axes, norm)
    return call(IFFTND(places, sizes, norm), tensor)


def rfftn(
    x: TensorLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """Return the transform of real numbers, of the last axis only the frequencies from 0 up.

    >>> tl.fft.rfftn(tl.ones((2, 8))).shape
    (2, 5)
    """
    tensor = _real(x)
    places, sizes = _arguments("rfftn", tensor, s, axes, norm)
    return call(RFFTND(places, sizes, norm), tensor)


def irfftn(
    x: TensorLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str = "backward",
) -> Tensor:
    """Return the inverse of `rfftn`; the last size is 2 (n - 1) unless `s` says otherwise.

    >>> tl.fft.irfftn(tl.ones((2, 5))).shape
    (2, 8)
    """
    tensor = _complex(x)
    places, sizes = _arguments("irfftn", tensor, s, axes, norm)
    return call(IRFFTND(places, sizes, norm), tensor)


def _one(n: int | None) -> tuple[int] | None:
    return None if n is None else (whole(n, "n", least=1),)


def fft(
    x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the discrete Fourier transform along `axis`, cut or filled with zeros to size `n`.

    >>> print(tl.fft.fft([1.0, 0.0, -1.0, 0.0]))
    [0.+0.j 2.+0.j 0.+0.j 2.+0.j]
    """
    return fftn(x, s=_one(n), axes=(axis,), norm=norm)


def ifft(
    x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the inverse of `fft`.

    >>> print(tl.fft.ifft([0.0, 2.0, 0.0, 2.0]))
    [ 1.+0.j  0.+0.j -1.+0.j  0.+0.j]
    """
    return ifftn(x, s=_one(n), axes=(axis,), norm=norm)


def rfft(
    x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the transform of real numbers along `axis`: the frequencies from 0 up.

    >>> print(tl.fft.rfft([1.0, 0.0, -1.0, 0.0]))
    [0.+0.j 2.+0.j 0.+0.j]
    """
    return rfftn(x, s=_one(n), axes=(axis,), norm=norm)


def irfft(
    x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the inverse of `rfft`, of size `n` or else 2 (m - 1).

    >>> print(tl.fft.irfft([0.0, 2.0, 0.0]))
    [ 1.  0. -1.  0.]
    """
    return irfftn(x, s=_one(n), axes=(axis,), norm=norm)


def hfft(
    x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the real spectrum of a signal that is conjugate to its mirror image, given by half.

    >>> print(tl.fft.hfft([1.0, 1.0, 0.0]))
    [ 3.  1. -1.  1.]
    """
    _known("hfft", norm)
    return irfft(conj(_complex(x)), n=n, axis=axis, norm=_OPPOSITE[norm])


def ihfft(
    x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> Tensor:
    """Return the inverse of `hfft`.

    >>> print(tl.fft.ihfft([3.0, 1.0, -1.0, 1.0]))
    [1.-0.j 1.-0.j 0.-0.j]
    """
    _known("ihfft", norm)
    return conj(rfft(x, n=n, axis=axis, norm=_OPPOSITE[norm]))


def _known(what: str, norm: str) -> None:
    if norm not in _OPPOSITE:
        raise InvalidArgumentError(
            f"{what}: norm={norm!r}; allowed: {', '.join(_OPPOSITE)}"
        )
