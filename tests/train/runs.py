"""Running the same function eagerly and traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import tensorlite as tl

P = ParamSpec("P")
R = TypeVar("R")


def both_ways(function: Callable[P, R], traced: bool) -> Callable[P, R]:
    """Return `function` as it is, or traced."""
    return tl.function(function) if traced else function
