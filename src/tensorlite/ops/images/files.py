"""Images as files: PNG, JPEG, GIF and BMP, read and written by Pillow (the extra `images`)."""

from __future__ import annotations

import importlib
import io
from abc import abstractmethod
from functools import cache
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.images.colours import convert_image_dtype
from tensorlite.ops.operators import astype
from tensorlite.ops.strings.joining import as_bytes

__all__ = [
    "adjust_jpeg_quality",
    "decode_and_crop_jpeg",
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
]

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


@cache
def _pillow() -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError:
        raise ImportError(
            "files of images need Pillow; install it with pip install 'tensorlite[images]'"
        ) from None


def _check_file(contents: TensorSpec, what: str) -> None:
    """Raise DTypeError unless a tensor may hold the bytes of a file."""
    if contents.dtype is not dtypes.string:
        raise DTypeError(f"{what} takes the bytes of a file, not {contents}")


def _opened(contents: Array, what: str) -> Any:
    data = as_bytes(contents.item())
    image = _pillow()
    try:
        return image.open(io.BytesIO(data))
    except (OSError, SyntaxError, ValueError, image.DecompressionBombError) as error:
        raise InvalidArgumentError(
            f"{what}: {len(data)} bytes are no image that can be read: {error}"
        ) from None


def _pixels(picture: Any, channels: int, dtype: DType, what: str) -> Array:
    """Return the pixels of an image with so many channels, or its own number of them."""
    try:
        if picture.mode.startswith("I;16"):
            found = np.asarray(picture, np.uint16)[:, :, None]
            found = np.repeat(found, 3, axis=2) if channels == 3 else found
        else:
            mode = _MODES.get(channels) or _own_mode(picture)
            is_grey = picture.mode in ("1", "L", "LA")
            if mode == "L" and picture.format == "PNG" and not is_grey:
                found = _greys(np.asarray(picture.convert("RGB"), np.int32))
            else:
                found = np.asarray(picture.convert(mode), np.uint8)
            found = found[:, :, None] if found.ndim == 2 else found
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidArgumentError(f"{what}: the image is damaged: {error}") from None
    if dtype is dtypes.uint16 and found.dtype == np.uint8:
        return found.astype(np.uint16) * 257
    if dtype is dtypes.uint8 and found.dtype == np.uint16:
        return (found >> 8).astype(np.uint8)
    if dtype.is_floating:
        return (found / np.iinfo(found.dtype).max).astype(dtype.numpy)
    return found


def _greys(colours: Array) -> Array:
    """Return how bright colours are by the weights that libpng has, cut off and not rounded."""
    weights = np.array([9797, 19234, 3737], np.int32)
    return (colours @ weights >> 15).astype(np.uint8)


def _own_mode(picture: Any) -> str:
    if picture.mode in ("1", "L"):
        return "L"
    if picture.mode == "P":
        return "RGBA" if "transparency" in picture.info else "RGB"
    return picture.mode if picture.mode in ("LA", "RGB", "RGBA") else "RGB"


class _Decode(Op, abstract=True):
    """An image of the bytes of a file."""

    differentiable = False
    host = (0,)
    channels: int = 0
    dtype: DType = dtypes.uint8

    def infer(self, contents: TensorSpec) -> TensorSpec:
        """Return (height, width, channels)."""
        _check_file(contents, self.name)
        if self.channels not in (0, 1, 2, 3, 4):
            raise InvalidArgumentError(
                f"{self.name}: channels={self.channels}; allowed: 0 (the file's own), 1, 3, 4"
            )
        return TensorSpec((None, None, self.channels or None), self.dtype)

    def kernel(self, xp: Xp, contents: Array) -> Array:
        """Return the pixels."""
        picture = _opened(contents, self.name)
        return xp.asarray(_pixels(picture, self.channels, self.dtype, self.name))


class DecodePng(_Decode):
    """An image of a PNG file."""


