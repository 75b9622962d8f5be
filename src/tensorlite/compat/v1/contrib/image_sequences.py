"""Images as sequences of their columns, and back, as tf.contrib.layers has them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.v1.contrib.arg_scopes import add_arg_scope
from tensorlite.compat.v1.contrib.layer_utils import collect_named_outputs
from tensorlite.compat.v1.contrib.weighted import channels_of
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework


@add_arg_scope
def images_to_sequence(
    inputs: Any,
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """Return the columns of images as steps: [width, images * height, channels]."""
    channels = channels_of(data_format)
    with framework.name_scope(scope, "ImagesToSequence") as prefix:
        x = framework.convert_to_tensor(inputs)
        if channels == "channels_first":
            x = arrays.transpose(x, [0, 2, 3, 1])
        *_, width, depth = x.get_shape().as_list()
        sizes = v1_arrays.shape(x)
        columns = arrays.transpose(x, [2, 0, 1, 3])
        outputs = arrays.reshape(columns, [width, sizes[0] * sizes[1], depth])
        return collect_named_outputs(outputs_collections, prefix, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: Any,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """Return steps, [width, images * height, channels], as images of that height."""
    with framework.name_scope(scope, "SequenceToImages") as prefix:
        x = framework.convert_to_tensor(inputs)
        width, rows, depth = x.get_shape().as_list()
        count = -1 if rows is None else rows // height
        columns = arrays.reshape(x, [width, count, height, depth])
        is_first = output_data_format == "channels_first"
        outputs = arrays.transpose(
            columns, [1, 3, 2, 0] if is_first else [1, 2, 0, 3]
        )
        return collect_named_outputs(outputs_collections, prefix, outputs)
