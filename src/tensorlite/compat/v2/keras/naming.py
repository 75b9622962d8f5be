"""Names of Keras' layers and models: `dense`, `dense_1`, numbered as they are made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_counts: Counter[str] = Counter()
_path: ContextVar[tuple[str, ...]] = ContextVar("keras_path", default=())
"""The names of the layers that are being called, outermost first."""


def snake(kind: str) -> str:
    """Return the name of a class in lower case, words parted by underscores."""
    parted = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", kind)
    found = re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()
    return f"private{found}" if found.startswith("_") else found


def unique(base: str) -> str:
    """Return a name that no layer has yet."""
    _counts[base] += 1
    return base if _counts[base] == 1 else f"{base}_{_counts[base] - 1}"


def forget() -> None:
    """Number anew."""
    _counts.clear()


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Let weights that are made inside have a name before theirs."""
    token = _path.set((*_path.get(), name))
    try:
        yield
    finally:
        _path.reset(token)


def prefixed(name: str) -> str:
    """Return the whole name of a weight."""
    return "/".join([*_path.get(), name])
