"""Functions in turns as far as where they meet: order, errors, and nothing left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import InjectedError
from tensorlite.distributed.strategies.lockstep import Lockstep

seen: ContextVar[str] = ContextVar("seen", default="outside")


def summing(
    count: int, body: Callable[[Lockstep, int], Any]
) -> tuple[list[Any], int]:
    """Run `count` bodies that meet to learn the sum of what they bring."""
    steps = Lockstep(lambda brought: [sum(brought)] * len(brought), "sum")
    bodies = [lambda i=i: body(steps, i) for i in range(count)]
    return steps.run(bodies), steps.meetings


def test_each_goes_on_with_what_came_of_all() -> None:
    log: list[str] = []

    def body(steps: Lockstep, index: int) -> int:
        log.append(f"a{index}")
        first = steps.meet(index, index)
        log.append(f"b{index}")
        second: int = steps.meet(index, 10 * index)
        return int(first) + second + index

    assert summing(3, body) == ([33, 34, 35], 2)
    assert log == ["a0", "a1", "a2", "b0", "b1", "b2"]


def test_who_never_meets_is_run_to_the_end() -> None:
    assert summing(2, lambda _, index: index) == ([0, 1], 0)


def test_each_has_a_context_of_its_own() -> None:
    seen.set("before")

    def body(steps: Lockstep, index: int) -> list[str]:
        found = [seen.get()]
        seen.set(str(index))
        steps.meet(index, 0)
        return [*found, seen.get()]

    assert summing(2, body)[0] == [["before", "0"], ["before", "1"]]
    assert seen.get() == "before"


@pytest.mark.parametrize("who", [0, 1, 2])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_error_ends_all_and_leaves_no_thread(who: int, after: int) -> None:
    ended: list[int] = []

    def body(steps: Lockstep, index: int) -> None:
        try:
            for turn in range(3):
                if (index, turn) == (who, after):
                    raise InjectedError("disk on fire")
                steps.meet(index, 0)
        finally:
            ended.append(index)

    before = set(threading.enumerate())
    with pytest.raises(InjectedError, match="disk on fire"):
        summing(3, body)
    assert len(ended) == len(set(ended))
    assert set(threading.enumerate()) <= before


def test_an_error_where_they_meet_is_raised() -> None:
    def merge(brought: list[Any]) -> list[Any]:
        raise InjectedError(str(sum(brought)))

    steps = Lockstep(merge, "sum")
    with pytest.raises(InjectedError, match="3"):
        steps.run([lambda: steps.meet(0, 1), lambda: steps.meet(1, 2)])


@pytest.mark.parametrize("who", [0, 1])
def test_who_does_not_come_is_named(who: int) -> None:
    def body(steps: Lockstep, index: int) -> None:
        steps.meet(index, 0)
        if index != who:
            steps.meet(index, 0)

    text = rf"replica {1 - who} .* calls sum for the 2\. time, which replica {who} does not"
    with pytest.raises(tl.errors.InvalidArgumentError, match=text):
        summing(2, body)
