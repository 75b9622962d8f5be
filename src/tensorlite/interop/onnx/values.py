"""A model in the making: values with their axes in some order, constants, scopes with steps.

A tensor may be in the model with its axes in another order; it is transposed when something asks
for its own order, once. How graphs are written with these is in writing.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from tensorlite.graph.graph import Node

Array: TypeAlias = np.ndarray[Any, Any]
Order: TypeAlias = tuple[int, ...] | None
MISSING = "?"
"""The operator of a step for which there is none; it must not be left when all is written."""
SHORT = 64
"""Up to how many elements constants that are equal are kept once."""


class UnsupportedError(Exception):
    """What handlers raise, with the reason, for a use of an operator that ONNX does not have."""


@dataclass(frozen=True)
class View:
    """A tensor as the model has it: a name, and which axis of that each of the tensor's is."""

    name: str
    scope: Scope = field(repr=False)
    order: Order = None
    is_fixed: bool = False
    """Whether this is a list that has all the elements it may have."""


@dataclass(frozen=True, eq=False)
class Known:
    """A tensor whose value is part of the model."""

    array: Array
    hint: str = "constant"


@dataclass(frozen=True)
class Flat:
    """A view whose axes but the first are one: a product may take that in the order stored."""

    source: View
    size: int

    def columns(self, shape: Sequence[int | None]) -> Array:
        """Return where each column is in the order stored, for a source of some shape."""
        assert self.source.order is not None
        whole = np.empty(
            [shape[axis] or 0 for axis in inverse(self.source.order)[1:]]
        )
        numbers = np.arange(whole.size).reshape(1, *whole.shape)
        return numbers.transpose(self.source.order).reshape(-1)


Value: TypeAlias = View | Known | Flat


@dataclass
class Step:
    """A node of the model in the making."""

    op: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    source: Node | None
    reads: set[str] = field(default_factory=set)
    """What graphs within it use from outside."""
    reason: str = ""


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """Return the permutation that undoes another.

    >>> inverse((0, 2, 3, 1))
    (0, 3, 1, 2)
    """
    return tuple([list(order).index(i) for i in range(len(order))])


def normal(order: Sequence[int] | None) -> Order:
    """Return an order as values have it: None when nothing moves."""
    if order is None or list(order) == sorted(order):
        return None
    return tuple(order)


class Names:
    """Names that are given once in a model, whichever graph of it they are in."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def unique(self, base: str) -> str:
        """Return a name, with a number behind it if it is taken."""
        count = self._taken.get(base)
        if count is None:
            self._taken[base] = 0
            return base
        while f"{base}_{count + 1}" in self._taken:
            count += 1
        self._taken[base] = count + 1
        return self.unique(f"{base}_{count + 1}")


class Store:
    """The constants of a model: all of them stand in the outermost graph."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.arrays: dict[str, Array] = {}
        self._known: dict[Any, str] = {}
        self._kept: list[Array] = []

    def name(self, value: Known, order: Order = None) -> str:
        """Return the name of a constant, stored so that `order` makes the tensor of it."""
        array = value.array
        small = array.size <= SHORT and array.dtype != object
        content: Any = array.tobytes() if small else id(array)
        key = (content, array.dtype, array.shape, order)
        if key not in self._known:
            self._kept.append(array)
            stored = array if order is None else array.transpose(inverse(order))
            name = self.names.unique(value.hint)
            self._known[key], self.arrays[name] = name, np.ascontiguousarray(stored)
            self.arrays[name].shape = stored.shape
        return self._known[key]


class Scope:
    """One graph of a model in the making: the outermost, a branch, or the body of a loop."""

    def __init__(self, store: Store, opset: int) -> None:
        self.store = store
        self.opset = opset
        self.steps: list[Step] = []
        self.made: dict[str, Step] = {}
        """The steps that make what has a name here."""
        self._found: dict[Any, list[str]] = {}

    def emit(
        self,
        op: str,
        inputs: Iterable[str],
        count: int = 1,
        source: Node | None = None,
        reads: set[str] | None = None,
        **attributes: Any,
    ) -> list[str]:
        """Return the outputs of a node; those of an equal one that is there already."""
        given = list(inputs)
        key = (op, tuple(given), count, repr(sorted(attributes.items())))
        if reads is None and op != MISSING and key in self._found:
            return self._found[key]
        base = source.name if source is not None else op
        outputs = [self.store.names.unique(base) for _ in range(count)]
        step = Step(op, given, outputs, attributes, source, reads or set())
        self.steps.append(step)
        self.made.update(dict.fromkeys(outputs, step))
        self._found[key] = outputs
        return outputs

    def missing(self, node: Node, inputs: Iterable[str], reason: str) -> list[str]:
        """Return names for what a node would give, if there were an operator for it."""
        outputs = self.emit(MISSING, inputs, len(node.outputs), node)
        self.steps[-1].reason = reason
        return outputs

    def name(self, value: Value, order: Order = None) -> str:
        """Return the name of a value stored so that `order` makes the tensor of it."""
        if isinstance(value, Known):
            return self.store.name(value, order)
        if isinstance(value, Flat):
            shape = self.store.name(Known(np.asarray([-1, value.size])))
            name = value.source.scope.emit(
                "Reshape", [self.name(value.source), shape]
            )
            return self.name(View(name[0], value.source.scope), order)
        if value.order == order:
            return value.name
        have = value.order or tuple(range(len(order or ())))
        perm = have if order is None else [have[i] for i in inverse(order)]
        return value.scope.emit("Transpose", [value.name], perm=list(perm))[0]

    def owned(self, value: Value, taken: set[str]) -> str:
        """Return the name of a value as an output of this graph, which no other output has."""
        name = self.name(value)
        if name not in self.made or name in taken:
            name = self.store.names.unique(f"{name}_out")
            step = Step("Identity", [self.name(value)], [name], {}, None)
            self.steps.append(step)
            self.made[name] = step
        taken.add(name)
        return name

    def pruned(self, outputs: Iterable[str]) -> list[Step]:
        """Return the steps that outputs depend on."""
        needed = set(outputs)
        kept = []
        for step in reversed(self.steps):
            if needed.intersection(step.outputs):
                kept.append(step)
                needed.update(step.inputs, step.reads)
        return kept[::-1]
