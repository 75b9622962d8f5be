"""Sound as WAV files have it: read into numbers between -1 and 1, and written from them."""

from __future__ import annotations

import io
import wave

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.strings.joining import as_bytes

__all__ = ["decode_wav", "encode_wav"]

_BYTES, _FULL = 2, 2**15
"""How many bytes a sample has, and which number of them stands for 1."""


class DecodeWav(Op):
    """The samples of a file, a row each, and how many there are in a second."""

    differentiable = False
    host = (0,)
    desired_channels: int = -1
    desired_samples: int = -1

    def infer(self, contents: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return float32 (samples, channels) and int32."""
        if contents.dtype is not dtypes.string or contents.rank not in (0, None):
            raise DTypeError(f"decode_wav takes one string, not {contents}")
        asked = (self.desired_samples, self.desired_channels)
        shape = tuple([None if n < 0 else n for n in asked])
        return TensorSpec(shape, dtypes.float32), TensorSpec((), dtypes.int32)

    def kernel(self, xp: Xp, contents: Array) -> tuple[Array, Array]:
        """Return them; missing channels are like the last one, missing samples 0."""
        samples, rate = _samples(as_bytes(contents.item()))
        if self.desired_channels >= 0:
            chosen = np.minimum(
                np.arange(self.desired_channels), samples.shape[1] - 1
            )
            samples = samples[:, chosen]
        if self.desired_samples >= 0:
            lacking = max(0, self.desired_samples - len(samples))
            cut = samples[: self.desired_samples]
            samples = np.pad(cut, [(0, lacking), (0, 0)])
        return np.ascontiguousarray(samples), np.asarray(rate, np.int32)


def _samples(data: bytes) -> tuple[Array, int]:
    try:
        with wave.open(io.BytesIO(data)) as file:
            channels, width, rate, count, *_ = file.getparams()
            raw = file.readframes(count)
    except (wave.Error, EOFError) as error:
        raise InvalidArgumentError(
            f"decode_wav: {len(data)} bytes are no WAV file: {error}"
        ) from None
    if width != _BYTES:
        raise InvalidArgumentError(
            f"decode_wav: the file has {8 * width} bits for each sample; allowed are 16"
        )
    found = np.frombuffer(raw, "<i2").reshape(-1, channels)
    return found.astype(np.float32) / np.float32(_FULL), rate


class EncodeWav(Op):
    """A file of samples."""

    differentiable = False
    host = (0, 1)

    def infer(self, audio: TensorSpec, sample_rate: TensorSpec) -> TensorSpec:
        """Return a string."""
        if audio.dtype is not dtypes.float32 or audio.rank not in (2, None):
            raise DTypeError(
                f"encode_wav takes float32 (samples, channels), not {audio}"
            )
        return TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, audio: Array, sample_rate: Array) -> Array:
        """Return the file."""
        if not audio.shape[1]:
            raise InvalidArgumentError("encode_wav: there are no channels")
        whole = np.clip(np.rint(audio.astype(np.float64) * _FULL), -_FULL, _FULL - 1)
        held = io.BytesIO()
        with wave.open(held, "wb") as file:
            file.setnchannels(audio.shape[1])
            file.setsampwidth(_BYTES)
            file.setframerate(int(sample_rate))
            file.writeframes(whole.astype("<i2").tobytes())
        return np.asarray(held.getvalue(), object)


def decode_wav(
    contents: TensorLike, desired_channels: int = -1, desired_samples: int = -1
) -> tuple[Tensor, Tensor]:
    """Return the samples of a WAV file of 16 bits, (samples, channels), and their rate.

    With `desired_channels` or `desired_samples` there are so many, cut or filled up.

    >>> file = tl.io.encode_wav([[0.5], [-1.0]], 8000)
    >>> audio, rate = tl.io.decode_wav(file)
    >>> audio.tolist(), rate.item()
    ([[0.5], [-1.0]], 8000)
    """
    audio, rate = calls(DecodeWav(desired_channels, desired_samples), contents)
    return audio, rate


def encode_wav(audio: TensorLike, sample_rate: TensorLike) -> Tensor:
    """Return the bytes of a WAV file of 16 bits; samples beyond -1 and 1 are cut off.

    >>> len(tl.io.encode_wav(tl.zeros((3, 2)), 8000).item())
    56
    """
    return call(EncodeWav(), audio, sample_rate)
