"""ShardedVariable: a variable whose rows lie on several parameter servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from inspect import signature
from itertools import pairwise
from typing import Any

import tensorlite as tl
from tensorlite.compat.shapes import as_shape
from tensorlite.compat.v1.graphs.partitioned import PartitionedVariable
from tensorlite.core.dispatch import interpreted_by, to_tensor
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.distributed.strategies.copied import several
from tensorlite.distributed.strategies.split import starts_of
from tensorlite.graph_mode import partitioned
from tensorlite.ops.arrays.shape import astype
from tensorlite.train.module import Module


class ShardedVariable(Module, PartitionedVariable):
    """Variables of which each has some rows of a whole; as a tensor they are joined.

    Modules list the variables in its place.
    """

    def __init__(self, variables: Any, name: str = "ShardedVariable") -> None:
        parts = list(variables)
        if not parts:
            raise InvalidArgumentError(
                "ShardedVariable: give a list of variables, and one at least"
            )
        first = parts[0].get_shape().as_list()
        for part in parts:
            sizes = part.get_shape().as_list()
            if part.dtype != parts[0].dtype or sizes[1:] != first[1:]:
                raise InvalidArgumentError(
                    "All `Variable`s must have the same dtype, and shapes that are equal but for "
                    f"the first axis: {parts[0].dtype.name} {first}, {part.dtype.name} {sizes}"
                )
        rows = sum(part.get_shape().as_list()[0] for part in parts)
        partitioned.PartitionedVariable.__init__(
            self, name, [rows, *first[1:]], 0, parts
        )

    @property
    def variables(self) -> list[Any]:
        """The variables that have the rows, in their order."""
        return self.parts

    @property
    def trainable(self) -> bool:
        """Whether the variables are trained."""
        return bool(self.parts[0].trainable)

    @property
    def shape(self) -> Any:
        """The shape of the whole."""
        return as_shape(tuple(self.sizes))

    def __tensor__(self) -> Tensor:
        """Return the whole."""
        return tl.concat([part.__tensor__() for part in self.parts], axis=0)

    def numpy(self) -> Any:
        """Return the whole as an array."""
        return self.__tensor__().numpy()

    def value(self) -> Any:
        """Return the whole."""
        return self.__tensor__()

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """Return rows, each read where it lies."""
        return tl.nn.embedding_lookup(self.parts, indices, "div")

    def __repr__(self) -> str:
        return (
            f"ShardedVariable(name={self.name!r}, shape={self.shape}, dtype={self.dtype.name}, "
            f"of {len(self.parts)} parts)"
        )


@contextmanager
def sharding(partitioner: Callable[..., Any]) -> Iterator[None]:
    """Let variables that are made inside be in as many parts as a partitioner says."""
    token = several.set(partial(_made, partitioner))
    try:
        yield
    finally:
        several.reset(token)


def _made(
    partitioner: Callable[..., Any],
    cls: type,
    make: Callable[..., Any],
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Return a variable of a class, or in parts of it."""
    given = signature(cls.__init__).bind(None, *args, **kwargs)  # type: ignore[misc]
    first, dtype = list(given.arguments)[1], given.arguments.get("dtype")
    initial = given.arguments[first]
    with interpreted_by(None):
        value = to_tensor(initial() if callable(initial) else initial)
        value = value if dtype is None else astype(value, as_dtype(dtype))
    count = _count(partitioner, value) if value.ndim else 1
    if count == 1:
        given.arguments[first] = value
        return make(*given.args[1:], **given.kwargs)
    starts = starts_of(value.shape[0], count)
    name = given.arguments.get("name") or "Variable"
    given.arguments.pop("shape", None)
    parts = []
    for i, (a, b) in enumerate(pairwise(starts)):
        given.arguments |= {first: value[a:b], "name": f"{name}/part_{i}"}
        parts.append(make(*given.args[1:], **given.kwargs))
    return ShardedVariable(parts, name)


def _count(partitioner: Callable[..., Any], value: Tensor) -> int:
    """Return into how many parts a variable is cut; InvalidArgumentError for what cannot be."""
    counts = partitioner(shape=as_shape(value.shape), dtype=value.dtype)
    if not counts or counts[0] == 0 or any(n != 1 for n in list(counts)[1:]):
        raise InvalidArgumentError(
            "variable_partitioner must return a list/tuple whose elements are 1 besides the first "
            f"element (non-zero), got: {counts!r}"
        )
    rows: int = value.shape[0]
    return min(int(counts[0]), rows)
