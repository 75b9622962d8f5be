"""StagedList: what a Python list becomes while a staged loop appends to it.

It holds its elements in a list tensor (ops/control/lists.py), has a length that the graph knows,
and turns into one tensor, its elements stacked, wherever a tensor is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import SymbolicTensorError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.ops.control.list_runs import concat_list
from tensorlite.ops.control.lists import (
    element_shape,
    empty,
    get_item,
    length,
    pop,
    push,
    set_item,
    stack_list,
)


class StagedList(Operand):
    """A list of tensors of one spec, whose length is known only when the graph runs."""

    __slots__ = ("element", "handle")

    def __init__(self, handle: Tensor, element: TensorSpec) -> None:
        self.handle = handle
        self.element = element

    @staticmethod
    def of(values: list[Any], element: TensorSpec) -> StagedList:
        """Return a list that holds `values`."""
        staged = StagedList(
            empty(element_shape(element.shape), element.dtype), element
        )
        for value in values:
            staged.append(value)
        return staged

    def append(self, value: Any) -> None:
        """Add an element at the end."""
        self.handle = push(self.handle, to_tensor(value, self.element.dtype))

    def copy(self) -> StagedList:
        """Return a list of the same elements, which may be appended to by itself."""
        return StagedList(self.handle, self.element)

    def pop(self) -> Tensor:
        """Remove the last element and return it."""
        shape = element_shape(self.element.shape)
        self.handle, last = pop(self.handle, shape, self.element.dtype)
        return last

    def length(self) -> Tensor:
        """Return the number of elements, as a tensor."""
        return length(self.handle)

    def stack(self) -> Tensor:
        """Return the elements, stacked along a new first axis."""
        return stack_list(
            self.handle, element_shape(self.element.shape), self.element.dtype
        )

    def concat(self) -> Tensor:
        """Return the elements, joined along their first axis."""
        return concat_list(
            self.handle, element_shape(self.element.shape), self.element.dtype
        )

    def __tensor__(self) -> Tensor:
        """Return the elements, stacked along a new first axis."""
        return self.stack()

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self.element.dtype

    def __getitem__(self, key: Any) -> Tensor:
        if isinstance(key, (slice, tuple)):
            return self.stack()[key]
        index = key if not isinstance(key, int) or key >= 0 else self.length() + key
        shape = element_shape(self.element.shape)
        return get_item(self.handle, index, shape, self.element.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        index = key if not isinstance(key, int) or key >= 0 else self.length() + key
        self.handle = set_item(
            self.handle, index, to_tensor(value, self.element.dtype)
        )

    def __len__(self) -> int:
        raise SymbolicTensorError(
            "this list was appended to in a loop of a traced function: its length is known only "
            "when that runs"
        )

    def __iter__(self) -> Iterator[Tensor]:
        raise SymbolicTensorError(
            "this list was appended to in a loop of a traced function: iterate in a converted "
            "`for`, or over xs.stack()"
        )

    def __repr__(self) -> str:
        return f"StagedList({self.element})"
