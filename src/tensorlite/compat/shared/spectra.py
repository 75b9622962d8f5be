"""Fourier transforms and what is made of them, as both TensorFlows have them alike."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import signal
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    range as numbers,
    rank,
    shape,
    stack,
    unstack,
    zeros,
    zeros_like,
)
from tensorlite.compat.shared.cutting import roll
from tensorlite.compat.shared.elementwise import (
    cast,
    complex as as_complex,
    exp,
    maximum,
    real,
    rsqrt,
    sqrt,
)
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import complex_of, float32, int32
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.scope import scope
from tensorlite.core.spec import check_rank_at_least
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.signals import real_spectra


def _transform(
    default: str, function: Callable[..., Any], axes: int
) -> Callable[..., Any]:
    @named(default)
    def made(input: Any, name: str | None = None) -> Any:
        x = converted(input)
        wide = x if x.dtype.is_complex else tl.astype(x, complex_of(x.dtype))
        return function(wide, axes=tuple(range(-axes, 0)))

    kind = "inverse Fourier" if default[0] == "I" else "Fourier"
    return documented(
        made, f"Return the {kind} transform over the last axes: {axes}."
    )


fft = _transform("FFT", tl.fft.fftn, 1)
fft2d = _transform("FFT2D", tl.fft.fftn, 2)
fft3d = _transform("FFT3D", tl.fft.fftn, 3)
ifft = _transform("IFFT", tl.fft.ifftn, 1)
ifft2d = _transform("IFFT2D", tl.fft.ifftn, 2)
ifft3d = _transform("IFFT3D", tl.fft.ifftn, 3)


def _real_transform(
    default: str, function: Callable[..., Any], axes: int, kind: type[Composite]
) -> Callable[..., Any]:
    @named(default)
    def made(
        input_tensor: Any, fft_length: Any = None, name: str | None = None
    ) -> Any:
        x = converted(input_tensor)
        if active_graph() is None:
            sizes = _lengths(fft_length)
            return function(x, s=sizes, axes=tuple(range(-axes, 0)))
        is_back = default[0] == "i"
        if fft_length is None:
            length = _own_lengths(x, axes, is_back)
        else:
            length = plain(given_constant(fft_length, int32, _title(fft_length)))
            if length.spec.shape not in (None, (None,), (axes,)):
                raise ShapeError(
                    f"{default}: fft_length must have shape [{axes}], not {length.spec.shape}"
                )
        return composed(kind(), plain(_filled(x, length, axes, is_back)), length)

    what = "the real signal of a spectrum" if default[0] == "i" else "the spectrum"
    return documented(made, f"Return {what} over the last axes: {axes}.")


def _title(given: Any) -> str | None:
    """Return what lengths are called that are not a constant, but of tensors: None for others."""
    is_packed = isinstance(given, (list, tuple))
    return (
        "packed" if is_packed and any(isinstance(x, Operand) for x in given) else None
    )


def _lengths(given: Any) -> Any:
    if given is None:
        return None
    if isinstance(given, Operand):
        given = given.__tensor__().spec.constant()
    sizes = tuple(np.ravel(np.asarray(given)).tolist())
    if any(size < 0 for size in sizes):
        raise InvalidArgumentError(
            f"fft_length[{sizes.index(min(sizes))}] must be >= 0, but got: {min(sizes)}"
        )
    return sizes


def _own_lengths(x: Any, axes: int, is_back: bool) -> Any:
    """Return how many numbers a signal has along its last axes, or that of a half's spectrum."""
    check_rank_at_least("the input of a Fourier transform", x.spec, axes)
    known: list[Any] = [None] if x.spec.rank is None else [*x.spec.dims[-axes:]]
    if None not in known:
        if is_back:
            known[-1] = max(0, 2 * (known[-1] - 1))
        return plain(given_constant(np.array(known, np.int32)))
    sizes = shape(x)[-axes:]
    if not is_back:
        return plain(sizes)
    *rest, last = unstack(sizes, axes)
    return plain(stack([*rest, maximum(0, 2 * (last - 1))]))


