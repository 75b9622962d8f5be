"""tensorflow.python.saved_model.nested_structure_coder: structures of specs as messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorlite.compat.shapes import as_shape
from tensorlite.compat.shared.specs import bounded_specs as bounded_specs
from tensorlite.core.errors import GraphDefError
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.stored import structures

__all__ = ["can_encode", "decode_proto", "encode_structure"]


def encode_structure(nested_structure: Any) -> Any:
    """Return a structure of specs, tensors, numbers and texts as a StructuredValue message.

    GraphDefError for what cannot be one.
    """
    return structures.proto_of(nested_structure)


def decode_proto(proto: Any) -> Any:
    """Return the structure that a StructuredValue message is of."""
    return _shown(structures.value_of(proto))


def can_encode(nested_structure: Any) -> bool:
    """Return whether a structure can be a message."""
    try:
        structures.proto_of(nested_structure)
    except GraphDefError:
        return False
    return True


def _shown(value: Any) -> Any:
    """Return a structure with shapes as programs have them."""
    if isinstance(value, Shape):
        return as_shape(value.sizes)
    if isinstance(value, Mapping):
        return {key: _shown(x) for key, x in value.items()}
    if type(value) in {list, tuple}:
        return type(value)(map(_shown, value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_shown, value))
    return value
