"""AttrValue and Python's values, both ways. Which attributes an operator has: signatures.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.dtypes import DType
from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.tensors import (
    OF_DTYPE,
    array_of,
    dtype_of,
    proto_of,
    shape_of,
    shape_proto,
)

_LATER = """
    Tcomplex Tk Treal Tsegmentids Tshape allow_missing_files allowed_devices
    auto_shard_policy autotuner_thresh axis bad_indices_policy batch_padding_policy
    blank_index buffer_size_min cardinality_options debug_name drop_remainder dtype
    enable_large_batch_splitting ensure_minimum_range explicit_paddings
    exponential_avg_factor force_synchronous grad_a grad_b grad_x grad_y index_type is_files
    log_warning low_priority_allowed_batch_sizes low_priority_batch_timeout_micros
    low_priority_max_batch_size low_priority_max_enqueued_batches metadata
    mixed_priority_policy multiply_linear_by_lr narrow_range num_replicas offset
    perturb_singular ram_budget replicate_on_split reshuffle_each_iteration
    resize_if_index_out_of_bounds shape_type shuffle_on_read snapshot_name sparse_gradient
    stop_on_empty_dataset use_default_device validate_shape
"""
LATER = frozenset(_LATER.split())
"""Attributes that TensorFlow 1 does not know; they are left out where they are at their default."""


class Called(NamedTuple):
    """A function of the library, by its name, with the attributes that it is called with."""

    name: str
    attributes: tuple[str, ...] = ()


class Shape(NamedTuple):
    """A shape, as the value of an attribute."""

    sizes: tuple[int | None, ...] | None


_KINDS: dict[str, Callable[[Any], Any]] = {
    "s": lambda x: x.decode(errors="surrogateescape"),
    "i": lambda x: x,
    "f": lambda x: x,
    "b": lambda x: x,
    "type": dtype_of,
    "shape": lambda x: Shape(shape_of(x)),
    "tensor": array_of,
    "func": lambda x: Called(x.name, tuple(sorted(x.attr))),
}


def value_of(proto: Any) -> Any:
    """Return the value of an AttrValue: lists are tuples, texts str.

    >>> value_of(message("AttrValue")(type=1))
    tl.float32
    """
    kind = proto.WhichOneof("value")
    if kind == "list":
        for one, read in _KINDS.items():
            members = getattr(proto.list, one)
            if len(members):
                return tuple([read(x) for x in members])
        return ()
    read_one = _KINDS.get(kind)
    if read_one is None:
        raise GraphDefError(
            f"it is {f'the placeholder {proto.placeholder!r}' if kind else 'empty'}, no value"
        )
    return read_one(getattr(proto, kind))


def proto_of_value(value: Any) -> Any:
    """Return a value as an AttrValue; a tuple becomes a list of what its members are.

    >>> value_of(proto_of_value((1, 2)))
    (1, 2)
    """
    proto = message("AttrValue")()
    if isinstance(value, tuple) and not isinstance(value, (Called, Shape)):
        proto.list.SetInParent()
        for member in value:
            _put(proto.list, member, many=True)
    else:
        _put(proto, value, many=False)
    return proto


def _put(proto: Any, value: Any, many: bool) -> None:
    kind, content = _content(value)
    if many:
        getattr(proto, kind).append(content)
    elif kind in {"shape", "tensor", "func"}:
        getattr(proto, kind).CopyFrom(content)
    else:
        setattr(proto, kind, content)


def _content(value: Any) -> tuple[str, Any]:
    """Return the name of the field for a value, and what is put there."""
    if isinstance(value, (bool, np.bool_)):
        return "b", bool(value)
    if isinstance(value, (int, np.integer)):
        return "i", int(value)
    if isinstance(value, (float, np.floating)):
        return "f", float(value)
    if isinstance(value, str):
        return "s", value.encode(errors="surrogateescape")
    if isinstance(value, bytes):
        return "s", value
    if isinstance(value, DType):
        return "type", OF_DTYPE[value]
    if isinstance(value, Shape):
        return "shape", shape_proto(value.sizes)
    if isinstance(value, Called):
        return "func", message("AttrValue")(func={"name": value.name}).func
    if isinstance(value, np.ndarray):
        return "tensor", proto_of(value)
    raise GraphDefError(f"a value of type {type(value).__name__} is no attribute")


def is_default(value: Any, expected: Any) -> bool:
    """Return whether the value of an attribute is its default."""
    if isinstance(value, float) and isinstance(expected, float):
        return bool(np.float32(value) == np.float32(expected))
    if isinstance(value, np.ndarray):
        return False
    if isinstance(value, Shape):
        return value.sizes is None or value == expected
    return bool(value == expected) or (expected is None and not value)


def implied(name: str, value: Any, default: Any) -> bool:
    """Return whether an attribute is one that TensorFlow 1 does not know, at its default."""
    return name in LATER and is_default(value, default)
