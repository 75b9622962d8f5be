"""Turn: what a loop does in every turn, as one list of instructions over one list of values.

Between two turns nothing is looked up, and nothing made but what the kernels make. What the
instructions are, and how they are followed, stands in straight.py; which loops of primitives are
plain enough to be run so, in tight.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.cancel import asked, heed
from tensorlite.runtime.plan import Arrays, Plan, Task
from tensorlite.runtime.straight import TEST, Instruction, follow, laid_out


@dataclass(frozen=True, eq=False)
class Recipe:
    """A loop by slots of any numbering: the tasks up to the test, and those after it."""

    state: Sequence[int]
    """The slots of the variables, as a turn finds them."""
    given: Sequence[int]
    """The slots of what is the same in all turns, and known when the loop begins."""
    constants: Mapping[int, Array]
    before: Sequence[Task]
    test: int
    inside: Sequence[Task]
    after: Sequence[int]
    """The slots of what the variables are in the next turn."""


class Numbering:
    """Numbers for the slots of a recipe: variables first, then what is given, then the rest."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.width = len(recipe.state)
        slots = [*recipe.state, *recipe.given, *recipe.constants]
        slots += [*_slots(recipe.before), *_slots(recipe.inside)]
        self.number = {slot: i for i, slot in enumerate(dict.fromkeys(slots))}
        self.free = len(self.number) - self.width - len(recipe.given)
        self.constants = [
            (self.number[slot], array) for slot, array in recipe.constants.items()
        ]
        self.next = _taking([self.number[slot] for slot in recipe.after])
        """Takes the variables of the next turn out of the values of this one."""

    def values(self, state: Arrays, given: Arrays) -> list[Any]:
        """Return the values as a first turn finds them."""
        values: list[Any] = [*state, *given, *[None] * self.free]
        for slot, array in self.constants:
            values[slot] = array
        return values


class Turn:
    """A recipe for one array module."""

    def __init__(self, recipe: Recipe, xp: Xp) -> None:
        self.numbering = Numbering(recipe)
        number = self.numbering.number
        before = [renumbered(task, number) for task in recipe.before]
        inside = [renumbered(task, number) for task in recipe.inside]
        question: Instruction = (TEST, None, number[recipe.test], None, None, ())
        self.code = (*laid_out(before, xp), question, *laid_out(inside, xp))
        # The test has no task of its own: the one that it looks at stands in its place.
        self.tasks = (*before, *(before or inside)[-1:], *inside)

    def repeated(self, xp: Xp, state: Arrays, given: Arrays = ()) -> Arrays:
        """Return the loop's variables after the last turn."""
        values = self.numbering.values(state, given)
        code, tasks = self.code, self.tasks
        width, taken = self.numbering.width, self.numbering.next
        while follow(code, tasks, values, xp):
            values[:width] = taken(values)
            if asked:
                heed()
        return tuple(values[:width])


def of_plans(cond: Plan, body: Plan) -> Recipe:
    """Return the loop of a condition and a body that have the same inputs."""
    shift = len(cond.specs)
    place = [*range(body.feeds), *range(shift, shift + len(body.specs))]
    number = dict(enumerate(place))
    constants = dict(enumerate(cond.constants, cond.feeds))
    for slot, array in enumerate(body.constants, body.feeds):
        constants[number[slot]] = array
    return Recipe(
        range(body.feeds),
        (),
        constants,
        cond.tasks,
        cond.fetches[0],
        [renumbered(task, number) for task in body.tasks],
        [number[slot] for slot in body.fetches],
    )


def _slots(tasks: Sequence[Task]) -> list[int]:
    return [slot for task in tasks for slot in (*task.inputs, *task.outputs)]


def renumbered(task: Task, number: Mapping[int, int]) -> Task:
    """Return a task with other numbers for its slots."""
    return replace(
        task,
        inputs=tuple([number[slot] for slot in task.inputs]),
        outputs=tuple([number[slot] for slot in task.outputs]),
        frees=tuple([number[slot] for slot in task.frees]),
    )


def _taking(slots: list[int]) -> Any:
    """Return what takes the values of slots, as a tuple, out of a list."""
    if len(slots) == 1:
        (only,) = slots
        return lambda values: (values[only],)
    return itemgetter(*slots)
