"""Boxes on images: which of many overlapping ones to keep, and drawing them.

Cutting boxes out of images is in framing.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, calls, constant, to_tensor
from tensorlite.core.errors import ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.operators import astype

__all__ = [
    "combined_non_max_suppression",
    "draw_bounding_boxes",
    "non_max_suppression",
    "non_max_suppression_padded",
    "non_max_suppression_with_scores",
]

_PALETTE = (
    (1.0, 1.0, 0.0, 1.0),
    (0.0, 0.0, 1.0, 1.0),
    (1.0, 0.0, 0.0, 1.0),
    (0.0, 1.0, 0.0, 1.0),
    (0.5, 0.0, 0.5, 1.0),
    (0.5, 0.5, 0.0, 1.0),
    (0.5, 0.0, 0.0, 1.0),
    (0.0, 0.0, 0.5, 1.0),
    (0.0, 1.0, 1.0, 1.0),
    (1.0, 0.0, 1.0, 1.0),
)


def overlap(boxes: Array, one: Array) -> Array:
    """Return the part that each box shares with one, of what both cover together."""
    low, high = (
        np.minimum(boxes[:, :2], boxes[:, 2:]),
        np.maximum(boxes[:, :2], boxes[:, 2:]),
    )
    least, most = np.minimum(one[:2], one[2:]), np.maximum(one[:2], one[2:])
    sides = np.maximum(np.minimum(high, most) - np.maximum(low, least), 0)
    shared = sides[:, 0] * sides[:, 1]
    areas = np.prod(high - low, axis=1)
    area = np.prod(most - least)
    whole = areas + area - shared
    valid = (areas > 0) & (area > 0)
    return np.where(valid, shared / np.where(valid, whole, 1), 0)


def _overlaps(boxes: Array, place: int) -> Array:
    return overlap(boxes, boxes[place])


class NonMaxSuppressionV5(Op):
    """The numbers and scores of boxes that no better one overlaps too much, best first."""

    differentiable = False
    host = (0, 1, 2, 3, 4, 5)
    pad_to_max_output_size: bool = False

    def infer(
        self, boxes: TensorSpec, scores: TensorSpec, *limits: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return numbers, scores, and how many there are."""
        if boxes.rank not in (None, 2) or scores.rank not in (None, 1):
            raise ShapeError(
                f"{self.name} takes boxes (n, 4) and scores (n), not {boxes}, {scores}"
            )
        count = limits[0].scalar() if self.pad_to_max_output_size else None
        vector = TensorSpec((count,), dtypes.int32)
        return (
            vector,
            TensorSpec((count,), scores.dtype),
            TensorSpec((), dtypes.int32),
        )

    def kernel(
        self, xp: Xp, boxes: Array, scores: Array, *limits: Array
    ) -> tuple[Array, ...]:
        """Return them."""
        most, threshold, least, sigma = (limit.item() for limit in limits)
        chosen, found = _suppressed(
            partial(_overlaps, boxes), scores, int(most), threshold, least, sigma
        )
        count = len(chosen)
        missing = int(most) - count if self.pad_to_max_output_size else 0
        numbers = np.pad(np.asarray(chosen, np.int32), (0, missing))
        values = np.pad(np.asarray(found, scores.dtype), (0, missing))
        return numbers, values, np.asarray(count, np.int32)


def _suppressed(
    overlaps: Callable[[int], Array],
    scores: Array,
    most: int,
    threshold: float,
    least: float,
    sigma: float,
) -> tuple[list[int], list[float]]:
    left = np.where(scores > least, scores, -np.inf).astype(np.float64)
    chosen: list[int] = []
    found: list[float] = []
    while len(chosen) < most and left.size:
        best = int(left.argmax())
        if left[best] == -np.inf:
            break
        chosen.append(best)
        found.append(float(left[best]))
        shared = overlaps(best)
        # What only lowers scores refuses no box, whatever the threshold.
        if sigma > 0:
            left = left * np.exp(-0.5 / sigma * shared**2)
            left = np.where(left > least, left, -np.inf)
        else:
            left = np.where(shared > threshold, -np.inf, left)
        left[best] = -np.inf
    return chosen, found


class NonMaxSuppressionWithOverlaps(Op):
    """The numbers of what nothing better overlaps too much, best first, of a table of overlaps."""

    differentiable = False
    host = (0, 1, 2, 3, 4)

    def infer(
        self, overlaps: TensorSpec, scores: TensorSpec, *limits: TensorSpec
    ) -> TensorSpec:
        """Return the spec of the numbers."""
        if overlaps.rank not in (None, 2) or scores.rank not in (None, 1):
            raise ShapeError(
                f"{self.name} takes overlaps (n, n) and scores (n), not {overlaps}, {scores}"
            )
        return TensorSpec((None,), dtypes.int32)

    def kernel(self, xp: Xp, overlaps: Array, scores: Array, *limits: Array) -> Array:
        """Return the numbers; ShapeError where the table is not one of as many as the scores."""
        if overlaps.shape != (scores.size, scores.size):
            raise ShapeError(
                f"{self.name}: overlaps {overlaps.shape} for {scores.size} scores; allowed is a "
                "row and a column for each score"
            )
        most, threshold, least = (limit.item() for limit in limits)
        chosen, _ = _suppressed(
            lambda i: overlaps[i], scores, int(most), threshold, least, 0.0
        )
        return np.asarray(chosen, np.int32)


