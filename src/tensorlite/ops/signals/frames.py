"""Signals: frames and windows, short-time Fourier transforms, cosine transforms, mel scales.

Fourier transforms themselves are in fft.py.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Literal

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import constant, floating, to_tensor
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import (
    check_rank_at_least,
    normalise_axis,
)
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.ops.arrays.arrange import expand_dims, flip, matrix_transpose
from tensorlite.ops.arrays.create import ones, ones_like, zeros_like
from tensorlite.ops.arrays.gather import gather, sizes, unsorted_segment_sum
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.padding import pad_ends
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import pad, tile
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.linear.einsum import tensordot
from tensorlite.ops.math.arithmetic import negative, sum as sum_of
from tensorlite.ops.math.bounds import maximum, minimum
from tensorlite.ops.math.compare import equal, logical_and, where
from tensorlite.ops.math.elementwise import log1p, square
from tensorlite.ops.math.trigonometric import cos
from tensorlite.ops.operators import astype, reshape
from tensorlite.ops.signals.fft import irfft, rfft

__all__ = [
    "dct",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "stft",
    "vorbis_window",
]

WindowFn = Callable[..., TensorLike]
Norm = Literal["ortho"] | None


def frame(
    signal: TensorLike,
    frame_length: int,
    frame_step: int,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
) -> Tensor:
    """Return a signal cut into frames that begin every `frame_step`, along a new axis before its.

    With `pad_end` the last frames are filled up with `pad_value`; else those that are not whole
    are left out.

    >>> print(tl.signal.frame([1, 2, 3, 4, 5], 3, 2))
    [[1 2 3]
     [3 4 5]]
    """
    x = to_tensor(signal)
    whole(frame_length, "frame: frame_length", 0)
    whole(frame_step, "frame: frame_step", 1)
    if x.spec.rank is None and whole(axis, "frame: axis") == -1:
        options = (frame_length, frame_step, pad_end, pad_value)
        return _by_rows(lambda rows: frame(rows, *options), x, 1)
    at = normalise_axis(whole(axis, "frame: axis"), x.ndim)
    length = sizes(x)[at]
    if pad_end:
        count = (length + frame_step - 1) // frame_step
        missing = _at_least(0, (count - 1) * frame_step + frame_length - length)
        ends: list[Any] = [[0, 0]] * x.ndim
        ends[at] = [0, missing]
        x = pad_ends(x, ends, pad_value)
    else:
        count = _at_least(0, (length - frame_length) // frame_step + 1)
    starts = arange(count) * frame_step
    places = expand_dims(starts, 1) + arange(frame_length)
    if at:
        return gather(x, places, axis=at)
    # Along a first axis the gradient would be of rows, IndexedSlices.
    return gather(expand_dims(x, 0), places, axis=1)[0]


def _by_rows(function: Callable[[Tensor], Tensor], x: Tensor, axes: int) -> Tensor:
    """Return what a function of the last `axes` axes makes of a tensor of unknown rank."""
    whole = shape_of(x)
    rows = reshape(x, [-1, *[whole[i] for i in range(-axes, 0)]])
    made = function(rows)
    return reshape(made, concat([whole[:-axes], shape_of(made)[1:]]))


def _at_least(low: int, size: Any) -> Any:
    """Return a size, known or not, or what it is at least."""
    return max(low, size) if isinstance(size, int) else maximum(size, low)


def overlap_and_add(signal: TensorLike, frame_step: int) -> Tensor:
    """Return the signal that frames (..., frames, length) add up to, each `frame_step` later.

    >>> print(tl.signal.overlap_and_add([[1, 1, 1], [1, 1, 1]], 2))
    [1 1 2 1 1]
    """
    x = to_tensor(signal)
    if x.spec.rank is None:
        return _by_rows(lambda rows: overlap_and_add(rows, frame_step), x, 2)
    *outer, count, length = sizes(x)
    whole = length + frame_step * (count - 1)
    places = expand_dims(arange(count) * frame_step, 1) + arange(length)
    flat = reshape(x, [-1, count * length])
    summed = unsorted_segment_sum(
        matrix_transpose(flat), reshape(places, (-1,)), whole
    )
    return reshape(matrix_transpose(summed), [*outer, whole])


def _raised_cosine(length: int, periodic: bool, dtype: DTypeLike, a: float) -> Tensor:
    if length == 1:
        return ones((1,), dtype=dtype)
    even = 1 - length % 2
    span = length + int(periodic) * even - 1
    values = a - (1 - a) * np.cos(2 * np.pi * np.arange(length) / span)
    return constant(values, as_dtype(dtype))


def hann_window(
    window_length: int, periodic: bool = True, dtype: DTypeLike = dtypes.float32
) -> Tensor:
    """Return Hann's window: a cosine raised so that it begins at 0.

    >>> print(tl.signal.hann_window(4))
    [0.  0.5 1.  0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5)


