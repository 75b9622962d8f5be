"""tf.contrib.image: images that follow a flow, which splines between a few places may tell.

Images seen under projections are in image.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    range as counted,
    reshape,
    stack,
    transpose,
    unstack,
    zeros,
)
from tensorlite.compat.shared.checks import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
)
from tensorlite.compat.shared.elementwise import (
    cast,
    floor,
    log,
    maximum,
    minimum,
    pow as power,
    sqrt,
    square,
)
from tensorlite.compat.shared.grids import meshgrid
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.v1.functions.arrays import gather, ones_like, shape
from tensorlite.compat.v1.functions.matrices import (
    eye,
    matrix_diag_part,
    matrix_solve,
)
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.core.dtypes import float32, int32
from tensorlite.core.errors import InvalidArgumentError

_LEAST = 1e-10
"""What squares of distances are at least, where their logarithms and roots are taken."""


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Any:
    """Return images each place of which is taken from where it was before a flow."""
    with framework.name_scope(name):
        batch, height, width, channels = [shape(image)[i] for i in range(4)]
        across, down = meshgrid(counted(width), counted(height))
        grid = cast(stack([down, across], axis=2), flow.dtype)
        places = expand_dims(grid, axis=0) - flow
        flat = reshape(places, [batch, height * width, 2])
        return reshape(_between(image, flat), [batch, height, width, channels])


def _between(grid: Any, places: Any) -> Any:
    """Return what is at places [batch, number, 2] between the elements of images."""
    with framework.name_scope("interpolate_bilinear"):
        grid, places = convert_to_tensor(grid), convert_to_tensor(places)
        if grid.get_shape().rank != 4:
            raise InvalidArgumentError(
                f"Grid must be 4 dimensional. Received size: {grid.get_shape()}"
            )
        sizes = [shape(grid)[i] for i in range(4)]
        count = _number_of(places)
        ends = _ends_of(sizes, places)
        sides = [
            _beside(places_on, axis, sizes, grid.dtype)
            for axis, places_on in enumerate(ends)
        ]
        (top, bottom, down), (left, right, along) = sides
        seen = _Elements(grid, sizes, count)
        corners = [
            seen.at(top, left, "top_left"),
            seen.at(top, right, "top_right"),
            seen.at(bottom, left, "bottom_left"),
            seen.at(bottom, right, "bottom_right"),
        ]
        with framework.name_scope("interpolate"):
            above = along * (corners[1] - corners[0]) + corners[0]
            below = along * (corners[3] - corners[2]) + corners[2]
            return down * (below - above) + above


def _number_of(places: Any) -> Any:
    """Return how many places there are of each image, once they are known to be pairs."""
    checks = [
        assert_equal(
            places.get_shape().rank,
            3,
            message="Query points must be 3 dimensional.",
        ),
        assert_equal(
            shape(places)[2], 2, message="Query points must be size 2 in dim 2."
        ),
    ]
    with framework.control_dependencies(checks):
        return shape(places)[1]


def _ends_of(sizes: list[Any], places: Any) -> list[Any]:
    """Return rows and columns of places, once the image is known to have two of each."""
    checks = [
        assert_greater_equal(sizes[1], 2, message="Grid height must be at least 2."),
        assert_greater_equal(sizes[2], 2, message="Grid width must be at least 2."),
    ]
    with framework.control_dependencies(checks):
        found: list[Any] = unstack(places, axis=2)
        return found


def _beside(
    places: Any, axis: int, sizes: list[Any], dtype: Any
) -> tuple[Any, Any, Any]:
    """Return the elements before and behind places on an axis, and the share of the latter."""
    with framework.name_scope(f"dim-{axis}"):
        last = cast(sizes[axis + 1] - 2, places.dtype)
        first = constant(0.0, dtype=places.dtype)
        before = minimum(maximum(first, floor(places)), last)
        whole = cast(before, int32)
        behind = whole + 1
        share = cast(places - before, dtype)
        none, all_of_it = constant(0.0, dtype=dtype), constant(1.0, dtype=dtype)
        share = minimum(maximum(none, share), all_of_it)
        return whole, behind, expand_dims(share, 2)


class _Elements:
    """The elements of images, in one row, of which those at places are taken."""

    def __init__(self, grid: Any, sizes: list[Any], count: Any) -> None:
        batch, height, self._width, channels = sizes
        number = cast(batch * height * self._width, float32)
        check = assert_less_equal(
            number,
            np.iinfo(np.int32).max / 8,
            message="The image size or batch size is sufficiently large that the "
            "linearized addresses used by tf.gather may exceed the int32 limit.",
        )
        with framework.control_dependencies([check]):
            self._rows = reshape(grid, [batch * height * self._width, channels])
            begins = counted(batch) * height * self._width
            self._begins = reshape(begins, [batch, 1])
        self._shape = [batch, count, channels]

    def at(self, rows: Any, columns: Any, where: str) -> Any:
        """Return the elements at rows and columns, [batch, number, channels]."""
        with framework.name_scope(f"gather-{where}"):
            places = self._begins + rows * self._width + columns
            return reshape(gather(self._rows, places), self._shape)


def interpolate_spline(
    train_points: Any,
    train_values: Any,
    query_points: Any,
    order: int,
    regularization_weight: float = 0.0,
    name: str | None = "interpolate_spline",
) -> Any:
    """Return the values at points [batch, m, d] of a spline through values at others.

    The spline is polyharmonic: a sum of functions of the distances from the points [batch, n, d]
    at which the values [batch, n, k] are, and of a linear one. Its order is 1 for distances, 2 for
    thin plates; regularization_weight trades nearness to the values for smoothness.
    """
    with framework.name_scope(name):
        points, values = (
            convert_to_tensor(train_points),
            convert_to_tensor(train_values),
        )
        wanted = convert_to_tensor(query_points)
        with framework.name_scope("solve"):
            found = _solved(points, values, order, regularization_weight)
        with framework.name_scope("predict"):
            return _predicted(wanted, points, found, order)


def _solved(
    points: Any, values: Any, order: int, smoothing: float
) -> tuple[Any, Any]:
    """Return the weights of the points, and those of the linear part."""
    batch, number, _ = unstack(shape(points), num=3)
    axes, kinds = points.get_shape()[-1].value, values.get_shape()[-1].value
    for what, size in (("input points (d)", axes), ("output values (k)", kinds)):
        if size is None:
            raise InvalidArgumentError(
                f"The dimensionality of the {what} must be statically-inferrable."
            )
    with framework.name_scope("construct_linear_system"):
        near = _radial(_squares_among(points), order)
        if smoothing > 0:
            one = expand_dims(eye(number, dtype=points.dtype), 0)
            near = near + smoothing * one
        ones = ones_like(points[..., :1], dtype=points.dtype)
        linear = concat([points, ones], 2)
        left = concat([near, transpose(linear, [0, 2, 1])], 1)
        none = zeros([batch, axes + 1, axes + 1], points.dtype)
        matrix = concat([left, concat([linear, none], 1)], 2)
        below = zeros([batch, axes + 1, kinds], points.dtype)
        wanted = concat([values, below], 1)
    with framework.name_scope("solve_linear_system"):
        both = matrix_solve(matrix, wanted)
        return both[:, :number, :], both[:, number:, :]


def _predicted(wanted: Any, points: Any, weights: tuple[Any, Any], order: int) -> Any:
    """Return the values of a spline at points."""
    near = matmul(_radial(_squares_between(wanted, points), order), weights[0])
    ones = ones_like(wanted[..., :1], points.dtype)
    linear = matmul(concat([wanted, ones], 2), weights[1])
    return near + linear


def _squares_between(x: Any, y: Any) -> Any:
    """Return the squares of the distances between points of two sets."""
    of_x, of_y = reduce_sum(square(x), 2), reduce_sum(square(y), 2)
    first, second = expand_dims(of_x, 2), expand_dims(of_y, 1)
    return first - 2 * matmul(x, y, adjoint_b=True) + second


def _squares_among(x: Any) -> Any:
    """Return the squares of the distances between points of one set."""
    products = matmul(x, x, adjoint_b=True)
    own = expand_dims(matrix_diag_part(products), 2)
    return own - 2 * products + transpose(own, [0, 2, 1])


def _radial(squares: Any, order: int) -> Any:
    """Return what a spline of an order is made of, for squares of distances."""
    with framework.name_scope("phi"):
        if order == 1:
            return sqrt(maximum(squares, _LEAST))
        if order == 2:
            return 0.5 * squares * log(maximum(squares, _LEAST))
        if order == 4:
            return 0.5 * square(squares) * log(maximum(squares, _LEAST))
        held = maximum(squares, _LEAST)
        if order % 2 == 0:
            return 0.5 * power(held, 0.5 * order) * log(held)
        return power(held, 0.5 * order)


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str | None = "sparse_image_warp",
) -> Any:
    """Return images in which a few places have moved to others, and the flow that moves them.

    Between the places [batch, number, 2] splines tell the flow. With num_boundary_points corners
    stay where they are, and that many less one places on each edge between them.
    """
    image = convert_to_tensor(image)
    before = convert_to_tensor(source_control_point_locations)
    after = convert_to_tensor(dest_control_point_locations)
    flows = after - before
    with framework.name_scope(name):
        batch, height, width, _ = image.get_shape().as_list()
        rows, columns = np.meshgrid(
            np.arange(height, dtype=float),
            np.arange(width, dtype=float),
            indexing="ij",
        )
        grid = np.stack([rows, columns], -1).reshape(height * width, 2)
        everywhere = constant(_of_each(grid, batch), image.dtype)
        if num_boundary_points > 0:
            edge = _edge(height, width, num_boundary_points)
            still = [
                _of_each(x, after.get_shape()[0].value) for x in (edge, 0 * edge)
            ]
            fixed, unmoved = [constant(x, dtype=after.dtype) for x in still]
            after, flows = concat([after, fixed], 1), concat([flows, unmoved], 1)
        flat = interpolate_spline(
            after, flows, everywhere, interpolation_order, regularization_weight
        )
        dense = reshape(flat, [batch, height, width, 2])
        return dense_image_warp(image, dense), dense


def _of_each(rows: Any, batch: Any) -> Any:
    """Return rows once for each image."""
    return np.tile(rows[None], [batch, 1, 1])


def _edge(height: int, width: int, number: int) -> Any:
    """Return places on the edge of an image, that many on each side and one more."""
    down = np.linspace(0, height - 1, number + 1)
    across = np.linspace(0, width - 1, number + 1)
    rows, columns = np.meshgrid(down, across, indexing="ij")
    at_end = (rows == 0) | (rows == height - 1)
    is_edge = at_end | (columns == 0) | (columns == width - 1)
    return np.stack([rows[is_edge], columns[is_edge]], axis=-1)
