"""Spectra, frames and windows, as both TensorFlows have them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite import signal
from tensorlite.compat.calling import converted, given_constant, named
from tensorlite.compat.documenting import documented
from tensorlite.compat.shared import elementwise
from tensorlite.compat.shared.arrays import ones, range as numbers
from tensorlite.compat.shared.control_flow import cond
from tensorlite.compat.shared.making import same
from tensorlite.compat.shared.spectra import (
    dct as dct,
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    fftshift as fftshift,
    idct as idct,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
    ifftshift as ifftshift,
    irfft as irfft,
    irfft2d as irfft2d,
    irfft3d as irfft3d,
    rfft as rfft,
    rfft2d as rfft2d,
    rfft3d as rfft3d,
)
from tensorlite.compat.views import in_graph, shown
from tensorlite.core.dtypes import DType, as_dtype, bool_, float32, int32
from tensorlite.graph_mode.graph import active_graph, name_scope

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


def _cosine_window(
    default: str, function: Callable[..., Any], centre: float
) -> Callable[..., Any]:
    """Return a function of windows that are a cosine around a centre, of a width like it."""

    @named(default, None)
    def made(
        window_length: Any,
        periodic: Any = True,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        wanted = as_dtype(dtype)
        if active_graph() is None:
            return function(window_length, periodic, wanted)
        length = converted(window_length, int32, "window_length")
        return _cosine(length, periodic, wanted, centre)

    return documented(made, function)


def _cosine(length: Any, periodic: Any, dtype: DType, centre: float) -> Any:
    """Return a window by TensorFlow's nodes; of a length that only the run knows, too."""
    known, whole = length.spec.scalar(), shown(length)
    if known == 1:
        return ones([1], dtype)
    more = elementwise.cast(converted(periodic, bool_, "periodic"), int32)
    even = 1 - elementwise.floormod(whole, 2)
    width = elementwise.cast(whole + more * even - 1, dtype)
    places = elementwise.cast(numbers(whole), dtype)
    turn = given_constant(2 * np.pi, dtype) * places / width

    def wave() -> Any:
        found = centre - (1 - centre) * elementwise.cos(turn)
        return elementwise.cast(found, dtype)

    if known is not None:
        return wave()
    return cond(elementwise.equal(whole, 1), lambda: ones([1], dtype), wave)


hamming_window = _cosine_window("hamming_window", signal.hamming_window, 0.54)
hann_window = _cosine_window("hann_window", signal.hann_window, 0.5)


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
    window = signal.inverse_stft_window_fn(frame_step, _window(forward_window_fn))
    default = "inverse_stft_window_fn"
    if active_graph() is None:
        return window
    with name_scope(name, default):
        pass  # TensorFlow uses the name up, and calls what is in the window by the next one

    def called(*args: Any, **kwargs: Any) -> Any:
        return in_graph(lambda: window(*args, **kwargs), default, name, "Select")

    return called


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
