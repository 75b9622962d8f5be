"""Parts of images around places, which may reach beyond the image: there is noise.

Whole windows moved over images are in nn/patches.py.
"""

from __future__ import annotations

import secrets

import numpy as np

from tensorlite.core.dispatch import call
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec, check_rank
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.random import philox

__all__: list[str] = []
NOISES = ("uniform", "gaussian", "zero")
_FAR = 2.0**30
"""Further away than any image reaches."""


class ExtractGlimpse(Op):
    """The part of each image whose middle is at its offset; beyond the image there is noise."""

    differentiable = False
    host = (1,)
    centered: bool = True
    """Whether offsets are from the middle."""
    normalized: bool = True
    """Whether they are in sizes of the image (halves if from the middle)."""
    uniform_noise: bool = True
    """What says nothing beside `noise`, but that it must be uniform."""
    noise: str = "uniform"

    @property
    def effect(self) -> Effect:  # type: ignore[override]
        """Whether noise is drawn."""
        return Effect.NONE if self.noise == "zero" else Effect.DRAW

    def infer(
        self, images: TensorSpec, size: TensorSpec, offsets: TensorSpec
    ) -> TensorSpec:
        """Return images of that size; ShapeError for what are no images with an offset each."""
        self._check(images)
        check_rank(f"{self.name}: images (batch, height, width, channels)", images, 4)
        check_rank(f"{self.name}: size", size, 1)
        check_rank(f"{self.name}: offsets", offsets, 2)
        if size.shape not in (None, (None,), (2,)):
            raise ShapeError(f"{self.name}: size is {size}; it has two elements")
        batch, *_, channels = images.shape or (None,) * 4
        if batch is None and offsets.shape is not None:
            batch = offsets.shape[0]
        height, width = size.vector() or (None, None)
        return TensorSpec((batch, height, width, channels), images.dtype)

    def _check(self, images: TensorSpec) -> None:
        """Raise InvalidArgumentError for another noise, DTypeError for images of whole numbers."""
        if self.noise not in NOISES:
            raise InvalidArgumentError(
                f"{self.name}: noise={self.noise!r}; allowed are {', '.join(NOISES)}"
            )
        if self.uniform_noise and self.noise != "uniform":
            raise InvalidArgumentError(
                "The uniform_noise and noise should not be specified at the same time: "
                f"uniform_noise=True, noise={self.noise!r}"
            )
        if not images.dtype.is_floating:
            raise DTypeError(f"{self.name}: images are floating, not {images}")

    def kernel(self, xp: Xp, images: Array, size: Array, offsets: Array) -> Array:
        """Return the parts."""
        batch, height, width, channels = images.shape
        wanted = tuple(size.tolist())
        if offsets.shape != (batch, 2) or min(wanted) < 0:
            raise ShapeError(
                f"{self.name}: for images {images.shape} offsets have a row (y, x) each, and are "
                f"{offsets.shape}; the size is {wanted}"
            )
        first = self._corners(xp, (height, width), wanted, offsets)
        rows = first[:, :1] + xp.arange(wanted[0])
        columns = first[:, 1:] + xp.arange(wanted[1])
        noise = self._noise(xp, images, (batch, *wanted, channels))
        if not images.size:
            return noise
        below = (rows >= 0) & (rows < height)
        beside = (columns >= 0) & (columns < width)
        seen = images[
            xp.arange(batch)[:, None, None],
            xp.clip(rows, 0, height - 1)[:, :, None],
            xp.clip(columns, 0, width - 1)[:, None],
        ]
        return xp.where((below[:, :, None] & beside[:, None])[..., None], seen, noise)

    def _corners(
        self, xp: Xp, sizes: tuple[int, int], wanted: tuple[int, ...], offsets: Array
    ) -> Array:
        """Return the row and the column where each part begins."""
        size, window = (xp.asarray(x, "float32") for x in (sizes, wanted))
        place = offsets.astype("float32")
        if self.normalized:
            place = place * size
        if self.centered:
            place = self._from_middle(place, size)
        if self._is_of_middles():
            place = place - window / 2
        return xp.clip(place, -_FAR, _FAR).astype("int64")

    def _from_middle(self, place: Array, size: Array) -> Array:
        return place / 2 + size / 2

    def _is_of_middles(self) -> bool:
        """Return whether offsets say where the middles of parts are."""
        return True

    def _noise(self, xp: Xp, images: Array, shape: tuple[int, ...]) -> Array:
        """Return what stands outside of images."""
        if self.noise == "zero" or not images.size:
            return xp.zeros(shape, images.dtype)
        key = np.array([secrets.randbits(63)], np.uint64)
        counter, kind = np.zeros(2, np.uint64), xp.dtype("float32")
        whole = {"axis": (1, 2, 3), "keepdims": True}
        each = {"axis": (1, 2), "keepdims": True}
        if self.noise == "uniform":
            least, most = images.min(**whole), images.max(**whole)
            drawn = philox.uniform(xp, key, counter, shape, kind)
            return (least + (most - least) * drawn).astype(images.dtype)
        drawn = philox.normal(xp, key, counter, shape, kind)
        made = images.mean(**each) + images.std(**each) * drawn
        kept = xp.clip(made, images.min(**each), images.max(**each))
        return kept.astype(images.dtype)


class ExtractGlimpseV2(ExtractGlimpse):
    """Parts of images as `ExtractGlimpse` gives them, most of which begin at their offset.

    Only where offsets are both from the middle and in sizes of the image, they are of middles.
    """

    def _from_middle(self, place: Array, size: Array) -> Array:
        return (place / 2 if self.normalized else place) + size / 2

    def _is_of_middles(self) -> bool:
        return self.centered and self.normalized


def extract_glimpse(
    images: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    by_corner: bool = False,
) -> Tensor:
    """Return the part of each image whose middle is at its offset (TensorFlow's ExtractGlimpse).

    `size` is (height, width) of the parts, `offsets` has a row (y, x) for each image: from its
    middle if `centered`, in sizes of the image if `normalized` (halves if both). With `by_corner`
    offsets that are not both say where parts begin, in elements (ExtractGlimpseV2). What is outside
    of an image is "uniform" noise between its least and greatest element, "gaussian" with the mean
    and deviation of each channel, or "zero".

    >>> from tensorlite.ops.images.glimpses import extract_glimpse
    >>> image = tl.reshape(tl.arange(16, dtype=tl.float32), (1, 4, 4, 1))
    >>> print(extract_glimpse(image, (2, 2), [[0.0, 0.0]])[0, :, :, 0])
    [[ 5.  6.]
     [ 9. 10.]]
    """
    kind = ExtractGlimpseV2 if by_corner else ExtractGlimpse
    op = kind(bool(centered), bool(normalized), False, noise)
    return call(op, images, size, offsets)
