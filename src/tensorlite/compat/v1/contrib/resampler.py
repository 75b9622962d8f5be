"""tf.contrib.resampler: images seen at places that lie between pixels."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, cutting, elementwise
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.functions.gathering import gather_nd
from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import int32

__all__ = ["resampler"]


def resampler(data: Any, warp: Any, name: str | None = "resampler") -> Any:
    """Return images, [batch, height, width, channels], at places: [batch, ..., channels].

    warp, [batch, ..., 2], has x and y of each place; pixels around it count by their nearness, and
    those outside of the image are zeros.
    """
    with framework.name_scope(name, "resampler"):
        data = framework.convert_to_tensor(data, name="data")
        warp = framework.convert_to_tensor(warp, name="warp")
        sizes = v1_arrays.shape(warp)
        places = arrays.reshape(warp, [sizes[0], -1, 2])
        x, y = places[..., 0], places[..., 1]
        left, top = elementwise.floor(x), elementwise.floor(y)
        dx, dy = x - left, y - top
        corners = [
            _pixels(data, left + i, top + j) * arrays.expand_dims(weight, -1)
            for i, j, weight in (
                (0, 0, (1 - dx) * (1 - dy)),
                (1, 0, dx * (1 - dy)),
                (0, 1, (1 - dx) * dy),
                (1, 1, dx * dy),
            )
        ]
        found = elementwise.add_n(corners)
        channels = v1_arrays.shape(data)[-1:]
        outputs = arrays.reshape(found, arrays.concat([sizes[:-1], channels], 0))
        outputs.set_shape(
            warp.get_shape()[:-1].concatenate(data.get_shape().as_list()[-1:])
        )
        return outputs


def _pixels(data: Any, x: Any, y: Any) -> Any:
    """Return the pixels at whole places of each image, zeros outside: [batch, places, channels]."""
    sizes = v1_arrays.shape(data)
    height, width = sizes[1], sizes[2]
    column, row = elementwise.cast(x, int32), elementwise.cast(y, int32)
    inside = elementwise.logical_and(
        elementwise.logical_and(column >= 0, column < width),
        elementwise.logical_and(row >= 0, row < height),
    )
    held = [
        elementwise.clip_by_value(column, 0, width - 1),
        elementwise.clip_by_value(row, 0, height - 1),
    ]
    image = arrays.reshape(arrays.range(sizes[0]), [-1, 1])
    image = cutting.tile(image, arrays.stack([1, v1_arrays.shape(x)[1]]))
    found = gather_nd(data, arrays.stack([image, held[1], held[0]], -1))
    return found * arrays.expand_dims(elementwise.cast(inside, data.dtype), -1)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
