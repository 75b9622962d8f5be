"""How a loop's variables are made of the tensors that its While carries, and back.

The staging of loops is in loops.py, variables of converted code in general in values.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.core import nest
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DType
from tensorlite.core.errors import LoopError, StructureError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.function.staged_list import StagedList
from tensorlite.function.values import (
    MISSING,
    SCALARS,
    adapt_weak,
    is_leaf_tensor,
    may_be_tensor,
    same,
)

Values = dict[str, Any]
INDEX = "_tl_index"


class Carried:
    """How the variables of a loop are made of its tensors, and back."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.first: list[Any] = []
        self.labels: list[str] = []
        for name, value in values.items():
            for path, leaf in zip(
                nest.paths(value), nest.flatten(value), strict=True
            ):
                if is_leaf_tensor(leaf):
                    self.first.append(
                        leaf if type(leaf) in SCALARS else _tensor(leaf)
                    )
                    self.labels.append(
                        f"{name}{path}" if name != INDEX else "the loop's index"
                    )

    def values_of(self, tensors: Sequence[Tensor]) -> Values:
        """Return the variables' values, with `tensors` as their leaves."""
        source = iter(tensors)
        return {
            name: nest.pack_like(
                value, [_like(leaf, source) for leaf in nest.flatten(value)]
            )
            for name, value in self._values.items()
        }

    def retyped(self, place: int, dtype: DType, start: Values) -> Values:
        """Return first values in which the number that is leaf `place` is a tensor of `dtype`."""
        number = 0
        out: Values = dict(start)
        for name, value in self._values.items():
            leaves = nest.flatten(value)
            for i, leaf in enumerate(leaves):
                if is_leaf_tensor(leaf):
                    leaves[i] = to_tensor(leaf, dtype) if number == place else leaf
                    number += 1
            out[name] = nest.pack_like(value, leaves)
        return out

    def tensors_of(self, values: Values) -> list[Any]:
        """Return the tensors in the variables' values after a turn; LoopError when they differ."""
        out: list[Any] = []
        for name, first in self._values.items():
            self._add(out, name, first, values[name])
        return out

    def _add(self, out: list[Any], name: str, first: Any, value: Any) -> None:
        try:
            nest.assert_same(first, value)
        except StructureError as error:
            raise LoopError(
                f"the loop variable {name!r} changes its structure: {error}"
            ) from None
        leaves = zip(
            nest.paths(first), nest.flatten(first), nest.flatten(value), strict=True
        )
        for path, old, new in leaves:
            if is_leaf_tensor(old):
                made = self._leaf(f"{name}{path}", new)
                if isinstance(made, Tensor):
                    adapt_weak(self.first[len(out)], made.dtype)
                out.append(made)
            elif not same(old, new):
                raise LoopError(
                    f"the loop variable {name + path!r} is {old!r} before the loop and "
                    f"{_told(new)} after a turn; in a loop on tensors only tensors and numbers "
                    "may change. Give it a first value of its kind"
                )

    @staticmethod
    def _leaf(label: str, new: Any) -> Any:
        if not may_be_tensor(new):
            raise LoopError(
                f"the loop variable {label!r} is a tensor first and then {_told(new)}"
            )
        return new if type(new) in SCALARS else _tensor(new)


def _tensor(leaf: Any) -> Tensor:
    return leaf.handle if isinstance(leaf, StagedList) else to_tensor(leaf)


def _like(leaf: Any, source: Any) -> Any:
    if isinstance(leaf, StagedList):
        return StagedList(next(source), leaf.element)
    return next(source) if is_leaf_tensor(leaf) else leaf


def _told(value: object) -> str:
    if value is MISSING:
        return "not bound"
    return "a tensor" if isinstance(value, Operand) else repr(value)
