"""tf.experimental: extension types, what is called for them, and NumPy's functions.

Steps of a worker far away, which async_scope lets run on, are done here when they are called.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
from tensorlite.compat.v2.dtypes_experimental import (
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    int4,
    uint4,
)
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
    "async_clear_error",
    "async_scope",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "int4",
    "numpy",
    "uint4",
    "unregister_dispatch_for",
]


@contextmanager
def async_scope() -> Iterator[None]:
    """Let steps be called one after the other; each is done, and its error raised, at its call."""
    yield


def async_clear_error() -> None:
    """Forget errors of steps that run on: there are none, as each was raised at its call."""


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
