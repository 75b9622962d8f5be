"""tf.audio: sound as WAV files have it."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorlite.compat.calling import converted, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.core.dtypes import float32, int32
from tensorlite.ops.signals import audio_files

__all__ = ["decode_wav", "encode_wav"]


class DecodeWav(NamedTuple):
    """Samples, and how many there are in a second."""

    audio: Any
    sample_rate: Any


@named("DecodeWav")
def decode_wav(
    contents: Any,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> Any:
    """Return the samples of a 16-bit WAV file, between -1 and 1, and how many a second has.

    They are [samples, channels]. Missing channels and samples are filled up, those too many left
    out; -1 takes all.
    """
    given = (desired_channels, desired_samples)
    return DecodeWav(*audio_files.decode_wav(converted(contents), *given))


@named("EncodeWav")
def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Any:
    """Return samples [samples, channels] between -1 and 1 as the bytes of a WAV file."""
    return audio_files.encode_wav(
        converted(audio, float32), converted(sample_rate, int32)
    )


__dir__ = listing("audio", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("audio", name, __all__)
