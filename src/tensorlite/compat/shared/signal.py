"""Spectra, frames and windows, as both TensorFlows have them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite import signal
from tensorlite.compat.calling import converted, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared.making import same
from tensorlite.core.dtypes import as_dtype, complex_of, float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "stft",
    "vorbis_window",
]


_RESULTS = {2: "Real_1", 3: "strided_slice"}
"""What the last nodes of cosine transforms are called, by their types."""


def _last_of(
    input: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: Any = None,
    **_: Any,
) -> str | None:
    return "mul_6" if (type, norm) == (2, "ortho") else _RESULTS.get(type)


def _last_of_inverse(
    input: Any, type: int = 2, *args: Any, **kwargs: Any
) -> str | None:
    return _last_of(input, {2: 3, 3: 2}.get(type, type), *args, **kwargs)


@named("dct", _last_of)
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
    return signal.dct(_last(input, axis), type, n, norm)


@named("dct", _last_of_inverse)
def idct(
    input: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Return the inverse of `dct`, without its scale unless norm is 'ortho'."""
    return signal.idct(_last(input, axis), type, n, norm)


def _last(x: Any, axis: int) -> Any:
    if axis != -1:
        raise InvalidArgumentError(
            f"axis must be -1 for a cosine transform, got: {axis}"
        )
    return converted(x)


frame = same(
    "frame",
    signal.frame,
    "signal frame_length frame_step pad_end pad_value axis",
    inner="Reshape_4",
)
overlap_and_add = same(
    "overlap_and_add",
    signal.overlap_and_add,
    "signal frame_step",
    inner="strided_slice_4",
)
mfccs_from_log_mel_spectrograms = same(
    "mfccs_from_log_mel_spectrograms",
    signal.mfccs_from_log_mel_spectrograms,
    "log_mel_spectrograms",
    inner="mul_1",
)
linear_to_mel_weight_matrix = same(
    "linear_to_mel_weight_matrix",
    signal.linear_to_mel_weight_matrix,
    "num_mel_bins num_spectrogram_bins sample_rate lower_edge_hertz upper_edge_hertz dtype",
    0,
)
kaiser_window = same(
    "kaiser_window", signal.kaiser_window, "window_length beta dtype", 0
)
kaiser_bessel_derived_window = same(
    "kaiser_bessel_derived_window",
    signal.kaiser_bessel_derived_window,
    "window_length beta dtype",
    0,
)
vorbis_window = same("vorbis_window", signal.vorbis_window, "window_length dtype", 0)
hamming_window = same(
    "hamming_window",
    signal.hamming_window,
    "window_length periodic dtype",
    0,
    "sub_2",
)
hann_window = same(
    "hann_window", signal.hann_window, "window_length periodic dtype", 0, "sub_2"
)


def _window(function: Any) -> Any:
    """Return a window function of a program as functions of signals call it."""
    if function is None:
        return None
    return lambda length, dtype=float32: converted(
        function(length, dtype=as_dtype(dtype))
    )


@named("stft", "rfft")
def stft(
    signals: Any,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Any = signal.hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """Return the spectra of frames of signals, [..., frames, fft_length // 2 + 1].

    Frames begin frame_step apart and are multiplied by a window; fft_length is the next power of 2
    unless given, window_fn=None takes them as they are.
    """
    sizes = (frame_length, frame_step, fft_length)
    return signal.stft(converted(signals), *sizes, _window(window_fn), pad_end)


@named("inverse_stft", "overlap_and_add/strided_slice_4")
def inverse_stft(
    stfts: Any,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: Any = signal.hann_window,
    name: str | None = None,
) -> Any:
    """Return signals of spectra, the frames added where they overlap.

    They are those that were, if the window is `inverse_stft_window_fn`'s.
    """
    sizes = (frame_length, frame_step, fft_length)
    return signal.inverse_stft(converted(stfts), *sizes, _window(window_fn))


def inverse_stft_window_fn(
    frame_step: int,
    forward_window_fn: Any = signal.hann_window,
    name: str | None = None,
) -> Any:
    """Return the window function by which `inverse_stft` undoes `stft`."""
    return signal.inverse_stft_window_fn(frame_step, _window(forward_window_fn))


@named("mdct")
def mdct(
    signals: Any,
    frame_length: int,
    window_fn: Any = signal.vorbis_window,
    pad_end: bool = False,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Return the modified cosine transform of frames that overlap by half.

    `norm` is None or 'ortho'; frame_length must be a multiple of 4.
    """
    return signal.mdct(
        converted(signals), frame_length, _window(window_fn), pad_end, norm
    )


@named("inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: Any = signal.vorbis_window,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Return the signals of which `mdct` made its coefficients."""
    return signal.inverse_mdct(converted(mdcts), _window(window_fn), norm)


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
    default: str, function: Callable[..., Any], axes: int
) -> Callable[..., Any]:
    @named(default)
    def made(
        input_tensor: Any, fft_length: Any = None, name: str | None = None
    ) -> Any:
        x, sizes = converted(input_tensor), _lengths(fft_length)
        return function(x, s=sizes, axes=tuple(range(-axes, 0)))

    what = "the real signal of a spectrum" if default[0] == "i" else "the spectrum"
    return documented(made, f"Return {what} over the last axes: {axes}.")


def _lengths(given: Any) -> Any:
    if given is None:
        return None
    if isinstance(given, Operand):
        given = given.__tensor__().spec.constant()
    return tuple(np.ravel(np.asarray(given)).tolist())


rfft = _real_transform("rfft", tl.fft.rfftn, 1)
rfft2d = _real_transform("rfft2d", tl.fft.rfftn, 2)
rfft3d = _real_transform("rfft3d", tl.fft.rfftn, 3)
irfft = _real_transform("irfft", tl.fft.irfftn, 1)
irfft2d = _real_transform("irfft2d", tl.fft.irfftn, 2)
irfft3d = _real_transform("irfft3d", tl.fft.irfftn, 3)


@named("fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return the tensor with the zero frequency moved to the middle of axes, all if None."""
    return tl.fft.fftshift(converted(x), axes=axes)


@named("ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """Return the tensor as it was before `fftshift`."""
    return tl.fft.ifftshift(converted(x), axes=axes)
