"""Windows whose elements lie apart, by the nodes of TensorFlow 1: blocks become further batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.compat.shared import blocks
from tensorlite.compat.shared.arrays import concat, stack, zeros
from tensorlite.compat.shared.nn import spatial
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.functions.arrays import shape
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import int32
from tensorlite.core.operand import Operand
from tensorlite.core.spec import check_rank
from tensorlite.graph_mode.graph import active_graph, name_scope


def required_space_to_batch_paddings(
    input_shape: Any,
    block_shape: Any,
    base_paddings: Any = None,
    name: str | None = None,
) -> Any:
    """Return paddings and crops that make sizes multiples of blocks.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     made = tf.required_space_to_batch_paddings([4, 5], [2, 2])
    ...     [x.tolist() for x in session.run(made)]
    [[[0, 0], [0, 1]], [[0, 0], [0, 1]]]
    """
    if active_graph() is None:
        return blocks.required_space_to_batch_paddings(
            input_shape, block_shape, base_paddings, name=name
        )
    with name_scope(name, "required_space_to_batch_paddings"):
        sizes = convert_to_tensor(input_shape, int32, name="input_shape")
        sides = convert_to_tensor(block_shape, int32, name="block_shape")
        check_rank(
            "required_space_to_batch_paddings: block_shape", plain(sides).spec, 1
        )
        count = sides.get_shape().as_list()[0]
        least = (
            zeros([count, 2], int32)
            if base_paddings is None
            else convert_to_tensor(base_paddings, int32, name="base_paddings")
        )
        known = [get_static_value(x) for x in (sizes, sides, least)]
        if all(x is not None for x in known):
            sizes, sides, least = known
        before, behind = least[:, 0], least[:, 1]
        more = (sides - (sizes + before + behind) % sides) % sides
        ends = behind + more
        if count == 0:
            return zeros([0, 2], int32), zeros([0, 2], int32)
        paddings = [[before[i], ends[i]] for i in range(count)]
        return stack(paddings, name="paddings"), stack(
            [[0, more[i]] for i in range(count)], name="crops"
        )


def lies_apart(
    windows: Any, rates: Sequence[int], strides: Sequence[int], padding: Any
) -> bool:
    """Return whether a graph is to hold what blocks are made of: windows apart, of known sizes."""
    is_written = active_graph() is not None and isinstance(padding, str)
    return is_written and max(rates) > 1 and max(strides) == 1 and None not in windows


def reach_of(
    windows: Sequence[int], rates: Sequence[int], padding: str
) -> list[tuple[int, int]]:
    """Return how far windows whose elements lie apart reach beyond images, by axes."""
    if padding != "SAME":
        return [(0, 0)] * len(rates)
    wide = [(size - 1) * rate for size, rate in zip(windows, rates, strict=False)]
    return [(n // 2, n - n // 2) for n in wide]


def base_paddings(
    windows: Sequence[int], rates: Sequence[int], padding: str, notes: bool = True
) -> Any:
    """Return what is padded before and behind each axis, as numbers or as a constant.

    `notes` adds the constant that TensorFlow makes of the windows' sizes.
    """
    reach = np.array(reach_of(windows, rates, padding), np.int32)
    if padding != "SAME":
        return reach
    if notes:
        constant(list(windows), int32, name="filter_shape")
    return constant(reach, int32, name="stack")


def spread(
    x: Any,
    rates: Any,
    least: Any,
    data_format: str | None,
    operate: Callable[[Any], Any],
) -> Any:
    """Return what an operator makes of windows whose elements are `rates` apart.

    `least` are the paddings of the windows, `rates` a constant of the graph.
    """
    first = 2 if str(data_format).startswith("NC") else 1
    count = rates.get_shape().as_list()[0]
    axes = range(first, first + count)
    dims = x.get_shape().as_list()
    sizes: Any = [dims[i] for i in axes]
    if None in sizes:
        known = shape(x)
        sizes = stack([known[i] for i in axes])
    paddings, crops = required_space_to_batch_paddings(sizes, rates, least)
    sides, ends, cuts = [
        _from_first(part, filler, first)
        for part, filler in ((rates, 1), (paddings, 0), (crops, 0))
    ]
    made = operate(blocks.space_to_batch(x, sides, ends))
    return blocks.batch_to_space(made, sides, cuts)


def _from_first(part: Any, filler: int, first: int) -> Any:
    """Return what is said of axes of space as of all behind the batch."""
    rest = part.get_shape().as_list()[1:]
    known = get_static_value(part)
    before = np.full([first - 1, *rest], filler, np.int32)
    if known is not None:
        return np.concatenate([before, known])
    return concat([before, part[:]] if first > 1 else [part[:]], 0)


def operands(x: Any, y: Any, names: tuple[str, str]) -> tuple[Any, Any]:
    """Return two operands as tensors of a graph; what is none takes the dtype of the other."""
    of_x, of_y = names
    if isinstance(x, Operand) or not isinstance(y, Operand):
        first = convert_to_tensor(x, name=of_x)
        return first, convert_to_tensor(y, first.dtype, name=of_y)
    second = convert_to_tensor(y, name=of_y)
    return convert_to_tensor(x, second.dtype, name=of_x), second


def spaced(
    x: Any,
    windows: Any,
    options: tuple[Any, Any, Any],
    rates: Any,
    convolve: Callable[..., Any],
    name: str,
) -> Any:
    """Return a convolution by a node of a name, with TensorFlow's around where windows lie apart.

    `options` are padding, strides and data_format.
    """
    padding, strides, data_format = options
    dims = windows.get_shape().as_list()
    count = len(dims) - 2
    form = data_format or ""
    apart, steps = spatial(rates, count, form), spatial(strides, count, form)
    if not lies_apart(dims, apart, steps, padding):
        return convolve(x, windows, *options, rates, name=name)
    sides = constant(list(apart), int32, name="dilation_rate")
    return spread(
        *(x, sides, base_paddings(dims, apart, padding), data_format),
        lambda y: convolve(y, windows, "VALID", 1, data_format, name=name),
    )
