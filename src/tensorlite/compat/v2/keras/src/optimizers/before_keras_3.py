"""Optimizers as Keras had them before its version 3: rows that are named twice count as their sum.

Keras 3 computes with such rows apart; how it does stands in rows.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.optimizers import slots
from tensorlite.compat.v2.keras.src.optimizers.classes import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    Ftrl,
    Nadam,
    RMSprop,
)


class Summing:
    """An optimizer that adds up the rows of a gradient before it computes with them."""

    _core: Any
    _own: Any

    @property
    def variables(self) -> Any:
        """The number of steps, then a slot of all variables, then the next one."""
        shared = getattr(self._core, "shared", ())
        beside = [slot for _, _, slot in slots.in_turn(self._core)]
        own = self._own.variables
        return slots.Variables([self._core.iterations, *shared, *beside, *own])

    def _taken(self, gradient: Any) -> Any:
        return tl.densify(gradient)


def summing(kind: type) -> Any:
    """Return a class of optimizers as Keras had it before version 3.

    >>> from tensorlite.compat.v2.keras.src.optimizers.classes import Adam
    >>> summing(Adam).__name__, issubclass(summing(Adam), Adam)
    ('Adam', True)
    """
    told = {"__doc__": kind.__doc__, "__module__": kind.__module__}
    return type(kind.__name__, (Summing, kind), told)


CLASSES = {
    kind.__name__: summing(kind)
    for kind in (SGD, Adadelta, Adagrad, Adam, Adamax, Ftrl, Nadam, RMSprop)
}
