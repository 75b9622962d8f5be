"""Simulated networks: virtual time, links that break, who is to blame for a deadlock."""

from __future__ import annotations

from threading import Thread, current_thread
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import (
    DeadlockError,
    InvalidArgumentError,
    UnavailableError,
)
from tensorlite.distributed.engines.events import Faults
from tensorlite.distributed.transport.carrier import COMMAND
from tests.distributed.carriers import Answers, linked
from tests.distributed.pairs import key
from tests.threads import Background


def test_time_passes_only_there() -> None:
    network, (a, _) = linked(faults=Faults(delay=(3600, 3600)))
    answers = Answers(a)
    answers.ask("b", 1, key("x"))
    assert not a.wait(lambda: bool(answers.came), 60)
    assert network.events.now == 60
    network.carrier("c")
    [*_, b] = [x for x in network.listening.values() if x.task == "b"]
    b.send("a", 1, key("x"), np.ones(3))
    assert a.wait(lambda: bool(answers.came))
    assert network.events.now == 3660


def test_tensors_overtake_each_other_unless_they_may_not() -> None:
    for reorder in (True, False):
        orders = set()
        for seed in range(10):
            _, (a, b) = linked(seed, Faults(reorder=reorder))
            order: list[int] = []
            for i in range(5):
                b.receive(
                    "a", 1, key("x", i), lambda x, order=order: order.append(x.value)
                )
            for i in range(5):
                a.send("b", 1, key("x", i), np.array(i))
            b.wait(lambda order=order: len(order) == 5)
            orders.add(tuple(map(int, order)))
        assert (len(orders) > 1) is reorder
        assert orders >= {(0, 1, 2, 3, 4)} or reorder


def test_a_straggler_is_slow_in_all_it_does() -> None:
    network, (a, b) = linked(
        faults=Faults(delay=(1, 1), work=(1, 1), stragglers={"b": 10.0})
    )
    answers = Answers(b)
    a.send("b", 1, key("x"), np.ones(3))
    answers.take("a", 1, key("x"))
    assert network.events.now == 10
    b.later(lambda: b.send("a", 1, key("x"), np.ones(3)))
    Answers(a).take("b", 1, key("x"))
    assert network.events.now == 21


def test_a_cut_link_loses_what_is_on_it_and_can_be_made_again() -> None:
    faults = Faults(notice=(1, 1), outage=(5, 5))
    network, (a, b) = linked(17, faults)
    both = Answers(a), Answers(b)
    for answers in both:
        answers.serve()
    a.connect("b")
    both[1].ask("a", 1, key("x"))
    a.send("b", 1, key("x"), np.ones(3))
    network.cut("a", "b")
    a.send("b", 1, key("y"), np.ones(3))
    for answers in both:
        [(_, reason)] = answers.after(answers.lost, 1)
        assert "the link was cut at 0.000 s of seed 17" in reason
    assert isinstance(both[1].came[0], UnavailableError)
    assert network.events.now == 1
    with pytest.raises(UnavailableError, match=r"cannot be reached .* at 1\.000 s"):
        a.send("b", 2, key("x"), np.ones(3))
    a.wait(lambda: False, 4)
    a.send("b", 2, key("x"), np.ones(3))
    assert both[1].take("a", 2, key("x")).tolist() == [1, 1, 1]
    assert [str(each) for each in network.log] == [
        "cut the link between a and b at 0.000 s"
    ]


def test_one_side_may_call_before_the_other_knows() -> None:
    """Who did not know of the cut is told before anything comes by the new link."""
    for seed in range(20):
        faults = Faults(notice=(0.1, 2), outage=(0, 0))
        network, (a, b) = linked(seed, faults)
        both = Answers(a), Answers(b)
        for answers in both:
            answers.serve()
        a.connect("b")
        both[1].ask("a", 1, key("x"))
        network.cut("a", "b")
        both[0].after(both[0].lost, 1)
        told = len(both[1].lost)
        a.send("b", COMMAND, key("again"), np.ones(3))
        both[1].after(both[1].commands, 1)
        assert len(both[1].lost) == 1
        assert len(both[1].came) == 1
        if not told:
            assert "another link has taken its place" in both[1].lost[0][1]
        a.wait(lambda: False, 10)
        assert len(both[1].lost) == 1


def test_a_killed_task_does_nothing_more() -> None:
    network, (a, b) = linked(5)
    answers, dead = Answers(a), Answers(b)
    answers.serve()
    dead.serve()
    a.connect("b")
    answers.ask("b", 1, key("x"))
    dead.ask("a", 1, key("x"))
    b.later(lambda: dead.came.append("work"))
    a.send("b", COMMAND, key("run"), np.ones(3))
    network.kill(b)
    network.kill(b)
    [(task, reason)] = answers.after(answers.lost, 1)
    assert task == "b"
    assert "it was killed at 0.000 s of seed 5" in reason
    assert not a.wait(lambda: False, 100)
    assert dead.came == dead.commands == dead.lost == []
    assert [each.what for each in network.log] == ["killed b"]


