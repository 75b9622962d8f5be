"""Parts of images around places, which may reach beyond the image: there is noise.

Whole windows moved over images are in nn/patches.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.gather import gather_nd
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.math.arithmetic import broadcast_to
from tensorlite.ops.math.bounds import clip, maximum
from tensorlite.ops.math.compare import logical_and, where
from tensorlite.ops.math.elementwise import sqrt
from tensorlite.ops.math.reduce import max as max_of, mean, min as min_of, var
from tensorlite.ops.operators import astype
from tensorlite.ops.random.generators import Source, global_generator

__all__: list[str] = []
NOISES = ("uniform", "gaussian", "zero")


def extract_glimpse(
    images: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    generator: Source | None = None,
    by_corner: bool = False,
) -> Tensor:
    """Return the part of each image whose middle is at its offset (TensorFlow's ExtractGlimpse).

    `size` is (height, width) of the parts, `offsets` has a row (y, x) for each image: from its
    middle if `centered`, in sizes of the image if `normalized` (halves if both). With `by_corner`
    offsets that are not both say where parts begin, in elements (ExtractGlimpseV2). What is outside
    of an image is "uniform" noise between its least and greatest element, "gaussian" with its mean
    and deviation, or "zero".

    >>> from tensorlite.ops.images.glimpses import extract_glimpse
    >>> image = tl.reshape(tl.arange(16, dtype=tl.float32), (1, 4, 4, 1))
    >>> print(extract_glimpse(image, (2, 2), [[0.0, 0.0]])[0, :, :, 0])
    [[ 5.  6.]
     [ 9. 10.]]
    """
    x = to_tensor(images)
    if x.spec.rank != 4:
        raise ShapeError(
            f"glimpses are taken of images (batch, height, width, channels), not {x.spec}"
        )
    if noise not in NOISES:
        raise InvalidArgumentError(
            f"noise={noise!r}; allowed are {', '.join(NOISES)}"
        )
    have, wanted = shape_of(x), astype(to_tensor(size), dtypes.int32)
    place = _place(have[1:3], to_tensor(offsets), centered, normalized, by_corner)
    if not by_corner or (centered and normalized):
        place = place - astype(wanted, dtypes.float32) / 2.0
    first = astype(place, dtypes.int32)
    rows = expand_dims(first[:, :1] + arange(wanted[0]), 2)
    columns = expand_dims(first[:, 1:] + arange(wanted[1]), 1)
    inside = logical_and(_within(rows, have[1]), _within(columns, have[2]))
    seen = _nearest(x, rows, columns, concat([have[:1], wanted], axis=0))
    filled = _noise(x, shape_of(seen), noise, generator)
    return where(expand_dims(inside, 3), seen, filled)


def _nearest(x: Tensor, rows: Tensor, columns: Tensor, shape: Tensor) -> Tensor:
    """Return the elements of images at places, or those at the edge that are nearest to these."""
    have = shape_of(x)
    places = (
        arange(have[0])[:, None, None],
        clip(rows, 0, maximum(have[1] - 1, 0)),
        clip(columns, 0, maximum(have[2] - 1, 0)),
    )
    return gather_nd(x, stack([broadcast_to(y, shape) for y in places], axis=-1))


def _within(places: Tensor, size: Tensor) -> Tensor:
    """Return which places are on an axis."""
    return logical_and(places >= 0, places < size)


def _place(
    sizes: Tensor, offsets: Tensor, centered: bool, normalized: bool, whole: bool
) -> Tensor:
    """Return the row and the column of an image that an offset means."""
    size = astype(sizes, dtypes.float32)
    place = astype(offsets, dtypes.float32)
    if normalized:
        place = place * size
    if not centered:
        return place
    return (place if whole and not normalized else place / 2.0) + size / 2.0


def _noise(x: Tensor, shape: Tensor, noise: str, generator: Source | None) -> Tensor:
    """Return what stands outside of the images."""
    if noise == "zero" or x.spec.size == 0:
        return to_tensor(0.0, x.dtype)
    source = generator or global_generator()
    if noise == "uniform":
        least = min_of(x, axis=(1, 2, 3), keepdims=True)
        reach = max_of(x, axis=(1, 2, 3), keepdims=True) - least
        return least + reach * source.uniform(shape, dtype=x.dtype)
    middle = mean(x, axis=(1, 2), keepdims=True)
    spread = sqrt(var(x, axis=(1, 2), keepdims=True))
    return middle + spread * source.normal(shape, dtype=x.dtype)
