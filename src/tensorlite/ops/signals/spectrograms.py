"""Spectrograms and cepstra as TensorFlow's operators for speech make them.

Short-time transforms of other windows, and the scale of mels by itself, are in frames.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core.check import whole
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import float32, float64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, permute_dims
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import logical_and
from tensorlite.ops.math.elementwise import log, log1p, sqrt
from tensorlite.ops.math.rounding import abs as magnitude, floor
from tensorlite.ops.signals.fft import rfft
from tensorlite.ops.signals.frames import frame

__all__: list[str] = []

FLOOR = 1e-12
"""What logarithms are taken of at least."""


def audio_spectrogram(
    samples: TensorLike,
    window_size: int,
    stride: int,
    magnitude_squared: bool = False,
) -> Tensor:
    """Return how strong each frequency is: float32 (channels, frames, frequencies).

    `samples` are (samples, channels); frames of `window_size` begin every `stride`. ShapeError for
    samples of another rank. Source: TensorFlow's AudioSpectrogram.

    >>> from tensorlite.ops.signals.spectrograms import audio_spectrogram
    >>> audio_spectrogram(tl.ones((16, 2)), 8, 4).shape
    (2, 3, 5)
    """
    x = astype(to_tensor(samples), float32)
    whole(window_size, "audio_spectrogram: window_size", least=2)
    whole(stride, "audio_spectrogram: stride", least=1)
    if x.spec.rank != 2:
        raise ShapeError(
            f"audio_spectrogram: samples={x.spec}; allowed are (samples, channels)"
        )
    size = 1 << (window_size - 1).bit_length()
    frames = frame(permute_dims(x, (1, 0)), window_size, stride)
    # Hann's window is periodic, of any length; that of frames.py is so of even ones only.
    turns = np.arange(window_size) / window_size
    window = constant((0.5 - 0.5 * np.cos(2.0 * np.pi * turns)).astype(np.float32))
    found = magnitude(rfft(frames * window, n=size))
    return found * found if magnitude_squared else found


def mel_weights(
    bins: int, sample_rate: TensorLike, limits: tuple[float, float], channels: int
) -> Tensor:
    """Return how much of each frequency belongs to each mel channel: (bins, channels).

    Frequencies are spread evenly up to half the sample rate; channels overlap their neighbours.

    >>> from tensorlite.ops.signals.spectrograms import mel_weights
    >>> mel_weights(9, 8000, (20.0, 4000.0), 3).shape
    (9, 3)
    """
    low, high = (1127.0 * np.log1p(limit / 700.0) for limit in limits)
    spacing = (high - low) / (channels + 1)
    peaks = constant(low + spacing * np.arange(1, channels + 1))
    hertz = astype(to_tensor(sample_rate), float64) * (0.5 / (bins - 1))
    numbers = constant(np.arange(bins, dtype=np.float64))
    is_within = logical_and(
        numbers >= floor(limits[0] / hertz + 1.5), numbers <= floor(limits[1] / hertz)
    )
    mel = log1p(numbers * hertz / 700.0) * 1127.0
    away = magnitude(expand_dims(mel, axis=1) - peaks) / spacing
    shares = maximum(1.0 - away, 0.0)
    return astype(shares * astype(expand_dims(is_within, axis=1), float64), float32)


def mfcc(
    spectrogram: TensorLike,
    sample_rate: TensorLike,
    upper_frequency_limit: float = 4000.0,
    lower_frequency_limit: float = 20.0,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
) -> Tensor:
    """Return the cepstrum of squared spectra (..., frequencies): float32 (..., coefficients).

    InvalidArgumentError for limits that are not in order. Source: TensorFlow's Mfcc.

    >>> from tensorlite.ops.signals.spectrograms import mfcc
    >>> mfcc(tl.ones((1, 3, 257)), 16000.0).shape
    (1, 3, 13)
    """
    x = astype(to_tensor(spectrogram), float32)
    bins = x.shape[-1] if x.spec.rank else None
    if bins is None:
        raise ShapeError(f"mfcc: spectrogram={x.spec}; its last size is to be known")
    limits = (float(lower_frequency_limit), float(upper_frequency_limit))
    if not 0 <= limits[0] < limits[1]:
        raise InvalidArgumentError(
            f"mfcc: limits of {limits}; the first is the lower"
        )
    count = filterbank_channel_count
    weights = mel_weights(bins, sample_rate, limits, count)
    energies = matmul(sqrt(x), weights)
    turns = np.pi / count * np.arange(dct_coefficient_count)
    cosines = np.sqrt(2.0 / count) * np.cos(
        turns[None] * (np.arange(count)[:, None] + 0.5)
    )
    return matmul(log(maximum(energies, FLOOR)), constant(cosines.astype(np.float32)))
