"""WAV files: the numbers are TensorFlow 2.21's; what is cut, filled up and refused."""

from __future__ import annotations

import io
import wave

import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError


def test_samples_are_written_and_read() -> None:
    file = tl.io.encode_wav([[0.5, -0.25], [1.5, -2.0], [0.00002, 0.1]], 44100)
    audio, rate = tl.io.decode_wav(file)
    assert rate.item() == 44100
    assert audio.tolist() == [
        [0.5, -0.25],
        [0.999969482421875, -1.0],
        [3.0517578125e-05, 0.100006103515625],
    ]


def test_samples_and_channels_are_cut_and_filled_up() -> None:
    file = tl.io.encode_wav([[0.5], [0.25]], 8000)
    audio, _ = tl.io.decode_wav(file, desired_channels=2, desired_samples=3)
    assert audio.tolist() == [[0.5, 0.5], [0.25, 0.25], [0.0, 0.0]]
    audio, _ = tl.io.decode_wav(file, desired_samples=1)
    assert audio.tolist() == [[0.5]]


def test_what_is_no_such_file_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="are no WAV file"):
        tl.io.decode_wav(b"RIFF")
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\0")
    with pytest.raises(InvalidArgumentError, match="allowed are 16"):
        tl.io.decode_wav(held.getvalue())
    with pytest.raises(DTypeError, match="float32"):
        tl.io.encode_wav([1.0], 8000)


def test_a_jpeg_is_cropped_and_measured() -> None:
    pixels = tl.tile(tl.reshape(tl.arange(0, 240, 10), (4, 6, 1)), (1, 1, 3))
    file = tl.image.encode_jpeg(tl.astype(pixels, tl.uint8))
    whole = tl.image.decode_jpeg(file)
    part = tl.image.decode_and_crop_jpeg(file, [1, 2, 3, 4])
    assert part.tolist() == whole[1:4, 2:6].tolist()
    assert tl.image.extract_jpeg_shape(file).tolist() == [4, 6, 3]
    with pytest.raises(InvalidArgumentError):
        tl.image.decode_and_crop_jpeg(file, [1, 2, 4, 4])
    with pytest.raises(DTypeError, match="takes the bytes of a file"):
        tl.image.extract_jpeg_shape(3)
