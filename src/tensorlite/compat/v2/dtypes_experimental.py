"""Dtypes of few bits, which are kept, moved and cast: `tf.dtypes.experimental`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.core.dtypes import (
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    int4,
    uint4,
)

__all__ = [
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "int4",
    "uint4",
]

__dir__ = listing("dtypes.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.dtypes.experimental", name, __all__)