class DecodeJpeg(_Decode):
    """An image of a JPEG file, made smaller by a ratio of 1, 2, 4 or 8."""

    ratio: int = 1
    dct_method: str = ""

    def kernel(self, xp: Xp, contents: Array) -> Array:
        """Return the pixels."""
        picture = _opened(contents, self.name)
        if self.ratio > 1:
            size = [max(1, -(-side // self.ratio)) for side in picture.size]
            picture.draft(None, size)
        return xp.asarray(_pixels(picture, self.channels, self.dtype, self.name))


class DecodeAndCropJpeg(Op):
    """The part of an image of a JPEG file that a window cuts out."""

    differentiable = False
    host = (0, 1)
    channels: int = 0
    ratio: int = 1

    @property
    def _whole(self) -> DecodeJpeg:
        return DecodeJpeg(self.channels, dtypes.uint8, self.ratio)

    def infer(self, contents: TensorSpec, window: TensorSpec) -> TensorSpec:
        """Return (height, width, channels)."""
        return self._whole.infer(contents)

    def kernel(self, xp: Xp, contents: Array, window: Array) -> Array:
        """Return the pixels; InvalidArgumentError for a window that is not inside."""
        whole = self._whole.kernel(xp, contents)
        top, left, height, width = (int(x) for x in window)
        inside = top + height <= whole.shape[0] and left + width <= whole.shape[1]
        if min(top, left) < 0 or min(height, width) < 1 or not inside:
            raise InvalidArgumentError(
                f"{self.name}: the window {window.tolist()} (y, x, height, width) is not inside "
                f"an image of {whole.shape[0]} x {whole.shape[1]}"
            )
        return whole[top : top + height, left : left + width].copy()


class ExtractJpegShape(Op):
    """The height, width and channels of a JPEG file's image, which is not decoded."""

    differentiable = False
    host = (0,)
    output_type: DType = dtypes.int32

    def infer(self, contents: TensorSpec) -> TensorSpec:
        """Return three whole numbers."""
        _check_file(contents, self.name)
        return TensorSpec((3,), self.output_type)

    def kernel(self, xp: Xp, contents: Array) -> Array:
        """Return them."""
        picture = _opened(contents, self.name)
        width, height = picture.size
        sizes = [height, width, len(picture.getbands())]
        return np.asarray(sizes, self.output_type.numpy)


class DecodeBmp(_Decode):
    """An image of a BMP file."""


class DecodeGif(_Decode):
    """All images of a GIF file, (number, height, width, 3)."""

    def infer(self, contents: TensorSpec) -> TensorSpec:
        """Return (number, height, width, 3)."""
        super().infer(contents)
        return TensorSpec((None, None, None, 3), dtypes.uint8)

    def kernel(self, xp: Xp, contents: Array) -> Array:
        """Return the pixels."""
        return xp.asarray(_frames(_opened(contents, self.name), self.name))


class DecodeImage(_Decode):
    """An image of a file of any of these kinds; of GIF files all, where that is asked for."""

    expand_animations: bool = True

    def infer(self, contents: TensorSpec) -> TensorSpec:
        """Return (height, width, channels), or an unknown rank where it may be a GIF file."""
        found = super().infer(contents)
        return found.with_shape(None) if self.expand_animations else found

    def kernel(self, xp: Xp, contents: Array) -> Array:
        """Return the pixels."""
        picture = _opened(contents, self.name)
        if picture.format == "GIF" and self.expand_animations:
            return xp.asarray(_frames(picture, self.name))
        return xp.asarray(_pixels(picture, self.channels, self.dtype, self.name))


def _frames(picture: Any, what: str) -> Array:
    found = []
    for number in range(getattr(picture, "n_frames", 1)):
        picture.seek(number)
        found.append(_pixels(picture, 3, dtypes.uint8, what))
    return np.stack(found)


class _Encode(Op, abstract=True):
    """The bytes of a file of an image."""

    differentiable = False
    host = (0,)

    def infer(self, image: TensorSpec) -> TensorSpec:
        """Return a string for each image."""
        if image.dtype not in (dtypes.uint8, dtypes.uint16):
            raise DTypeError(
                f"{self.name} takes uint8, not {image}; use tl.image.convert_image_dtype"
            )
        shape = None if image.shape is None else image.shape[:-3]
        return TensorSpec(shape, dtypes.string)

    def kernel(self, xp: Xp, image: Array) -> Array:
        """Return the bytes."""
        flat = image.reshape(-1, *image.shape[-3:])
        found = np.empty(len(flat), object)
        found[:] = [self.written(_picture(one, self.name)) for one in flat]
        return found.reshape(image.shape[:-3])

    @abstractmethod
    def written(self, picture: Any) -> bytes:
        """Return the bytes of an image."""


def _picture(pixels: Array, what: str) -> Any:
    channels = pixels.shape[2]
    if channels not in _MODES or (pixels.dtype == np.uint16 and channels != 1):
        raise InvalidArgumentError(
            f"{what}: an image of {channels} channels of {pixels.dtype}; allowed are 1 to 4 of "
            "uint8, and 1 of uint16"
        )
    return _pillow().fromarray(pixels[:, :, 0] if channels == 1 else pixels)


class EncodePng(_Encode):
    """The bytes of a PNG file."""

    compression: int = -1

    def written(self, picture: Any) -> bytes:
        """Return the bytes of an image."""
        target = io.BytesIO()
        level = {} if self.compression < 0 else {"compress_level": self.compression}
        picture.save(target, "PNG", **level)
        return target.getvalue()


class EncodeJpeg(_Encode):
    """The bytes of a JPEG file."""

    format: str = ""
    quality: int = 95
    progressive: bool = False
    optimize_size: bool = False
    chroma_downsampling: bool = True

    def written(self, picture: Any) -> bytes:
        """Return the bytes of an image."""
        wanted = {"grayscale": "L", "rgb": "RGB"}.get(self.format)
        if picture.mode not in ("L", "RGB") or (wanted and picture.mode != wanted):
            raise InvalidArgumentError(
                f"EncodeJpeg: format={self.format!r} for an image of mode {picture.mode}; JPEG has "
                "1 or 3 channels of uint8"
            )
        target = io.BytesIO()
        picture.save(
            target,
            "JPEG",
            quality=self.quality,
            progressive=self.progressive,
            optimize=self.optimize_size,
            subsampling=2 if self.chroma_downsampling else 0,
        )
        return target.getvalue()


class EncodeJpegVariableQuality(Op):
    """The bytes of JPEG files, of a quality that is a tensor."""

    differentiable = False
    host = (0, 1)

    def infer(self, images: TensorSpec, quality: TensorSpec) -> TensorSpec:
        """Return a string for each image."""
        return EncodeJpeg().infer(images)

    def kernel(self, xp: Xp, images: Array, quality: Array) -> Array:
        """Return the bytes; InvalidArgumentError unless the quality is of 0 to 100."""
        wanted = int(quality)
        if not 0 <= wanted <= 100:
            raise InvalidArgumentError(
                f"{self.name}: quality={wanted}; allowed are 0 to 100"
            )
        return EncodeJpeg(quality=wanted).kernel(xp, images)


def decode_png(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = dtypes.uint8
) -> Tensor:
    """Return the image (height, width, channels) of a PNG file's bytes; 0 means its own channels.

    >>> file = tl.image.encode_png(tl.full((2, 3, 1), 7, dtype=tl.uint8))
    >>> print(tl.image.decode_png(file)[0, :, 0])
    [7 7 7]
    """
    return call(DecodePng(channels, as_dtype(dtype)), contents)


def decode_jpeg(contents: TensorLike, channels: int = 0, ratio: int = 1) -> Tensor:
    """Return the image of a JPEG file's bytes, its sides divided by `ratio`: 1, 2, 4 or 8.

    >>> file = tl.image.encode_jpeg(tl.full((2, 3, 3), 7, dtype=tl.uint8))
    >>> tl.image.decode_jpeg(file).shape
    (2, 3, 3)
    """
    return call(DecodeJpeg(channels, dtypes.uint8, ratio), contents)


def decode_and_crop_jpeg(
    contents: TensorLike, window: TensorLike, channels: int = 0, ratio: int = 1
) -> Tensor:
    """Return the part of a JPEG file's image that begins at y, x, of a height and a width.

    >>> file = tl.image.encode_jpeg(tl.full((4, 6, 3), 7, dtype=tl.uint8))
    >>> tl.image.decode_and_crop_jpeg(file, [1, 2, 3, 4]).shape
    (3, 4, 3)
    """
    return call(DecodeAndCropJpeg(channels, ratio), contents, window)


def extract_jpeg_shape(
    contents: TensorLike, dtype: DTypeLike = dtypes.int32
) -> Tensor:
    """Return the height, the width and the channels of a JPEG file's image.

    >>> file = tl.image.encode_jpeg(tl.full((4, 6, 3), 7, dtype=tl.uint8))
    >>> print(tl.image.extract_jpeg_shape(file))
    [4 6 3]
    """
    return call(ExtractJpegShape(as_dtype(dtype)), contents)


def decode_bmp(contents: TensorLike, channels: int = 0) -> Tensor:
    r"""Return the image of a BMP file's bytes. Raises InvalidArgumentError for other bytes.

    >>> try:
    ...     tl.image.decode_bmp(b"no image")
    ... except tl.errors.InvalidArgumentError as error:
    ...     print(str(error)[:44])
    DecodeBmp: 8 bytes are no image that can be
    """
    return call(DecodeBmp(channels), contents)


def decode_gif(contents: TensorLike) -> Tensor:
    """Return all images (number, height, width, 3) of a GIF file's bytes.

    >>> try:
    ...     tl.image.decode_gif(b"")
    ... except tl.errors.InvalidArgumentError as error:
    ...     print(str(error)[:28])
    DecodeGif: 0 bytes are no im
    """
    return call(DecodeGif(), contents)


def decode_image(
    contents: TensorLike,
    channels: int = 0,
    dtype: DTypeLike = dtypes.uint8,
    expand_animations: bool = True,
) -> Tensor:
    """Return the image of the bytes of a PNG, JPEG, BMP or GIF file.

    Of a GIF file all images (number, height, width, 3) come, unless `expand_animations` is false.

    >>> file = tl.image.encode_png(tl.full((2, 3, 1), 7, dtype=tl.uint8))
    >>> tl.image.decode_image(file, channels=3).shape
    (2, 3, 3)
    """
    op = DecodeImage(channels, as_dtype(dtype), expand_animations)
    return call(op, contents)


def encode_png(image: TensorLike, compression: int = -1) -> Tensor:
    """Return the bytes of a PNG file of each image (height, width, channels) of uint8.

    >>> tl.image.encode_png(tl.zeros((1, 1, 3), dtype=tl.uint8)).item()[1:4]
    b'PNG'
    """
    return call(EncodePng(compression), image)


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
) -> Tensor:
    """Return the bytes of a JPEG file of an image (height, width, 1 or 3) of uint8.

    >>> tl.image.encode_jpeg(tl.zeros((1, 1, 3), dtype=tl.uint8)).item()[:2].hex()
    'ffd8'
    """
    op = EncodeJpeg(format, quality, progressive, optimize_size, chroma_downsampling)
    return call(op, image)


def adjust_jpeg_quality(image: TensorLike, quality: TensorLike) -> Tensor:
    """Return an image (height, width, 1 or 3) as a JPEG file of a quality of 0 to 100 keeps it.

    >>> tl.image.adjust_jpeg_quality(tl.zeros((2, 2, 3)), 75).dtype
    tl.float32
    """
    given = to_tensor(image)
    wanted = astype(to_tensor(quality), dtypes.int32)
    pixels = convert_image_dtype(given, dtypes.uint8, saturate=True)
    contents = call(EncodeJpegVariableQuality(), pixels, wanted)
    kept = decode_jpeg(contents, given.shape[-1])
    return convert_image_dtype(kept, given.dtype, saturate=True)
