"""Gradients by rows, as embeddings have them; a row may be named twice.

Keras 3 computes with the rows as they are: what is linear in them is that of their sum, but squares
and sizes are added up. The rules of tensorlite/ops/nn/training.py know this themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import tensorlite as tl
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices


def each(function: Callable[[Any], Any], gradient: Any) -> Any:
    """Return what a function makes of the elements of a gradient, by rows if it is."""
    if isinstance(gradient, IndexedSlices):
        return replace(gradient, values=function(gradient.values))
    return function(gradient)


def values(gradient: Any) -> Any:
    """Return the elements of a gradient, those of rows named twice apart."""
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def number(value: Any, dtype: Any) -> Any:
    """Return a hyperparameter as it goes with a dtype: those of Python go with any."""
    return tl.astype(value, dtype) if isinstance(value, Operand) else value


class Gradient:
    """A gradient as the updates take it that are written with functions of tensors."""

    def __init__(self, given: Any, dtype: Any) -> None:
        self._given = each(lambda x: tl.astype(x, dtype), given)
        self.whole = tl.densify(self._given)
        self.dtype = dtype

    def times(self, other: Any) -> Gradient:
        """Return its product with a tensor of the variable's shape, rows apart as they are."""
        given = self._given
        if isinstance(given, IndexedSlices):
            own = given.values * tl.gather(other, given.indices, axis=0)
            return Gradient(replace(given, values=own), self.dtype)
        return Gradient(given * other, self.dtype)

    def square(self) -> Any:
        """Return the squares of the elements, rows that are named twice added up."""
        return tl.densify(each(tl.square, self._given))

    def size(self) -> Any:
        """Return the elements without their signs, rows that are named twice added up."""
        return tl.densify(each(tl.abs, self._given))
