"""Images: sizes, colours, crops, boxes, measures of quality, files.

Images are (batch, height, width, channels) or, where a function says so, one without the batch.
The operators and functions stand in ops/.
"""

from __future__ import annotations

from tensorlite.ops.patches import extract_patches, extract_volume_patches
from tensorlite.ops.resize import (
    resize,
    resize_with_crop_or_pad,
    resize_with_pad,
    scale_and_translate,
)

__all__ = [
    "extract_patches",
    "extract_volume_patches",
    "resize",
    "resize_with_crop_or_pad",
    "resize_with_pad",
    "scale_and_translate",
]


def __dir__() -> list[str]:
    return __all__
