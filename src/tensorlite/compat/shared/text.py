"""Bytes and text as TensorFlow's programs turn one into the other: `tf.compat`'s functions."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from typing import Any

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)
_horizon: ContextVar[date | None] = ContextVar("horizon", default=None)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Return text as bytes, bytes as they are; TypeError for anything else."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Return bytes as text, text as it is; TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Return bytes as text, anything else as str() has it."""
    return as_str(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """Return a path object as text, anything else as it is."""
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def path_to_bytes(path: Any) -> bytes:
    """Return a path, object or text, as bytes."""
    return as_bytes(os.fspath(path) if hasattr(path, "__fspath__") else path)


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Return whether programs may use what is new from a day on.

    They may, for graphs are not kept for older versions, but where a program asks for a horizon.
    """
    horizon = _horizon.get()
    return horizon is None or date(year, month, day) < horizon


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Let `forward_compatible` answer by another day within the block."""
    token = _horizon.set(date(year, month, day))
    try:
        yield
    finally:
        _horizon.reset(token)
