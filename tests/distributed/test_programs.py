"""Programs that meet: collectives between tasks of which each runs by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError, TensorliteError
from tensorlite.distributed.collectives.all_reduce_op import (
    from_first,
    gathered,
    reduced,
)
from tensorlite.distributed.collectives.meetings import Members
from tensorlite.distributed.collectives.programs import Program, enter, leave
from tensorlite.distributed.server import Server
from tests.serving import free_ports
from tests.threads import Background

TASKS = tuple([f"/job:worker/task:{i}" for i in range(3)])


class Group:
    """Tasks of this process, each of which a thread's program is."""

    def __init__(self) -> None:
        ports = free_ports(len(TASKS))
        addresses = {
            task: f"localhost:{port}" for task, port in zip(TASKS, ports, strict=True)
        }
        self.servers = [Server(addresses, task) for task in TASKS]
        meeting = [Background(each.meet, TASKS) for each in self.servers]
        for each in meeting:
            each.result()
        self.programs = [Program(each.carrier) for each in self.servers]
        for program in self.programs:
            enter(program)

    def run(self, function: Callable[[Program, Members], Any]) -> list[Any]:
        """Return what a function returns in each program."""
        running = [
            Background(function, program, Members(TASKS, rank))
            for rank, program in enumerate(self.programs)
        ]
        return [each.result() for each in running]

    def close(self) -> None:
        """End all."""
        for program, server in zip(self.programs, self.servers, strict=True):
            leave(program)
            server.close()


@pytest.fixture
def group() -> Iterator[Group]:
    """Three tasks that are linked."""
    made = Group()
    yield made
    made.close()


def test_sums_rows_and_first_values_eagerly(group: Group) -> None:
    def program(here: Program, members: Members) -> Any:
        own = tl.asarray([1.0, 2.0]) * float(members.rank + 1)
        sums = [reduced(own, members, here.key()) for _ in range(3)]
        found = [x.tolist() for x in sums]
        mean = reduced(own, members, here.key(), "mean").tolist()
        rows = gathered(own[: members.rank + 1][:2], members, here.key()).tolist()
        return found, mean, rows, from_first(own, members, here.key()).tolist()

    for found, mean, rows, first in group.run(program):
        assert found == [[6.0, 12.0]] * 3
        assert mean == [2.0, 4.0]
        assert rows == [1.0, 2.0, 4.0, 3.0, 6.0]
        assert first == [1.0, 2.0]


def test_traced_functions_meet_each_time_that_they_run(group: Group) -> None:
    def program(here: Program, members: Members) -> Any:
        @tl.function
        def step(x: tl.Tensor) -> Any:
            with tl.GradientTape() as tape:
                tape.watch(x)
                y = tl.sum(reduced(x * x, members, here.key()))
            return reduced(x, members, here.key()) + tape.gradient(y, x)

        own = tl.asarray([1.0, 2.0]) * float(members.rank + 1)
        return [step(own).tolist() for _ in range(3)]

    # the sum of all is 6 and 12; each loss is of all, so 2 x three times
    for rank, found in enumerate(group.run(program)):
        own = np.array([1.0, 2.0]) * (rank + 1)
        assert found == [([6.0, 12.0] + 3 * 2 * own).tolist()] * 3


def test_large_values(group: Group) -> None:
    def program(here: Program, members: Members) -> Any:
        own = tl.ones(1 << 19) * float(members.rank)
        return float(tl.max(reduced(own, members, here.key())))

    assert group.run(program) == [3.0] * 3


def test_what_differs_is_told_to_all(group: Group) -> None:
    def program(here: Program, members: Members) -> Any:
        own = tl.ones(2 + members.rank // 2)
        with pytest.raises(
            InvalidArgumentError, match="all ranks must have the same"
        ):
            reduced(own, members, here.key())
        if members.rank < 2:
            from_first(own, members, here.key())
        else:
            with pytest.raises(InvalidArgumentError, match="all ranks"):
                from_first(own, members, here.key())
        return reduced(tl.ones(2), members, here.key()).tolist()

    assert group.run(program) == [[3.0, 3.0]] * 3


def test_a_lost_program_ends_what_waits_for_it(group: Group) -> None:
    def program(here: Program, members: Members) -> Any:
        if members.rank == 2:
            group.servers[2].close()
            return
        with pytest.raises(TensorliteError, match="task:2"):
            reduced(tl.ones(2), members, here.key())

    group.run(program)
