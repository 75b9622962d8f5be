"""The runner for plans without frames: a loop over the tasks. Nothing is decided here any more.

The time above the kernels is what counts in this file, so each task is laid out beforehand as a
tuple whose first element says how to call it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import length_hint
from sys import getrefcount
from typing import Any, NoReturn

import numpy as np

from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.plan import (
    Arrays,
    Composite,
    Plan,
    Task,
    fail,
    settled,
)

DIRECT1, DIRECT2, ONE, TWO, MANY, SEVERAL, REUSE1, REUSE2, TEST = range(9)
"""DIRECT takes no xp: the array module's function itself. SEVERAL gives a tuple of outputs."""

Instruction = tuple[int, Any, Any, Any, Any, tuple[int, ...]]
ndarray = np.ndarray


def run(plan: Plan, xp: Xp, arrays: Sequence[Array]) -> Arrays:
    """Return the fetched values of `plan`, given one array for each fed slot."""
    code = plan.prepared.get("straight")
    if code is None:
        code = plan.prepared["straight"] = laid_out(plan.tasks, xp)
    values = [*arrays, *plan.rest]
    follow(code, plan.tasks, values, xp)
    return tuple([values[slot] for slot in plan.fetches])


def follow(  # noqa: C901, PLR0912  one decision per form of call, once
    code: Sequence[Instruction], tasks: Sequence[Task], values: list[Any], xp: Xp
) -> bool:
    """Run the instructions of `tasks` over `values`; return False if a TEST did not hold."""
    steps = iter(code)
    try:
        for form, kernel, a, b, out, frees in steps:
            if form == 1:
                y = kernel(values[a], values[b])
            elif form == 3:
                y = kernel(xp, values[a], values[b])
            elif form == 0:
                y = kernel(values[a])
            elif form == 2:
                y = kernel(xp, values[a])
            elif form == 4:
                y = kernel(xp, *[values[slot] for slot in a])
            elif form == 5:
                made = kernel(xp, *[values[slot] for slot in a])
                for slot, y in zip(out, made, strict=True):
                    values[slot] = y if type(y) is ndarray else settled(xp, y)
                for slot in frees:
                    values[slot] = None
                continue
            elif form == 8:
                if values[a]:
                    continue
                return False
            else:
                y = _in_place(kernel, values, a, b)
            values[out] = y if type(y) is ndarray else settled(xp, y)
            if frees:
                for slot in frees:
                    values[slot] = None
    except Exception as error:  # noqa: BLE001  whatever it is, it goes on with a note
        _explain(tasks, steps, values, error)
    return True


def _in_place(
    kernel: Any, values: list[Any], operands: tuple[int, ...], reused: int
) -> Array:
    """Return the result, written over an operand unless something else holds its memory."""
    owned = _holders(values, reused) == ALONE and values[reused].base is None
    arrays = [values[slot] for slot in operands]
    return kernel(*arrays, out=values[reused]) if owned else kernel(*arrays)


def _holders(values: list[Any], slot: int) -> int:
    return getrefcount(values[slot])


ALONE = _holders([np.empty(1)], 0)
"""How many hold an array that only its slot holds; how Python counts differs by version."""


def _explain(
    tasks: Sequence[Task],
    steps: Iterator[Instruction],
    values: list[Any],
    error: Exception,
) -> NoReturn:
    task = tasks[len(tasks) - length_hint(steps) - 1]
    try:
        fail(task, [values[slot] for slot in task.inputs], error)
    finally:
        del error


def laid_out(tasks: Sequence[Task], xp: Xp) -> tuple[Instruction, ...]:
    """Return the instructions of tasks, with frees, for one array module."""
    return tuple([instruction(task, xp) for task in tasks])


def instruction(task: Task, xp: Xp) -> Instruction:
    """Return how to call a task: form, kernel, operands, where the result goes, what is freed."""
    inputs = task.inputs
    if len(task.outputs) != 1 or isinstance(task.kernel, Composite):
        return SEVERAL, task.kernel, inputs, None, task.outputs, task.frees
    out = task.outputs[0]
    if task.op.ufunc is not None and task.kernel == task.op.kernel:
        direct = getattr(xp, task.op.ufunc)
        if task.reuse is not None:
            return REUSE2, direct, inputs, inputs[task.reuse], out, task.frees
        if len(inputs) == 2:
            return DIRECT2, direct, *inputs, out, task.frees
        if len(inputs) == 1:
            return DIRECT1, direct, inputs[0], None, out, task.frees
    if len(inputs) == 1:
        return ONE, task.kernel, inputs[0], None, out, task.frees
    if len(inputs) == 2:
        return TWO, task.kernel, *inputs, out, task.frees
    return MANY, task.kernel, inputs, None, out, task.frees
