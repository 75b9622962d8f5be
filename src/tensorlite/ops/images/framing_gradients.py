"""What flows back through boxes cut out of images: operators, as TensorFlow has them.

The boxes themselves are in framing.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant
from tensorlite.core.dtypes import DType
from tensorlite.core.tensor import Tensor
from tensorlite.ops.arrays.create import Fill
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite, flow_back
from tensorlite.ops.images.framing import crop_and_resize
from tensorlite.ops.operators import astype

__all__: list[str] = []


class CropAndResizeGradImage(Composite):
    """What flows to the images of which boxes were cut out, of a shape and dtype."""

    host = (3,)
    T: DType
    """The dtype of the images."""
    method: str = "bilinear"

    def compose(
        self, dy: Tensor, boxes: Tensor, box_ind: Tensor, image_size: Tensor
    ) -> Tensor:
        """Return that."""
        size = shape_of(dy)[1:3]
        kind = self.T if self.T is dtypes.float64 else dtypes.float32
        sides = stack([image_size[i] for i in range(4)])  # so that the rank is known
        images = call(Fill(), sides, constant(np.zeros((), kind.numpy)))

        def crops(x: Tensor) -> Tensor:
            return crop_and_resize(x, boxes, box_ind, size, self.method)  # type: ignore[arg-type]

        return astype(flow_back(crops, images, astype(dy, kind)), self.T)


class CropAndResizeGradBoxes(Composite):
    """What flows to the boxes; by the nearest elements it is as between elements."""

    method: str = "bilinear"

    def compose(
        self, dy: Tensor, image: Tensor, boxes: Tensor, box_ind: Tensor
    ) -> Tensor:
        """Return that."""
        size = shape_of(dy)[1:3]
        kind = image.dtype if image.dtype.is_floating else dtypes.float32
        images = astype(image, kind)

        def crops(x: Tensor) -> Tensor:
            return crop_and_resize(images, x, box_ind, size)

        return flow_back(crops, boxes, astype(dy, kind))
