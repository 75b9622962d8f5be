"""Apply and SparseApply: how operators update variables and slots, wholly or some rows of them.

The rules themselves stand in training.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import ClassVar

import numpy as np

from tensorlite.core.errors import ShapeError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec, shape_text
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.places import distinct, sums_at
from tensorlite.ops.state.variable import VariableState

Arrays = Sequence[Array]
PART = 1 << 15
"""Elements of a large variable that are updated at a time."""


class Apply(Op, abstract=True):
    """Updates a variable and its slots from a gradient.

    The inputs are the handles of the variable and of its slots, `hyper` scalars, and the gradient
    before `behind` of these, as TensorFlow's operator has it; a subclass says how many slots and
    scalars there are, and in `update` what becomes of them.
    """

    effect = Effect.WRITE
    differentiable = False
    behind: ClassVar[int] = 0
    """How many scalars stand behind the gradient."""

    def ordered(
        self, states: Sequence[Tensor], hyper: Sequence[Tensor], *gradient: Tensor
    ) -> list[Tensor]:
        """Return the inputs in their order: the gradient may be values and row indices."""
        place = len(hyper) - self.behind
        return [*states, *hyper[:place], *gradient, *hyper[place:]]

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing; ShapeError when the gradient is not shaped as the variable."""
        want, have = specs[0].inner[0].shape, specs[-1 - self.behind].shape
        if (
            want is not None
            and have is not None
            and None not in (*want, *have)
            and want != have
        ):
            raise ShapeError(
                f"{self.name}: the gradient has shape {shape_text(have)}, the variable "
                f"{shape_text(want)}"
            )
        return ()

    def kernel(self, xp: Xp, *inputs: Array) -> tuple[Array, ...]:
        """Replace the values of the variable and of its slots."""
        states, hyper = handles(inputs)
        gradient = hyper.pop(-1 - self.behind)
        if gradient.shape != states[0].value().shape:
            behind = [TensorSpec(())] * self.behind
            self.infer(states[0].spec, TensorSpec(gradient.shape), *behind)
        with _Held(states):
            if _worth_parting(xp, [*(s.value() for s in states), gradient]):
                self._write_over(xp, states, hyper, gradient)
                return ()
            updated = self.update(xp, [s.value() for s in states], hyper, gradient)
            for state, array in zip(states, updated, strict=True):
                state.array = xp.asarray(array)
        return ()

    def _write_over(
        self, xp: Xp, states: Sequence[VariableState], hyper: Arrays, g: Array
    ) -> None:
        """Replace values by so many elements at a time as a core's cache holds."""
        flow = g.reshape(-1)
        with ExitStack() as block:
            values = [block.enter_context(s.rewritten()).reshape(-1) for s in states]
            for first in range(0, g.size, PART):
                part = slice(first, first + PART)
                old = [x[part] for x in values]
                updated = self.update(xp, old, hyper, flow[part])
                for x, new in zip(old, updated, strict=True):
                    x[...] = new

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return the new values of the variable and of its slots, element by element."""
        raise TypeError(f"{self.name} defines no update rule")


def _worth_parting(xp: Xp, arrays: Arrays) -> bool:
    """Return whether arrays are large, on the host, and alike, so that parts of them meet."""
    first = arrays[0]
    return (
        xp is np
        and first.size >= 8 * PART
        and all(
            x.shape == first.shape and x.dtype == first.dtype and x.flags.c_contiguous
            for x in arrays
        )
    )


class Squaring(Apply, abstract=True):
    """A rule in which the gradient's square occurs.

    It is apart from the gradient: of rows named twice some optimizers add the squares up.
    """

    def update(self, xp: Xp, values: Arrays, hyper: Arrays, g: Array) -> Arrays:
        """Return the new values of the variable and of its slots."""
        return self.update_by(xp, values, hyper, g, g * g)

    def update_by(
        self, xp: Xp, values: Arrays, hyper: Arrays, g: Array, square: Array
    ) -> Arrays:
        """Return them of gradient and square, which may be written over."""
        raise TypeError(f"{self.name} defines no update rule")


def handles(inputs: Arrays) -> tuple[list[VariableState], list[Array]]:
    """Return the variables' states that come first, and the arrays behind them."""
    states = [x for x in inputs if isinstance(x, VariableState)]
    return states, list(inputs[len(states) :])


class _Held:
    """A block that holds the locks of all states, which everyone takes in the same order."""

    __slots__ = ("_states",)

    def __init__(self, states: Iterable[VariableState]) -> None:
        self._states = sorted(states, key=id)

    def __enter__(self) -> None:
        for state in self._states:
            state.lock.acquire()

    def __exit__(self, *error: object) -> None:
        for state in self._states:
            state.lock.release()


class SparseApply(Op):
    """Updates only the rows of a variable and of its slots that a sparse gradient names.

    Rows named twice are updated once, with the sum of their gradients. The gradient's values and
    row indices stand where the rule has the gradient.
    """

    effect = Effect.WRITE
    differentiable = False
    rule: Apply

    def infer(self, *specs: TensorSpec) -> tuple[TensorSpec, ...]:
        """Return nothing."""
        return ()

    def parted(
        self, inputs: Arrays
    ) -> tuple[list[VariableState], list[Array], Array, Array]:
        """Return the states, the scalars, the gradient's values and its row indices."""
        states, hyper = handles(inputs)
        indices = hyper.pop(-1 - self.rule.behind)
        values = hyper.pop(-1 - self.rule.behind)
        return states, hyper, values, indices

    def kernel(self, xp: Xp, *inputs: Array) -> tuple[Array, ...]:
        """Replace the rows named by the indices."""
        states, hyper, values, indices = self.parted(inputs)
        rows, where = distinct(xp, indices.reshape(-1))
        summed = sums_at(xp, rows.size, where, values)
        with _Held(states):
            parts = [s.value()[rows] for s in states]
            updated = self.rule.update(xp, parts, hyper, summed)
            for state, part in zip(states, updated, strict=True):
                with state.rewritten() as whole:
                    whole[rows] = part
        return ()


class WholeApply(SparseApply):
    """Updates a whole variable and its slots, rows that a sparse gradient leaves out as by zeros.

    Of rows named twice the gradients are added, and so are their squares, as Keras 3 does it.
    """

    rule: Squaring

    def kernel(self, xp: Xp, *inputs: Array) -> tuple[Array, ...]:
        """Replace the values of the variable and of its slots."""
        states, hyper, values, indices = self.parted(inputs)
        count, where = len(states[0].value()), indices.ravel()
        g, square = (sums_at(xp, count, where, x) for x in (values, values * values))
        with _Held(states):
            parts = [s.value() for s in states]
            updated = self.rule.update_by(xp, parts, hyper, g, square)
            for state, array in zip(states, updated, strict=True):
                state.array = xp.asarray(array)
        return ()


def by_rows(rule: Apply, alone: bool) -> SparseApply | None:
    """Return what updates by a sparse gradient, the rows that it names alone or all of them.

    None: the rule needs no more than the sums of rows named twice.
    """
    if alone:
        return SparseApply(rule)
    return WholeApply(rule) if isinstance(rule, Squaring) else None
