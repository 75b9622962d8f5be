"""Frames of signals and their spectra in graphs: nodes and names are those of TensorFlow 1.

What runs at once is in shared/signal.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.shared import signal as shared
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    linspace,
    range as counted,
    rank,
    reshape,
    split,
    stack,
    transpose,
    zeros,
)
from tensorlite.compat.shared.control_flow import while_loop
from tensorlite.compat.shared.cutting import strided_slice, tile
from tensorlite.compat.shared.elementwise import (
    cast,
    ceil,
    floormod,
    greater,
    log,
    maximum,
    minimum,
    pow as power,
    rsqrt,
    square,
)
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.shared.spectra import dct, irfft, rfft
from tensorlite.compat.v1.functions.arrays import (
    gather,
    ones_like,
    shape,
    size,
    zeros_like,
)
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.core.dtypes import as_dtype, float32, int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import check_rank_at_least
from tensorlite.graph_mode.graph import active_graph, name_scope


def _known(x: Any) -> Any:
    """Return the value of a tensor of one number, None if only the run knows it."""
    return x.__tensor__().spec.scalar()


def _common_divisor(a: Any, b: Any) -> Any:
    with name_scope(None, "gcd"):
        x, y = convert_to_tensor(a), convert_to_tensor(b)
        first, second = _known(x), _known(y)
        if first is not None and second is not None:
            return convert_to_tensor(np.array(math.gcd(first, second), np.int32))
        return while_loop(
            lambda _, y: greater(y, zeros_like(y)),
            lambda x, y: [y, floormod(x, y)],
            [x, y],
            back_prop=False,
        )[0]


def _framed_shape(x: Any, sizes: tuple[Any, Any], pad_end: bool, axis: Any) -> Any:
    """Return the shape of frames, None if not even the rank is known."""
    (length, step), place = map(_known, sizes), _known(axis)
    known = x.get_shape()
    if known.rank is None:
        return None
    if place is None:
        return [None] * (known.rank + 1)
    dims, count = known.as_list(), None
    samples = dims[place]
    if samples is not None and step is not None and pad_end:
        count = max(0, -(-samples // step))
    elif samples is not None and step is not None and length is not None:
        count = max(0, (samples - length + step) // step)
    return [*dims[:place], count, length, *dims[place:][1:]]


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Any:
    """Return windows of signals along `axis`, frame_length long and frame_step apart.

    With pad_end what the last ones lack is pad_value, else there are whole ones alone.
    """
    if active_graph() is None:
        options = (pad_end, pad_value, axis)
        return shared.frame(signal, frame_length, frame_step, *options, name=name)
    with name_scope(name, "frame"):
        x = convert_to_tensor(signal, name="signal")
        check_rank_at_least("frame: signal", x.__tensor__().spec, 1)
        length = convert_to_tensor(frame_length, name="frame_length")
        step = convert_to_tensor(frame_step, name="frame_step")
        place = convert_to_tensor(axis, name="axis")
        known = _framed_shape(x, (length, step), pad_end, place)
        axes = rank(x)
        place = counted(axes)[place]
        sizes = shape(x)
        outer, samples, inner = split(
            sizes, stack([place, 1, axes - 1 - place], name="packed")
        )
        samples = reshape(samples, [])
        around = size(outer), size(inner)
        if pad_end:
            end = convert_to_tensor(pad_value, x.dtype)
            count = -(-samples // step)
            more = maximum(0, length + step * (count - 1) - samples)
            none = [zeros([number, 2], more.dtype) for number in around]
            ends = concat([none[0], [[0, more]], none[1]], 0)
            x = pad(x, ends, constant_values=end)
            sizes = shape(x)
            samples = sizes[place]
        else:
            count = maximum(0, 1 + (samples - length) // step)
        frames = _picked(
            x, (sizes, outer, samples, inner), (length, step, count), place
        )
        if known:
            frames.set_shape(known)
        return frames


def _picked(
    x: Any,
    around: tuple[Any, Any, Any, Any],
    wanted: tuple[Any, Any, Any],
    place: Any,
) -> Any:
    """Return frames, put together of parts that are as long as what all begins have in common."""
    (sizes, outer, samples, inner), (length, step, count) = around, wanted
    part = _common_divisor(length, step)
    per_frame, per_step = length // part, step // part
    parts = samples // part
    whole = concat([outer, [parts * part], inner], 0)
    cut = concat([outer, [parts, part], inner], 0)
    begin = zeros_like(sizes)
    pieces = reshape(strided_slice(x, begin, whole, ones_like(begin)), cut)
    first = reshape(counted(count) * per_step, [count, 1])
    inside = reshape(counted(per_frame), [1, per_frame])
    picked = gather(pieces, first + inside, axis=place)
    return reshape(picked, concat([outer, [count, length], inner], 0))


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """Return signals of frames, the last two axes, which begin frame_step apart and are added."""
    if active_graph() is None:
        return shared.overlap_and_add(signal, frame_step, name=name)
    with name_scope(name, "overlap_and_add"):
        x = convert_to_tensor(signal, name="signal")
        check_rank_at_least("overlap_and_add: signal", x.__tensor__().spec, 2)
        step = convert_to_tensor(frame_step, name="frame_step")
        sizes = shape(x)
        outer = sizes[:-2]
        axes = size(outer)
        length, count = sizes[-1], sizes[-2]
        total = length + step * (count - 1)
        known = x.get_shape()
        if known.rank and _known(step) is not None and _known(step) == known[-1]:
            return reshape(x, concat([outer, [total]], 0), name="fast_path")
        segments = -(-length // step)
        ends = [[0, segments], [0, segments * step - length]]
        x = pad(x, concat([zeros([axes, 2], int32), ends], 0))
        x = reshape(x, concat([outer, [count + segments, segments, step]], 0))
        x = transpose(
            x, concat([counted(axes), axes + np.array([1, 0, 2], np.int32)], 0)
        )
        x = reshape(x, concat([outer, [(count + segments) * segments, step]], 0))
        x = x[..., : (count + segments - 1) * segments, :]
        x = reshape(x, concat([outer, [segments, (count + segments - 1), step]], 0))
        x = reduce_sum(x, -3)
        x = reshape(x, concat([outer, [(count + segments - 1) * step]], 0))
        return x[..., :total]


def _power_of_two(value: Any) -> Any:
    """Return the least power of two that is not less."""
    known = _known(value)
    if known is not None:
        return constant(1 << (int(known) - 1).bit_length(), value.dtype)
    exponent = ceil(log(cast(value, float32)) / log(2.0))
    return cast(power(2.0, exponent), value.dtype)


def _sizes(
    frame_length: Any, frame_step: Any, fft_length: Any
) -> tuple[Any, Any, Any]:
    length = convert_to_tensor(frame_length, name="frame_length")
    step = convert_to_tensor(frame_step, name="frame_step")
    if fft_length is None:
        return length, step, _power_of_two(length)
    return length, step, convert_to_tensor(fft_length, name="fft_length")


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Any = shared.hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """Return the spectra of frames of signals, [..., frames, fft_length // 2 + 1].

    Frames begin frame_step apart and are multiplied by a window; fft_length is the next power of 2
    unless given, window_fn=None takes them as they are.
    """
    if active_graph() is None:
        options = (fft_length, window_fn, pad_end, name)
        return shared.stft(signals, frame_length, frame_step, *options)
    with name_scope(name, "stft"):
        x = convert_to_tensor(signals, name="signals")
        check_rank_at_least("stft: signals", x.__tensor__().spec, 1)
        length, step, points = _sizes(frame_length, frame_step, fft_length)
        frames = frame(x, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(length, dtype=frames.dtype)
        return rfft(frames, [points])


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Any = shared.hann_window,
    name: str | None = None,
) -> Any:
    """Return signals of spectra, the frames added where they overlap.

    They are those that were, if the window is `inverse_stft_window_fn`'s.
    """
    if active_graph() is None:
        options = (fft_length, window_fn, name)
        return shared.inverse_stft(stfts, frame_length, frame_step, *options)
    with name_scope(name, "inverse_stft"):
        x = convert_to_tensor(stfts, name="stfts")
        check_rank_at_least("inverse_stft: stfts", x.__tensor__().spec, 2)
        length, step, points = _sizes(frame_length, frame_step, fft_length)
        frames = _of_length(irfft(x, [points]), length)
        if window_fn is not None:
            frames *= window_fn(length, dtype=frames.dtype)
        return overlap_and_add(frames, step)


def _of_length(frames: Any, length: Any) -> Any:
    """Return frames that are cut to a length, or filled up to it with 0."""
    known, dims = _known(length), frames.get_shape()
    if known is None or dims.rank is None or dims[-1] is None:
        frames = frames[..., :length]
        axes, sizes = rank(frames), shape(frames)
        none = zeros([axes - 1, 2], length.dtype)
        ends = concat([none, [[0, maximum(0, length - sizes[-1])]]], 0)
        frames = pad(frames, ends)
    elif dims[-1] > known:
        frames = frames[..., :known]
    elif dims[-1] < known:
        ends = [[0, 0]] * (dims.rank - 1) + [[0, known - dims[-1]]]
        frames = pad(frames, ends)
    if known is not None and dims.rank is not None:
        frames.set_shape([None] * (dims.rank - 1) + [known])
    return frames


def inverse_stft_window_fn(
    frame_step: Any,
    forward_window_fn: Any = shared.hann_window,
    name: str | None = None,
) -> Callable[..., Any]:
    """Return the window function by which `inverse_stft` undoes `stft`."""
    if active_graph() is None:
        window_fn: Callable[..., Any] = shared.inverse_stft_window_fn(
            frame_step, forward_window_fn, name
        )
        return window_fn
    with name_scope(name, "inverse_stft_window_fn"):
        step = convert_to_tensor(frame_step, name="frame_step")

    def called(frame_length: Any, dtype: Any) -> Any:
        with name_scope(name, "inverse_stft_window_fn"):
            length = convert_to_tensor(frame_length, name="frame_length")
            window = forward_window_fn(length, dtype=as_dtype(dtype))
            squares = square(window)
            overlaps = -(-length // step)
            squares = pad(squares, [(0, overlaps * step - length)])
            sums = reduce_sum(reshape(squares, [overlaps, step]), 0, keepdims=True)
            sums = reshape(tile(sums, [overlaps, 1]), [overlaps * step])
            return window / sums[:length]

    return called


def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: Any, name: str | None = None
) -> Any:
    """Return the cepstral coefficients of spectrograms of logarithms over mel bands."""
    if active_graph() is None:
        return shared.mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=name)
    with name_scope(name, "mfccs_from_log_mel_spectrograms"):
        x = convert_to_tensor(log_mel_spectrograms, float32)
        known = x.get_shape()
        count = known.as_list()[-1] if known.rank else None
        if count == 0:
            raise InvalidArgumentError(f"num_mel_bins must be positive, of {known}")
        bands = shape(x)[-1] if count is None else count
        return dct(x, type=2) * rsqrt(cast(bands, float32) * 2.0)


def _ascend(low: Any, high: Any, rate: Any) -> bool:
    """Return whether bands of frequencies may be built of tensors: where not, an error tells."""
    if any(isinstance(x, Operand) for x in (low, high, rate)):
        return False
    return bool(0 <= low < high <= rate / 2)


def _mel(frequencies: Any) -> Any:
    with name_scope(None, "hertz_to_mel"):
        return 1127.0 * log(1.0 + frequencies / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    """Return the matrix that takes spectra to bands of the mel scale, [spectrum bins, mel bins].

    `sample_rate` is in hertz, as are the ends of the lowest and of the highest band.
    """
    edges = (lower_edge_hertz, upper_edge_hertz)
    is_right = as_dtype(dtype).is_floating and num_mel_bins > 0
    if active_graph() is None or not (is_right and _ascend(*edges, sample_rate)):
        given = (num_mel_bins, num_spectrogram_bins, sample_rate, *edges, dtype)
        return shared.linear_to_mel_weight_matrix(*given, name=name)
    with name_scope(name, "linear_to_mel_weight_matrix") as whole:
        rate = convert_to_tensor(sample_rate, dtype, name="sample_rate")
        low = convert_to_tensor(edges[0], dtype, name="lower_edge_hertz")
        high = convert_to_tensor(edges[1], dtype, name="upper_edge_hertz")
        zero = convert_to_tensor(0.0, dtype)
        bins = linspace(zero, rate / 2.0, num_spectrogram_bins)[1:]
        places = expand_dims(_mel(bins), 1)
        ends = linspace(_mel(low), _mel(high), num_mel_bins + 2)
        bands = split(frame(ends, 3, 1), 3, axis=1)
        lower, middle, upper = [reshape(x, [1, num_mel_bins]) for x in bands]
        rising = (places - lower) / (middle - lower)
        falling = (upper - places) / (upper - middle)
        weights = maximum(zero, minimum(rising, falling))
        return pad(weights, [[1, 0], [0, 0]], name=whole)
