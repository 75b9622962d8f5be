"""Coloured PNG files read as grey; expected is what TensorFlow 2.21 gives."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl


@pytest.mark.parametrize(
    ("colour", "grey"),
    [((255, 0, 0), 76), ((0, 255, 0), 149), ((0, 0, 255), 29), ((200, 3, 77), 70)],
)
def test_colours_become_greys_by_weights(colour: tuple[int, ...], grey: int) -> None:
    file = tl.image.encode_png(np.array(colour, np.uint8).reshape(1, 1, 3))
    assert int(tl.image.decode_png(file, channels=1)[0, 0, 0]) == grey