class NonMaxSuppressionV3(Composite):
    """The numbers of the boxes that no better one overlaps."""

    differentiable = False

    def compose(self, *inputs: Tensor) -> Tensor:
        """Return the numbers, best first."""
        return calls(NonMaxSuppressionV5(), *inputs, constant(0.0))[0]


class NonMaxSuppressionV4(Composite):
    """The numbers of the boxes that no better one overlaps, and how many there are."""

    differentiable = False
    pad_to_max_output_size: bool = False

    def compose(self, *inputs: Tensor) -> list[Tensor]:
        """Return the numbers, filled up with zeros if asked for, and how many count."""
        op = NonMaxSuppressionV5(self.pad_to_max_output_size)
        numbers, _, count = calls(op, *inputs, constant(0.0))
        return [numbers, count]


def _limits(most: TensorLike, *others: TensorLike) -> list[Tensor]:
    """Return how many boxes there may be, and thresholds, as operators take them."""
    numbers = [astype(to_tensor(limit), dtypes.float32) for limit in others]
    return [astype(to_tensor(most), dtypes.int32), *numbers]


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
) -> Tensor:
    """Return the numbers of boxes that no better one overlaps by more than a threshold, best first.

    `boxes` are (top, left, bottom, right), in any scale.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> print(tl.image.non_max_suppression(boxes, [0.5, 0.9, 0.7], 3))
    [1 2]
    """
    limits = _limits(max_output_size, iou_threshold, score_threshold)
    made: Tensor = composed(NonMaxSuppressionV3(), boxes, scores, *limits)
    return made


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    soft_nms_sigma: TensorLike = 0.0,
) -> tuple[Tensor, Tensor]:
    """Return the numbers of the boxes, best first, and scores, which overlaps may lower.

    With a `soft_nms_sigma` above 0 overlaps lower scores and `iou_threshold` refuses no box.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]]
    >>> numbers, scores = tl.image.non_max_suppression_with_scores(boxes, [0.5, 0.75], 2)
    >>> print(numbers, scores)
    [1 0] [0.75 0.5 ]
    """
    limits = _limits(max_output_size, iou_threshold, score_threshold, soft_nms_sigma)
    numbers, found, _ = calls(NonMaxSuppressionV5(), boxes, scores, *limits)
    return numbers, found


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_to_max_output_size: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the numbers of the boxes, filled up with zeros if asked for, and how many count.

    >>> numbers, count = tl.image.non_max_suppression_padded(
    ...     [[0.0, 0.0, 1.0, 1.0]], [0.5], 2, pad_to_max_output_size=True)
    >>> print(numbers, count)
    [0 0] 1
    """
    op = NonMaxSuppressionV4(pad_to_max_output_size)
    limits = _limits(max_output_size, iou_threshold, score_threshold)
    numbers, count = composed(op, boxes, scores, *limits)
    return numbers, count


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
) -> Tensor:
    """Return the numbers of what nothing better overlaps by more than a threshold, best first.

    `overlaps` says of each two how much they overlap, by any measure.

    >>> from tensorlite.ops.images.boxes import non_max_suppression_overlaps
    >>> overlaps = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> print(non_max_suppression_overlaps(overlaps, [0.5, 0.9, 0.7], 3))
    [1 2]
    """
    limits = _limits(max_output_size, overlap_threshold, score_threshold)
    op = NonMaxSuppressionWithOverlaps()
    return call(op, to_tensor(overlaps), to_tensor(scores), *limits)


class CombinedNonMaxSuppression(Op):
    """The best boxes of all classes of each image, where no better one of its class overlaps them.

    Boxes are (batch, n, q, 4), q being 1 or the count of classes, and scores (batch, n, classes).
    """

    differentiable = False
    host = (0, 1, 2, 3, 4, 5)
    pad_per_class: bool = False
    clip_boxes: bool = True

    def infer(
        self, boxes: TensorSpec, scores: TensorSpec, *limits: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return boxes, scores, classes, and how many there are in each image."""
        if boxes.rank not in (None, 4) or scores.rank not in (None, 3):
            raise ShapeError(
                f"{self.name} takes boxes (batch, n, q, 4) and scores (batch, n, classes), not "
                f"{boxes}, {scores}"
            )
        batch = None if boxes.shape is None else boxes.shape[0]
        most = self._most(scores, *limits[:2])
        numbers = TensorSpec((batch, most), dtypes.float32)
        return (
            TensorSpec((batch, most, 4), dtypes.float32),
            numbers,
            numbers,
            TensorSpec((batch,), dtypes.int32),
        )

    def _most(
        self, scores: TensorSpec, each: TensorSpec, total: TensorSpec
    ) -> int | None:
        """Return how many boxes there are room for in each image, None where that is open."""
        most, least = total.scalar(), each.scalar()
        if not self.pad_per_class:
            return None if most is None else int(most)
        classes = None if scores.shape is None else scores.shape[2]
        if most is None or least is None or classes is None:
            return None
        return int(min(most, least * classes))

    def kernel(
        self, xp: Xp, boxes: Array, scores: Array, *limits: Array
    ) -> tuple[Array, ...]:
        """Return them, filled up with zeros."""
        each, most = (int(limit) for limit in limits[:2])
        if self.pad_per_class:
            most = min(most, each * scores.shape[2])
        batch = len(boxes)
        found = np.zeros((batch, most, 6), np.float32)
        counts = np.zeros(batch, np.int32)
        for i in range(batch):
            best = self._best(boxes[i], scores[i], each, *map(float, limits[2:]))[
                :most
            ]
            counts[i] = len(best)
            found[i, : len(best)] = best.reshape(-1, 6)
        corners = found[..., :4]
        corners = np.clip(corners, 0, 1) if self.clip_boxes else corners
        return corners, found[..., 4], found[..., 5], counts

    def _best(
        self, boxes: Array, scores: Array, each: int, threshold: float, least: float
    ) -> Array:
        """Return rows of a box, its score and its class, those of the best scores first."""
        rows = []
        for k in range(scores.shape[1]):
            corners = boxes[:, k if boxes.shape[1] > 1 else 0]
            chosen, found = _suppressed(
                partial(_overlaps, corners), scores[:, k], each, threshold, least, 0.0
            )
            rows += [
                [*corners[n], score, k]
                for n, score in zip(chosen, found, strict=True)
            ]
        return np.array(sorted(rows, key=lambda row: -row[4]), np.float32)


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> tuple[Tensor, ...]:
    """Return boxes, scores and classes of each image's best, and how many of them count.

    `boxes` are (batch, n, q, 4), q being 1 or the count of classes; `scores` (batch, n, classes).

    >>> boxes = [[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]]
    >>> _, scores, classes, count = tl.image.combined_non_max_suppression(
    ...     boxes, [[[0.5, 0.25], [0.75, 0.0]]], 2, 3, score_threshold=0.1)
    >>> print(scores, classes, count)
    [[0.75 0.25 0.  ]] [[0. 1. 0.]] [2]
    """
    op = CombinedNonMaxSuppression(pad_per_class, clip_boxes)
    sizes = [
        astype(to_tensor(size), dtypes.int32)
        for size in (max_output_size_per_class, max_total_size)
    ]
    limits = [
        astype(to_tensor(limit), dtypes.float32)
        for limit in (iou_threshold, score_threshold)
    ]
    return calls(op, boxes, scores, *sizes, *limits)


