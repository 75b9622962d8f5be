"""tf.sysconfig: where a library for TensorFlow's own operators would be built, which is nowhere."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.core.errors import UnimplementedError

__all__ = ["get_compile_flags", "get_include", "get_lib", "get_link_flags"]


def _refused(what: str) -> UnimplementedError:
    return UnimplementedError(
        f"tf.sysconfig.{what}: tensorlite has no C++ library to build operators against; write "
        "them in Python as a tl.Op (see tl.extend)"
    )


def get_include() -> str:
    """Raise UnimplementedError: operators are written in Python."""
    raise _refused("get_include")


def get_lib() -> str:
    """Raise UnimplementedError: operators are written in Python."""
    raise _refused("get_lib")


def get_compile_flags() -> list[str]:
    """Raise UnimplementedError: operators are written in Python."""
    raise _refused("get_compile_flags")


def get_link_flags() -> list[str]:
    """Raise UnimplementedError: operators are written in Python."""
    raise _refused("get_link_flags")


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
