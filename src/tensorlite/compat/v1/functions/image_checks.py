"""Sizes of images in graphs: as they are known, or as TensorFlow 1 asks for them when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared import arrays, checks as assertions
from tensorlite.compat.shared.elementwise import greater, greater_equal, less_equal
from tensorlite.compat.v1.functions import checks
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand

ONE, MANY = 3, 4
"""How many axes an image has, and a batch of images."""


def after(checked: Sequence[Any], x: Any) -> Any:
    """Return a tensor as it is behind checks, of which there may be none."""
    with control_dependencies(list(checked)):
        return arrays.identity(x, name="control_dependency")


def dimensions(image: Any, rank: int = MANY) -> list[Any]:
    """Return the sizes of an image: numbers, and tensors of those that are not known."""
    known = image.get_shape()
    if known.is_fully_defined():
        return list(known.as_list())
    static = known.with_rank(rank).as_list()
    asked = arrays.unstack(shape(image), rank)
    pairs = zip(static, asked, strict=True)
    return [y if x is None else x for x, y in pairs]


def at_least_an_image(image: Any) -> list[Any]:
    """Return what checks, when it runs, that sizes are there; ShapeError where they are not."""
    known = image.get_shape()
    if known.rank is not None and known.rank < ONE:
        raise ShapeError(f"'image' must be at least three-dimensional, not {known}.")
    if known.rank is not None and 0 in known.as_list():
        raise ShapeError(f"all dims of 'image.shape' must be > 0: {known}")
    if known.is_fully_defined():
        return []
    return [
        checks.assert_positive(
            shape(image), ["all dims of 'image.shape' must be > 0."]
        ),
        checks.assert_greater_equal(
            arrays.rank(image),
            3,
            message="'image' must be at least three-dimensional.",
        ),
    ]


def checked(image: Any) -> Any:
    """Return an image as a tensor behind the checks of its sizes."""
    x = convert_to_tensor(image, name="image")
    return after(at_least_an_image(x), x)


def rank_of(image: Any) -> int:
    """Return how many axes an image has, 3 where that is not known; ShapeError for others."""
    rank = image.get_shape().rank
    if rank not in (None, ONE, MANY):
        raise ShapeError("'image' must have either 3 or 4 dimensions.")
    return ONE if rank is None else int(rank)


def as_batch(image: Any) -> tuple[Any, bool]:
    """Return images as a batch, and whether they are one; a single one is the only one there."""
    x = convert_to_tensor(image, name="image")
    known = x.get_shape().rank
    if rank_of(x) == MANY:
        return x, True
    x = arrays.expand_dims(x, 0)
    if known is None:
        x.set_shape([None] * MANY)
    return x, False


def is_tensor(x: Any) -> bool:
    """Return whether a size is known only as it runs."""
    return isinstance(x, Operand)


def demanded(holds: Any, said: str) -> list[Any]:
    """Return what checks, when it runs, that something holds; InvalidArgumentError where not."""
    if is_tensor(holds):
        return [assertions.Assert(holds, [said])]
    if not holds:
        raise InvalidArgumentError(said)
    return []


def no_less(x: Any, y: Any) -> Any:
    """Return whether one size is no less than another."""
    if is_tensor(y) and not is_tensor(x):
        return less_equal(y, x)  # as Python turns it around
    return greater_equal(x, y) if is_tensor(x) else x >= y


def above(x: Any, y: Any) -> Any:
    """Return whether one size is greater than another."""
    return greater(x, y) if is_tensor(x) or is_tensor(y) else x > y


def static(sizes: Sequence[Any]) -> list[Any]:
    """Return sizes with None for those that are not known."""
    return [None if is_tensor(n) else n for n in sizes]
