"""Images out of files and through them, by the nodes of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import checks, elementwise
from tensorlite.compat.shared.images import image as shared
from tensorlite.compat.shared.picking import gather
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.image_colours import convert_image_dtype
from tensorlite.compat.v1.functions.strings_older import substr
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.compat.v1.random import random_uniform
from tensorlite.core.dispatch import call
from tensorlite.core.dtypes import as_dtype, int32, uint8, uint16
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.images.files import EncodeJpegVariableQuality

_CHANNELS = (None, 0, 1, 3, 4)


@named("EncodeJpegVariableQuality")
def _encoded(images: Any, quality: Any, name: str | None = None) -> Any:
    """Return the bytes of JPEG files of a quality."""
    return call(EncodeJpegVariableQuality(), converted(images), converted(quality))


def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, name: str | None = None
) -> Any:
    """Return images as they are after being written as JPEG of a quality, 0 to 100."""
    if active_graph() is None:
        return shared.adjust_jpeg_quality(image, jpeg_quality, name=name)
    with name_scope(name, "adjust_jpeg_quality"):
        x = convert_to_tensor(image, name="image")
        kind = x.dtype
        x = convert_image_dtype(x, uint8)
        written = _encoded(x, convert_to_tensor(jpeg_quality, int32))
        return convert_image_dtype(shared.decode_jpeg(written), kind)


def random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: int | None = None
) -> Any:
    """Return images as they are after being written as JPEG, of a quality drawn between two."""
    if active_graph() is None:
        bounds = min_jpeg_quality, max_jpeg_quality
        return shared.random_jpeg_quality(image, *bounds, seed)
    if not 0 <= min_jpeg_quality < max_jpeg_quality <= 100:
        raise InvalidArgumentError(
            f"random_jpeg_quality: {min_jpeg_quality=}, {max_jpeg_quality=}; jpeg encoding range "
            "must be between 0 and 100, and `min_jpeg_quality` less than `max_jpeg_quality`."
        )
    bounds = min_jpeg_quality, max_jpeg_quality
    drawn = random_uniform([], *bounds, seed=seed, dtype=int32)
    return adjust_jpeg_quality(image, drawn)


def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Any:
    """Return a BMP, GIF, JPEG or PNG file as [height, width, channels].

    Of GIF it is [frames, height, width, 3], the first frame alone if expand_animations=False.
    """
    kind = as_dtype(dtype)
    if active_graph() is None:
        return shared.decode_image(contents, channels, kind, name, expand_animations)
    if channels not in _CHANNELS:
        raise InvalidArgumentError(
            f"channels={channels}; channels must be in {_CHANNELS}"
        )
    with name_scope(name, "decode_image"):
        given = convert_to_tensor(contents)
        return _Decoding(given, channels or 0, kind, expand_animations).of_jpeg()


class _Decoding:
    """The ways in which an image may be written, of which one is taken as it runs."""

    def __init__(
        self, contents: Any, channels: int, kind: Any, every_frame: bool
    ) -> None:
        self._contents, self._channels, self._kind = contents, channels, kind
        self._every_frame = every_frame
        self._begin = substr(contents, 0, 3)

    def of_jpeg(self) -> Any:
        """Return what is in a JPEG file, or another one."""
        is_jpeg = shared.is_jpeg(self._contents)
        return cond(is_jpeg, self._jpeg, self._of_png, name="cond_jpeg")

    def _of_png(self) -> Any:
        with name_scope("is_png"):
            begin = substr(self._contents, 0, 3)
            is_png = elementwise.equal(begin, b"\211PN")
        return cond(is_png, self._png, self._of_gif, name="cond_png")

    def _of_gif(self) -> Any:
        is_gif = elementwise.equal(self._begin, b"GIF", name="is_gif")
        return cond(is_gif, self._gif, self._bmp, name="cond_gif")

    def _jpeg(self) -> Any:
        right = self._is_not(4, "check_jpeg_channels")
        said = "Channels must be in (None, 0, 1, 3) when decoding JPEG images"
        with control_dependencies([checks.Assert(right, [said])]):
            found = shared.decode_jpeg(self._contents, self._channels)
            return convert_image_dtype(found, self._kind)

    def _png(self) -> Any:
        kind = uint8 if self._kind is uint8 else uint16
        found = shared.decode_png(self._contents, self._channels, kind)
        return convert_image_dtype(found, self._kind)

    def _gif(self) -> Any:
        name = "check_gif_channels"
        right = elementwise.logical_and(self._is_not(1, name), self._is_not(4, name))
        said = "Channels must be in (None, 0, 3) when decoding GIF images"
        with control_dependencies([checks.Assert(right, [said])]):
            frames = convert_image_dtype(
                shared.decode_gif(self._contents), self._kind
            )
            return frames if self._every_frame else gather(frames, 0)

    def _bmp(self) -> Any:
        begin = substr(self._contents, 0, 2)
        is_bmp = elementwise.equal(begin, b"BM", name="is_bmp")
        said = "Unable to decode bytes as JPEG, PNG, GIF, or BMP"
        known = checks.Assert(is_bmp, [said])
        right = self._is_not(1, "check_channels")
        said = "Channels must be in (None, 0, 3) when decoding BMP images"
        with control_dependencies([known, checks.Assert(right, [said])]):
            return convert_image_dtype(shared.decode_bmp(self._contents), self._kind)

    def _is_not(self, count: int, name: str) -> Any:
        return elementwise.not_equal(self._channels, count, name=name)
