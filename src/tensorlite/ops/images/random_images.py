"""Images changed at random, as training data is. What is changed, and how, is in colours.py."""

from __future__ import annotations

from collections.abc import Sequence

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import flip, squeeze
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.images.colours import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from tensorlite.ops.images.files import adjust_jpeg_quality
from tensorlite.ops.images.resize import batched
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.rounding import floor
from tensorlite.ops.operators import astype, reshape
from tensorlite.ops.random.generators import Source, global_generator

__all__ = [
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_hue",
    "random_jpeg_quality",
    "random_saturation",
]


HALF_A_TURN = 0.5
"""How far colours may be turned at most: either way, that is any colour."""


def _between(low: float, high: float, generator: Source | None) -> Tensor:
    return (generator or global_generator()).uniform((), low, high)


def _factor(lower: float, upper: float, generator: Source | None) -> Tensor:
    if lower < 0:
        raise InvalidArgumentError(f"lower={lower} must be non-negative.")
    if upper <= lower:
        raise InvalidArgumentError(f"upper={upper} must be > lower={lower}.")
    return _between(lower, upper, generator)


def _change(most: float, generator: Source | None) -> Tensor:
    if most < 0:
        raise InvalidArgumentError(f"max_delta={most} must be non-negative.")
    return _between(-most, most, generator)


def random_brightness(
    image: TensorLike, max_delta: float, generator: Source | None = None
) -> Tensor:
    """Return images with a number of [-max_delta, max_delta) added.

    >>> tl.image.random_brightness(tl.zeros((2, 2, 3)), 0.2).shape
    (2, 2, 3)
    """
    return adjust_brightness(image, _change(max_delta, generator))


def random_contrast(
    image: TensorLike, lower: float, upper: float, generator: Source | None = None
) -> Tensor:
    """Return images whose contrast is multiplied by a number of [lower, upper).

    >>> tl.image.random_contrast(tl.zeros((2, 2, 3)), 0.5, 2.0).shape
    (2, 2, 3)
    """
    return adjust_contrast(image, _factor(lower, upper, generator))


def random_hue(
    image: TensorLike, max_delta: float, generator: Source | None = None
) -> Tensor:
    """Return images whose colours are turned by a number of [-max_delta, max_delta).

    >>> tl.image.random_hue(tl.zeros((2, 2, 3)), 0.5).shape
    (2, 2, 3)
    """
    if max_delta > HALF_A_TURN:
        raise InvalidArgumentError(f"max_delta={max_delta} must be <= {HALF_A_TURN}.")
    return adjust_hue(image, _change(max_delta, generator))


def random_saturation(
    image: TensorLike, lower: float, upper: float, generator: Source | None = None
) -> Tensor:
    """Return images whose saturation is multiplied by a number of [lower, upper).

    >>> tl.image.random_saturation(tl.zeros((2, 2, 3)), 0.5, 2.0).shape
    (2, 2, 3)
    """
    return adjust_saturation(image, _factor(lower, upper, generator))


def random_jpeg_quality(
    image: TensorLike,
    min_jpeg_quality: int,
    max_jpeg_quality: int,
    generator: Source | None = None,
) -> Tensor:
    """Return an image as a JPEG file keeps it, whose quality is below `max_jpeg_quality`.

    >>> tl.image.random_jpeg_quality(tl.zeros((2, 2, 3)), 75, 95).shape
    (2, 2, 3)
    """
    if not 0 <= min_jpeg_quality < max_jpeg_quality <= 100:
        raise InvalidArgumentError(
            f"random_jpeg_quality: min_jpeg_quality={min_jpeg_quality}, "
            f"max_jpeg_quality={max_jpeg_quality}; allowed are 0 to 100, the first below the other"
        )
    source = generator or global_generator()
    quality = source.uniform((), min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return adjust_jpeg_quality(image, quality)


def _flipped(image: TensorLike, axis: int, generator: Source | None) -> Tensor:
    """Return images of which each is turned over with probability one half.

    Of the numbers drawn, the lower half turns an image over that stands alone, as in TensorFlow,
    and the upper half those of a batch.
    """
    x, single = batched(image)
    draws = (generator or global_generator()).uniform([sizes(x)[0], 1, 1, 1])
    y = where(draws < 0.5 if single else draws > 0.5, flip(x, axis=axis), x)
    return squeeze(y, 0) if single else y


def random_flip_left_right(
    image: TensorLike, generator: Source | None = None
) -> Tensor:
    """Return images of which each is mirrored left to right with probability one half.

    >>> tl.image.random_flip_left_right(tl.zeros((2, 2, 3))).shape
    (2, 2, 3)
    """
    return _flipped(image, 2, generator)


def random_flip_up_down(image: TensorLike, generator: Source | None = None) -> Tensor:
    """Return images of which each is mirrored up to down with probability one half.

    >>> tl.image.random_flip_up_down(tl.zeros((2, 2, 3))).shape
    (2, 2, 3)
    """
    return _flipped(image, 1, generator)


def random_crop(
    value: TensorLike, size: Sequence[int], generator: Source | None = None
) -> Tensor:
    """Return a part of a tensor of a size, from a place drawn at random; -1 is the whole axis.

    >>> tl.image.random_crop(tl.zeros((8, 8, 3)), (2, 2, 3)).shape
    (2, 2, 3)
    """
    x = to_tensor(value)
    have = sizes(x)
    wanted = [n if want == -1 else want for n, want in zip(have, size, strict=True)]
    for n, want in zip(have, wanted, strict=True):
        if isinstance(n, int) and isinstance(want, int) and want > n:
            raise ShapeError(
                f"random_crop: {x.spec} has no part of size {list(size)}"
            )
    source = generator or global_generator()
    draws = source.uniform((len(have),), 0.0, 1.0, dtypes.float64)
    cuts = []
    for i, (n, want) in enumerate(zip(have, wanted, strict=True)):
        room = astype(to_tensor(n - want + 1), dtypes.float64)
        start = astype(floor(draws[i] * room), dtypes.int32)
        cuts.append(slice(start, start + want))
    return reshape(x[tuple(cuts)], wanted)
