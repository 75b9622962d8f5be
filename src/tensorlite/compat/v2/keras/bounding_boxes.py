"""tf.keras.utils.bounding_boxes: boxes in other formats, in other frames, and how much they share.

A box is four numbers in the last axis. Layers that leave boxes out are src/layers/mixing.py's.
"""

from __future__ import annotations

import math
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.ops.arrays.shape import astype

_KINDS = {
    "xyxy": ("corners", False),
    "yxyx": ("corners", True),
    "xywh": ("sized", False),
    "center_xywh": ("centred", False),
    "center_yxhw": ("centred", True),
}
"""What the four numbers of each format are, and whether y comes first."""
_FORMATS = (*_KINDS, "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh")
_SMALL = 1e-7


def convert_format(
    boxes: Any,
    source: str,
    target: str,
    height: Any = None,
    width: Any = None,
    dtype: Any = "float32",
) -> Any:
    """Return boxes in another format; of a dict of boxes and labels, the same with other boxes."""
    if isinstance(boxes, dict):
        found = convert_format(boxes["boxes"], source, target, height, width, dtype)
        return {**boxes, "boxes": found}
    own, wanted = _known(source, "source"), _known(target, "target")
    x = astype(converted(boxes), as_dtype(dtype))
    if x.shape[-1] != 4:
        raise InvalidArgumentError(
            "`boxes` must be a tensor with the last dimension of 4. Received: "
            f"boxes.shape={tuple(x.shape)}"
        )
    if own == wanted:
        return x
    relative = [name.startswith("rel_") for name in (own, wanted)]
    corners = _corners(x, *_KINDS[own.removeprefix("rel_")])
    if relative[0] != relative[1]:
        if height is None or width is None:
            raise InvalidArgumentError(
                "convert_format() must receive `height` and `width` to convert between "
                f"relative and absolute formats. Received: source={source}, target={target}, "
                f"height={height} width={width}"
            )
        sizes = tl.stack([astype(converted(n), x.dtype) for n in (width, height)])
        sizes = tl.concat([sizes, sizes])
        corners = corners * sizes if relative[0] else corners / sizes
    return _from_corners(corners, *_KINDS[wanted.removeprefix("rel_")])


def _known(name: str, which: str) -> str:
    found = name.lower()
    if found not in _FORMATS:
        raise InvalidArgumentError(
            f"Invalid {which} format: {name}. Must be one of {list(_FORMATS)}"
        )
    return found


def _swapped(boxes: Any) -> Any:
    """Return boxes with x and y in each other's place."""
    x, y, width, height = tl.unstack(boxes, axis=-1)
    return tl.stack([y, x, height, width], axis=-1)


def _corners(boxes: Any, kind: str, y_first: bool) -> Any:
    x = _swapped(boxes) if y_first else boxes
    if kind == "corners":
        return x
    first, sizes = x[..., :2], x[..., 2:]
    start = first if kind == "sized" else first - sizes / 2.0
    return tl.concat([start, start + sizes], axis=-1)


def _from_corners(boxes: Any, kind: str, y_first: bool) -> Any:
    start, end = boxes[..., :2], boxes[..., 2:]
    if kind == "corners":
        made = boxes
    elif kind == "sized":
        made = tl.concat([start, end - start], axis=-1)
    else:
        made = tl.concat([(start + end) / 2.0, end - start], axis=-1)
    return _swapped(made) if y_first else made


def _only_corners(given: str) -> None:
    if given != "xyxy":
        raise UnimplementedError(
            f"bounding_box_format={given!r}; give boxes as 'xyxy', which convert_format makes"
        )


def _within(boxes: Any, height: Any, width: Any) -> Any:
    """Return boxes cut to what lies between nothing and the sizes of an image."""
    sizes = tl.stack([astype(converted(n), boxes.dtype) for n in (width, height)])
    return tl.clip(boxes, tl.zeros([4], dtype=boxes.dtype), tl.concat([sizes, sizes]))


