"""tf.contrib.image: images turned, moved and seen through projections, matches and components.

Images that follow a flow are in image_flows.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.arrays import (
    concat,
    ones,
    range as counted,
    reshape,
    zeros,
)
from tensorlite.compat.shared.elementwise import cast, cos, equal, sin
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.picking import unique
from tensorlite.compat.v1.contrib.image_flows import (
    dense_image_warp,
    interpolate_spline,
    sparse_image_warp,
)
from tensorlite.compat.v1.derivatives import gradient_of, operator
from tensorlite.compat.v1.functions.arrays import gather, shape, where_v2
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.matrices import matrix_inverse
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.images.labels import BipartiteMatch, ImageConnectedComponents
from tensorlite.ops.images.projections import ImageProjectiveTransformV2

__all__ = [
    "angles_to_projective_transforms",
    "bipartite_match",
    "compose_transforms",
    "connected_components",
    "dense_image_warp",
    "flat_transforms_to_matrices",
    "interpolate_spline",
    "matrices_to_flat_transforms",
    "rotate",
    "sparse_image_warp",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]

_KINDS = {"uint8", "int32", "int64", "float16", "float32", "float64"}


def _batched(given: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return images with axes for the batch and channels, and what takes the added ones away."""
    if given.dtype.name not in _KINDS:
        raise DTypeError(f"Invalid dtype {given.dtype.name}.")
    rank = given.get_shape().rank
    if rank is None:
        raise DTypeError("image_or_images rank must be statically known")
    if rank == 2:
        return given[None, :, :, None], lambda x: x[0, :, :, 0]
    if rank == 3:
        return given[None, :, :, :], lambda x: x[0, :, :, :]
    if rank == 4:
        return given, lambda x: x
    raise DTypeError("Images should have rank between 2 and 4.")


def _as_rows(given: Any, what: str, ranks: tuple[int, int]) -> Any:
    """Return a tensor of the greater of two ranks; one of the lesser gets an axis."""
    rank = given.get_shape().rank
    if rank is None:
        raise DTypeError(f"{what.lower()} rank must be statically known")
    if rank not in ranks:
        raise DTypeError(f"{what} should have rank {ranks[0]} or {ranks[1]}.")
    return given[None] if rank == ranks[0] else given


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Return images turned against the clock by angles, in radians."""
    with framework.name_scope(name, "rotate"):
        whole, restore = _batched(convert_to_tensor(images))
        height, width = [cast(shape(whole)[i], float32)[None] for i in (1, 2)]
        maps = angles_to_projective_transforms(angles, height, width)
        return restore(transform(whole, maps, interpolation=interpolation))


def translate(
    images: Any,
    translations: Any,
    interpolation: str = "NEAREST",
    name: str | None = None,
) -> Any:
    """Return images moved to the right and down, by pairs of numbers."""
    with framework.name_scope(name, "translate"):
        return transform(
            images,
            translations_to_projective_transforms(translations),
            interpolation=interpolation,
        )


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Any:
    """Return projections that turn images about their middle."""
    with framework.name_scope(name, "angles_to_projective_transforms"):
        given = convert_to_tensor(angles, name="angles", dtype=float32)
        turns = _as_rows(given, "Angles", (0, 1))
        across = (image_width - 1) - (
            cos(turns) * (image_width - 1) - sin(turns) * (image_height - 1)
        )
        across = across / 2.0
        down = (image_height - 1) - (
            sin(turns) * (image_width - 1) + cos(turns) * (image_height - 1)
        )
        down = down / 2.0
        count = shape(turns)[0]
        columns = [
            cos(turns)[:, None],
            -sin(turns)[:, None],
            across[:, None],
            sin(turns)[:, None],
            cos(turns)[:, None],
            down[:, None],
            zeros((count, 2), float32),
        ]
        return concat(columns, 1)


def translations_to_projective_transforms(
    translations: Any, name: str | None = None
) -> Any:
    """Return projections that move images."""
    with framework.name_scope(name, "translations_to_projective_transforms"):
        given = convert_to_tensor(translations, name="translations", dtype=float32)
        moves = _as_rows(given, "Translations", (1, 2))
        count = shape(moves)[0]
        columns = [
            ones((count, 1), float32),
            zeros((count, 1), float32),
            -moves[:, 0, None],
            zeros((count, 1), float32),
            ones((count, 1), float32),
            -moves[:, 1, None],
            zeros((count, 2), float32),
        ]
        return concat(columns, 1)


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Return images each place of which is taken from where its projection says."""
    kind = interpolation.upper()
    if kind not in ("NEAREST", "BILINEAR"):
        raise InvalidArgumentError(
            f"interpolation={interpolation!r}; allowed are NEAREST and BILINEAR"
        )
    with framework.name_scope(name, "transform"):
        given = convert_to_tensor(images, name="images")
        maps = convert_to_tensor(transforms, name="transforms", dtype=float32)
        whole, restore = _batched(given)
        size = shape(whole)[1:3] if output_shape is None else output_shape
        size = convert_to_tensor(size, int32, name="output_shape")
        if not size.get_shape().is_compatible_with([2]):
            raise InvalidArgumentError(
                "output_shape must be a 1-D Tensor of 2 elements: new_height, new_width"
            )
        rows = _as_rows(maps, "Transforms", (1, 2))
        return restore(operator(ImageProjectiveTransformV2(kind), whole, rows, size))


