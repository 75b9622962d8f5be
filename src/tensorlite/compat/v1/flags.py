"""tf.flags: absl's flags, read from the command line when the first value is asked for."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.flags import FLAGS, absl, flags_name

__all__ = ["FLAGS"]


def __dir__() -> list[str]:
    return [name for name in dir(absl("flags")) if not name.startswith("_")]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return flags_name(name)
    except AttributeError:
        raise attribute_error(__name__, name, absl("flags").__dict__) from None
