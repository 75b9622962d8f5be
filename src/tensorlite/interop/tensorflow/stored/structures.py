"""Nested Python values as SavedModels have them: StructuredValue messages, both ways."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import GraphDefError
from tensorlite.core.shapes import TensorShape
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.stored.composites import (
    composite_of,
    is_known,
    told_composite,
)
from tensorlite.interop.tensorflow.tensors import (
    OF_DTYPE,
    array_of,
    dtype_of,
    proto_of as tensor_proto_of,
    shape_of,
    shape_proto,
)

_DEPTH = 100
"""How deep values may be nested."""


def knows(proto: Any) -> bool:
    """Return whether all kinds of values in a structure are known here."""
    kind = proto.WhichOneof("kind")
    inner: Any = getattr(proto, kind) if kind else None
    if kind == "type_spec_value":
        return is_known(inner.type_spec_class, inner.type_spec_class_name)
    if kind == "named_tuple_value":
        return all(knows(x.value) for x in inner.values)
    if kind == "dict_value":
        return all(map(knows, inner.fields.values()))
    return kind not in {"list_value", "tuple_value"} or all(map(knows, inner.values))


def value_of(proto: Any, depth: int = 0) -> Any:
    """Return the Python value of a StructuredValue; GraphDefError for what has none here.

    >>> value_of(proto_of((1.5, {"x": TensorSpec((None,))})))
    (1.5, {'x': TensorSpec(shape=(None,), dtype=tl.float32)})
    """
    kind = proto.WhichOneof("kind")
    reader = _LEAVES.get(kind or "none_value")
    if reader is not None:
        return reader(getattr(proto, kind)) if kind else None
    if depth > _DEPTH:
        raise GraphDefError(f"values are nested more than {_DEPTH} deep")
    inner = getattr(proto, kind)
    if kind in {"list_value", "tuple_value"}:
        members = [value_of(x, depth + 1) for x in inner.values]
        return members if kind == "list_value" else tuple(members)
    if kind == "dict_value":
        return {key: value_of(x, depth + 1) for key, x in inner.fields.items()}
    if kind == "named_tuple_value":
        named = {x.key: value_of(x.value, depth + 1) for x in inner.values}
        return _named_tuple(inner.name, tuple(named))(**named)
    if kind != "type_spec_value":
        raise GraphDefError(
            f"a function takes or returns a {kind}, for which there is none here"
        )
    state = value_of(inner.type_state, depth + 1)
    return composite_of(inner.type_spec_class, inner.type_spec_class_name, state)


@cache
def _named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """Return a class of named tuples; GraphDefError for names that no fields may have."""
    try:
        return namedtuple(name or "Tuple", fields)  # noqa: PYI024  # names of the file
    except ValueError as error:
        raise GraphDefError(
            f"{name!r} with the fields {fields} is no named tuple: {error}"
        ) from None


def _spec(proto: Any) -> TensorSpec:
    return TensorSpec(
        shape_of(proto.shape), dtype_of(proto.dtype), proto.name or None
    )


_LEAVES: dict[str, Callable[[Any], Any]] = {
    "none_value": lambda _: None,
    "float64_value": float,
    "int64_value": int,
    "string_value": str,
    "bool_value": bool,
    "tensor_shape_value": lambda x: Shape(shape_of(x)),
    "tensor_dtype_value": dtype_of,
    "tensor_spec_value": _spec,
    "bounded_tensor_spec_value": _spec,
    "tensor_value": array_of,
    "numpy_value": array_of,
}


_others: dict[type, Callable[[Any, Any], None]] = {}
"""What writes values of other classes."""


def register(
    field: str,
    kind: type,
    write: Callable[[Any, Any], None],
    read: Callable[[Any], Any],
) -> None:
    """Have a field of messages hold values of a class: it is written to, and read from, there."""
    _others[kind], _LEAVES[field] = write, read


def proto_of(value: Any) -> Any:
    """Return a Python value as a StructuredValue; GraphDefError for what cannot be one."""
    proto = message("StructuredValue")()
    _put(proto, value)
    return proto


def _put(proto: Any, value: Any) -> None:
    write = _others.get(type(value))
    if write is not None:
        write(proto, value)
    elif value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, (bool, np.bool_)):
        proto.bool_value = bool(value)
    elif isinstance(value, (int, np.integer)):
        proto.int64_value = int(value)
    elif isinstance(value, (float, np.floating)):
        proto.float64_value = float(value)
    elif isinstance(value, str):
        proto.string_value = value
    elif isinstance(value, DType):
        proto.tensor_dtype_value = OF_DTYPE[value]
    elif isinstance(value, Shape):
        proto.tensor_shape_value.CopyFrom(shape_proto(value.sizes))
    elif isinstance(value, TensorSpec):
        spec = proto.tensor_spec_value
        spec.dtype, spec.name = OF_DTYPE[value.dtype], value.name or ""
        spec.shape.CopyFrom(shape_proto(value.shape))
    else:
        _put_many(proto, value)


def _put_many(proto: Any, value: Any) -> None:
    told = told_composite(value)
    if told is not None:
        spec = proto.type_spec_value
        spec.type_spec_class, spec.type_spec_class_name, state, count = told
        spec.num_flat_components = count
        _put(spec.type_state, state)
    elif isinstance(value, TensorShape):
        proto.tensor_shape_value.CopyFrom(shape_proto(value.known()))
    elif isinstance(value, np.ndarray):
        proto.numpy_value.CopyFrom(tensor_proto_of(value))
    elif isinstance(value, EagerTensor):
        proto.tensor_value.CopyFrom(tensor_proto_of(np.asarray(value.numpy())))
    elif isinstance(value, Mapping):
        proto.dict_value.SetInParent()
        for key, member in value.items():
            _put(proto.dict_value.fields[str(key)], member)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        kind = type(value).__name__
        proto.CopyFrom(
            named_tuple(kind, dict(zip(value._fields, value, strict=True)))
        )
    elif isinstance(value, (list, tuple)):
        members = proto.tuple_value if isinstance(value, tuple) else proto.list_value
        members.SetInParent()
        for member in value:
            _put(members.values.add(), member)
    else:
        raise GraphDefError(
            f"a {type(value).__name__} cannot be written among the arguments and results of a "
            "function; tensors, numbers, texts, and lists, tuples and dicts of them can"
        )


def named_tuple(name: str, members: Mapping[str, Any]) -> Any:
    """Return a StructuredValue that is a named tuple."""
    proto = message("StructuredValue")()
    proto.named_tuple_value.name = name
    for key, value in members.items():
        _put(proto.named_tuple_value.values.add(key=key).value, value)
    return proto


def filled(value: Any, tensors: Iterable[Any]) -> Any:
    """Return a structure with tensors in the places of its specs.

    >>> filled({"a": [TensorSpec(())], "k": 2}, ["x"])
    {'a': ['x'], 'k': 2}
    """
    source = iter(tensors)
    return nest.pack_like(
        value,
        [
            next(source) if isinstance(x, TensorSpec) else x
            for x in nest.flatten(value)
        ],
    )
