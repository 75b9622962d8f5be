"""tensorflow.python.ops.control_flow_ops: waiting for others; values that go one of two ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.v1.graphs.framework import control_dependencies
from tensorlite.core import nest
from tensorlite.core.dispatch import calls
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices
from tensorlite.ops.arrays.identity import identity
from tensorlite.ops.control.dataflow import Merge, Switch


@named("control_dependency")
def with_dependencies(
    dependencies: Any, output_tensor: Any, name: str | None = None
) -> Any:
    """Return a tensor that is computed when others were."""
    with control_dependencies(dependencies):
        if isinstance(output_tensor, IndexedSlices):
            return replace(output_tensor, values=identity(output_tensor.values))
        return identity(output_tensor)


@named("Switch")
def switch(data: Any, pred: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return `data` twice, for a false `pred` and for a true one: only that one has a value.

    What is computed of the other has none either; `merge` gives what is there.
    """
    condition = converted(pred)
    if not isinstance(data, _SEVERAL):
        return tuple(calls(Switch(), converted(data, dtype), condition))
    pairs = [calls(Switch(), x, condition) for x in _parts(data)]
    return tuple([_made_of(data, side) for side in zip(*pairs, strict=True)])


@named("Merge")
def merge(inputs: Sequence[Any], name: str | None = None) -> Any:
    """Return the one of several tensors that has a value, and its number among them.

    InvalidArgumentError where one is None, or only some are slices.
    """
    given = list(inputs)
    if not given or any(x is None for x in given):
        raise InvalidArgumentError(f"merge: inputs are {given}; give tensors")
    if not any(isinstance(x, _SEVERAL) for x in given):
        output, number = calls(Merge(), *map(converted, given))
        return output, number
    if len({type(x) for x in given}) > 1:
        raise InvalidArgumentError(f"merge: inputs are of one kind, not {given}")
    merged = [calls(Merge(), *row) for row in zip(*map(_parts, given), strict=True)]
    return _made_of(given[0], [x for x, _ in merged]), merged[0][1]


_SEVERAL = (IndexedSlices, nest.Composite)
"""What consists of several tensors."""


def _parts(value: Any) -> list[Any]:
    if not isinstance(value, IndexedSlices):
        return nest.flatten(value)
    shape = [] if value.dense_shape is None else [value.dense_shape]
    return [value.values, value.indices, *shape]


def _made_of(kind: Any, parts: Sequence[Any]) -> Any:
    """Return a value of the kind of another, of other tensors."""
    if isinstance(kind, IndexedSlices):
        return IndexedSlices(*parts)
    return nest.pack_like(kind, list(parts))
