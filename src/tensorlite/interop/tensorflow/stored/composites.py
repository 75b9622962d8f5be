"""Values of several tensors among arguments and results of SavedModels' functions.

SavedModels have a TypeSpecProto for each; here they are such values with specs for their parts,
which are flattened in TensorFlow's order. Ragged and sparse tensors and slices are known here;
classes of programs' own are told by names under which they are registered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, Self

from tensorlite.core import nest
from tensorlite.core.errors import GraphDefError
from tensorlite.core.shapes import AnyShape, TensorShape
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.tensor import ragged_spec
from tensorlite.ops.sparse.tensor import SparseTensor, sparse_spec

SPARSE, SLICES, RAGGED, REGISTERED, EXTENSION = 1, 2, 3, 12, 13
"""The numbers of TypeSpecProto.TypeSpecClass."""
_OWN = (REGISTERED, EXTENSION)
_NAME = re.compile(r"(\w+\.)+\w+")


class OwnKind(Protocol):
    """A class of values of several tensors, which are made of their fields."""

    def fields(self) -> Mapping[str, Any]:
        """Return all that a value consists of, by name: tensors or specs, and what is not."""
        ...

    @classmethod
    def made(cls, values: Mapping[str, Any]) -> Self:
        """Return a value of fields as they are."""
        ...


_kinds: dict[str, type[OwnKind]] = {}


def register(name: str, kind: type[OwnKind]) -> None:
    """Have files know a class by a name; ValueError for a name that is taken or is none."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is no name to register a class by: it is `package.Class`"
        )
    if name in _kinds:
        raise ValueError(
            f"Name {name} has already been registered, for {_kinds[name]!r}"
        )
    _kinds[name] = kind


def is_known(number: int, name: str) -> bool:
    """Return whether a composite of this number, and for classes of programs name, is known."""
    return number in _READERS or (number in _OWN and name in _kinds)


def composite_of(number: int, name: str, state: Any) -> Any:
    """Return specs of the parts of a composite; GraphDefError for those that are not known."""
    reader = _READERS.get(number)
    if number in _OWN:
        return _own(name, state)
    if reader is None:
        raise GraphDefError(
            f"a function takes or returns a {name or number}, for which there is none here"
        )
    try:
        return reader(*state)
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise GraphDefError(f"{name} is damaged: {state!r:.80} ({error})") from None


def _own(name: str, state: Any) -> Any:
    kind = _kinds.get(name)
    if kind is None:
        raise GraphDefError(
            f"a function takes or returns a {name}, which has not been registered; import the "
            "module that has the class before the file is read"
        )
    try:
        return kind.made({key: _read(value) for key, value in state})
    except (TypeError, ValueError) as error:
        raise GraphDefError(f"{name} is damaged: {state!r:.80} ({error})") from None


def _read(value: Any) -> Any:
    return TensorShape(value.sizes) if isinstance(value, Shape) else value


def _told(value: Any) -> Any:
    if isinstance(value, AnyShape):
        return Shape(value.known())
    return dict(value) if isinstance(value, Mapping) else value


def _ragged(
    shape: Any, dtype: Any, ragged_rank: int, kind: Any, flat: Any = None
) -> Any:
    sizes = shape.sizes
    if flat is None:
        inner = None if sizes is None else (None, *sizes[ragged_rank + 1 :])
        flat = TensorSpec(inner, dtype)
    return (
        ragged_spec(sizes, flat, ragged_rank, kind)
        if ragged_rank
        else TensorSpec(sizes, dtype)
    )


def _sparse(shape: Any, dtype: Any) -> Any:
    return sparse_spec(dtype, shape.sizes)


def _slices(
    shape: Any, dtype: Any, indices_dtype: Any, dense_dtype: Any, indices_shape: Any
) -> Any:
    sizes = shape.sizes
    rank = None if sizes is None else len(sizes)
    parts: list[Any] = [
        TensorSpec(sizes, dtype),
        TensorSpec(indices_shape.sizes, indices_dtype),
        None if dense_dtype is None else TensorSpec((rank,), dense_dtype),
    ]
    return IndexedSlices(*parts)


_READERS: dict[int, Callable[..., Any]] = {
    SPARSE: _sparse,
    SLICES: _slices,
    RAGGED: _ragged,
}


def told_composite(value: Any) -> tuple[int, str, tuple[Any, ...], int] | None:
    """Return a composite of specs as number, name, state and count of parts; None for others."""
    if isinstance(value, RaggedParts):
        depth = value.ragged_rank
        kind = value.nested_row_splits[0].dtype
        state = (Shape(value.shape.known()), value.dtype, depth, kind)
        return RAGGED, "RaggedTensorSpec", state, depth + 1
    if isinstance(value, SparseTensor):
        sizes = value.get_shape().known()
        return SPARSE, "SparseTensorSpec", (Shape(sizes), value.dtype), 3
    if isinstance(value, IndexedSlices):
        whole: Any = value.dense_shape
        is_told = isinstance(whole, TensorSpec)
        told: tuple[Any, ...] = (
            Shape(value.values.shape),
            value.values.dtype,
            value.indices.dtype,
            whole.dtype if is_told else None,
            Shape(value.indices.shape),
        )
        return SLICES, "IndexedSlicesSpec", told, 2 + is_told
    for name, kind in _kinds.items():
        if type(value) is kind:
            fields = value.fields().items()
            own = tuple((key, _told(x)) for key, x in fields)
            return EXTENSION, name, own, len(nest.flatten(value))
    return None