@gradient_of("ImageProjectiveTransformV2")
def _flow_to_images(op: Any, dy: Any) -> Any:
    """Return what flows back, seen under the maps' inverses."""
    images, maps, _ = op.inputs
    back = matrix_inverse(flat_transforms_to_matrices(maps))
    rows = matrices_to_flat_transforms(back)
    return operator(op.node.op, dy, rows, shape(images)[1:3])


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Return projections as matrices 3 by 3."""
    with framework.name_scope("flat_transforms_to_matrices"):
        maps = convert_to_tensor(transforms, name="transforms")
        if maps.get_shape().rank not in (1, 2):
            raise InvalidArgumentError(f"Transforms should be 1D or 2D, got: {maps}")
        rows = reshape(maps, constant([-1, 8]))
        last = ones([shape(rows)[0], 1])
        return reshape(concat([rows, last], 1), constant([-1, 3, 3]))


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Return matrices 3 by 3 as projections."""
    with framework.name_scope("matrices_to_flat_transforms"):
        given = convert_to_tensor(transform_matrices, name="transform_matrices")
        if given.get_shape().rank not in (2, 3):
            raise InvalidArgumentError(f"Matrices should be 2D or 3D, got: {given}")
        rows = reshape(given, constant([-1, 9]))
        rows = rows / rows[:, 8:9]
        return rows[:, :8]


def compose_transforms(*transforms: Any) -> Any:
    """Return the projection that is all of these, the first to be applied first."""
    if not transforms:
        raise InvalidArgumentError("transforms cannot be empty")
    with framework.name_scope("compose_transforms"):
        found = flat_transforms_to_matrices(transforms[0])
        for one in transforms[1:]:
            found = matmul(found, flat_transforms_to_matrices(one))
        return matrices_to_flat_transforms(found)


def bipartite_match(
    distance_mat: Any,
    num_valid_rows: Any,
    top_k: int = -1,
    name: str | None = "bipartite_match",
) -> Any:
    """Return the column that each row is matched with, and the row of each column; -1 without one.

    The least distance is matched first, and so on; only the first num_valid_rows rows count if it
    is not negative, and top_k matches if that is positive.
    """
    with framework.name_scope(name, "BipartiteMatch") as whole:
        given = [
            convert_to_tensor(distance_mat, float32, name="distance_mat"),
            convert_to_tensor(num_valid_rows, float32, name="num_valid_rows"),
        ]
        return operator(BipartiteMatch(top_k), *given, name=whole)


def connected_components(images: Any) -> Any:
    """Return the number of the component that each element is of, 0 for elements that are zero.

    Elements that stand beside or above each other and are equal are of one component; they are
    numbered from 1 on, in order of their first elements.
    """
    with framework.name_scope("connected_components"):
        given = convert_to_tensor(images, name="images")
        rank = given.get_shape().rank
        if rank not in (2, 3):
            raise DTypeError(
                f"images should have rank 2 (HW) or 3 (NHW). Static shape is {given.get_shape()}"
            )
        whole = given[None, :, :] if rank == 2 else given
        roots = operator(ImageConnectedComponents(), whole)
        found = _renumbered(roots)
        return found[0, :, :] if rank == 2 else found


def _renumbered(roots: Any) -> Any:
    """Return components by the numbers from 1 on, 0 where there is none."""
    kinds, places = unique(reshape(roots, [-1]))
    without = where_v2(equal(kinds, 0))[:, 0]
    numbers = counted(shape(kinds)[0] - shape(without)[0]) + 1

    def with_zero() -> Any:
        place = cast(without[0], int32)
        before, after = numbers[:place], numbers[place:]
        return concat([before, [0], after], 0)

    chosen = cond(equal(shape(without)[0], 0), lambda: numbers, with_zero)
    return reshape(gather(chosen, places), shape(roots))


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