def hamming_window(
    window_length: int, periodic: bool = True, dtype: DTypeLike = dtypes.float32
) -> Tensor:
    """Return Hamming's window: a cosine raised so that it begins at 0.08.

    >>> print(tl.signal.hamming_window(4))
    [0.08 0.54 1.   0.54]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54)


def kaiser_window(
    window_length: int, beta: float = 12.0, dtype: DTypeLike = dtypes.float32
) -> Tensor:
    """Return Kaiser's window.

    >>> print(tl.signal.kaiser_window(3, 1.0))
    [0.789848 1.       0.789848]
    """
    return constant(np.kaiser(window_length, beta), as_dtype(dtype))


def kaiser_bessel_derived_window(
    window_length: int, beta: float = 12.0, dtype: DTypeLike = dtypes.float32
) -> Tensor:
    """Return the window of even length that is derived of Kaiser's by running sums.

    >>> print(tl.signal.kaiser_bessel_derived_window(2))
    [0.707107 0.707107]
    """
    whole(window_length, "kaiser_bessel_derived_window: window_length", 1)
    half = np.cumsum(np.kaiser(window_length // 2 + 1, beta))
    side = np.sqrt(half[:-1] / half[-1])
    return constant(np.concatenate([side, side[::-1]]), as_dtype(dtype))


def vorbis_window(window_length: int, dtype: DTypeLike = dtypes.float32) -> Tensor:
    """Return Vorbis' window of power complementary halves.

    >>> print(tl.signal.vorbis_window(2))
    [0.707107 0.707107]
    """
    at = np.sin(np.pi * (np.arange(window_length) + 0.5) / window_length)
    return constant(np.sin(np.pi / 2 * at**2), as_dtype(dtype))


def _enclosing(length: int) -> int:
    """Return the least power of two that is not less."""
    return int(2 ** np.ceil(np.log2(length)))


def stft(
    signals: TensorLike,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: WindowFn | None = hann_window,
    pad_end: bool = False,
) -> Tensor:
    """Return the spectra of frames of real signals, (..., frames, frequencies).

    >>> tl.signal.stft(tl.ones(16), 8, 4).shape
    (3, 5)
    """
    x = floating(to_tensor(signals))
    frames = frame(x, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=x.dtype)
    return rfft(frames, n=fft_length or _enclosing(frame_length))


def inverse_stft(
    stfts: TensorLike,
    frame_length: int,
    frame_step: int,
    fft_length: int | None = None,
    window_fn: WindowFn | None = hann_window,
) -> Tensor:
    """Return the signals that spectra of frames add up to.

    With `inverse_stft_window_fn(frame_step)` as window it undoes `stft`, but for the ends.

    >>> x = tl.ones(16)
    >>> window = tl.signal.inverse_stft_window_fn(4)
    >>> print(tl.signal.inverse_stft(tl.signal.stft(x, 8, 4), 8, 4, window_fn=window)[5:8])
    [1. 1. 1.]
    """
    x = to_tensor(stfts)
    whole = fft_length or _enclosing(frame_length)
    frames = irfft(x, n=whole)
    if whole >= frame_length:
        frames = frames[..., :frame_length]
    else:
        ends = [[0, 0]] * (frames.ndim - 1)
        frames = pad(frames, [*ends, [0, frame_length - whole]])
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: int, forward_window_fn: WindowFn = hann_window
) -> WindowFn:
    """Return a window for `inverse_stft` that undoes the one of `stft`, 0 where that is lost.

    >>> print(tl.signal.inverse_stft_window_fn(2)(4, dtype=tl.float32))
    [0. 1. 1. 1.]
    """

    def window(frame_length: int, dtype: DTypeLike) -> Tensor:
        forward = to_tensor(forward_window_fn(frame_length, dtype=dtype))
        overlaps = -(-frame_length // frame_step)
        squares = pad(square(forward), [[0, overlaps * frame_step - frame_length]])
        total = sum_of(
            reshape(squares, (overlaps, frame_step)), axis=0, keepdims=True
        )
        total = reshape(tile(total, (overlaps, 1)), (-1,))[:frame_length]
        is_lost = equal(total, 0)
        divided = forward / where(is_lost, ones_like(total), total)
        return where(is_lost, zeros_like(forward), divided)

    return window


def _cosines(kind: int, n: Any, ortho: bool) -> Tensor:
    """Return the matrix (from, to) of a cosine transform, in float64."""
    size = astype(to_tensor(n), dtypes.float64)
    places = astype(arange(n), dtypes.float64)
    near, far = expand_dims(places, 1), expand_dims(places, 0)
    if kind == 1:
        inner = astype(logical_and(near > 0, near < size - 1), dtypes.float64)
        return (inner + 1) * cos(np.pi * near * far / maximum(size - 1, 1.0))
    if kind == 2:
        angles = (2 * near + 1) * far / (2 * size)
    elif kind == 3:
        angles = near * (2 * far + 1) / (2 * size)
    else:
        angles = (2 * near + 1) * (2 * far + 1) / (4 * size)
    matrix = 2 * cos(np.pi * angles)
    if ortho:
        matrix = matrix * (1 / (2 * size)) ** 0.5
    if kind == 4 or (kind == 2 and not ortho):
        return matrix
    # The first element, or what is made of it, counts less than the others.
    others = astype((far if kind == 2 else near) > 0, dtypes.float64)
    share = 0.5**0.5 if ortho else 0.5
    return matrix * (share + (1 - share) * others)


def dct(
    x: TensorLike, type: int = 2, n: int | None = None, norm: Norm = None
) -> Tensor:
    """Return the cosine transform of a type from 1 to 4 along the last axis, cut or filled to `n`.

    >>> print(tl.signal.dct([1.0, 1.0], norm="ortho"))
    [1.414214 0.      ]
    """
    if (
        type not in (1, 2, 3, 4)
        or norm not in (None, "ortho")
        or (type == 1 and norm)
    ):
        raise InvalidArgumentError(
            f"type={type!r}, norm={norm!r}; allowed are 1 to 4, and None or 'ortho', "
            "but for type 1"
        )
    signal = floating(to_tensor(x))
    check_rank_at_least("dct: x", signal.spec, 1)
    have = sizes(signal)[-1]
    if n is None:
        matrix, kept = _cosines(type, have, norm == "ortho"), signal
    else:
        matrix, kept = _cosines(type, n, norm == "ortho")[:have], signal[..., :n]
    return tensordot(kept, astype(matrix, signal.dtype), axes=1)


def idct(
    x: TensorLike, type: int = 2, n: int | None = None, norm: Norm = None
) -> Tensor:
    """Return the inverse cosine transform, which without "ortho" is 2 n times too large.

    >>> print(tl.signal.idct(tl.signal.dct([1.0, 2.0], norm="ortho"), norm="ortho"))
    [1. 2.]
    """
    return dct(x, {2: 3, 3: 2}.get(type, type), n, norm)


def mdct(
    signals: TensorLike,
    frame_length: int,
    window_fn: WindowFn | None = vorbis_window,
    pad_end: bool = False,
    norm: Norm = None,
) -> Tensor:
    """Return the modified cosine transform of real signals, in frames that overlap by halves.

    >>> tl.signal.mdct(tl.ones(16), 8).shape
    (3, 4)
    """
    x = floating(to_tensor(signals))
    half = frame_length // 2
    frames = frame(x, frame_length, half, pad_end)
    if window_fn is None:
        frames = frames * 0.5**0.5
    else:
        frames = frames * window_fn(frame_length, dtype=x.dtype)
    parts = reshape(frames, [*sizes(frames)[:-1], 4, half // 2])
    a, b, c, d = (parts[..., i, :] for i in range(4))
    first = negative(flip(c, axis=-1)) - d
    folded = concat([first, a - flip(b, axis=-1)], axis=-1)
    return dct(folded, 4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike, window_fn: WindowFn | None = vorbis_window, norm: Norm = None
) -> Tensor:
    """Return the signals that modified cosine transforms are of, but for the ends.

    >>> x = tl.arange(16, dtype=tl.float32)
    >>> print(tl.signal.inverse_mdct(tl.signal.mdct(x, 8))[5:8])
    [5. 6. 7.]
    """
    x = floating(to_tensor(mdcts))
    check_rank_at_least("inverse_mdct: mdcts", x.spec, 1)
    half = x.spec.dims[-1]
    if not half:
        raise ShapeError(
            f"inverse_mdct needs a last axis of known size above 0, not {x.spec}"
        )
    spread = idct(x, 4, norm=norm)
    spread = spread if norm == "ortho" else spread * (0.5 / half)
    quarter = half // 2
    first, second = spread[..., :quarter], spread[..., quarter:]
    turned = [second, negative(flip(second, axis=-1)), negative(flip(first, axis=-1))]
    frames = concat([*turned, negative(first)], axis=-1)
    if window_fn is None:
        frames = frames * 0.5**0.5
    else:
        frames = frames * window_fn(2 * half, dtype=x.dtype)
    return overlap_and_add(frames, half)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: int | Tensor = 129,
    sample_rate: float | Tensor = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return the matrix that turns spectra of linear frequencies to bins of the mel scale.

    The number of frequencies and the sample rate may be tensors of a graph.

    >>> tl.signal.linear_to_mel_weight_matrix(4, 9).shape
    (9, 4)
    """
    target = as_dtype(dtype)
    if num_mel_bins < 1:
        raise InvalidArgumentError(
            f"num_mel_bins must be positive. Got: {num_mel_bins}"
        )
    if not target.is_floating:
        raise InvalidArgumentError(
            f"dtype must be a floating point type. Got: {target!r}"
        )
    rate, count = _known(sample_rate), _known(num_spectrogram_bins)
    _check_edges(lower_edge_hertz, upper_edge_hertz, rate)
    ends = 1127.0 * np.log1p(np.asarray([lower_edge_hertz, upper_edge_hertz]) / 700.0)
    edges = np.linspace(ends[0], ends[1], num_mel_bins + 2)
    if isinstance(rate, Tensor) or isinstance(count, Tensor):
        wide = [astype(to_tensor(x), dtypes.float64) for x in (rate, count)]
        step = wide[0] / 2.0 / (wide[1] - 1.0)
        hertz = astype(arange(1, count), dtypes.float64) * step
        linear = expand_dims(1127.0 * log1p(hertz / 700.0), -1)
        weights = maximum(0.0, minimum(*_bands(linear, edges)))
        return astype(pad(weights, [[1, 0], [0, 0]]), target)
    places = np.linspace(0.0, rate / 2, int(count))[1:, None]
    sides = _bands(1127.0 * np.log1p(places / 700.0), edges)
    known = np.maximum(0.0, np.minimum(*sides))
    return constant(np.pad(known, [[1, 0], [0, 0]]), target)


