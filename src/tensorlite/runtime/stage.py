"""Stage: a device's share of a loop over several devices, run in order, turn by turn.

It is what tight.py makes of a loop so plain that only its Sends and Recvs concern other devices.
A turn is code that is followed as in turn.py, with those between. Where something has not arrived,
or others are too many turns behind, the run stops, and goes on when its machine hears of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlite.core.errors import GraphError
from tensorlite.core.op import Role
from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.cancel import asked, heed, stopped
from tensorlite.runtime.plan import Arrays, Task
from tensorlite.runtime.rendezvous import Party, Tag, name_of
from tensorlite.runtime.straight import Instruction, follow, laid_out
from tensorlite.runtime.turn import Numbering, Recipe, renumbered

if TYPE_CHECKING:
    from tensorlite.runtime.frames import Machine
    from tensorlite.runtime.team import Team

CODE, SEND, RECV, TEST = range(4)
_EXCHANGES = {Role.SEND: SEND, Role.RECV: RECV}
HEARS = -1
"""Stands in a Party for a Recv, where a Send gives the turn that it is of."""


class Piece(NamedTuple):
    """Part of a turn: tasks to follow, or one Send, Recv or test with its slot."""

    kind: int
    code: Sequence[Instruction] = ()
    tasks: Sequence[Task] = ()
    heavy: bool = False
    name: str = ""
    slot: int = 0


@dataclass(frozen=True, eq=False)
class Course:
    """What is done in every turn, and in the last one after the test."""

    numbering: Numbering
    pieces: Sequence[Piece]
    parallel: int
    """How many turns may be under way, here and on other devices together."""

    @property
    def last(self) -> list[Piece]:
        """What others count on in the last turn too, where it is dead."""
        kinds = [piece.kind for piece in self.pieces]
        after = self.pieces[kinds.index(TEST) :]
        return [piece for piece in after if piece.kind in (SEND, RECV)]


def course(
    recipe: Recipe, parallel: int, xp: Xp, is_heavy: Callable[[Task], bool]
) -> Course:
    """Return the course that a recipe with Sends and Recvs among its tasks is."""
    numbering = Numbering(recipe)
    number = numbering.number
    before = _pieces(recipe.before, numbering, xp, is_heavy)
    inside = _pieces(recipe.inside, numbering, xp, is_heavy)
    test = Piece(TEST, slot=number[recipe.test])
    return Course(numbering, (*before, test, *inside), parallel)


def _pieces(
    tasks: Sequence[Task],
    numbering: Numbering,
    xp: Xp,
    is_heavy: Callable[[Task], bool],
) -> Iterator[Piece]:
    numbered = [
        (renumbered(task, numbering.number), is_heavy(task)) for task in tasks
    ]
    for kind, group in groupby(numbered, _kind):
        listed = list(group)
        together = [task for task, _ in listed]
        if kind == CODE:
            heavy = any(heavy for _, heavy in listed)
            yield Piece(CODE, laid_out(together, xp), together, heavy)
            continue
        for task in together:
            (slot,) = task.inputs or task.outputs
            yield Piece(kind, tasks=[task], name=name_of(task.op), slot=slot)


def _kind(numbered: tuple[Task, bool]) -> int:
    return _EXCHANGES.get(numbered[0].op.role, CODE)


class Stage:
    """One run of a course: the turn that it is in, and what it waits for."""

    def __init__(
        self,
        machine: Machine,
        team: Team,
        outer: Tag,
        course: Course,
        done: Callable[[Arrays], None],
    ) -> None:
        self.machine = machine
        self.team = team
        self.outer = outer
        """The numbers of the iterations around."""
        self.course = course
        self.done = done
        self.unheard: dict[int, int] = {}
        """For turns whose Sends were not all taken, oldest first: how many were not."""
        self.full = False
        self.turn = 0
        self.piece: Piece = course.pieces[0]
        self.arrived: tuple[Any, bool] = (None, False)
        self._run: Iterator[None]

    def begin(self, state: Arrays, given: Arrays) -> None:
        """Run with what the loop is entered with, as far as it goes."""
        values = self.course.numbering.values(state, given)
        self._run = self._turns(values)
        self.go_on()

    def go_on(self) -> None:
        """Run until something is missing, or the loop is over."""
        next(self._run, None)

    def settle(self, turn: int, value: Any, dead: bool) -> None:
        """Take what came for a Recv, or that a Send of a turn was taken; go on if that helps."""
        if turn == HEARS:
            self.arrived = value, dead
            self.go_on()
            return
        self.unheard[turn] -= 1
        if not self.unheard[turn]:
            del self.unheard[turn]
        if self.full and not self.is_full():
            self.go_on()

    def is_full(self) -> bool:
        """Return whether as many turns are under way as may be."""
        oldest = next(iter(self.unheard), self.turn)
        return self.turn - oldest >= self.course.parallel

    def describe(self) -> str:
        """Return in words what this waits for."""
        task = self.piece.tasks[0]
        return (
            f"{task.name!r} ({task.op.name}) on {self.machine.device}, made at {task.line}, "
            f"turn {self.turn}"
        )

    def _turns(self, values: list[Any]) -> Iterator[None]:
        width, taken = self.course.numbering.width, self.course.numbering.next
        pieces = self.course.pieces
        while True:
            if self.is_full():
                self.full = True
                yield
                self.full = False
            self.heed()
            here = (*self.outer, self.turn)
            for piece in pieces:
                if piece.kind == RECV:
                    if not self.receive(piece, here):
                        yield
                    values[piece.slot] = self.living()
                elif not self.do(piece, values, here):
                    break
            else:
                values[:width] = taken(values)
                self.turn += 1
                continue
            break
        for piece in self.course.last:
            if piece.kind == SEND:
                self.send(piece, None, here, dead=True)
            elif not self.receive(piece, here):
                yield
        self.done(tuple(values[:width]))

    def heed(self) -> None:
        """Raise CancelledError if the step has failed elsewhere."""
        if self.team.error is not None:
            raise stopped()
        if asked:
            heed()

    def do(self, piece: Piece, values: list[Any], here: Tag) -> bool:
        """Do what waits for nothing; return False if it was a test that did not hold."""
        if piece.kind == CODE:
            if piece.heavy and self.team.idle_work:
                self.team.call_for_help()
            follow(piece.code, piece.tasks, values, self.machine.xp)
        elif piece.kind == SEND:
            self.send(piece, values[piece.slot], here)
            for slot in piece.tasks[0].frees:
                values[slot] = None
        else:
            return bool(values[piece.slot])
        return True

    def send(self, piece: Piece, value: Any, here: Tag, dead: bool = False) -> None:
        """Hand a value over, and remember if it was not taken yet."""
        party = Party(self.machine, self, self.turn)
        if not self.team.rendezvous.send((piece.name, here), party, value, dead):
            self.unheard[self.turn] = self.unheard.get(self.turn, 0) + 1

    def receive(self, piece: Piece, here: Tag) -> bool:
        """Return whether a value is there; else this is told when it is."""
        self.piece = piece
        party = Party(self.machine, self, HEARS)
        offer = self.team.rendezvous.receive((piece.name, here), party)
        if offer is not None:
            self.arrived = offer.value, offer.dead
        return offer is not None

    def living(self) -> Array:
        """Return what has arrived, on the device of this stage."""
        value, dead = self.arrived
        if dead:
            raise GraphError(
                f"{self.describe()}: what was sent is dead, in a turn that is not the last one"
            )
        return self.machine.here(value)
