"""tf.sysconfig: where a library for TensorFlow's own operators would be built, which is nowhere."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.sysconfig import (
    get_compile_flags,
    get_include,
    get_lib,
    get_link_flags,
)

__all__ = ["get_compile_flags", "get_include", "get_lib", "get_link_flags"]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
