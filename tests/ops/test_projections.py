"""Images under projections: what TensorFlow 2.21's ImageProjectiveTransformV3 returned."""

from __future__ import annotations

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.ops.images.projections import projected

IMAGE = np.arange(6, dtype=np.float32).reshape(1, 2, 3, 1)
MAP = [[0.9, -0.4, 0.3, 0.5, 0.8, -0.6, 0.02, -0.01]]
EXPECTED = {
    ("constant", "bilinear"): [0.42, 1.11015, 3.10281, 0.59535, 2.87129, 3.96545],
    ("constant", "nearest"): [0.5, 1.0, 2.0, 0.0, 4.0, 5.0],
    ("nearest", "bilinear"): [0.3, 1.17647, 3.15385, 0.60606, 2.87129, 4.65049],
    ("reflect", "bilinear"): [0.3, 1.17647, 3.15385, 0.60606, 2.87129, 4.65049],
    ("wrap", "bilinear"): [3.3, 4.17647, 1.15385, 2.60606, 2.87129, 1.65049],
    ("wrap", "nearest"): [3.0, 4.0, 0.0, 2.0, 4.0, 2.0],
}


@pytest.mark.parametrize(("filling", "way"), EXPECTED)
def test_places_are_taken_from_where_the_map_says(filling: str, way: str) -> None:
    made = projected(IMAGE, MAP, way, filling, 0.5).numpy()
    np.testing.assert_allclose(made.ravel(), EXPECTED[filling, way], atol=1e-5)


def test_whole_numbers_stay_such_and_one_map_does_for_all_images() -> None:
    images = np.arange(12, dtype=np.uint8).reshape(2, 2, 3, 1)
    left = [[1.0, 0, 1, 0, 1, 0, 0, 0]]
    made = projected(images, left)
    assert made.dtype.name == "uint8"
    want = np.concatenate([images[:, :, 1:], np.zeros((2, 2, 1, 1))], axis=2)
    np.testing.assert_array_equal(made.numpy(), want)


def test_where_the_plane_is_infinitely_far_there_is_the_filling() -> None:
    made = projected(IMAGE, [[1.0, 0, 0, 0, 1, 0, -1, 0]], fill_value=7.0)
    np.testing.assert_array_equal(made.numpy()[0, :, 1, 0], [7.0, 7.0])


def test_wrong_forms_and_modes_are_told() -> None:
    with pytest.raises(ShapeError, match=r"maps \(batch, 8\)"):
        projected(IMAGE[0], MAP)
    with pytest.raises(InvalidArgumentError, match="cubic"):
        projected(IMAGE, MAP, "cubic")
    with pytest.raises(InvalidArgumentError, match="mirror"):
        projected(IMAGE, MAP, fill_mode="mirror")
