"""Components of images, matches of rows and columns, and images under projections."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.extend import calls
from tensorlite.ops.images.framing_gradients import (
    CropAndResizeGradBoxes,
    CropAndResizeGradImage,
)
from tensorlite.ops.images.labels import BipartiteMatch, ImageConnectedComponents
from tensorlite.ops.images.projections import (
    ImageProjectiveTransformV2,
    ImageProjectiveTransformV3,
    inverses,
)
from tests.checks import check_gradient


def numbered(image: object) -> list[list[int]]:
    """Return the components of one image."""
    (found,) = calls(ImageConnectedComponents(), tl.asarray([image]))
    rows: list[list[int]] = found.numpy()[0].tolist()
    return rows


def test_components_are_called_by_their_first_elements() -> None:
    image = [[1, 1, 0, 2], [0, 1, 2, 2], [3, 0, 2, 1]]
    assert numbered(image) == [[1, 1, 0, 4], [0, 1, 4, 4], [9, 0, 4, 12]]


def test_components_that_meet_late_are_one() -> None:
    comb = [[1, 0, 1, 0, 1], [1, 0, 1, 0, 1], [1, 1, 1, 1, 1]]
    assert {x for row in numbered(comb) for x in row} == {0, 1}
    spiral = np.ones((9, 9), bool)
    spiral[1, :8] = spiral[1:8, 7] = spiral[7, 1:8] = False
    assert {x for row in numbered(spiral) for x in row} == {0, 1}


def test_images_are_apart_and_may_be_empty() -> None:
    (found,) = calls(ImageConnectedComponents(), tl.ones((2, 1, 2)))
    assert found.numpy().tolist() == [[[1, 1]], [[3, 3]]]
    (none,) = calls(ImageConnectedComponents(), tl.ones((0, 3, 2)))
    assert none.shape == (0, 3, 2)


def matched(rows: Any, valid: Any, most: int = -1) -> list[list[int]]:
    return [x.numpy().tolist() for x in calls(BipartiteMatch(most), rows, valid)]


def test_the_least_distance_is_matched_first() -> None:
    distances = [[0.5, 0.1, 0.8], [0.3, 0.2, 0.15]]
    assert matched(distances, -1.0) == [[1, 2], [-1, 0, 1]]
    assert matched(distances, 1.0) == [[1, -1], [-1, 0, -1]]
    assert matched(distances, 2.0, 1) == [[1, -1], [-1, 0, -1]]
    assert matched(np.zeros((0, 2), np.float32), -1.0) == [[], [-1, -1]]


def test_matches_of_more_rows_than_there_are_raise() -> None:
    with pytest.raises(InvalidArgumentError, match="at least 3 rows"):
        matched([[0.5]], 3.0)
    with pytest.raises(ShapeError, match="one number"):
        matched([[0.5]], [1.0, 2.0])


MOVED = np.array([[1.0, 0, 1, 0, 1, -1, 0, 0]], np.float32)


def projected(x: Any, maps: Any = MOVED) -> Any:
    op = ImageProjectiveTransformV2("BILINEAR")
    (made,) = calls(op, x, maps, tl.asarray([3, 4], dtype=tl.int32))
    return made


def test_gradients_of_moved_images_are_true() -> None:
    x = np.random.default_rng(2).normal(size=(1, 3, 4, 2))
    check_gradient(projected, x)


def test_flows_are_seen_under_the_inverse() -> None:
    """TensorFlow 2.21 gives these numbers, which are no derivatives."""
    wide = [[0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]
    x = tl.reshape(tl.arange(12, dtype=tl.float32), (1, 3, 4, 1))
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = projected(x, wide)
    found = tape.gradient(y, x, x + 1.0)
    assert found.numpy()[0, :, :, 0].tolist() == [
        [1.0, 3.0, 0.0, 0.0],
        [5.0, 7.0, 0.0, 0.0],
        [9.0, 11.0, 0.0, 0.0],
    ]


def test_constants_fill_what_is_outside() -> None:
    op = ImageProjectiveTransformV3("NEAREST")
    size = tl.asarray([2, 2], dtype=tl.int32)
    (made,) = calls(op, tl.ones((1, 2, 2, 1)), MOVED, size, 7.0)
    assert made.numpy()[0, :, :, 0].tolist() == [[7.0, 7.0], [1.0, 7.0]]


def test_inverses_lead_back() -> None:
    maps = tl.asarray([[2.0, 0.5, 1, 0, 1, 3, 0.01, 0.02]])
    np.testing.assert_allclose(
        inverses(inverses(maps)).numpy(), maps.numpy(), rtol=1e-5, atol=1e-6
    )


def test_flows_through_boxes_are_those_of_the_crops() -> None:
    random = np.random.default_rng(4)
    x, dy = random.normal(size=(1, 4, 5, 2)), random.normal(size=(2, 3, 2, 2))
    corners = [[0.1, 0.2, 0.8, 0.9], [0.9, 0.1, 0.2, 1.3]]
    image, flow, boxes = [tl.asarray(z, dtype=tl.float64) for z in (x, dy, corners)]
    with tl.GradientTape() as tape:
        tape.watch([image, boxes])
        made = tl.image.crop_and_resize(image, boxes, [0, 0], (3, 2))
    to_image, to_boxes = tape.gradient(made, [image, boxes], flow)
    size = tl.asarray([1, 4, 5, 2], dtype=tl.int32)
    (found,) = calls(CropAndResizeGradImage(tl.float64), flow, boxes, [0, 0], size)
    assert found.dtype is tl.float64
    np.testing.assert_allclose(found.numpy(), to_image.numpy(), rtol=1e-6)
    (found,) = calls(CropAndResizeGradBoxes("nearest"), flow, image, boxes, [0, 0])
    np.testing.assert_allclose(found.numpy(), to_boxes.numpy(), rtol=1e-6)
