"""Parts of images that are drawn in host memory, by NumPy.

Their key and counter are those of the other draws, so that seeds mean the same for all. Numbers
that count are in counted.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.random.generators import Source, global_generator

__all__ = ["sample_distorted_bounding_box"]


def _generator(key: Array, counter: Array) -> np.random.Generator:
    """Return NumPy's generator at a key and counter."""
    seed = [int(word) for word in (*np.ravel(to_host(key)), *np.ravel(counter))]
    return np.random.Generator(
        np.random.Philox(np.random.SeedSequence([s & (2**64 - 1) for s in seed]))
    )


class StatelessSampleDistortedBoundingBox(Op):
    """A part of an image drawn at random, that has enough of one of some boxes."""

    differentiable = False
    host = (0, 1, 2, 3, 4)
    aspect_ratio_range: tuple[float, ...] = (0.75, 1.33)
    area_range: tuple[float, ...] = (0.05, 1.0)
    max_attempts: int = 100
    use_image_if_no_bounding_boxes: bool = False

    def infer(
        self,
        image_size: TensorSpec,
        boxes: TensorSpec,
        covered: TensorSpec,
        *state: TensorSpec,
    ) -> tuple[TensorSpec, ...]:
        """Return begin, size and box."""
        vector = TensorSpec((3,), dtypes.int32)
        return vector, vector, TensorSpec((1, 1, 4), dtypes.float32)

    def kernel(
        self, xp: Xp, image_size: Array, boxes: Array, covered: Array, *state: Array
    ) -> tuple[Array, ...]:
        """Return the part; the whole image if no try fits."""
        height, width = image_size.tolist()[:2]
        given = boxes.reshape(-1, 4)
        if not given.size and not self.use_image_if_no_bounding_boxes:
            raise InvalidArgumentError(
                "sample_distorted_bounding_box: there are no boxes; use_image_if_no_bounding_boxes "
                "takes the whole image instead"
            )
        wanted = given if given.size else np.asarray([[0.0, 0.0, 1.0, 1.0]])
        pixels = wanted * [height, width, height, width]
        part = self._part(_generator(*state), height, width, pixels, float(covered))
        top, left, tall, wide = part
        box = np.asarray(
            [
                top / height,
                left / width,
                (top + tall) / height,
                (left + wide) / width,
            ],
            np.float32,
        )
        return (
            np.asarray([top, left, 0], np.int32),
            np.asarray([tall, wide, -1], np.int32),
            box.reshape(1, 1, 4),
        )

    def _part(
        self,
        generator: np.random.Generator,
        height: int,
        width: int,
        boxes: Any,
        covered: float,
    ) -> tuple[int, int, int, int]:
        for _ in range(self.max_attempts):
            ratio = generator.uniform(
                self.aspect_ratio_range[0], self.aspect_ratio_range[1]
            )
            area = (
                generator.uniform(self.area_range[0], self.area_range[1])
                * height
                * width
            )
            tall = round((area / ratio) ** 0.5)
            wide = round(tall * ratio)
            if not (0 < tall <= height and 0 < wide <= width):
                continue
            top = int(generator.integers(0, height - tall + 1))
            left = int(generator.integers(0, width - wide + 1))
            rows = np.minimum(boxes[:, 2], top + tall) - np.maximum(boxes[:, 0], top)
            columns = np.minimum(boxes[:, 3], left + wide) - np.maximum(
                boxes[:, 1], left
            )
            shared = np.maximum(rows, 0) * np.maximum(columns, 0)
            areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
            if (shared >= covered * areas).any():
                return top, left, tall, wide
        return 0, 0, height, width


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: tuple[float, float] = (0.75, 1.33),
    area_range: tuple[float, float] = (0.05, 1.0),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
    generator: Source | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return a part of an image drawn at random: where it begins, its size, and it as a box.

    It covers at least `min_object_covered` of one of the boxes, has an aspect ratio and a part of
    the area from ranges; the whole image comes when no try fits.

    >>> begin, size, box = tl.image.sample_distorted_bounding_box(
    ...     (8, 8, 3), tl.zeros((1, 0, 4)), use_image_if_no_bounding_boxes=True)
    >>> begin.shape, size.shape, box.shape
    ((3,), (3,), (1, 1, 4))
    """
    op = StatelessSampleDistortedBoundingBox(
        (float(aspect_ratio_range[0]), float(aspect_ratio_range[1])),
        (float(area_range[0]), float(area_range[1])),
        max_attempts,
        use_image_if_no_bounding_boxes,
    )
    given = [to_tensor(x) for x in (image_size, bounding_boxes)]
    covered = to_tensor(min_object_covered, dtypes.float32)
    source = generator or global_generator()
    begin, size, box = source.drawn_by(op, 1, *given, covered)
    return begin, size, box
