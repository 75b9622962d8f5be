"""tf.contrib.image: images turned, moved and seen through projections, or along a flow."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    range as numbers_from,
    reshape,
    shape,
    stack,
)
from tensorlite.compat.shared.elementwise import cast, clip_by_value, cos, floor, sin
from tensorlite.compat.shared.grids import meshgrid
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.picking import gather_nd
from tensorlite.compat.v1.functions.arrays import ones_like, zeros_like
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.images.projections import projected

__all__ = [
    "angles_to_projective_transforms",
    "compose_transforms",
    "dense_image_warp",
    "flat_transforms_to_matrices",
    "matrices_to_flat_transforms",
    "rotate",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]

_KINDS = {"uint8", "int32", "int64", "float16", "float32", "float64"}


def _batched(images: Any) -> tuple[Any, Any]:
    """Return images with axes for the batch and channels, and what takes the added ones away."""
    given = framework.convert_to_tensor(images)
    if given.dtype.name not in _KINDS:
        raise DTypeError(f"Invalid dtype {given.dtype.name}.")
    rank = given.get_shape().rank
    if rank is None:
        raise DTypeError("image rank must be statically known")
    if rank == 2:
        return given[None, :, :, None], lambda x: x[0, :, :, 0]
    if rank == 3:
        return given[None], lambda x: x[0]
    if rank == 4:
        return given, lambda x: x
    raise DTypeError("Images should have rank between 2 and 4.")


def _vector(x: Any) -> Any:
    """Return numbers as a vector."""
    given = framework.convert_to_tensor(x, dtype=float32)
    rank = given.get_shape().rank
    if rank is None:
        raise DTypeError("the rank must be statically known")
    if rank > 1:
        raise DTypeError("Angles should have rank 0 or 1.")
    return given[None] if rank == 0 else given


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Return images turned against the clock by angles, in radians."""
    with framework.name_scope(name or "rotate"):
        whole, _ = _batched(images)
        height, width = [cast(shape(whole)[i], float32) for i in (1, 2)]
        maps = angles_to_projective_transforms(angles, height, width)
        return transform(images, maps, interpolation=interpolation)


def translate(
    images: Any,
    translations: Any,
    interpolation: str = "NEAREST",
    name: str | None = None,
) -> Any:
    """Return images moved to the right and down, by pairs of numbers."""
    with framework.name_scope(name or "translate"):
        return transform(
            images,
            translations_to_projective_transforms(translations),
            interpolation=interpolation,
        )


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Any:
    """Return projections that turn images about their middle."""
    with framework.name_scope(name or "angles_to_projective_transforms"):
        turns = _vector(angles)
        right, down = [
            cast(framework.convert_to_tensor(x), float32) - 1.0
            for x in (image_width, image_height)
        ]
        c, s, none = cos(turns), sin(turns), zeros_like(turns)
        across = (right - (c * right - s * down)) / 2.0
        along = (down - (s * right + c * down)) / 2.0
        return stack([c, -s, across, s, c, along, none, none], axis=1)


def translations_to_projective_transforms(
    translations: Any, name: str | None = None
) -> Any:
    """Return projections that move images."""
    with framework.name_scope(name or "translations_to_projective_transforms"):
        moves = framework.convert_to_tensor(translations, dtype=float32)
        rank = moves.get_shape().rank
        if rank is None:
            raise DTypeError("translations rank must be statically known")
        if rank not in (1, 2):
            raise DTypeError("Translations should have rank 1 or 2.")
        pairs = moves[None] if rank == 1 else moves
        dx, dy = pairs[:, 0], pairs[:, 1]
        one, none = ones_like(dx), zeros_like(dx)
        return stack([one, none, -dx, none, one, -dy, none, none], axis=1)


@named("transform", "ImageProjectiveTransformV2")
def _transformed(
    images: Any, maps: Any, interpolation: str, size: Any, name: str | None = None
) -> Any:
    return projected(images, maps, interpolation.lower(), size=size)


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Return images each place of which is taken from where its projection says."""
    whole, restore = _batched(images)
    maps = framework.convert_to_tensor(transforms, dtype=float32)
    rank = maps.get_shape().rank
    if rank is None:
        raise DTypeError("transforms rank must be statically known")
    if rank not in (1, 2):
        raise DTypeError("Transforms should have rank 1 or 2.")
    if interpolation not in ("NEAREST", "BILINEAR"):
        raise InvalidArgumentError(
            f"interpolation={interpolation!r}; allowed are NEAREST and BILINEAR"
        )
    size = None if output_shape is None else plain(output_shape)
    given = maps[None] if rank == 1 else maps
    return restore(_transformed(whole, given, interpolation, size, name=name))


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Return projections as matrices 3 by 3."""
    maps = framework.convert_to_tensor(transforms, dtype=float32)
    if maps.get_shape().rank not in (1, 2):
        raise InvalidArgumentError(
            f"Transforms should be 1D or 2D, got: {transforms}"
        )
    rows = reshape(maps, [-1, 8])
    return reshape(concat([rows, ones_like(rows[:, :1])], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Return matrices 3 by 3 as projections."""
    given = framework.convert_to_tensor(transform_matrices, dtype=float32)
    if given.get_shape().rank not in (2, 3):
        raise InvalidArgumentError(
            f"Matrices should be 2D or 3D, got: {transform_matrices}"
        )
    rows = reshape(given, [-1, 9])
    return rows[:, :8] / rows[:, 8:9]


def compose_transforms(*transforms: Any) -> Any:
    """Return the projection that is all of these, the first to be applied first."""
    if not transforms:
        raise InvalidArgumentError("transforms cannot be empty")
    matrices = [flat_transforms_to_matrices(x) for x in transforms]
    return matrices_to_flat_transforms(reduce(matmul, matrices))


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Any:
    """Return images each place of which is taken from where it was before a flow."""
    with framework.name_scope(name):
        image, flow = [framework.convert_to_tensor(x) for x in (image, flow)]
        sizes = shape(image)
        batch, height, width = sizes[0], sizes[1], sizes[2]
        across, down = meshgrid(numbers_from(width), numbers_from(height))
        grid = cast(stack([down, across], axis=2), flow.dtype)
        return _between(image, expand_dims(grid, 0) - flow, (batch, height, width))


def _between(image: Any, places: Any, sizes: tuple[Any, Any, Any]) -> Any:
    """Return what is at places between the elements, by the four around each."""
    batch, *ends = sizes
    below, shares = [], []
    for axis, end in enumerate(ends):
        place = places[..., axis]
        last = cast(end - 2, place.dtype)
        least = clip_by_value(floor(place), 0.0, last)
        below.append(cast(least, int32))
        share = clip_by_value(place - least, 0.0, 1.0)
        shares.append(cast(expand_dims(share, -1), image.dtype))
    (top, left), (down, right) = below, shares
    number = reshape(numbers_from(batch), [-1, 1, 1]) + top * 0

    def at(row: Any, column: Any) -> Any:
        return gather_nd(image, stack([number, row, column], axis=-1))

    upper = at(top, left) + right * (at(top, left + 1) - at(top, left))
    lower = at(top + 1, left) + right * (at(top + 1, left + 1) - at(top + 1, left))
    return upper + down * (lower - upper)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
