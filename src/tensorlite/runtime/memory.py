"""What is known of memory before a plan runs: when values die, and who may write where.

An element-by-element operator may write its result over an operand that dies there, if a task
of this plan made that operand afresh and no other value can share its memory. The runner still
asks, on the spot, whether anything else holds the array; this file only finds the candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tensorlite.core.op import Effect, Role
from tensorlite.core.spec import TensorSpec
from tensorlite.runtime.plan import CONTROL, PRIMITIVE, Task

WORTH_FREEING = 1024
"""Smaller values are left until the step is over."""
WORTH_REUSING = 4096
"""Below this, finding the memory takes longer than allocating it."""


def planned(
    tasks: Sequence[Task],
    specs: Sequence[TensorSpec],
    fetches: Sequence[int],
    inner: Any,
) -> tuple[tuple[Task, ...], int]:
    """Return the tasks with their frees and reuses, and the bytes they take at most.

    `inner(task)` says how many bytes the task itself takes while it runs its inner plans.
    """
    groups = _sharing(tasks, len(specs))
    last = {
        slot: i
        for i, task in enumerate(tasks)
        for slot in (*task.inputs, *task.outputs)
    }
    kept = set(fetches)
    sizes = Counter(groups)
    unshared = {slot for slot, group in enumerate(groups) if sizes[group] == 1}
    made = {slot: task for task in tasks for slot in task.outputs}
    result = []
    for i, task in enumerate(tasks):
        dying = [
            s for s in {*task.inputs, *task.outputs} if last[s] == i and s not in kept
        ]
        dying = [slot for slot in dying if slot in made]
        reuse = _reusable(task, dying, specs, unshared, made)
        frees = [slot for slot in dying if is_worth_freeing(specs[slot])]
        result.append(replace(task, frees=tuple(sorted(frees)), reuse=reuse))
    return tuple(result), _peak(result, specs, groups, last, kept, inner)


def size_of(spec: TensorSpec) -> int | None:
    """Return how many bytes a value takes, or None when that is not known."""
    if spec.size is None or spec.dtype.kind in "RVO":
        return None
    return spec.size * int(spec.dtype.itemsize)


def is_worth_freeing(spec: TensorSpec) -> bool:
    """Return whether a value is to be dropped before its step, or turn, is over."""
    return (size_of(spec) or WORTH_FREEING) >= WORTH_FREEING


def _sharing(tasks: Sequence[Task], slots: int) -> list[int]:
    """Return for each slot the number of its group: slots that may share memory."""
    group = list(range(slots))

    def root(slot: int) -> int:
        while group[slot] != slot:
            group[slot] = slot = group[group[slot]]
        return slot

    for task in tasks:
        if task.op.aliases or task.op.role in CONTROL | PRIMITIVE:
            first, *others = (*task.inputs, *task.outputs) or (0,)
            for other in others:
                group[root(other)] = root(first)
    return [root(slot) for slot in range(slots)]


def _reusable(
    task: Task,
    dying: Sequence[int],
    specs: Sequence[TensorSpec],
    unshared: set[int],
    made: dict[int, Task],
) -> int | None:
    if task.op.ufunc is None or len(task.outputs) != 1:
        return None
    out = specs[task.outputs[0]]
    if (size_of(out) or 0) < WORTH_REUSING:
        return None
    for position, slot in enumerate(task.inputs):
        same = specs[slot].shape == out.shape and specs[slot].dtype is out.dtype
        if slot in dying and same and _is_fresh(made[slot]) and slot in unshared:
            return position
    return None


def _is_fresh(task: Task) -> bool:
    op = task.op
    return op.role is Role.PLAIN and op.effect is Effect.NONE and not op.aliases


def _peak(
    tasks: Sequence[Task],
    specs: Sequence[TensorSpec],
    groups: Sequence[int],
    last: dict[int, int],
    kept: set[int],
    inner: Any,
) -> int:
    """Return the most bytes that live at once, counting memory that slots share once."""
    made = {slot for task in tasks for slot in task.outputs}
    end: dict[int, int] = {}
    for slot in made:
        until = len(tasks) if slot in kept else last[slot]
        end[groups[slot]] = max(end.get(groups[slot], 0), until)
    foreign = {
        groups[slot] for task in tasks for slot in task.inputs if slot not in made
    }
    live = peak = 0
    held: dict[int, int] = {}
    for i, task in enumerate(tasks):
        before = live
        for slot in task.outputs:
            group = groups[slot]
            if group not in held and group not in foreign:
                held[group] = size_of(specs[slot]) or 0
                live += held[group]
        reused = 0 if task.reuse is None else live - before
        peak = max(peak, live - reused + inner(task))
        for group in [
            g for g in {groups[s] for s in (*task.inputs, *task.outputs)} if g in held
        ]:
            if end[group] <= i:
                live -= held.pop(group)
    return peak
