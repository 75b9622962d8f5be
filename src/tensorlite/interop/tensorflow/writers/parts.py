"""Spelled: one of the nodes that are written for a node, and constants among these.

Which there are is in spelling.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tensorlite.core.dtypes import DType, int32


@dataclass
class Spelled:
    """A node as it is written."""

    op: str
    attributes: dict[str, Any] = field(default_factory=dict)
    inputs: tuple[int | str, ...] | None = None
    """Which inputs it takes: numbers, and names of parts written before; None: all, in order.

    A part's name may have the number of an output behind it, as in "part:1".
    """
    name: str = ""
    """What it is called below the node; "" is the node itself, which comes last."""
    after: tuple[str, ...] = ()
    """Parts that it waits for."""
    skips: int = 0
    """How many of its outputs come before those of the node."""


def constant_part(name: str, value: Any, dtype: DType = int32) -> Spelled:
    """Return a constant that other parts take by its name."""
    array = np.asarray(value, dtype.numpy)
    return Spelled("Const", {"value": array, "dtype": dtype}, (), name)
