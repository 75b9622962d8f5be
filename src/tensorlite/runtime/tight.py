"""Tight loops: loops of primitives so plain that they run in order, as structured ones do.

In such a loop all Switches ask its one condition, every Merge is of a variable, and there are no
inner loops and branches, and no waits. Then dead values arise in the last turn only, and all that
the machine would find out is known beforehand. A loop with shares on other devices may still be
one, if no long kernel holds up what the machine would do before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorlite.core.op import Role
from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.memory import is_worth_freeing
from tensorlite.runtime.plan import PRIMITIVE, Arrays, Plan, Task
from tensorlite.runtime.stage import Course, course
from tensorlite.runtime.turn import Recipe, Turn

_EXCHANGES = frozenset({Role.SEND, Role.RECV})
_ELSEWHERE = frozenset({Role.ASYNC, *PRIMITIVE})
"""Roles of tasks, beside those of a loop's own frame, that only the machine can run."""
_NONE = -1


@dataclass(frozen=True, eq=False)
class Tight:
    """A loop that is run at once when all that enters it has arrived."""

    turn: Turn | Course
    """A course where other devices have shares of the loop."""
    width: int
    """How many variables there are."""
    enters: Mapping[int, int]
    """For each slot that an Enter writes: which of the variables, then invariants, it gives."""
    exits: Sequence[tuple[int, int]]
    """For each Exit, its task and the variable that it brings out."""

    def entered(self, arrived: Mapping[int, Array]) -> tuple[Arrays, Arrays]:
        """Return the variables and what is given, of what the Enters bring by slot."""
        values: list[Any] = [None] * len(self.enters)
        for slot, value in arrived.items():
            values[self.enters[slot]] = value
        width = self.width
        return tuple(values[:width]), tuple(values[width:])


def recognised(
    plan: Plan,
    entering: Sequence[int],
    inside: Sequence[int],
    xp: Xp,
    is_heavy: Callable[[Task], bool],
) -> Tight | None:
    """Return the tight loop that a frame is, if it is one, in the plan's slots and tasks.

    `entering` are the positions of the Enters that lead into the frame, `inside` of its tasks.
    """
    loop = _Loop(plan, [plan.tasks[i] for i in entering])
    for i in inside:
        if not loop.take(i, plan.tasks[i]):
            return None
    return loop.tight(xp, is_heavy)


