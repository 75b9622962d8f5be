"""Images seen under projections of the plane: turned, moved, sheared, tilted.

Resizing along the axes is in resize.py, windows around places are in glimpses.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.create import ones
from tensorlite.ops.arrays.gather import gather_nd
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite
from tensorlite.ops.linear.solve import inv
from tensorlite.ops.math.arithmetic import broadcast_to
from tensorlite.ops.math.bounds import clip, maximum
from tensorlite.ops.math.compare import equal, logical_and, where
from tensorlite.ops.math.rounding import floor, remainder
from tensorlite.ops.operators import astype, reshape

__all__: list[str] = []
FILLINGS = ("constant", "nearest", "reflect", "wrap")


def projected(
    images: TensorLike,
    maps: TensorLike,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: TensorLike = 0.0,
    size: TensorLike | None = None,
) -> Tensor:
    """Return images each place of which is taken from where its map says.

    This is TensorFlow's ImageProjectiveTransformV3. `maps` has a row for each image, or one for
    all: with (a, b, c, d, e, f, g, h) column x and row y are taken from column
    (a x + b y + c) / k and row (d x + e y + f) / k, where k is g x + h y + 1. Outside of an image
    is `fill_value`, or the image goes on as `fill_mode` says. The images are as high and wide as
    `size` says, or as they were.

    >>> from tensorlite.ops.images.projections import projected
    >>> image = tl.reshape(tl.arange(4, dtype=tl.float32), (1, 2, 2, 1))
    >>> print(projected(image, [[1.0, 0, 1, 0, 1, 0, 0, 0]])[0, :, :, 0])  # one to the left
    [[1. 0.]
     [3. 0.]]
    """
    x, m = to_tensor(images), astype(to_tensor(maps), dtypes.float32)
    _check(x, m, interpolation, fill_mode)
    have = shape_of(x)
    wanted = have[1:3] if size is None else to_tensor(size)
    row = astype(arange(wanted[0]), dtypes.float32)[:, None]
    column = astype(arange(wanted[1]), dtypes.float32)
    a, b, c, d, e, f, g, h = (m[:, i, None, None] for i in range(8))
    depth = g * column + h * row + 1.0
    flat = equal(depth, 0.0)
    depth = where(flat, 1.0, depth)
    across = _folded((a * column + b * row + c) / depth, have[2], fill_mode)
    down = _folded((d * column + e * row + f) / depth, have[1], fill_mode)
    kind = x.dtype if x.dtype.is_floating else dtypes.float32
    filling = to_tensor(fill_value, kind)
    seen = _Seen(astype(x, kind), filling)
    made = seen.nearest(down, across) if interpolation == "nearest" else None
    made = seen.between(down, across) if made is None else made
    return astype(where(expand_dims(flat, 3), filling, made), x.dtype)


class ImageProjectiveTransformV2(Composite):
    """Images of a size, seen under maps; zeros stand where constants fill.

    What flows back is seen under the maps' inverses, as in TensorFlow; that is the gradient only
    where maps move images by whole elements.
    """

    host = (2,)
    interpolation: str = "NEAREST"
    fill_mode: str = "CONSTANT"

    def compose(
        self, images: Tensor, maps: Tensor, size: Tensor, filling: TensorLike = 0.0
    ) -> Tensor:
        """Return the images."""
        how = self.interpolation.lower(), self.fill_mode.lower()
        return projected(images, maps, *how, filling, size)

    def grad(self, call: Call, *dys: Tensor) -> Grads:
        """Return what flows to the images; maps have no gradient."""
        images, maps, *rest = call.inputs
        how = self.interpolation.lower(), self.fill_mode.lower()
        size = shape_of(images)[1:3]
        flow = projected(dys[0], inverses(maps), *how, 0.0, size)
        return (flow, None, *[None] * len(rest))


class ImageProjectiveTransformV3(ImageProjectiveTransformV2):
    """The same with a fourth input: the number that stands where constants fill."""


def inverses(maps: Tensor) -> Tensor:
    """Return the maps that lead back, of rows of eight numbers each.

    >>> from tensorlite.ops.images.projections import inverses
    >>> print(inverses(tl.asarray([[2.0, 0, 1, 0, 1, 3, 0, 0]])))
    [[ 0.5  0.  -0.5  0.   1.  -3.   0.   0. ]]
    """
    rows = astype(maps, dtypes.float32)
    last = ones(concat([shape_of(rows)[:1], [1]]), dtype=rows.dtype)
    matrices = reshape(concat([rows, last], axis=1), [-1, 3, 3])
    back = reshape(inv(matrices), [-1, 9])
    return back[:, :8] / back[:, 8:9]


def _check(x: Tensor, m: Tensor, interpolation: str, fill_mode: str) -> None:
    if x.spec.rank != 4 or m.spec.rank != 2:
        raise ShapeError(
            "projections are of images (batch, height, width, channels), by maps (batch, 8); "
            f"not of {x.spec} by {m.spec}"
        )
    if interpolation not in ("nearest", "bilinear"):
        raise InvalidArgumentError(
            f"interpolation={interpolation!r}; allowed are nearest, bilinear"
        )
    if fill_mode not in FILLINGS:
        raise InvalidArgumentError(
            f"fill_mode={fill_mode!r}; allowed are {', '.join(FILLINGS)}"
        )


def _folded(places: Tensor, size: Tensor, mode: str) -> Tensor:
    """Return the places inside of an axis that places outside stand for."""
    count = astype(size, dtypes.float32)
    if mode == "constant":
        return places
    if mode == "reflect":
        there = remainder(places, 2.0 * count)
        places = where(there >= count, 2.0 * count - there - 1.0, there)
    if mode == "wrap":
        gap = maximum(count - 1.0, 1.0)
        below = places + count * (floor(-places / gap) + 1.0)
        above = places - count * floor(places / gap)
        beyond = where(places > count - 1.0, above, places)
        places = where(places < 0.0, below, beyond)
    return clip(places, 0.0, count - 1.0)


class _Seen:
    """Images whose elements are looked up, and what is outside of them."""

    def __init__(self, images: Tensor, filling: Tensor) -> None:
        self.images, self.filling = images, filling

    def nearest(self, down: Tensor, across: Tensor) -> Tensor:
        """Return the elements that are nearest to places."""
        return self._at(_rounded(down), _rounded(across))

    def between(self, down: Tensor, across: Tensor) -> Tensor:
        """Return what lies at places between four elements each."""
        top, left = floor(down), floor(across)
        low, right = (
            astype(expand_dims(x, 3), self.images.dtype)
            for x in (down - top, across - left)
        )
        upper = self._at(top, left) * (1.0 - right)
        upper = upper + self._at(top, left + 1.0) * right
        lower = self._at(top + 1.0, left) * (1.0 - right)
        lower = lower + self._at(top + 1.0, left + 1.0) * right
        return upper * (1.0 - low) + lower * low

    def _at(self, down: Tensor, across: Tensor) -> Tensor:
        have = shape_of(self.images)
        number = arange(have[0])[:, None, None]
        inside = logical_and(_within(down, have[1]), _within(across, have[2]))
        places = (number, _bounded(down, have[1]), _bounded(across, have[2]))
        whole = concat([have[:1], shape_of(across)[1:]])
        wide = [broadcast_to(x, whole) for x in places]
        found = gather_nd(self.images, stack(wide, axis=-1))
        return where(expand_dims(inside, 3), found, self.filling)


def _rounded(places: Tensor) -> Tensor:
    """Return whole places, those between two farther from 0."""
    return where(places < 0.0, -floor(0.5 - places), floor(places + 0.5))


def _within(places: Tensor, size: Tensor) -> Tensor:
    return logical_and(places >= 0.0, places < astype(size, dtypes.float32))


def _bounded(places: Tensor, size: Tensor) -> Tensor:
    return astype(clip(places, 0.0, astype(size, dtypes.float32) - 1.0), dtypes.int32)
