"""Arrays as what TensorBoard shows: histograms, PNG images, WAV sound, tensors in messages.

The operators that give or write these are in writing.py.
"""

from __future__ import annotations

import io
import struct
import wave
import zlib
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from tensorlite.core.dtypes import of_numpy, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.summaries.event_messages import board, message

__all__: list[str] = []

Numbers: TypeAlias = "np.ndarray[Any, Any]"
_MOST = float(np.finfo(np.float64).max)
_PNG_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}
"""PNG's number for grey, grey with alpha, RGB and RGBA, by how many channels there are."""


@cache
def _limits() -> Numbers:
    """Return where the buckets of TensorFlow 1's histograms end: each is a tenth wider."""
    upper = []
    limit = 1e-12
    while limit < 1e20:
        upper.append(limit)
        limit *= 1.1
    upper.append(_MOST)
    return np.asarray([*[-x for x in reversed(upper)], 0.0, *upper])


def histogram(values: Numbers, tag: str) -> Any:
    """Return a HistogramProto; InvalidArgumentError where a value is not finite.

    >>> proto = histogram(np.asarray([1.0, 2.0, 2.0]), "x")
    >>> proto.num, proto.sum, list(proto.bucket)
    (3.0, 5.0, [0.0, 1.0, 0.0, 2.0, 0.0])
    """
    flat = np.asarray(values, np.float64).ravel()
    if not np.isfinite(flat).all():
        what = "Nan" if np.isnan(flat).any() else "Infinity"
        raise InvalidArgumentError(f"{what} in summary histogram for: {tag}")
    limits = _limits()
    places = np.searchsorted(limits, flat, side="right")
    counts = np.bincount(places, minlength=len(limits))
    proto = message("HistogramProto")(
        min=flat.min() if flat.size else limits[-1],
        max=flat.max() if flat.size else -_MOST,
        num=flat.size,
        sum=flat.sum(),
        sum_squares=(flat * flat).sum(),
    )
    # A run of empty buckets is written as one.
    full = counts > 0
    kept = np.append(full[:-1] | full[1:], True)
    proto.bucket_limit.extend(limits[kept].tolist())
    proto.bucket.extend(counts[kept].astype(float).tolist())
    return proto


def buckets(values: Numbers, count: int) -> Numbers:
    """Return rows of left edge, right edge and how many values lie there: TensorFlow 2's form.

    >>> buckets(np.asarray([0.0, 1.0, 4.0]), 2)
    array([[0., 2., 2.],
           [2., 4., 1.]])
    """
    flat = np.asarray(values, np.float64).ravel()
    count = max(0, count)
    if not flat.size or not count:
        return np.zeros((count, 3))
    low, high = flat.min(), flat.max()
    if low == high or not np.isfinite(high - low):
        counts = np.zeros(count)
        counts[-1] = flat.size
        edges = np.full(count, high)
        return np.stack([edges, edges, counts], axis=1)
    width = (high - low) / count
    places = np.minimum(np.floor((flat - low) / width).astype(np.int64), count - 1)
    counts = np.bincount(places, minlength=count).astype(float)
    edges = np.linspace(low, high, count + 1)
    edges[-1] = high
    return np.stack([edges[:-1], edges[1:], counts], axis=1)


def png(image: Numbers) -> bytes:
    """Return an image of bytes, (height, width, channels), as a PNG file.

    >>> png(np.zeros((1, 1, 3), np.uint8))[1:4]
    b'PNG'
    """
    if image.ndim != 3 or image.shape[2] not in _PNG_KINDS:
        raise InvalidArgumentError(
            f"an image has the shape (height, width, channels) with 1 to 4 channels, not "
            f"{image.shape}"
        )
    height, width, channels = image.shape
    if not height or not width:
        raise InvalidArgumentError(f"an image of shape {image.shape} has no pixels")
    rows = image.reshape(height, width * channels).astype(np.uint8)
    # Each row begins with the number of the filter it went through: 0, which is none.
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8, _PNG_KINDS[channels], 0, 0, 0)
    parts = [
        b"\x89PNG\r\n\x1a\n",
        _chunk(b"IHDR", head),
        _chunk(b"IDAT", zlib.compress(lines.tobytes())),
        _chunk(b"IEND", b""),
    ]
    return b"".join(parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    size, check = struct.pack(">I", len(data)), zlib.crc32(kind + data)
    return size + kind + data + struct.pack(">I", check)


def wav(sound: Numbers, rate: int) -> bytes:
    """Return sound between -1 and 1, (frames, channels), as a WAV file of 16-bit samples.

    >>> wav(np.zeros((2, 1)), 8000)[:4]
    b'RIFF'
    """
    if sound.ndim != 2 or not sound.shape[1]:
        raise InvalidArgumentError(
            f"sound has the shape (frames, channels), not {sound.shape}"
        )
    if rate <= 0:
        raise InvalidArgumentError(
            f"sample_rate={rate}: a rate is a number above 0, of frames per second"
        )
    scaled = np.clip(_away(sound.astype(np.float64) * 32768.0), -32768, 32767)
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setparams((sound.shape[1], 2, rate, 0, "NONE", ""))
        file.writeframes(scaled.astype("<i2").tobytes())
    return made.getvalue()


def _away(x: Numbers) -> Numbers:
    """Round halves away from zero, as C does."""
    return np.asarray(np.copysign(np.floor(np.abs(x) + 0.5), x))


def bytes_of_image(images: Numbers) -> Numbers:
    """Return images as bytes: floats between 0 and 1 are scaled, all are kept within bounds."""
    if images.dtype == np.uint8:
        return images
    if images.dtype == np.bool_:
        return images.astype(np.uint8) * 255
    if np.issubdtype(images.dtype, np.integer):
        most = np.iinfo(images.dtype).max
        if most <= 255:
            return (np.maximum(images, 0).astype(np.int64) * 2).astype(np.uint8)
        return (np.maximum(images, 0) // (most // 256 + 1)).astype(np.uint8)
    scaled = np.nan_to_num(images.astype(np.float32)) * 255.5
    return np.asarray(np.clip(scaled, 0, 255)).astype(np.uint8)


def spread_image(image: Numbers, bad: Numbers) -> Numbers:
    """Return a float image as bytes, spread over what bytes can say; not finite pixels are `bad`.

    Without negative values the largest becomes 255; with some, 0 becomes 128.
    """
    fine = np.asarray(np.isfinite(image).all(axis=-1))
    low = float(image[fine].min()) if fine.any() else 0.0
    high = float(image[fine].max()) if fine.any() else 0.0
    most, full, base = high, 255.0, 0.0
    if low < 0:
        most, full, base = max(abs(low), abs(high)), 127.0, 128.0
    scale = full / most if most >= 1e-6 else 0.0
    pixels = np.where(fine[..., None], image, 0.0).astype(np.float32)
    made = (pixels * np.float32(scale) + np.float32(base)).astype(np.uint8)
    made[~fine] = bad[: image.shape[-1]]
    return made


def tensor_proto(array: Numbers) -> Any:
    """Return an array as a TensorProto; strings may be bytes or texts.

    >>> list(tensor_proto(np.asarray(["a"], object)).string_val)
    [b'a']
    """
    kind = of_numpy(array.dtype)
    if kind is string:
        encoded = np.frompyfunc(_encoded, 1, 1)(array)
        array = np.asarray(encoded, object)
    elif kind.name == "bfloat16":
        array = array.astype(np.float32)
    shape = tuple(array.shape)
    return board("tensorboard.util.tensor_util").make_tensor_proto(array, shape=shape)


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()