def _known(x: Any) -> Any:
    """Return the value of a number or 0-d tensor; the tensor if only a run of its graph knows."""
    if not isinstance(x, Operand):
        return x
    tensor = x.__tensor__()
    known = tensor.spec.scalar()
    is_open = known is None and isinstance(tensor, SymbolicTensor)
    return tensor if is_open else tensor.numpy().item() if known is None else known


def _check_edges(low: float, high: float, rate: Any) -> None:
    """Raise InvalidArgumentError for edges of bands that do not ascend, to half of the rate."""
    limit = inf if isinstance(rate, Tensor) else rate / 2
    if not 0 <= low < high <= limit:
        raise InvalidArgumentError(
            f"edges {low} and {high} of sample rate {rate}; they must ascend, and be at most half "
            "of the rate"
        )


def _bands(linear: Any, edges: Any) -> tuple[Any, Any]:
    """Return overlapping triangles at frequencies, on the mel scale: rising sides, and falling."""
    low, centre, high = edges[:-2], edges[1:-1], edges[2:]
    return (linear - low) / (centre - low), (high - linear) / (high - centre)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike) -> Tensor:
    """Return mel-frequency cepstral coefficients, as HTK scales them.

    >>> print(tl.signal.mfccs_from_log_mel_spectrograms([[1.0, 1.0]]))
    [[2. 0.]]
    """
    x = floating(to_tensor(log_mel_spectrograms))
    check_rank_at_least("log_mel_spectrograms", x.spec, 1)
    if x.spec.rank is None:
        return _by_rows(mfccs_from_log_mel_spectrograms, x, 1)
    bins = x.spec.dims[-1]
    if bins == 0:
        raise ShapeError(f"log_mel_spectrograms have no mel bins: {x.spec}")
    if bins is None:
        return dct(x) * (astype(shape_of(x)[-1], x.dtype) * 2.0) ** -0.5
    return dct(x) * float((2.0 * bins) ** -0.5)