def clip_to_image_size(
    bounding_boxes: Any,
    height: Any = None,
    width: Any = None,
    bounding_box_format: str = "xyxy",
) -> Any:
    """Return boxes cut to the image; labels of those that nothing is left of are -1."""
    if bounding_box_format == "rel_xyxy":
        height = width = 1.0
    else:
        _only_corners(bounding_box_format)
    if height is None or width is None:
        raise InvalidArgumentError(
            "`height` and `width` must be set if `format='xyxy'`."
        )
    boxes = _within(converted(bounding_boxes["boxes"]), height, width)
    made = {**bounding_boxes, "boxes": boxes}
    if bounding_boxes.get("labels") is not None:
        labels = converted(bounding_boxes["labels"])
        nothing = _area(boxes) <= 0
        made["labels"] = tl.where(nothing, -tl.ones_like(labels), labels)
    return made


def crop(
    boxes: Any,
    top: Any,
    left: Any,
    height: Any,
    width: Any,
    bounding_box_format: str = "xyxy",
) -> Any:
    """Return boxes as they lie in a part of an image, cut to it."""
    return _within(
        pad(boxes, -top, -left, None, None, bounding_box_format), height, width
    )


def pad(
    boxes: Any,
    top: Any,
    left: Any,
    height: Any = None,
    width: Any = None,
    bounding_box_format: str = "xyxy",
) -> Any:
    """Return boxes as they lie in an image with rows above and columns before it."""
    _only_corners(bounding_box_format)
    x = converted(boxes)
    both = [astype(converted(n), x.dtype) for n in (left, top)]
    return x + tl.stack([*both, *both])


def _area(corners: Any) -> Any:
    sizes = corners[..., 2:] - corners[..., :2]
    return sizes[..., 0] * sizes[..., 1]


def _sizes(image_shape: Any, given: str) -> dict[str, Any]:
    if image_shape is None:
        if given.lower().startswith("rel"):
            raise InvalidArgumentError(
                "When using relative bounding box formats (e.g. `rel_yxyx`) the `image_shape` "
                f"argument must be provided. Received `image_shape`: {image_shape}"
            )
        return {}
    return {"height": image_shape[0], "width": image_shape[1]}


def compute_iou(
    boxes1: Any,
    boxes2: Any,
    bounding_box_format: str,
    use_masking: bool = False,
    mask_val: Any = -1,
    image_shape: Any = None,
) -> Any:
    """Return for each box of two lists, or batches of them, which share of both is in both."""
    sizes = _sizes(image_shape, bounding_box_format)
    first, second = (
        convert_format(x, bounding_box_format, "xyxy", **sizes)
        for x in (boxes1, boxes2)
    )
    for name, x in (("boxes1", first), ("boxes2", second)):
        if len(x.shape) not in {2, 3}:
            raise InvalidArgumentError(
                f"compute_iou() expects {name} to be batched, or to be unbatched. Received "
                f"len({name}.shape)={len(x.shape)}"
            )
    one, other = first[..., :, None, :], second[..., None, :, :]
    start = tl.maximum(one[..., :2], other[..., :2])
    end = tl.minimum(one[..., 2:], other[..., 2:])
    shared = tl.prod(tl.maximum(end - start, 0.0), axis=-1)
    whole = _area(one) + _area(other) - shared
    made = shared / (whole + _SMALL)
    if not use_masking:
        return made
    hidden = (tl.max(one, axis=-1) < 0) | (tl.max(other, axis=-1) < 0)
    return tl.where(hidden, tl.full_like(made, mask_val), made)


