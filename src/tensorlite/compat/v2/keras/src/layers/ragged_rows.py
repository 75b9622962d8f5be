"""Rows of different lengths as Keras' layers take them: their elements, or rows that are filled up.

Symbolic tensors of such rows are src/models/sketch.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import nests
from tensorlite.core import nest
from tensorlite.core.dtypes import DType, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.arrays.repeat import sequence_mask
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.tensor import RaggedTensor


def are_in(structure: Any) -> bool:
    """Return whether there are such rows among a layer's inputs."""
    return any(isinstance(x, RaggedParts) for x in nests.flatten(structure))


def spec_of_rows(sizes: Any, dtype: DType) -> Any:
    """Return the spec of rows of a shape, whose axes are split up to the last of unknown size."""
    split = max([1, *(i for i, x in enumerate(sizes) if x is None)])
    if len(sizes) < 2:
        raise InvalidArgumentError(
            f"ragged inputs have rows: the shape is {tuple(sizes)}, and is to have two axes at "
            "least, the batch among them"
        )
    made: Any = TensorSpec((None, *sizes[split + 1 :]), dtype)
    for _ in range(split):
        made = RaggedTensor.of(made, TensorSpec((None,), int64))
    return made


def any_number_of(rows: Any) -> Any:
    """Return the spec of rows like others, as many as there will be."""
    return nest.map_structure(
        lambda x: TensorSpec((None, *x.get_shape().as_list()[1:]), x.dtype), rows
    )


def by_elements(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a layer's call on the elements below rows, which its results are put into again."""

    def called(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        rows = next(x for x in nests.flatten(inputs) if isinstance(x, RaggedParts))
        flat = nests.map_structure(
            lambda x: x.flat_values if isinstance(x, RaggedParts) else x, inputs
        )
        return rows.with_flat_values(call(flat, *args, **kwargs))

    return called


def filled_up(
    call: Callable[..., Any], nothing: Any, has_steps: bool
) -> Callable[..., Any]:
    """Return a layer's call on rows of one length, with a mask that says what was filled up.

    The first of its results is in rows as long as they were where it has steps.
    """

    def called(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        lengths = inputs.row_lengths()
        dense = inputs.to_tensor(default_value=nothing)
        counts = sequence_mask(lengths, shape_of(dense)[1])
        made = call(dense, *args, **{**kwargs, "mask": counts})
        if not has_steps:
            return made
        first, *rest = made if isinstance(made, list) else [made]
        kept = type(inputs).from_tensor(first, lengths=lengths)
        return [kept, *rest] if rest else kept

    return called
