"""Functions along first axes that make rows of several lengths, in loops: ragged tensors of them.

What rows of one length make is in control/functional.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import int64
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph.trace import Tracer
from tensorlite.ops.arrays.gather import size_at
from tensorlite.ops.control.branches import trace_leaves
from tensorlite.ops.control.loops import while_loop
from tensorlite.ops.control.tensor_array import TensorArray
from tensorlite.ops.operators import astype
from tensorlite.ops.ragged.tensor import RaggedTensor

__all__ = ["map_numbers"]


def map_numbers(
    fn: Callable[[Any], Sequence[Any]], count: Any, are_ragged: Sequence[bool]
) -> list[Any]:
    """Return what a function makes of each number below `count`, together.

    It returns as many values as `are_ragged` says, tensors or ragged ones: those are put into
    rows, which may be of any lengths, where it is True, and stacked where it is False.

    >>> from tensorlite.ops.ragged.maps import map_numbers
    >>> map_numbers(lambda i: [tl.arange(0, i)], 4, [True])
    [<tf.RaggedTensor [[], [0], [0, 1], [0, 1, 2]]>]
    """

    def apart(number: Any) -> list[list[Tensor]]:
        made = zip(fn(number), are_ragged, strict=True)
        return [_parts(x) if ragged else [to_tensor(x)] for x, ragged in made]

    total = astype(to_tensor(count), int64)
    tried = Tracer("map_fn")
    any_number = tried.graph.add_input(TensorSpec((), int64))
    probe = trace_leaves(tried, lambda: apart(any_number), ())
    arrays = [
        [_array(x, total, ragged and i > 0) for i, x in enumerate(parts)]
        for parts, ragged in zip(probe.result, are_ragged, strict=True)
    ]

    def body(number: Any, held: list[list[TensorArray]]) -> Any:
        rows = zip(held, apart(number), strict=True)
        return number + 1, [
            [array.write(number, x) for array, x in zip(*row, strict=True)]
            for row in rows
        ]

    start = to_tensor(total) * 0
    _, filled = while_loop(lambda number, _: number < total, body, (start, arrays))
    return [
        _rows(parts) if ragged else parts[0].stack()
        for parts, ragged in zip(filled, are_ragged, strict=True)
    ]


def _parts(x: Any) -> list[Tensor]:
    """Return how many rows there are, the lengths of those inside, and the values in them."""
    if isinstance(x, RaggedTensor):
        inner = [astype(lengths, int64) for lengths in x.nested_row_lengths()]
        return [astype(x.nrows(), int64), *inner, x.flat_values]
    flat = to_tensor(x)
    return [astype(size_at(flat, 0), int64), flat]


def _array(x: Tensor, size: Tensor, is_joined: bool) -> TensorArray:
    """Return an array for values like `x`, of other first sizes if they will be joined."""
    shape = x.spec.shape
    if is_joined and shape is not None:
        shape = (None, *shape[1:])
    return TensorArray(x.dtype, size=size, element_shape=shape)


def _rows(parts: list[TensorArray]) -> Any:
    counts, *inner, flat = parts
    lengths = [counts.stack(), *(each.concat() for each in inner)]
    return RaggedTensor.from_nested_row_lengths(
        flat.concat(), lengths, validate=False
    )
