"""RowPart: some rows of a variable that is too large for one task. Checkpoints hold it whole."""

from __future__ import annotations

from typing import Any

from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.scope import device
from tensorlite.core.tensor import TensorLike
from tensorlite.ops.state.variable import Variable


class RowPart(Variable):
    """A variable that is some consecutive rows of a larger one, whose other rows lie elsewhere.

    `place` counts the parts, in the order of their rows, `first` is the first row, `whole` anything
    that all parts of one variable have in common and no others.

    >>> from tensorlite.train.rows import RowPart
    >>> low, high = [RowPart(tl.zeros((2, 3)), i, 2 * i, "embedding") for i in range(2)]
    >>> high.first
    2
    """

    __slots__ = ("first", "place", "whole")

    def __init__(
        self,
        initial: TensorLike,
        place: int,
        first: int,
        whole: object,
        **options: Any,
    ) -> None:
        super().__init__(initial, **options)
        self.place, self.first, self.whole = place, first, whole

    def beside(self, value: TensorLike, name: str) -> RowPart:
        """Return a new variable, such as a slot, that is the same rows of another whole."""
        whole = (self.whole, name.removeprefix(self.name))
        with interpreted_by(None), device(self.device):
            return RowPart(
                value, self.place, self.first, whole, trainable=False, name=name
            )
