"""Where windows lie on an image: sizes, strides, dilations and padding. Shared by conv and pool.

Only structure is computed here; what is done with the elements is in conv_kernels.py and pool.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from tensorlite.core.check import whole_numbers
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.spec import Dim, Dims, shape_text
from tensorlite.core.xp import Array

Tap: TypeAlias = tuple[int, int, tuple[slice, slice], tuple[slice, slice]]
PADDINGS = ("VALID", "SAME", "EXPLICIT")


@dataclass(frozen=True)
class Window:
    """A window of some height and width, and all its places on an image of known size."""

    size: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pads: tuple[tuple[int, int], tuple[int, int]]
    """What is put before and after the rows, and the columns."""
    image: tuple[int, int]
    places: tuple[int, int]
    """How many places there are, that is, the size of the result."""

    @cached_property
    def taps(self) -> tuple[Tap, ...]:
        """Each element of the window: row, column, what it meets as the window moves.

        What it meets is given as a part of the image and the corresponding part of the result.
        """
        down = [self._tap(0, i) for i in range(self.size[0])]
        across = [self._tap(1, j) for j in range(self.size[1])]
        return tuple(
            (i, j, (rows[0], columns[0]), (rows[1], columns[1]))
            for i, rows in enumerate(down)
            for j, columns in enumerate(across)
        )

    def _tap(self, axis: int, index: int) -> tuple[slice, slice]:
        step = self.strides[axis]
        offset = index * self.dilations[axis] - self.pads[axis][0]
        first = max(0, -(offset // step))
        last = min(self.places[axis], (self.image[axis] - 1 - offset) // step + 1)
        count = max(last - first, 0)
        start = first * step + offset if count else 0
        stop = start + (count - 1) * step + 1 if count else 0
        return slice(start, stop, step), slice(first, first + count)


def check_attributes(
    what: str,
    strides: Sequence[int],
    dilations: Sequence[int],
    padding: str,
    data_format: str,
) -> None:
    """Raise InvalidArgumentError when attributes of windows are not what they may be."""
    if data_format not in ("NHWC", "NCHW"):
        raise InvalidArgumentError(
            f"{what}: data_format={data_format!r}; allowed: 'NHWC', 'NCHW'"
        )
    if padding not in PADDINGS:
        raise InvalidArgumentError(
            f"{what}: padding={padding!r}; allowed: {PADDINGS}"
        )
    for name, steps in (("strides", strides), ("dilations", dilations)):
        fit = len(steps) == 4 and min(steps) >= 1
        if not fit or (steps[0], channels_of(steps, data_format)) != (1, 1):
            raise InvalidArgumentError(
                f"{what}: {name}={tuple(steps)}; allowed are four positive integers, "
                "1 for the batch and 1 for the channels"
            )


def check_filters(what: str, filters: Array) -> None:
    """Raise InvalidArgumentError for filters that have no elements."""
    if 0 in filters.shape:
        raise InvalidArgumentError(
            f"{what}: filter must not have zero elements, and its shape is {filters.shape}; all "
            "dimensions must be non-zero"
        )


def spatial(sizes: Sequence[int], data_format: str) -> tuple[int, int]:
    """Return the two members of four sizes that are height and width."""
    return (sizes[1], sizes[2]) if data_format == "NHWC" else (sizes[2], sizes[3])


def spatial_dims(shape: Dims, data_format: str) -> tuple[Dim, Dim]:
    """Return height and width of a shape."""
    return (shape[1], shape[2]) if data_format == "NHWC" else (shape[2], shape[3])


def channels_of(shape: Sequence[Dim], data_format: str) -> Dim:
    """Return the member of a shape of four that counts channels."""
    return shape[3] if data_format == "NHWC" else shape[1]


def assembled(
    batch: Dim, image: Sequence[Dim], channels: Dim, data_format: str
) -> Dims:
    """Return a shape of batch, height, width and channels in the order of `data_format`."""
    if data_format == "NHWC":
        return (batch, *image, channels)
    return (batch, channels, *image)


def explicit_pads(
    paddings: Sequence[int], data_format: str
) -> tuple[tuple[int, int], ...]:
    """Return the paddings of height and width out of TensorFlow's eight numbers."""
    if len(paddings) != 8 or min(paddings) < 0:
        raise InvalidArgumentError(
            f"explicit_paddings={tuple(paddings)}; padding='EXPLICIT' needs eight numbers >= 0, "
            "before and after each of the four axes"
        )
    first = 2 if data_format == "NHWC" else 4
    return (
        (paddings[first], paddings[first + 1]),
        (paddings[first + 2], paddings[first + 3]),
    )


