"""Signals: frames, windows, short-time Fourier transforms, cosine transforms, mel scales.

The operators and functions stand in ops/.
"""

from __future__ import annotations

from tensorlite.ops.signals.fft import fft, ifft, irfft, rfft
from tensorlite.ops.signals.frames import (
    dct,
    frame,
    hamming_window,
    hann_window,
    idct,
    inverse_mdct,
    inverse_stft,
    inverse_stft_window_fn,
    kaiser_bessel_derived_window,
    kaiser_window,
    linear_to_mel_weight_matrix,
    mdct,
    mfccs_from_log_mel_spectrograms,
    overlap_and_add,
    stft,
    vorbis_window,
)
from tensorlite.ops.signals.frequencies import fftshift, ifftshift

__all__ = [
    "dct",
    "fft",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "stft",
    "vorbis_window",
]


def __dir__() -> list[str]:
    return __all__
