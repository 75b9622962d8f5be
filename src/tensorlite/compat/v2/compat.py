"""tf.compat: bytes and text, and types of numbers."""

from __future__ import annotations

import collections.abc
from importlib import import_module
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.text import (
    as_bytes,
    as_str,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    forward_compatibility_horizon,
    forward_compatible,
    integral_types,
    path_to_str,
    real_types,
)
from tensorlite.compat.shared.values import dimension_at_index, dimension_value

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_str",
    "real_types",
]


__dir__ = listing(__name__, globals(), ["v1", "v2"])


def __getattr__(name: str) -> Any:
    """Return the other version, as `tf.compat.v1`, and what TensorFlow has inside."""
    if name == "collections_abc":
        return collections.abc
    if name in {"v1", "v2"}:
        return import_module(f"tensorlite.compat.{name}")
    raise attribute_error(__name__, name, __all__)
