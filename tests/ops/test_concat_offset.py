"""Where each of joined tensors starts, and shapes that cannot be joined."""

from __future__ import annotations

import pytest

from tensorlite.core.dispatch import calls, to_tensor
from tensorlite.core.errors import AxisError, ShapeError
from tensorlite.ops.arrays.join import ConcatOffset


def starts(axis: int, shapes: list[list[int]]) -> list[list[int]]:
    """Return where tensors of some shapes start."""
    found = calls(ConcatOffset(len(shapes)), to_tensor(axis), *map(to_tensor, shapes))
    return [x.numpy().tolist() for x in found]


def test_starts_of_what_is_joined() -> None:
    found = starts(-2, [[2, 3, 5], [2, 7, 5], [2, 20, 5]])
    assert found == [[0, 0, 0], [0, 3, 0], [0, 10, 0]]


@pytest.mark.parametrize(
    ("axis", "shapes", "error"),
    [
        (4, [[2, 3, 5], [2, 7, 5]], AxisError),
        (1, [[2, 3, 5], [2, 7]], ShapeError),
        (1, [[2, 3, 5], [2, 7, 6]], ShapeError),
    ],
)
def test_shapes_that_cannot_be_joined(
    axis: int, shapes: list[list[int]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        starts(axis, shapes)
