"""Which elements of images belong together, and which rows of distances to which columns."""

from __future__ import annotations

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec, check_rank
from tensorlite.core.xp import Array, Xp

__all__: list[str] = []


class BipartiteMatch(Op):
    """The column that each row of distances is matched with, and the row of each column.

    The least distance is matched first, the one that is least among what is left then, and so on;
    what has no match is -1.
    """

    differentiable = False
    host = (0, 1)
    top_k: int = -1
    """How many matches there are at most, if it is positive."""

    def infer(
        self, distances: TensorSpec, valid: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return specs of vectors for rows and columns."""
        check_rank(f"{self.name}: distances", distances, 2)
        sides = distances.shape or (None, None)
        return tuple(TensorSpec((side,), dtypes.int32) for side in sides)

    def kernel(self, xp: Xp, distances: Array, valid: Array) -> tuple[Array, Array]:
        """Return both."""
        if np.size(valid) != 1:
            raise ShapeError(
                f"{self.name}: num_valid_rows is one number, and has {np.size(valid)} elements"
            )
        rows, columns = distances.shape
        given = float(np.reshape(valid, -1)[0])
        count = int(given + 0.1) if given >= 0 else rows
        if count > rows:
            raise InvalidArgumentError(
                f"There should be at least {count} rows in distance_mat, but only got {rows} rows."
            )
        of_row = np.full(rows, -1, np.int32)
        of_column = np.full(columns, -1, np.int32)
        left = self.top_k if self.top_k > 0 else rows * columns
        order = np.argsort(distances[:count], axis=None, kind="stable")
        for place in order.tolist():
            row, column = divmod(place, columns)
            if left and of_row[row] < 0 and of_column[column] < 0:
                of_row[row], of_column[column] = column, row
                left -= 1
        return xp.asarray(of_row), xp.asarray(of_column)


class ImageConnectedComponents(Op):
    """The component that each element of images is of: the place of one of its elements, from 1.

    Elements beside or above each other that are equal, and not zero, are of one component; what is
    zero is of component 0.
    """

    differentiable = False
    host = (0,)

    def infer(self, images: TensorSpec) -> TensorSpec:
        """Return the spec of int64 of the same shape."""
        check_rank(f"{self.name}: images (batch, height, width)", images, 3)
        return TensorSpec(images.shape, dtypes.int64)

    def kernel(self, xp: Xp, images: Array) -> Array:
        """Return the components."""
        return xp.asarray(components(np.asarray(images)))


def components(images: Array) -> Array:
    """Return 1 + the first place of each element's component, 0 where an element is zero."""
    places = np.arange(images.size).reshape(images.shape)
    some = images.astype(bool)
    pairs = []
    for axis in (1, 2):
        count = max(images.shape[axis] - 1, 0)
        ends = [np.take(places, np.arange(count) + i, axis) for i in (0, 1)]
        values = [np.take(images, np.arange(count) + i, axis) for i in (0, 1)]
        joined = (values[0] == values[1]) & np.take(some, np.arange(count), axis)
        pairs.append(np.stack([x[joined] for x in ends]))
    first, second = np.concatenate(pairs, axis=1)
    roots = _joined(images.size, first, second).reshape(images.shape)
    return np.where(some, roots + 1, 0)


def _joined(count: int, first: Array, second: Array) -> Array:
    """Return the least number among those that each is joined with, over pairs of numbers."""
    roots = np.arange(count)
    while not np.array_equal(roots[first], roots[second]):
        ends = roots[first], roots[second]
        least = np.minimum(*ends)
        for one in ends:
            np.minimum.at(roots, one, least)
        while not np.array_equal(roots, roots[roots]):
            roots = roots[roots]
    return roots