class DrawBoundingBoxes(Composite):
    """Images with lines along the sides of boxes, in colours of the operator's own."""

    differentiable = False

    def compose(self, images: Tensor, boxes: Tensor) -> Tensor:
        """Return the images."""
        return draw_bounding_boxes(images, boxes)


class DrawBoundingBoxesV2(Op):
    """Images with lines along the sides of boxes."""

    differentiable = False

    def infer(
        self, images: TensorSpec, boxes: TensorSpec, colors: TensorSpec
    ) -> TensorSpec:
        """Return the images' spec."""
        if images.rank not in (None, 4) or boxes.rank not in (None, 3):
            raise ShapeError(
                f"{self.name} takes images (batch, height, width, channels) and boxes "
                f"(batch, n, 4), not {images} and {boxes}"
            )
        return images.without_value()

    def kernel(self, xp: Xp, images: Array, boxes: Array, colors: Array) -> Array:
        """Return the images drawn on; boxes outside are left out."""
        out = images.copy()
        height, width, channels = images.shape[1:]
        if not colors.size:
            colors = xp.asarray(_PALETTE, np.float32)
            # All boxes in grey images are white.
            colors = xp.ones_like(colors) if channels == 1 else colors
        scale = np.asarray([height - 1, width - 1] * 2)
        for number, rows in enumerate(to_host(boxes)):
            for i, box in enumerate((rows * scale).astype(np.int64).tolist()):
                colour = colors[i % colors.shape[0]][:channels]
                _outlined(out[number], box, colour.astype(out.dtype))
        return out


def _outlined(image: Array, box: Sequence[int], colour: Array) -> None:
    """Draw the sides of a box that lie in an image."""
    top, left, bottom, right = box
    height, width = image.shape[:2]
    if (
        top > bottom
        or left > right
        or top >= height
        or bottom < 0
        or left >= width
        or right < 0
    ):
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = colour
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = colour


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike | None = None
) -> Tensor:
    """Return images with boxes drawn on them, in `colors` (n, channels) by turns.

    `boxes` are (batch, n, 4): top, left, bottom and right as fractions of the size less one.

    >>> image = tl.zeros((1, 3, 3, 1))
    >>> print(tl.image.draw_bounding_boxes(image, [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]])[0, :, :, 0])
    [[1. 1. 1.]
     [1. 0. 1.]
     [1. 1. 1.]]
    """
    none = constant(np.zeros((0, 4), np.float32))
    return call(
        DrawBoundingBoxesV2(), images, boxes, none if colors is None else colors
    )