class _Loop:
    """The reading of one loop, task by task in order."""

    def __init__(self, plan: Plan, enters: Sequence[Task]) -> None:
        self.plan = plan
        self.parallel = max(
            [1, *[task.op.attributes()["parallel_iterations"] for task in enters]]
        )
        self.first: dict[int, Task] = {}
        """What enters once, for a variable, and what for all turns, by slot."""
        self.given: dict[int, Task] = {}
        for task in enters:
            lasting = task.op.attributes()["is_constant"]
            (self.given if lasting else self.first)[task.outputs[0]] = task
        self.alias: dict[int, int] = {}
        """Slots that hold what another holds: Switch and LoopCond pass on what they are given."""
        self.variables: dict[int, tuple[int, int]] = {}
        """For each, what enters for it, and what NextIteration brings."""
        self.next: dict[int, int] = {}
        self.left: dict[int, int] = {}
        """For the other output of each Switch: what it holds."""
        self.exits: list[tuple[int, int]] = []
        self.test = _NONE
        self.before: list[Task] = []
        self.inside: list[Task] = []
        self.chosen: set[int] = set()
        """Slots that hold something only in turns that are not the last."""
        self.exchanges = False

    def of(self, slot: int) -> int:
        """Return the slot whose value another has."""
        return self.alias.get(slot, slot)

    def take(self, i: int, task: Task) -> bool:
        """Take in a task; return whether the loop is still a plain one."""
        role = task.op.role
        if role is Role.MERGE:
            return self.merge(task)
        if role is Role.LOOP_COND:
            again = self.test != _NONE
            self.test = self.alias[task.outputs[0]] = self.of(task.inputs[0])
            return not again
        if role is Role.SWITCH:
            return self.switch(task)
        if role is Role.NEXT:
            self.next[task.outputs[0]] = self.of(task.inputs[0])
        elif role is Role.EXIT:
            self.exits.append((i, self.left.get(task.inputs[0], _NONE)))
        elif role in _ELSEWHERE:
            return False
        else:
            self.work(task)
        return role is not Role.RECV or not task.op.attributes()["conditional"]

    def switch(self, task: Task) -> bool:
        """Take in what asks whether there is another turn; the first may be first to say where."""
        data, pred = map(self.of, task.inputs)
        if self.test == _NONE:
            self.test = pred
        self.left[task.outputs[0]] = self.alias[task.outputs[1]] = data
        self.chosen.add(task.outputs[1])
        return pred == self.test

    def work(self, task: Task) -> None:
        """Take in a task that computes, sends or receives."""
        inputs = tuple([self.of(slot) for slot in task.inputs])
        here = replace(task, inputs=inputs, frees=(), reuse=None)
        goes_on = self.test != _NONE
        if task.op.role in _EXCHANGES:
            self.exchanges = True
            # What is alive in the last turn as well is sent before the test.
            goes_on &= task.op.role is Role.RECV or not self.chosen.isdisjoint(
                task.inputs
            )
        if goes_on:
            self.chosen.update(task.outputs)
        (self.inside if goes_on else self.before).append(here)

    def merge(self, task: Task) -> bool:
        """Take in a variable."""
        if len(task.inputs) != 2 or task.inputs[0] not in self.first:
            return False
        entered, brought = task.inputs
        self.variables[task.outputs[0]] = entered, brought
        return True

    def tight(self, xp: Xp, is_heavy: Callable[[Task], bool]) -> Tight | None:
        """Return the loop, if what has been taken in makes one."""
        state = list(self.variables)
        first = [entered for entered, _ in self.variables.values()]
        after = [self.next.get(slot, _NONE) for _, slot in self.variables.values()]
        if sorted(first) != sorted(self.first) or not self.is_closed(after):
            return None
        if any(slot not in self.variables for _, slot in self.exits):
            return None
        if self.exchanges and _holds_up((*self.before, *self.inside), is_heavy):
            return None
        constants = dict(enumerate(self.plan.constants, self.plan.feeds))
        kept = {*state, *after, self.test}
        tasks = self.freeing(kept)
        before, inside = tasks[: len(self.before)], tasks[len(self.before) :]
        recipe = Recipe(
            state, list(self.given), constants, before, self.test, inside, after
        )
        enters = {slot: n for n, slot in enumerate([*first, *self.given])}
        exits = [(i, state.index(slot)) for i, slot in self.exits]
        if self.exchanges:
            return Tight(
                course(recipe, self.parallel, xp, is_heavy), len(state), enters, exits
            )
        return Tight(Turn(recipe, xp), len(state), enters, exits)

    def freeing(self, kept: set[int]) -> list[Task]:
        """Return the tasks, which drop what they make and nothing after them reads."""
        tasks = [*self.before, *self.inside]
        made = {slot for task in tasks for slot in task.outputs} - kept
        made = {slot for slot in made if is_worth_freeing(self.plan.specs[slot])}
        result = []
        for task in reversed(tasks):
            dying = made & {*task.inputs, *task.outputs}
            made -= dying
            result.append(replace(task, frees=tuple(sorted(dying))))
        return result[::-1]

    def is_closed(self, after: Sequence[int]) -> bool:
        """Return whether tasks, test and variables use only what is there when they need it."""
        plan, tasks = self.plan, (*self.before, *self.inside)
        known = {*self.variables, *self.given}
        known.update(range(plan.feeds, plan.feeds + len(plan.constants)))
        known.update([slot for task in tasks for slot in task.outputs])
        used = {slot for task in tasks for slot in task.inputs}
        return known.issuperset({*used, *after, self.test})


def _holds_up(tasks: Sequence[Task], is_heavy: Callable[[Task], bool]) -> bool:
    """Return whether the order of a turn would have a long kernel hold up what the machine does.

    It would if something is received after one: the machine could begin that of the next turn. It
    also would if something is received at all, and something sent before one: what is sent in the
    next turn may be all that who sends to this waits for.
    """
    roles = [task.op.role for task in tasks]
    heavy = [i for i, task in enumerate(tasks) if is_heavy(task)]
    if not heavy or Role.RECV not in roles:
        return False
    return Role.RECV in roles[heavy[0] :] or Role.SEND in roles[: heavy[-1]]
