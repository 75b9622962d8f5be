"""Images of keras.utils, as Pillow has them and as arrays."""

from __future__ import annotations

import importlib
import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.defaults import floatx
from tensorlite.core.errors import InvalidArgumentError

_MODES = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}


def _pillow() -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise InvalidArgumentError(
            "images are read and written by Pillow: pip install 'tensorlite[images]'"
        ) from error


def array_to_img(
    x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None
) -> Any:
    """Return an image of Pillow from an array of three axes.

    scale brings its elements to 0 ... 255. InvalidArgumentError is raised for other ranks and for
    other numbers of channels than 1, 3 and 4.
    """
    array = np.array(x, dtype or floatx())
    if array.ndim != 3:
        raise InvalidArgumentError(
            f"Expected image array to have rank 3 (single image). Got array with shape: "
            f"{array.shape}"
        )
    if data_format == "channels_first":
        array = array.transpose(1, 2, 0)
    if scale:
        array = array - array.min()
        array = array / (array.max() or 1) * 255
    channels = array.shape[2]
    if channels == 1:
        wide = array.max() > 255
        return _pillow().fromarray(
            array[..., 0].astype(np.int32 if wide else np.uint8)
        )
    if channels not in (3, 4):
        raise InvalidArgumentError(f"Unsupported channel number: {channels}")
    return _pillow().fromarray(array.astype(np.uint8))


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> Any:
    """Return an image of Pillow as an array with a last axis of channels."""
    x = np.array(img, dtype or floatx())
    x = x[..., None] if x.ndim == 2 else x
    return x.transpose(2, 0, 1) if data_format == "channels_first" else x


def save_img(
    path: Any,
    x: Any,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Write an array as an image file, of the path's kind or of file_format."""
    kind = file_format
    if kind is None and isinstance(path, (str, os.PathLike)):
        kind = Path(path).suffix[1:].lower()
    kind = "jpeg" if kind == "jpg" else kind
    image = array_to_img(x, data_format, scale)
    if image.mode == "RGBA" and kind == "jpeg":
        image = image.convert("RGB")
    image.save(path, format=kind, **kwargs)


def load_img(
    path: Any,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
) -> Any:
    """Return an image of Pillow from a file, in a color_mode and (height, width).

    color_mode is "rgb", "rgba" or "grayscale"; keep_aspect_ratio cuts off what would be pressed.
    InvalidArgumentError is raised for others, and for ways to interpolate that are not known.
    """
    if color_mode not in _MODES:
        raise InvalidArgumentError(
            f"color_mode={color_mode!r}; it is 'grayscale', 'rgb' or 'rgba'"
        )
    pillow = _pillow()
    content = (
        path if isinstance(path, io.BytesIO) else io.BytesIO(Path(path).read_bytes())
    )
    image = pillow.open(content)
    if image.mode != _MODES[color_mode]:
        image = image.convert(_MODES[color_mode])
    if target_size is None:
        return image
    height, width = (int(n) for n in target_size)
    ways = {name.lower(): way for name, way in pillow.Resampling.__members__.items()}
    if interpolation not in ways:
        raise InvalidArgumentError(
            f"interpolation={interpolation!r}; it is one of {', '.join(ways)}"
        )
    part = _middle(image.size, width / height) if keep_aspect_ratio else None
    return image.resize((width, height), ways[interpolation], part)


def _middle(size: tuple[int, int], ratio: float) -> tuple[int, int, int, int]:
    """Return the largest part in the middle of an image that is so wide for its height."""
    width, height = size
    wide = min(width, int(height * ratio))
    tall = min(height, int(width / ratio))
    left, top = (width - wide) // 2, (height - tall) // 2
    return left, top, left + wide, top + tall
