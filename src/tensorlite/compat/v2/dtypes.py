"""Dtypes and conversions between them: `tf.dtypes`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.elementwise import (
    cast as cast,
    complex as complex,
    saturate_cast as saturate_cast,
)
from tensorlite.compat.shared.kinds import *
from tensorlite.compat.shared.kinds import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from tensorlite.compat.v2 import dtypes_experimental

experimental = dtypes_experimental

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
