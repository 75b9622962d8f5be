"""tf.sysconfig's functions: where operators in C++ would be built, which is nowhere."""

from __future__ import annotations

from tensorlite.core.errors import UnimplementedError


def _refused(what: str) -> UnimplementedError:
    return UnimplementedError(
        f"tf.sysconfig.{what}: tensorlite has no C++ library to build operators against; write "
        "them in Python as a tl.Op (see tl.extend)"
    )


def get_include() -> str:
    """Raise an error: there are no headers for TensorFlow's own operators."""
    raise _refused("get_include")


def get_lib() -> str:
    """Raise an error: there is no library for TensorFlow's own operators."""
    raise _refused("get_lib")


def get_compile_flags() -> list[str]:
    """Raise an error: TensorFlow's own operators are not compiled here."""
    raise _refused("get_compile_flags")


def get_link_flags() -> list[str]:
    """Raise an error: TensorFlow's own operators are not linked here."""
    raise _refused("get_link_flags")