def compute_ciou(
    boxes1: Any, boxes2: Any, bounding_box_format: str, image_shape: Any = None
) -> Any:
    """Return how alike boxes are pair by pair, by what they share, places and proportions."""
    sizes = _sizes(image_shape, bounding_box_format)
    one, other = (
        convert_format(x, bounding_box_format, "xyxy", **sizes)
        for x in (boxes1, boxes2)
    )
    taller = tl.asarray([0.0, _SMALL], dtype=one.dtype)  # heights are divided by
    own = one[..., 2:] - one[..., :2] + taller
    its = other[..., 2:] - other[..., :2] + taller
    start = tl.maximum(one[..., :2], other[..., :2])
    end = tl.minimum(one[..., 2:], other[..., 2:])
    shared = tl.prod(tl.maximum(end - start, 0.0), axis=-1)
    whole = tl.prod(own, axis=-1) + tl.prod(its, axis=-1) - shared + _SMALL
    share = shared / (whole + _SMALL)
    hull = tl.maximum(one[..., 2:], other[..., 2:]) - tl.minimum(
        one[..., :2], other[..., :2]
    )
    apart = (one[..., :2] + one[..., 2:] - other[..., :2] - other[..., 2:]) / 2.0
    far = tl.sum(apart * apart, axis=-1) / (tl.sum(hull * hull, axis=-1) + _SMALL)
    turn = tl.atan(its[..., 0] / its[..., 1]) - tl.atan(own[..., 0] / own[..., 1])
    proportions = (4.0 / math.pi**2) * turn * turn
    weight = proportions / (proportions - share + (1.0 + _SMALL))
    return share - (far + proportions * weight)


def _coded(name: str, given: str, variance: Any) -> Any:
    """Return what deltas are divided by, of a format that they can be in."""
    if given not in {"center_xywh", "center_yxhw"}:
        raise InvalidArgumentError(
            f"`{name}` should be one of 'center_xywh' or 'center_yxhw', got {given}"
        )
    shares = converted(1.0 if variance is None else variance)
    if variance is not None and tuple(shares.shape)[-1:] != (4,):
        raise InvalidArgumentError(f"`variance` must be length 4, got {variance}")
    return shares


def encode_box_to_deltas(
    anchors: Any,
    boxes: Any,
    anchor_format: str,
    box_format: str,
    encoding_format: str = "center_yxhw",
    variance: Any = None,
    image_shape: Any = None,
) -> Any:
    """Return how boxes differ from anchors: in place by their sizes, in size as logarithms."""
    shares = _coded("encoding_format", encoding_format, variance)
    sizes = {} if image_shape is None else _sizes(image_shape, box_format)
    own = convert_format(anchors, anchor_format, encoding_format, **sizes)
    its = convert_format(boxes, box_format, encoding_format, **sizes)
    size, wanted = (tl.maximum(x[..., 2:], _SMALL) for x in (own, its))
    moved = (its[..., :2] - own[..., :2]) / size
    return tl.concat([moved, tl.log(wanted / size)], axis=-1) / shares


def decode_deltas_to_boxes(
    anchors: Any,
    boxes_delta: Any,
    anchor_format: str,
    box_format: str,
    encoded_format: str = "center_yxhw",
    variance: Any = None,
    image_shape: Any = None,
) -> Any:
    """Return the boxes that differ from anchors so; of dicts, those of each key."""
    if isinstance(anchors, dict) and isinstance(boxes_delta, dict):
        told = (anchor_format, box_format, encoded_format, variance, image_shape)
        return {
            key: decode_deltas_to_boxes(x, boxes_delta[key], *told)
            for key, x in anchors.items()
        }
    deltas = converted(boxes_delta) * _coded(
        "encoded_format", encoded_format, variance
    )
    sizes = {} if image_shape is None else _sizes(image_shape, box_format)
    own = convert_format(anchors, anchor_format, encoded_format, **sizes)
    place = deltas[..., :2] * own[..., 2:] + own[..., :2]
    made = tl.concat([place, tl.exp(deltas[..., 2:]) * own[..., 2:]], axis=-1)
    return convert_format(made, encoded_format, box_format, **sizes)


__dir__ = listing("tensorlite.compat.v2.keras.utils.bounding_boxes", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(
        "tensorlite.compat.v2.keras.utils.bounding_boxes", name, globals()
    )
