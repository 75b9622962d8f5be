"""tf.keras.preprocessing of version 1: images are loaded by other arguments; the rest of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v2.keras import preprocessing
from tensorlite.compat.v2.keras.src.data import pictures


def load_img(
    path: Any,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
) -> Any:
    """Return an image of Pillow from a file, in a color_mode and (height, width).

    grayscale=True stands for color_mode="grayscale", which is "rgb" or "rgba" otherwise.
    """
    mode = "grayscale" if grayscale else color_mode
    return pictures.load_img(path, mode, target_size, interpolation)


image = SimpleNamespace(**{**vars(preprocessing.image), "load_img": load_img})

__dir__ = listing(__name__, globals(), vars(preprocessing))
__getattr__ = rest_of(preprocessing, __name__, globals())
