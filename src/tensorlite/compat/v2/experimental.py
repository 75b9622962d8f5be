"""tf.experimental: extension types, what is called for them, and NumPy's functions."""

from __future__ import annotations

from tensorlite.compat.dispatching import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.ragged_and_sparse.built_shapes import (
    DynamicRaggedShape,
    RowPartition,
)
from tensorlite.compat.v2 import dlpack, numpy
from tensorlite.compat.v2.extension_types import (
    BatchableExtensionType,
    ExtensionType,
)
from tensorlite.data.optionals import Optional

__all__ = [
    "BatchableExtensionType",
    "DynamicRaggedShape",
    "ExtensionType",
    "Optional",
    "RowPartition",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "numpy",
    "unregister_dispatch_for",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
