"""RaggedTensorValue: what a session gives for a ragged tensor, and is fed in its place: arrays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NoReturn

from tensorlite.core.errors import CompositeError


@dataclass(frozen=True, eq=False, repr=False)
class RaggedTensorValue:
    """Rows one behind the other in an array, each from one bound to the next."""

    values: Any
    row_splits: Any

    is_value: ClassVar[bool] = True

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of the elements."""
        return self.values.dtype

    @property
    def flat_values(self) -> Any:
        """The array below all axes that are split into rows."""
        inner = self.values
        return inner.flat_values if isinstance(inner, RaggedTensorValue) else inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """Where the rows begin and end, of all axes that are split."""
        inner = self.values
        nested = isinstance(inner, RaggedTensorValue)
        return (self.row_splits, *(inner.nested_row_splits if nested else ()))

    @property
    def ragged_rank(self) -> int:
        """How many axes are split into rows."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes, None for those that rows may differ in."""
        return (len(self.row_splits) - 1, None, *self.values.shape[1:])

    def to_list(self) -> list[Any]:
        """Return the rows as nested lists."""
        inner = self.values
        nested = isinstance(inner, RaggedTensorValue)
        rows = inner.to_list() if nested else inner.tolist()
        return [rows[i:j] for i, j in pairwise(self.row_splits.tolist())]

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        """Say that this is no array, as a ragged tensor is none."""
        raise CompositeError(self, "the value of a ragged tensor")

    def __repr__(self) -> str:
        return (
            f"tf.RaggedTensorValue(values={self.values!r}, "
            f"row_splits={self.row_splits!r})"
        )

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"
