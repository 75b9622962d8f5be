"""Elements of datasets and their specs as bytes and JSON, and back; what is neither is refused.

The files that are made of these stand in caching.py and stored.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import DataLossError, DTypeError
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import TensorSpec, check_sizes
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import to_host
from tensorlite.data.composites import RaggedRow
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.tensor import SparseTensor, sparse_spec
from tensorlite.ops.strings.joining import as_bytes

_NAMED: Any = NamedTuple
"""What makes classes of tuples, by names that only a file knows."""
_DAMAGE = (KeyError, ValueError, TypeError, IndexError, OverflowError, RecursionError)
"""What reading raises of bytes that nobody wrote so."""


def packed(element: Any) -> bytes:
    """Return an element as bytes: what its tensors are as JSON, and then what each holds."""
    arrays = [to_host(to_tensor(leaf).array) for leaf in nest.flatten(element)]
    kinds = [[to_tensor(x).dtype.name, list(x.shape)] for x in arrays]
    head = json.dumps({"form": _form(element), "leaves": kinds}).encode()
    parts = [head, *map(_array_bytes, arrays)]
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def unpacked(record: bytes, what: str) -> tuple[list[Tensor], Any]:
    """Return the tensors of an element, and its form if JSON has it; DataLossError for others."""
    try:
        head, *parts = _parts(record)
        told = json.loads(head)
        leaves = [
            to_tensor(_array(part, *kind))
            for part, kind in zip(parts, told["leaves"], strict=True)
        ]
        return leaves, None if told["form"] is None else _structure(told["form"])
    except _DAMAGE as error:
        raise damaged(what, error) from None


def damaged(what: str, why: object) -> DataLossError:
    """Return the error for a file that nobody wrote so."""
    return DataLossError(
        f"{what} holds no element of a dataset: {why}; write it anew"
    )


def _parts(record: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(record):
        size = int.from_bytes(record[at : at + 8], "little")
        part = record[at + 8 : at + 8 + size]
        if len(part) < size:
            raise ValueError(f"{size} bytes are due, {len(part)} are there")
        found.append(part)
        at += 8 + size
    return found


def _array_bytes(array: np.ndarray[Any, Any]) -> bytes:
    if array.dtype != object:
        return array.tobytes()
    texts = [as_bytes(text) for text in array.ravel().tolist()]
    return np.asarray([len(x) for x in texts], "<i8").tobytes() + b"".join(texts)


def _array(data: bytes, kind: str, shape: list[int]) -> np.ndarray[Any, Any]:
    """Return an array of a dtype and a shape; ValueError unless the bytes are as many."""
    dtype = as_dtype(kind).numpy
    if any(size < 0 for size in shape):
        raise ValueError(f"{shape} is no shape")
    if dtype.kind != "O":
        return np.frombuffer(data, dtype).reshape(shape).copy()
    count = prod(shape)
    sizes = np.frombuffer(data, "<i8", count).tolist()
    texts = np.empty(count, object)
    at = 8 * count
    for place, size in enumerate(sizes):
        texts[place] = data[at : at + size]
        at += size
    if at != len(data) or any(size < 0 for size in sizes):
        raise ValueError("strings are cut off")
    return texts.reshape(shape)


def _form(element: Any) -> Any:
    """Return a structure as JSON has it; None for what JSON has not, such as named tuples."""
    if not nest.is_nested(element):
        return 0
    if type(element) not in (tuple, list, dict):
        return None
    members = [_form(member) for member in nest.children(element)]
    if any(member is None for member in members):
        return None
    if isinstance(element, dict):
        names = sorted(element)
        known = all(isinstance(name, str) for name in names)
        return {"dict": dict(zip(names, members, strict=True))} if known else None
    return {type(element).__name__: members}


def _structure(form: Any) -> Any:
    if not isinstance(form, dict):
        return 0
    ((kind, members),) = form.items()
    if kind == "dict":
        return {name: _structure(member) for name, member in members.items()}
    made = [_structure(member) for member in members]
    return tuple(made) if kind == "tuple" else made


def spec_to_json(spec: Any) -> Any:
    """Return the specs of elements as JSON has them; DTypeError for others.

    >>> spec_to_json(({"x": tl.TensorSpec((None, 2), tl.int32)},))
    {'tuple': [{'dict': {'x': {'tensor': ['int32', [None, 2]]}}}]}
    """
    if spec is None:
        return None
    if isinstance(spec, RaggedRow):
        return {"row": [*_described(spec), spec.row_splits_dtype.name]}
    if isinstance(spec, TensorSpec):
        return {"tensor": _described(spec)}
    if isinstance(spec, SparseTensor):
        sizes = TensorShape(spec.get_shape()).known()
        return {"sparse": [spec.dtype.name, None if sizes is None else list(sizes)]}
    if isinstance(spec, RaggedParts):
        parts = [spec_to_json(part) for part in (spec.values, spec.row_splits)]
        return {"ragged": [*parts, spec.uniform_row_length]}
    return _container_to_json(spec)


def _described(spec: TensorSpec) -> list[Any]:
    return [spec.dtype.name, None if spec.shape is None else list(spec.shape)]


def _container_to_json(spec: Any) -> Any:
    if isinstance(spec, dict) and all(isinstance(key, str) for key in spec):
        return {"dict": {key: spec_to_json(spec[key]) for key in spec}}
    if not isinstance(spec, (tuple, list)):
        raise DTypeError(
            f"elements of {spec!r} cannot be kept in files; allowed are tensors, also ragged and "
            "sparse ones, in tuples, lists and dicts with strings for keys"
        )
    members = [spec_to_json(member) for member in spec]
    if hasattr(spec, "_fields"):
        return {"named": [type(spec).__name__, list(spec._fields), members]}
    return {"tuple" if isinstance(spec, tuple) else "list": members}


def spec_from_json(told: Any, what: str) -> Any:
    """Return the specs that JSON tells of; DataLossError for what is none.

    >>> print(spec_from_json({"tensor": ["int32", [2]]}, "a file"))
    int32[2]
    """
    try:
        return _spec(told)
    except (*_DAMAGE, AttributeError) as error:
        raise damaged(what, error) from None


def _spec(told: Any) -> Any:
    if told is None:
        return None
    ((kind, value),) = told.items()
    return _KINDS[kind](value)


def _named(value: Any) -> Any:
    name, names, members = value
    return _NAMED(name, [(x, Any) for x in names])(*map(_spec, members))


def _tensor_spec(value: Any) -> TensorSpec:
    dtype, sizes = value
    shape = None if sizes is None else tuple(sizes)
    check_sizes(shape)
    return TensorSpec(shape, as_dtype(dtype))


def _row(value: Any) -> RaggedRow:
    dtype, sizes, splits = value
    return RaggedRow(sizes, as_dtype(dtype), as_dtype(splits))


def _sparse(value: Any) -> Any:
    dtype, sizes = value
    shape = None if sizes is None else tuple(sizes)
    check_sizes(shape)
    return sparse_spec(as_dtype(dtype), shape)


def _ragged(value: Any) -> Any:
    values, splits, length = value
    return RaggedTensor.of(_spec(values), _spec(splits), length)


_KINDS: dict[str, Callable[[Any], Any]] = {
    "tensor": _tensor_spec,
    "row": _row,
    "sparse": _sparse,
    "ragged": _ragged,
    "named": _named,
    "dict": lambda members: {key: _spec(x) for key, x in members.items()},
    "tuple": lambda members: tuple(map(_spec, members)),
    "list": lambda members: list(map(_spec, members)),
}
