"""Discrete Fourier transforms over any axes: FFTND, RFFTND and their inverses, and what follows.

float32 and complex64 stay in single precision. Gradients are transforms themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole, whole_numbers
from tensorlite.core.device import DeviceName
from tensorlite.core.dispatch import call, constant, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, complex_of, real_of
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec, normalise_axes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arithmetic import conj
from tensorlite.ops.arrange import roll
from tensorlite.ops.create import asarray
from tensorlite.ops.gather import take
from tensorlite.ops.identity import apart
from tensorlite.ops.repeat import pad
from tensorlite.ops.rounding import floor_divide, real
from tensorlite.ops.shape import astype, shape_of

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

_OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


class _Transform(Op, abstract=True):
    """A transform over some axes; `sizes` are those of the axes of the signal."""

    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    norm: str = "backward"

    def resized(
        self, x: TensorSpec, sizes: Sequence[int], dtype: DType
    ) -> TensorSpec:
        """Return the operand's shape with other sizes on the axes."""
        if x.shape is None:
            return TensorSpec(None, dtype)
        shape = list(x.shape)
        for axis, size in zip(self.axes, sizes, strict=True):
            shape[axis] = size
        return TensorSpec(tuple(shape), dtype)

    def half(self) -> tuple[int, ...]:
        """Return the sizes of the part of a real signal's spectrum that says all."""
        return (*self.sizes[:-1], self.sizes[-1] // 2 + 1)

    def need(self, x: TensorSpec, right: bool, what: str) -> None:
        """Raise DTypeError unless the operand is of the right kind."""
        if not right:
            raise DTypeError(
                f"{self.name} takes {what}, not {x}; cast it with tl.astype"
            )


class FFTND(_Transform):
    """The transform of complex numbers."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        self.need(x, x.dtype.is_complex, "complex numbers")
        return self.resized(x, self.sizes, x.dtype)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the spectrum."""
        found = xp.fft.fftn(x, s=self.sizes, axes=self.axes, norm=self.norm)
        return found.astype(x.dtype, copy=False)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the inverse transform, scaled by the same factor as forward."""
        return (_run(IFFTND(self.axes, self.sizes, _OPPOSITE[self.norm]), dy),)


class IFFTND(_Transform):
    """The inverse transform of complex numbers."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's spec."""
        self.need(x, x.dtype.is_complex, "complex numbers")
        return self.resized(x, self.sizes, x.dtype)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the signal."""
        found = xp.fft.ifftn(x, s=self.sizes, axes=self.axes, norm=self.norm)
        return found.astype(x.dtype, copy=False)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the forward transform, scaled by the same factor as the inverse."""
        return (_run(FFTND(self.axes, self.sizes, _OPPOSITE[self.norm]), dy),)


class RFFTND(_Transform):
    """The transform of real numbers; of the last axis's spectrum, the half that says all."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return complex numbers, half as many on the last axis."""
        self.need(x, x.dtype.is_floating, "floats")
        return self.resized(x, self.half(), complex_of(x.dtype))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the half of the spectrum."""
        found = xp.fft.rfftn(x, s=self.sizes, axes=self.axes, norm=self.norm)
        return found.astype(np.result_type(x.dtype, np.complex64), copy=False)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the real part of the transform of the half with zeros for the other."""
        last, size = self.axes[-1], self.sizes[-1]
        widths = [(0, 0)] * dy.ndim
        widths[last] = (0, size - (size // 2 + 1))
        full = pad(dy, widths)
        return (
            real(_run(IFFTND(self.axes, self.sizes, _OPPOSITE[self.norm]), full)),
        )


class IRFFTND(_Transform):
    """The real numbers of which half a spectrum is given."""

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return floats of the sizes of the signal."""
        self.need(x, x.dtype.is_complex, "complex numbers")
        return self.resized(x, self.sizes, real_of(x.dtype))

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the signal."""
        found = xp.fft.irfftn(x, s=self.sizes, axes=self.axes, norm=self.norm)
        return found.astype(x.real.dtype, copy=False)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return the spectrum of the gradient; what stands for two frequencies counts twice."""
        last, size = self.axes[-1], self.sizes[-1]
        weight = np.full(size // 2 + 1, 2.0)
        weight[0] = 1.0
        if size % 2 == 0:
            weight[-1] = 1.0
        shape = [1] * dy.ndim
        shape[last] = -1
        counts = constant(weight.reshape(shape).astype(dy.dtype.numpy))
        spectrum = _run(RFFTND(self.axes, self.sizes, _OPPOSITE[self.norm]), dy)
        return (spectrum * astype(counts, spectrum.dtype),)


def _run(op: Op, x: Tensor) -> Tensor:
    return call(op, x)


def _arguments(
    what: str, x: Tensor, s: Any, axes: Any, norm: str, halved: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes, counted from the front, and the sizes of the signal along them."""
    if norm not in _OPPOSITE:
        raise InvalidArgumentError(
            f"{what}: norm={norm!r}; allowed: {', '.join(_OPPOSITE)}"
        )
    if x.spec.rank is None:
        raise ShapeError(f"{what}: the rank of the operand must be known in a trace")
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    places = normalise_axes(whole_numbers(tuple(axes), f"{what}: axes"), x.ndim)
    if not places:
        raise InvalidArgumentError(f"{what}: axes={tuple(axes)}; name one at least")
    sizes = [x.shape[axis] for axis in places]
    if s is not None:
        given = whole_numbers(tuple(s), f"{what}: sizes")
        if len(given) != len(places):
            raise ShapeError(
                f"{what}: {len(given)} sizes for {len(places)} axes; give one each"
            )
        sizes = [
            old if new == -1 else new for old, new in zip(sizes, given, strict=True)
        ]
    elif halved and sizes[-1] is not None:
        sizes[-1] = 2 * (sizes[-1] - 1)
    if any(size is None for size in sizes):
        raise ShapeError(
            f"{what}: the sizes of {x.spec} along {places} must be known; give them"
        )
    if any(size < 1 for size in sizes):
        raise InvalidArgumentError(f"{what}: sizes {sizes}; allowed are 1 and more")
    return places, tuple(int(size) for size in sizes)


def _fitted(x: Tensor, axes: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """Return `x` cut, or filled with zeros at the end, to sizes along axes."""
    key: list[Any] = [slice(None)] * x.ndim
    widths = [(0, 0)] * x.ndim
    for axis, size in zip(axes, sizes, strict=True):
        have = x.shape[axis]
        key[axis] = slice(0, size)
        widths[axis] = (0, max(0, size - (have or 0)))
    if any(x.shape[axis] != size for axis, size in zip(axes, sizes, strict=True)):
        x = x[tuple(key)] if _cuts(x, axes, sizes) else x
        x = pad(x, widths) if any(after for _, after in widths) else x
    return x


def _cuts(x: Tensor, axes: Sequence[int], sizes: Sequence[int]) -> bool:
    return any(
        (x.shape[axis] or 0) > size for axis, size in zip(axes, sizes, strict=True)
    )


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
    return call(FFTND(places, sizes, norm), _fitted(tensor, places, sizes))


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
    return call(IFFTND(places, sizes, norm), _fitted(tensor, places, sizes))


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
    return call(RFFTND(places, sizes, norm), _fitted(tensor, places, sizes))


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
    places, sizes = _arguments("irfftn", tensor, s, axes, norm, halved=True)
    op = IRFFTND(places, sizes, norm)
    return call(op, _fitted(tensor, places, op.half()))


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
