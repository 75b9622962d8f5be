"""tf.keras.name_scope and tf.keras.device: what is made inside bears a name, or has a device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.scope import (
    device as device_of_operators,
    name_scope as name_scope_of_nodes,
)


@contextmanager
def name_scope(name: str, **kwargs: Any) -> Iterator[str]:
    """Let weights and nodes that are made inside have a name before theirs."""
    with naming.inside(name), name_scope_of_nodes(name):
        yield name


def device(device_name: str) -> Any:
    """Return a context in which operators run on a device, "cpu:0" and the like."""
    kind, _, number = device_name.partition(":")
    whole = kind.lower() in {"cpu", "gpu"} and (number or "0").isdigit()
    return device_of_operators(
        f"/{kind.upper()}:{number or 0}" if whole else device_name
    )
