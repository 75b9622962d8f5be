"""Keras' layers that make spectrograms of sound, whose transforms may be trained."""

from __future__ import annotations

import warnings
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import checking, initializers
from tensorlite.compat.v2.keras.ops.linear import stft
from tensorlite.compat.v2.keras.ops.windows import conv
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of

_MODES = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")
_LEAST = 1e-7


class MelSpectrogram(Layer):
    """Sound, of shape (..., samples), as (..., num_mel_bins, frames) on the mel scale."""

    def __init__(
        self,
        fft_length: int = 2048,
        sequence_stride: int = 512,
        sequence_length: int | None = None,
        window: Any = "hann",
        sampling_rate: int = 16000,
        num_mel_bins: int = 128,
        min_freq: float = 20.0,
        max_freq: float | None = None,
        power_to_db: bool = True,
        top_db: float = 80.0,
        mag_exp: float = 2.0,
        min_power: float = 1e-10,
        ref_power: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.fft_length, self.sequence_stride = fft_length, sequence_stride
        self.sequence_length = sequence_length or fft_length
        if fft_length < self.sequence_length:
            raise InvalidArgumentError(
                "`fft_length` must be greater than or equal to `sequence_length`. Received: "
                f"`sequence_length`={self.sequence_length}, `fft_length`={fft_length}."
            )
        self.window, self.sampling_rate = window, sampling_rate
        self.num_mel_bins, self.min_freq = num_mel_bins, min_freq
        self.max_freq = max_freq or int(sampling_rate / 2)
        self.power_to_db, self.top_db, self.mag_exp = power_to_db, top_db, mag_exp
        self.min_power, self.ref_power = min_power, ref_power

    def call(self, inputs: Any) -> Any:
        wide = self.compute_dtype == "float64"
        dtype = tl.float64 if wide else tl.float32  # which transforms have
        sizes = (self.sequence_length, self.sequence_stride, self.fft_length)
        real, imag = stft(astype(inputs, dtype), *sizes, self.window)
        spectrum = tl.sqrt(tl.square(real) + tl.square(imag)) ** self.mag_exp
        to_mel = tl.signal.linear_to_mel_weight_matrix(
            *(self.num_mel_bins, self.fft_length // 2 + 1, self.sampling_rate),
            *(self.min_freq, self.max_freq, dtype),
        )
        made = tl.tensordot(spectrum, to_mel, axes=1)
        if self.power_to_db:
            made = self._in_decibels(made)
        return astype(tl.matrix_transpose(made), as_dtype(self.compute_dtype))

    def _in_decibels(self, power: Any) -> Any:
        """Return powers as decibels, none further below the loudest than top_db."""
        reference = max(abs(self.ref_power), self.min_power)
        made = 10.0 * tl.log10(tl.maximum(power, self.min_power) / reference)
        return tl.maximum(made, tl.max(made) - self.top_db)


class STFTSpectrogram(Layer):
    """Sound, of shape (batch, samples, channels), as spectra of frames, by convolutions.

    The kernels begin as the short-time Fourier transform, and may be trained.
    """

    real_kernel: Any
    imag_kernel: Any

    def __init__(
        self,
        mode: str = "log",
        frame_length: int = 256,
        frame_step: int | None = None,
        fft_length: int | None = None,
        window: Any = "hann",
        periodic: bool = False,
        scaling: str | None = "density",
        padding: str = "valid",
        expand_dims: bool = False,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if frame_step is not None and not 1 <= frame_step <= frame_length:
            raise InvalidArgumentError(
                "`frame_step` should be a positive integer not greater than `frame_length`. "
                f"Received frame_step={frame_step}, frame_length={frame_length}"
            )
        _check_transform(fft_length, frame_length)
        if mode not in _MODES:
            raise InvalidArgumentError(
                f"Output mode is invalid, it must be one of {', '.join(_MODES)}. Received: "
                f"mode={mode}"
            )
        if padding not in {"valid", "same"}:
            raise InvalidArgumentError(
                f"Padding is invalid, it should be 'valid', 'same'. Received: padding={padding}"
            )
        initializers.STFT("real", window, scaling, periodic).window_of(frame_length)
        self.mode, self.frame_length, self.frame_step = mode, frame_length, frame_step
        self.fft_length, self.window, self.periodic = fft_length, window, periodic
        self.scaling, self.padding, self.expand_dims = scaling, padding, expand_dims
        self.data_format = checking.data_format(data_format)
        self.step = frame_step or frame_length // 2
        self.bins = (fft_length or 2 ** (frame_length - 1).bit_length()) // 2 + 1
        self.input_spec = InputSpec(ndim=3)

    def build(self, input_shape: Any) -> None:
        for side in ("real", "imag"):
            if self.mode == {"real": "imag", "imag": "real"}[side]:
                continue
            make = initializers.STFT(side, self.window, self.scaling, self.periodic)
            shape = (self.frame_length, 1, self.bins)
            name = f"{side}_kernel"
            setattr(self, name, self.add_weight(name, shape, initializer=make))
        self.built = True

    def call(self, inputs: Any) -> Any:
        if not inputs.dtype.is_floating:
            raise TypeError(
                "Invalid input type. Expected `float16`, `float32` or `float64`. Received: input "
                f"type={inputs.dtype}"
            )
        last = self.data_format == "channels_last"
        signals = tl.permute_dims(inputs, (0, 2, 1)) if last else inputs
        made = self._in_mode(signals)  # (batch, channels, frames, bins)
        if self.expand_dims:
            return tl.permute_dims(made, (0, 2, 3, 1)) if last else made
        wide = tl.permute_dims(made, (0, 1, 3, 2))
        lines = wide.shape[1] * wide.shape[2]
        rows = tl.reshape(wide, [-1, lines, shape_of(wide)[3]])
        return tl.permute_dims(rows, (0, 2, 1)) if last else rows

    def _in_mode(self, signals: Any) -> Any:
        if self.mode in {"real", "imag"}:
            return self._transformed(signals, getattr(self, f"{self.mode}_kernel"))
        real = self._transformed(signals, self.real_kernel)
        imag = self._transformed(signals, self.imag_kernel)
        if self.mode == "angle":
            return tl.atan2(imag, real)
        if self.mode == "stft":
            return tl.concat([real, imag], axis=-1)
        power = tl.square(real) + tl.square(imag)
        if self.mode == "psd":  # what real signals have at negative frequencies, too
            return power + tl.pad(power[..., 1:-1], [(0, 0)] * 3 + [(1, 1)])
        size = tl.sqrt(tl.maximum(power, _LEAST))
        return tl.log(tl.maximum(size, _LEAST)) if self.mode == "log" else size

    def _transformed(self, signals: Any, kernel: Any) -> Any:
        """Return the frames' products with a kernel, channel by channel."""
        rows = tl.reshape(signals, [-1, shape_of(signals)[2], 1])
        weights = astype(kernel, signals.dtype)
        made = conv(rows, weights, self.step, self.padding, "channels_last")
        return tl.reshape(made, [-1, signals.shape[1], shape_of(made)[1], self.bins])


def _check_transform(fft_length: int | None, frame_length: int) -> None:
    if fft_length is None:
        return
    if fft_length < frame_length:
        raise InvalidArgumentError(
            f"`fft_length` should be not less than `frame_length`. Received {fft_length=}, "
            f"{frame_length=}"
        )
    if fft_length & -fft_length != fft_length:
        warnings.warn(
            f"`fft_length` is recommended to be a power of two. Received {fft_length=}",
            stacklevel=3,
        )