def place_count(
    what: str,
    image: Dim,
    size: int,
    stride: int,
    dilation: int,
    pads: tuple[int, int] | str,
) -> Dim:
    """Return the number of places of a window on an axis; ShapeError when there is none."""
    if image is None:
        return None
    reach = (size - 1) * dilation + 1
    if pads == "SAME":
        return -(-image // stride)
    before, after = (0, 0) if isinstance(pads, str) else pads
    room = image + before + after - reach
    if room < 0:
        raise ShapeError(
            f"{what}: a window that reaches over {reach} elements does not fit an axis of "
            f"{image + before + after} (padding included); use padding='SAME' or a smaller window"
        )
    return room // stride + 1


def places(
    what: str,
    image: Sequence[Dim],
    size: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[tuple[int, int] | str],
) -> tuple[Dim, Dim]:
    """Return the number of places along height and width."""
    columns = zip(image, size, strides, dilations, pads, strict=True)
    rows, cols = (place_count(what, *column) for column in columns)
    return rows, cols


@lru_cache(4096)
def window_on(
    image: tuple[int, int],
    size: tuple[int, int],
    strides: tuple[int, int],
    dilations: tuple[int, int],
    pads: tuple[tuple[int, int] | str, ...],
) -> Window:
    """Return the window on an image of known size, its padding turned into numbers.

    It is kept: a training step has the same ones each time, and they take as long as small images.
    """
    rows, columns = places("window", image, size, strides, dilations, pads)
    assert rows is not None
    assert columns is not None
    numbers = [
        _same(image[i], size[i], strides[i], dilations[i])
        if pads[i] == "SAME"
        else _plain(pads[i])
        for i in range(2)
    ]
    return Window(
        size, strides, dilations, (numbers[0], numbers[1]), image, (rows, columns)
    )


def _plain(pads: tuple[int, int] | str) -> tuple[int, int]:
    return (0, 0) if isinstance(pads, str) else pads


def _same(image: int, size: int, stride: int, dilation: int) -> tuple[int, int]:
    """Return TensorFlow's padding for SAME: the odd element goes behind."""
    count = -(-image // stride)
    total = max((count - 1) * stride + (size - 1) * dilation + 1 - image, 0)
    return total // 2, total - total // 2


def pads_of(
    padding: str, explicit: Sequence[int], data_format: str
) -> tuple[tuple[int, int] | str, tuple[int, int] | str]:
    """Return the padding of height and of width: numbers, or the word that decides them."""
    if padding != "EXPLICIT":
        return padding, padding
    rows, columns = explicit_pads(explicit, data_format)
    return rows, columns


def check_image(what: str, shape: Dims | None) -> Dims | None:
    """Return the shape of a batch of images; ShapeError when its rank is not 4."""
    if shape is not None and len(shape) != 4:
        raise ShapeError(
            f"{what} takes a batch of images of rank 4, not {shape_text(shape)}; "
            "add an axis with tl.expand_dims"
        )
    return shape


def four(
    value: int | Sequence[int], data_format: str, name: str
) -> tuple[int, int, int, int]:
    """Return strides, sizes or dilations, given as one, two or four numbers, as four."""
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    whole_numbers(given, name)
    if len(given) == 4:
        return given[0], given[1], given[2], given[3]
    if len(given) not in (1, 2):
        raise InvalidArgumentError(f"{name}={value!r}; give one, two or four numbers")
    rows, columns = (given * 2)[:2]
    return (1, rows, columns, 1) if data_format == "NHWC" else (1, 1, rows, columns)