def _filled(x: Any, length: Any, axes: int, is_back: bool) -> Any:
    """Return a tensor that has zeros behind it where its last axes are shorter than asked."""
    if x.spec.rank is None:
        return _filled_then(x, length, axes, is_back)
    wanted, known = length.spec.vector(), x.spec.dims
    if 0 in known:
        return x
    if wanted is None or None in wanted or None in known[-axes:]:
        return _filled_then(x, length, axes, is_back)
    due = [*wanted[:-1], wanted[-1] // 2 + 1] if is_back else wanted
    more = [max(n - m, 0) for n, m in zip(due, known[-axes:], strict=True)]
    if not any(more):
        return x
    return pad(x, [[0, n] for n in [0] * (len(known) - axes) + more])


def _filled_then(x: Any, length: Any, axes: int, is_back: bool) -> Any:
    sizes, due = shape(x)[-axes:], shown(length)
    have = x.spec.rank
    more_axes = maximum(0, rank(x) - axes) if have is None else max(have - axes, 0)
    outer = zeros([more_axes], int32)
    if is_back:
        due = concat([due[:-1], due[-1:] // 2 + 1], 0)
    more = concat([outer, maximum(0, due - sizes)], 0)
    return pad(x, stack([zeros_like(more, None), more], axis=1))


rfft = _real_transform("rfft", tl.fft.rfftn, 1, real_spectra.RFFT)
rfft2d = _real_transform("rfft2d", tl.fft.rfftn, 2, real_spectra.RFFT2D)
rfft3d = _real_transform("rfft3d", tl.fft.rfftn, 3, real_spectra.RFFT3D)
irfft = _real_transform("irfft", tl.fft.irfftn, 1, real_spectra.IRFFT)
irfft2d = _real_transform("irfft2d", tl.fft.irfftn, 2, real_spectra.IRFFT2D)
irfft3d = _real_transform("irfft3d", tl.fft.irfftn, 3, real_spectra.IRFFT3D)


@named("fftshift", None)
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return the tensor with the zero frequency moved to the middle of axes, all if None."""
    return _shifted(tl.fft.fftshift, converted(x), axes, 1)


@named("ifftshift", None)
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return the tensor as it was before `fftshift`."""
    return _shifted(tl.fft.ifftshift, converted(x), axes, -1)


def _shifted(function: Callable[..., Any], x: Any, axes: Any, sign: int) -> Any:
    have = x.spec.rank
    if active_graph() is None or not have or None in x.spec.dims:
        return function(x, axes=axes)
    places = tuple(range(have)) if axes is None else axes
    if isinstance(places, int):
        shift: Any = sign * (x.spec.dims[places] // 2)
    else:
        shift = [sign * (x.spec.dims[axis] // 2) for axis in places]
    return roll(x, shift, places, name=f"{scope.get().name}/")


@named("dct", None)
def dct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Return the discrete cosine transform, of type 1 to 4, of the last axis.

    `n` cuts or fills it up to a length before; `norm` is None or 'ortho'. axis must be -1.
    """
    x = _last(input, axis)
    is_single = x.dtype is float32 and n is None and type != _MOST
    if active_graph() is None or x.spec.rank == 0 or not is_single:
        return signal.dct(x, type, n, norm)
    known = None if x.spec.rank is None else x.spec.dims[-1]
    return _by_spectrum(
        shown(x), shape(x)[-1] if known is None else known, type, norm
    )


_MOST = 4
"""The type of cosine transform that TensorFlow 1 has not."""


def _by_spectrum(x: Any, count: Any, type: int, norm: Any) -> Any:
    """Return a cosine transform made of spectra, as TensorFlow 1 makes it of nodes."""
    if (type, norm) == (1, "ortho") or norm not in (None, "ortho"):
        return signal.dct(plain(x), type, None, norm)  # which refuses it
    wide = cast(count, float32)
    if type == 1:
        return real(rfft(concat([x, x[..., -2:0:-1]], axis=-1)))
    if type == 2:
        turn = 2.0 * exp(as_complex(0.0, -numbers(wide) * pi * 0.5 / wide))
        found = real(rfft(x, [2 * count])[..., :count] * turn)
        if norm is None:
            return found
        first = 0.5 * rsqrt(wide)
        return found * _weights(first, first * sqrt(2.0), count)
    if norm is None:
        x = x * wide
    else:
        first = sqrt(wide)
        x = x * _weights(first, first * sqrt(0.5), count)
    turn = 2.0 * exp(as_complex(0.0, numbers(wide) * pi * 0.5 / wide))
    return real(irfft(turn * as_complex(x, 0.0), [2 * count]))[..., :count]


def _weights(first: Any, others: Any, count: Any) -> Any:
    return pad(expand_dims(first, 0), [[0, count - 1]], constant_values=others)


def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Return the inverse of `dct`, without its scale unless norm is 'ortho'."""
    return dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm, name)


def _last(x: Any, axis: int) -> Any:
    if axis != -1:
        raise InvalidArgumentError(
            f"axis must be -1 for a cosine transform, got: {axis}"
        )
    return converted(x)
