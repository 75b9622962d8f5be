"""What any carrier promises, on a simulated network and on sockets alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.distributed.transport.arrivals import Arrival
from tensorlite.distributed.transport.carrier import COMMAND, Carrier
from tensorlite.distributed.transport.parcels import Parcel
from tests.distributed.carriers import WAYS, Answers, two
from tests.distributed.pairs import key
from tests.distributed.values import ARRAYS, same
from tests.threads import LONG


@pytest.mark.parametrize("way", WAYS)
def test_every_array_comes_as_it_was(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        answers = Answers(b)
        for step, array in enumerate(ARRAYS.values(), 1):
            a.send("b", step, key("x"), array)
            same(answers.take("a", step, key("x")), array)
        a.send_all("b", 99, [Parcel(key(n, 3), v) for n, v in ARRAYS.items()])
        for name, array in ARRAYS.items():
            same(answers.take("a", 99, key(name, 3)), array)
        sent, got = a.traffic()["b"], b.traffic()["a"]
        assert sent.messages_out == got.messages_in == 2 * len(ARRAYS)
        assert sent.bytes_out == got.bytes_in > 0


@pytest.mark.parametrize("way", WAYS)
def test_what_was_sent_may_be_changed(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        array = np.arange(3)
        a.send("b", 1, key("x"), array)
        array[:] = 7
        assert Answers(b).take("a", 1, key("x")).tolist() == [0, 1, 2]


@pytest.mark.parametrize("way", WAYS)
def test_dead_values_and_scalars(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        answers = Answers(b)
        answers.ask("a", 1, key("x"))
        a.send("b", 1, key("x"), None, dead=True)
        assert answers.after(answers.came, 1) == [Arrival(None, True)]
        a.send("b", 1, key("y"), 2.5)
        assert answers.take("a", 1, key("y")).item() == 2.5


@pytest.mark.parametrize("way", WAYS)
def test_commands_come_in_order_and_at_once(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        answers = Answers(b)
        a.send("b", COMMAND, key("early"), np.array([1]))
        answers.serve()
        for i in range(50):
            a.send("b", COMMAND, key("run", i), np.array([i]))
        answers.after(answers.commands, 51)
        assert [(task, asked) for task, asked, _ in answers.commands] == [
            ("a", key("early")),
            *(("a", key("run", i)) for i in range(50)),
        ]
        assert [value.item() for *_, value in answers.commands[1:]] == [*range(50)]


@pytest.mark.parametrize("way", WAYS)
def test_a_command_may_be_answered(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        answers = Answers(a)
        answers.serve()

        def answer(task: str, asked: Any, value: Any) -> None:
            b.later(lambda: b.send(task, COMMAND, key("done", *asked[1]), value))

        b.serve(answer, lambda task, reason: None)
        for i in range(20):
            a.send("b", COMMAND, key("run", i), np.array([i]))
            _, asked, value = answers.after(answers.commands, i + 1)[i]
            assert (asked, value.item()) == (key("done", i), i)


@pytest.mark.parametrize("way", WAYS)
def test_a_closed_carrier_is_lost_to_the_other(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        answers = Answers(a)
        answers.serve()
        b.send("a", COMMAND, key("last"), np.array(1))
        b.send("a", 1, key("last"), np.array(2))
        a.connect("b")
        answers.ask("b", 1, key("never"))
        b.close()
        b.close()
        error = answers.after(answers.came, 1)[0]
        assert isinstance(error, UnavailableError)
        assert "task b" in str(error)
        [(task, reason)] = answers.after(answers.lost, 1)
        assert task == "b"
        assert "task b (incarnation 0x1) is not linked any more" in reason
        assert len(answers.commands) == 1
        assert answers.take("b", 1, key("last")) == 2
        with pytest.raises(UnavailableError, match="task b"):
            answers.take("b", 1, key("late"))
        with pytest.raises(UnavailableError, match="task b cannot be reached"):
            a.send("b", 2, key("x"), np.ones(3))
        with pytest.raises(FailedPreconditionError, match="of b is closed"):
            b.send("a", 2, key("x"), np.ones(3))


@pytest.mark.parametrize("way", WAYS)
def test_who_waits_here_is_told_of_the_close(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, _, _):
        answers = Answers(a)
        answers.serve()
        a.connect("b")
        answers.ask("b", 1, key("x"))
        a.close()
        assert isinstance(answers.after(answers.came, 1)[0], UnavailableError)
        assert [task for task, _ in answers.after(answers.lost, 1)] == ["b"]


@pytest.mark.parametrize("way", WAYS)
def test_a_loss_may_be_answered_by_calling_again(way: str, tmp_path: Path) -> None:
    """The new link is there at once, and what comes by it comes after the loss."""
    with two(way, tmp_path) as (a, b, again):
        answers = Answers(b)
        answers.serve()
        new = again(2)
        new.meet("a", a.address, 1)
        heard = Answers(new)
        heard.serve()

        losses: list[str] = []

        def lost(task: str, reason: str) -> None:
            losses.append(task)
            if len(losses) == 1:
                a.meet("b", new.address, 2)
                a.later(lambda: a.send("b", COMMAND, key("again"), np.array(5)))

        a.serve(lambda *_: None, lost)
        a.connect("b")
        b.close()
        [(task, asked, value)] = heard.after(heard.commands, 1)
        assert (task, asked, value.item()) == ("a", key("again"), 5)
        assert losses == ["b"]
        assert [task for task, _ in answers.lost] == ["a"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("told", [True, False])
def test_a_new_incarnation_takes_the_place_of_the_old(
    way: str, told: bool, tmp_path: Path
) -> None:
    with two(way, tmp_path) as (a, b, again):
        answers = Answers(a)
        answers.serve()
        b.send("a", 1, key("old"), np.ones(3))
        b.send("a", COMMAND, key("old"), np.ones(3))
        answers.after(answers.commands, 1)
        answers.ask("b", 1, key("never"))
        new = again(2)
        new.meet("a", a.address, 1)
        if told:
            a.meet("b", new.address, 2)
            assert len(answers.lost) == 1
            a.connect("b")
        else:
            new.connect("a")
        assert isinstance(answers.after(answers.came, 1)[0], UnavailableError)
        answers.after(answers.lost, 1)
        new.send("a", 1, key("old"), np.zeros(3))
        same(answers.take("b", 1, key("old")), np.zeros(3))
        with pytest.raises(
            InvalidArgumentError, match="incarnation 0x1 of b is over"
        ):
            a.meet("b", b.address, 1)
        assert a.wait(lambda: _refused(b), LONG)
        assert len(answers.lost) == 1


def _refused(old: Carrier) -> bool:
    """Return whether an incarnation that is over knows that it is not linked any more."""
    try:
        old.connect("a")
    except UnavailableError as error:
        assert "incarnation 0x1 of b is over" in str(error)  # noqa: PT017
        return True
    return False


@pytest.mark.parametrize("way", WAYS)
def test_an_address_is_only_good_for_its_incarnation(
    way: str, tmp_path: Path
) -> None:
    with two(way, tmp_path) as (a, b, _):
        a.meet("b", b.address, 7)
        with pytest.raises(UnavailableError, match="incarnation 0x1 now, not 0x7"):
            a.connect("b")


@pytest.mark.parametrize("way", WAYS)
def test_a_step_that_is_over_leaves_nothing(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        answers = Answers(b)
        answers.ask("a", 1, key("y"))
        assert list(b.waiting(1)) == [("a", key("y"))]
        b.forget(1)
        assert list(b.waiting(1)) == []
        a.send("b", 1, key("y"), np.ones(3))
        a.send("b", 2, key("y"), np.ones(3))
        assert answers.take("a", 2, key("y")).tolist() == [1, 1, 1]
        assert len(answers.came) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_wait_can_be_given_up(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, b, _):
        answers = Answers(b)
        answers.ask("a", 1, key("x"))()
        answers.ask("a", 1, key("x"))
        with pytest.raises(InvalidArgumentError, match="waited for already"):
            answers.ask("a", 1, key("x"))
        a.send("b", 1, key("x"), np.ones(()))
        assert answers.after(answers.came, 1)[0].value == 1


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_is_refused_and_changes_nothing(
    way: str, tmp_path: Path
) -> None:
    with two(way, tmp_path) as (a, b, _):
        with pytest.raises(NotFoundError, match="no task 'c'; known are b"):
            a.send("c", 1, key("x"), np.ones(3))
        with pytest.raises(NotFoundError, match="no task 'c'"):
            a.receive("c", 1, key("x"), print)
        with pytest.raises(InvalidArgumentError, match="is this task"):
            a.send("a", 1, key("x"), np.ones(3))
        with pytest.raises(DTypeError, match="cannot be sent"):
            a.send("b", 1, key("x"), np.array([object()], object))
        large = [Parcel(key("y"), np.ones(3)), Parcel(key("x"), np.ones(600_000))]
        with pytest.raises(InvalidArgumentError, match="4800000 bytes"):
            a.send_all("b", 1, large)
        with pytest.raises(InvalidArgumentError, match="a name of 20000 bytes"):
            a.send("b", 1, key("x" * 20_000), np.ones(3))
        a.send("b", 1, key("x"), np.ones(3))
        assert Answers(b).take("a", 1, key("x")).tolist() == [1, 1, 1]
        assert a.traffic()["b"].messages_out == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_wait_ends_in_time(way: str, tmp_path: Path) -> None:
    with two(way, tmp_path) as (a, _, _):
        assert a.wait(lambda: True)
        assert not a.wait(lambda: False, 0.01)
        done: list[int] = []

        def work() -> None:
            done.append(1)
            a.wake()

        a.later(work)
        assert a.wait(lambda: bool(done))