def test_what_is_dropped_comes_later() -> None:
    network, (a, b) = linked(1, Faults(delay=(0, 0), drops=0.5, again=(1, 1)))
    times = set()
    for step in range(20):
        began = network.events.now
        a.send("b", step + 1, key("x"), np.ones(3))
        Answers(b).take("a", step + 1, key("x"))
        times.add(network.events.now - began)
    assert times == {0, 1}
    assert "dropped, and sent again: x of step" in str(network.log[0])


def test_a_deadlock_names_who_waits_and_who_is_to_blame() -> None:
    network, (a, b, c) = linked(17, tasks="abc")
    a.connect("b")
    Answers(a).ask("b", 7, key("grad/w", 2))
    Answers(b).ask("c", 7, key("loss"))
    with pytest.raises(DeadlockError) as caught:
        a.wait(lambda: False)
    text = str(caught.value)
    assert "at 0.000 s of seed 17" in text
    assert "a waits for grad/w of step 7 in iteration (2,) from b" in text
    assert "b waits for loss of step 7 from c" in text
    assert "; c is waited for and waits for nothing itself" in text
    assert "What went wrong before: nothing" in text
    a.awaited = lambda: ["grad/w, which b has not sent, for MatMul"]
    with pytest.raises(DeadlockError) as caught:
        a.wait(lambda: False)
    text = str(caught.value)
    assert "a waits for grad/w, which b has not sent, for MatMul;" in text
    assert "iteration" not in text
    assert "; c is waited for and waits for nothing itself" in text
    network.kill(c)
    a.wait(lambda: False, 10)
    with pytest.raises(DeadlockError) as caught:
        a.wait(lambda: False)
    assert "from c (which does not run)" in str(caught.value)
    assert "before: killed c at 0.000 s" in str(caught.value)


def test_an_error_says_when_it_was_and_in_what() -> None:
    _, (a, b) = linked(4)

    def fails(*_: object) -> None:
        raise ValueError("a mistake")

    b.serve(fails, fails)
    a.send("b", COMMAND, key("run"), np.ones(3))
    with pytest.raises(ValueError, match="mistake") as caught:
        a.wait(lambda: False)
    [note] = caught.value.__notes__
    assert note.startswith("in: run from a to b, at 0.000 s of seed 4")


def test_several_threads_may_wait() -> None:
    _, carriers = linked(2, tasks="abcd")
    a, *others = carriers
    for one in carriers:
        one.connect("a") if one is not a else None

    def go(carrier: Any) -> list[float]:
        answers = Answers(carrier)
        found = []
        for step in range(1, 30):
            to = carriers[(carriers.index(carrier) + 1) % 4].task
            source = carriers[(carriers.index(carrier) - 1) % 4].task
            carrier.send(to, step, key("x"), np.array(step))
            found.append(answers.take(source, step, key("x")).item())
        return found

    threads = [Background(go, each) for each in others]
    expected = [*range(1, 30)]
    assert go(a) == expected
    for each in threads:
        assert each.result() == expected


def test_a_thread_that_may_still_act_is_waited_for() -> None:
    _, (a, b) = linked(2)
    answers = Answers(a)
    answers.ask("b", 1, key("x"))
    started: list[Thread] = []

    def go() -> None:
        started.append(current_thread())
        b.send("a", 1, key("x"), np.ones(3))

    with Background(go):
        assert a.wait(lambda: bool(answers.came))
    with pytest.raises(DeadlockError):
        a.wait(lambda: False)


def test_faults_are_checked() -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"Faults: kills=2\.0; give a prob"
    ):
        Faults(kills=2.0)
    with pytest.raises(
        InvalidArgumentError, match=r"Faults: delay=\(2, 1\); give the"
    ):
        Faults(delay=(2, 1))
    with pytest.raises(InvalidArgumentError, match=r"stragglers has 0 for b; give a"):
        Faults(stragglers={"b": 0})


@pytest.mark.parametrize("timeout", [None, 3.0])
def test_what_happens_may_wait_itself(timeout: float | None) -> None:
    """An inner wait goes on though the time of the outer one has come."""
    network, (a, b) = linked(faults=Faults(delay=(1, 1), work=(0, 0)))
    waited: list[float] = []

    def wait(*_: object) -> None:
        b.later(b.wake)
        assert not b.wait(lambda: False, 5)
        waited.append(network.events.now)

    b.serve(wait, wait)
    a.send("b", COMMAND, key("run"), np.ones(3))
    assert a.wait(lambda: bool(waited), timeout)
    assert waited == [6]


def test_a_deadlock_within_what_happens_is_told() -> None:
    _, (a, b) = linked()
    b.serve(lambda *_: b.wait(lambda: False), print)
    a.send("b", COMMAND, key("run"), np.ones(3))
    with pytest.raises(DeadlockError) as caught:
        a.wait(lambda: False, 30)
    assert caught.value.__notes__[-1].startswith("in: run from a to b, at ")
