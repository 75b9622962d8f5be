"""keras.preprocessing.image: arrays of an image each, turned, moved and brightened.

Which changes are drawn for a batch's images is image_generators.py's.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tensorlite.compat.v2.keras.src.data.pictures import array_to_img, img_to_array
from tensorlite.core.errors import InvalidArgumentError


def _package(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InvalidArgumentError(
            f"{what} needs {name.partition('.')[0]}, which is not installed"
        ) from error


def _turned(theta: float) -> np.ndarray:
    angle = np.deg2rad(theta)
    sine, cosine = np.sin(angle), np.cos(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def _sheared(shear: float) -> np.ndarray:
    angle = np.deg2rad(shear)
    return np.array(
        [[1.0, -np.sin(angle), 0.0], [0.0, np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
    )


def _moved(tx: float, ty: float) -> np.ndarray:
    return np.array([[1.0, 0.0, tx], [0.0, 1.0, ty], [0.0, 0.0, 1.0]])


def apply_affine_transform(
    x: Any,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> Any:
    """Return an image turned, moved, sheared and zoomed around its middle, in this order."""
    steps = [
        *([_turned(theta)] if theta else []),
        *([_moved(tx, ty)] if tx or ty else []),
        *([_sheared(shear)] if shear else []),
        *([np.diag([zx, zy, 1.0])] if zx != 1 or zy != 1 else []),
    ]
    if not steps:
        return x
    matrix = steps[0] if len(steps) == 1 else np.linalg.multi_dot(steps)
    middle = (x.shape[row_axis] / 2 - 0.5, x.shape[col_axis] / 2 - 0.5)
    matrix = _moved(*middle) @ matrix @ _moved(-middle[0], -middle[1])
    if (
        col_axis > row_axis
    ):  # the matrix has columns first, its middle as Keras has it
        matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]
    change = _package("scipy.ndimage", "changing images").affine_transform
    planes = [
        change(
            plane,
            matrix[:2, :2],
            matrix[:2, 2],
            order=order,
            mode=fill_mode,
            cval=cval,
        )
        for plane in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(planes), 0, channel_axis)


def apply_channel_shift(x: Any, intensity: float, channel_axis: int = 0) -> Any:
    """Return an image with a number added, within the bounds that it had."""
    return np.clip(x + intensity, np.min(x), np.max(x))


def apply_brightness_shift(x: Any, brightness: float, scale: bool = True) -> Any:
    """Return an image as Pillow brightens it."""
    low, high = np.min(x), np.max(x)
    is_outside = bool(low < 0 or high > 255)
    image = array_to_img(x, scale=is_outside or scale)
    enhance = _package("PIL.ImageEnhance", "changing brightness").Brightness(image)
    made = img_to_array(enhance.enhance(brightness))
    return made / 255 * (high - low) + low if is_outside and not scale else made


def random_rotation(
    x: Any,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Return an image turned by up to so many degrees."""
    theta = np.random.uniform(-rg, rg)
    axes: dict[str, Any] = {
        "row_axis": row_axis,
        "col_axis": col_axis,
        "channel_axis": channel_axis,
    }
    return apply_affine_transform(
        x, theta, **axes, fill_mode=fill_mode, cval=cval, order=interpolation_order
    )


def random_shift(
    x: Any,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Return an image moved by up to shares of its width and height."""
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    axes: dict[str, Any] = {
        "row_axis": row_axis,
        "col_axis": col_axis,
        "channel_axis": channel_axis,
    }
    return apply_affine_transform(
        x,
        0,
        tx,
        ty,
        **axes,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def random_shear(
    x: Any,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Return an image sheared by up to so many degrees."""
    shear = np.random.uniform(-intensity, intensity)
    axes: dict[str, Any] = {
        "row_axis": row_axis,
        "col_axis": col_axis,
        "channel_axis": channel_axis,
    }
    options: dict[str, Any] = {
        "fill_mode": fill_mode,
        "cval": cval,
        "order": interpolation_order,
    }
    return apply_affine_transform(x, shear=shear, **axes, **options)


def random_zoom(
    x: Any,
    zoom_range: Any,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> Any:
    """Return an image zoomed by a factor for each axis, between two bounds."""
    if len(zoom_range) != 2:
        raise InvalidArgumentError(
            f"zoom_range={zoom_range!r}; it is a least and a greatest factor"
        )
    draw: Any = np.random.uniform
    zx, zy = (1, 1) if tuple(zoom_range) == (1, 1) else draw(*zoom_range, 2)
    axes: dict[str, Any] = {
        "row_axis": row_axis,
        "col_axis": col_axis,
        "channel_axis": channel_axis,
    }
    options: dict[str, Any] = {
        "fill_mode": fill_mode,
        "cval": cval,
        "order": interpolation_order,
    }
    return apply_affine_transform(x, zx=zx, zy=zy, **axes, **options)


def random_channel_shift(
    x: Any, intensity_range: float, channel_axis: int = 0
) -> Any:
    """Return an image with a number added that is at most so great."""
    intensity = np.random.uniform(-intensity_range, intensity_range)
    return apply_channel_shift(x, intensity, channel_axis)


def random_brightness(x: Any, brightness_range: Any, scale: bool = True) -> Any:
    """Return an image as bright as a factor between two bounds makes it."""
    if len(brightness_range) != 2:
        raise InvalidArgumentError(
            f"brightness_range={brightness_range!r}; it is a least and a greatest factor"
        )
    return apply_brightness_shift(x, np.random.uniform(*brightness_range), scale)
