"""tf.keras.config: what holds for all layers and models."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.defaults import (
    chosen,
    epsilon as epsilon,
    floatx as floatx,
    image_data_format as image_data_format,
    set_epsilon as set_epsilon,
    set_floatx as set_floatx,
    set_image_data_format as set_image_data_format,
)
from tensorlite.compat.v2.keras.mixed_precision import (
    dtype_policy as dtype_policy,
    set_dtype_policy as set_dtype_policy,
)
from tensorlite.compat.v2.keras.src.saving import lambdas
from tensorlite.core.errors import InvalidArgumentError


def backend() -> str:
    """Return "tensorflow", the backend whose ways are followed."""
    return "tensorflow"


def set_backend(backend: str) -> None:
    """Raise InvalidArgumentError for any backend but "tensorflow"."""
    if backend != "tensorflow":
        raise InvalidArgumentError(
            f"set_backend({backend!r}): there is one, which is called 'tensorflow'"
        )


def enable_interactive_logging() -> None:
    """Let progress be printed as a bar that moves."""
    chosen.prints_bars = True


def disable_interactive_logging() -> None:
    """Let progress be printed as plain lines."""
    chosen.prints_bars = False


def is_interactive_logging_enabled() -> bool:
    """Return whether progress is printed as a bar that moves."""
    return chosen.prints_bars


def enable_traceback_filtering() -> None:
    """Do nothing: tracebacks are shown as they are."""


def disable_traceback_filtering() -> None:
    """Do nothing: tracebacks are shown as they are."""


def is_traceback_filtering_enabled() -> bool:
    """Return false: errors show all the lines that led to them."""
    return False


def enable_flash_attention() -> None:
    """Note that it is wanted where there is any; on this machine there is none."""
    chosen.flash_attention = True


def disable_flash_attention() -> None:
    """Note that attention is to be computed the plain way."""
    chosen.flash_attention = False


def is_flash_attention_enabled() -> bool | None:
    """Return what was set of flash attention, None if nothing was."""
    return chosen.flash_attention


def is_nnx_enabled() -> bool:
    """Return false: there is no Flax here."""
    return False


def enable_unsafe_deserialization() -> None:
    """Let files of models bring Python functions with them, which then run."""
    lambdas.trust_files()


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> Any:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
