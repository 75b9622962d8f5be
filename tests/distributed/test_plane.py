"""Planes: what is sent comes, whoever is lost is named at once, and nothing is left."""

from __future__ import annotations

import gc
import threading
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
from tensorlite.distributed.transport.messages import Limits
from tensorlite.distributed.transport.parcels import Parcel
from tensorlite.distributed.transport.plane import Plane
from tests.distributed.pairs import SECRET, WAYS, Receiver, key, pair, plane
from tests.distributed.values import ARRAYS, same
from tests.threads import Background, until


@pytest.mark.parametrize("way", WAYS)
def test_every_array_comes_as_it_was(way: str, tmp_path: Path) -> None:
    with pair(way, tmp_path) as (a, b):
        receiver = Receiver(b, "a")
        for step, array in enumerate(ARRAYS.values(), 1):
            a.send("b", step, key("x"), array)
            same(receiver.take(step, key("x")), array)
        a.send_all("b", 99, [Parcel(key(n), v) for n, v in ARRAYS.items()])
        for name, array in ARRAYS.items():
            same(receiver.take(99, key(name)), array)
        assert len(b._arrivals) == 0


@pytest.mark.parametrize("way", WAYS)
def test_keys_steps_and_iterations_are_told_apart(way: str, tmp_path: Path) -> None:
    with pair(way, tmp_path) as (a, b):
        wanted = [(s, key("x", i)) for s in range(1, 4) for i in range(3)]
        found: dict[Any, Any] = {}
        done = threading.Event()

        def take(asked: Any) -> Any:
            def taken(arrival: Any) -> None:
                found[asked] = arrival
                if len(found) == 9:
                    done.set()

            return taken

        for asked in wanted[::2]:
            b.receive("a", *asked, take(asked))
        for step, one in wanted[::-1]:
            a.send("b", step, one, np.array([step, one[1][0]]), dead=step == 2)
        for asked in wanted[1::2]:
            b.receive("a", *asked, take(asked))
        assert done.wait(30)
        for (step, one), arrival in found.items():
            assert arrival.dead is (step == 2)
            if step != 2:
                assert arrival.value.tolist() == [step, one[1][0]]


@pytest.mark.parametrize("way", WAYS)
def test_both_ways_at_once(way: str, tmp_path: Path) -> None:
    """Each sends large values that the other does not read meanwhile: none waits for itself."""
    with pair(way, tmp_path) as (a, b):

        def send(source: Plane, to: str, seed: int) -> None:
            for step in range(1, 61):
                source.send(
                    to, step, key("x"), np.full(50_000, step + seed, np.float32)
                )

        def take(target: Plane, source: str, seed: int) -> None:
            receiver = Receiver(target, source)
            for step in range(1, 61):
                value = receiver.take(step, key("x"))
                assert value.shape == (50_000,)
                assert (value == step + seed).all()

        work = [
            (send, a, "b", 0),
            (send, b, "a", 5),
            (take, b, "a", 0),
            (take, a, "b", 5),
        ]
        for each in [Background(*one) for one in work]:
            each.result()
        counts = a.traffic()["b"], b.traffic()["a"]
        assert counts[0].messages_out == counts[1].messages_in == 60
        assert counts[0].bytes_in == counts[1].bytes_out == 60 * 200_000


def test_values_stay_as_they_are_while_anything_holds_them(tmp_path: Path) -> None:
    """A slice of what came keeps its segment from being filled again."""
    with pair("unix", tmp_path) as (a, b):
        receiver = Receiver(b, "a")
        kept = []
        for step in range(1, 51):
            a.send("b", step, key("x"), np.full((50, 1000), step, np.int64))
            value = receiver.take(step, key("x"))
            kept.append(value.T[::7, 3:] if step % 2 else value[2:4].reshape(-1))
            del value
        for step, part in enumerate(kept, 1):
            assert (part == step).all()
        kept.clear()
        gc.collect()
        a.send("b", 51, key("x"), np.ones((50, 1000)))
        assert receiver.take(51, key("x")).sum() == 50_000


def test_a_sent_array_may_be_changed_at_once(tmp_path: Path) -> None:
    with pair("tcp", tmp_path) as (a, b):
        array = np.zeros(1_000_000, np.float32)
        for step in range(1, 6):
            array[:] = step
            a.send("b", step, key("x"), array)
        receiver = Receiver(b, "a")
        for step in range(1, 6):
            assert (receiver.take(step, key("x")) == step).all()


@pytest.mark.parametrize("way", ["unix", "tcp"])
def test_a_slow_consumer_holds_up_the_sender(way: str, tmp_path: Path) -> None:
    limits = Limits(window=1 << 20)
    with pair(way, tmp_path, limits=limits) as (a, b):
        sent = []

        def send() -> None:
            for step in range(1, 101):
                a.send("b", step, key("x"), np.full(25_000, step, np.float32))
                sent.append(step)

        sender = Background(send)
        until(lambda: len(sent) >= 9)
        most = (limits.window // 100_000) + 2
        for step in range(1, 101):
            waiting = len(b._arrivals)
            assert waiting <= most
            assert len(sent) <= step + most
            assert (Receiver(b, "a").take(step, key("x")) == step).all()
        sender.result()


def test_a_callback_may_send(tmp_path: Path) -> None:
    """On the thread of a link nothing waits, though more is sent than the other may have."""
    limits = Limits(window=1 << 16)
    with pair("unix", tmp_path, limits=limits) as (a, b):
        for step in range(1, 201):
            b.receive("a", step, key("x"), _back(b, step))
        for step in range(1, 201):
            a.send("b", step, key("x"), np.array(step))
        receiver = Receiver(a, "b")
        for step in range(1, 201):
            assert receiver.take(step, key("y")).sum() == step * 1000
            same(receiver.take(step, key("large")), np.full(20_000, step))


def _back(b: Plane, step: int) -> Any:
    def back(arrival: Any) -> None:
        b.send("a", step, key("y"), np.full(1000, arrival.value))
        b.send("a", step, key("large"), np.full(20_000, arrival.value))

    return back


@pytest.mark.parametrize("way", WAYS)
def test_a_lost_task_is_told_to_all_who_wait(way: str, tmp_path: Path) -> None:
    with pair(way, tmp_path) as (a, b):
        a.connect("b")
        receiver = Receiver(a, "b")
        for i in range(5):
            receiver.ask(1, key("x", i))
        b.close()
        for _ in range(5):
            with pytest.raises(UnavailableError, match=r"task b .* closed by it"):
                receiver.get()
        assert receiver.ask(1, key("late")) is None
        with pytest.raises(UnavailableError, match="task b"):
            receiver.get()
        with pytest.raises(UnavailableError, match="task b cannot be reached"):
            a.send("b", 2, key("x"), np.ones(3))


def test_a_sender_that_waits_is_told(tmp_path: Path) -> None:
    with pair("unix", tmp_path, limits=Limits(window=1 << 16)) as (a, b):

        def send() -> None:
            for i in range(1000):
                a.send("b", 1, key("x", i), np.ones(1000))

        sender = Background(send)
        until(lambda: len(b._arrivals) > 5)
        b.close()
        with pytest.raises(UnavailableError, match="task b"):
            sender.result()


def test_what_came_before_the_loss_can_be_taken(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        b.send("a", 1, key("x"), np.arange(3))
        until(lambda: len(a._arrivals) == 1)
        b.close()
        receiver = Receiver(a, "b")
        assert receiver.take(1, key("x")).tolist() == [0, 1, 2]


@pytest.mark.parametrize("way", ["unix", "tcp"])
def test_a_new_incarnation_takes_the_place_of_the_old(
    way: str, tmp_path: Path
) -> None:
    with pair(way, tmp_path) as (a, b):
        b.send("a", 1, key("old"), np.ones(3))
        until(lambda: len(a._arrivals) == 1)
        receiver = Receiver(a, "b")
        receiver.ask(1, key("never"))
        again = plane("b", way, tmp_path, incarnation=2)
        try:
            again.meet("a", a.address, 1)
            again.connect("a")
            with pytest.raises(UnavailableError, match="task b"):
                receiver.get()
            until(lambda: len(a._arrivals) == 0)
            receiver.ask(1, key("old"))
            again.send("a", 1, key("old"), np.zeros(3))
            same(receiver.get().value, np.zeros(3))
            until(lambda: b._peers["a"].link is None)
            with pytest.raises(
                UnavailableError, match="incarnation 0x1 of b is over"
            ):
                b.connect("a")
            with pytest.raises(InvalidArgumentError, match="is over"):
                a.meet("b", b.address, 1)
        finally:
            again.close()


def test_meeting_a_new_incarnation_ends_the_old_link(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        a.connect("b")
        receiver = Receiver(a, "b")
        receiver.ask(1, key("x"))
        a.meet("b", b.address, 7)
        with pytest.raises(UnavailableError, match="anew"):
            receiver.get()
        with pytest.raises(UnavailableError, match="incarnation 0x1 now, not 0x7"):
            a.connect("b")


def test_a_broken_link_is_made_again(tmp_path: Path) -> None:
    with pair("tcp", tmp_path) as (a, b):
        for step in range(1, 6):
            a.send("b", step, key("x"), np.array(step))
            assert Receiver(b, "a").take(step, key("x")) == step
            link = a._peers["b"].link
            assert link is not None
            link.end("the connection was closed here")
            until(lambda: a._peers["b"].link is not link)  # noqa: B023  within it
            until(lambda: b._peers["a"].link is None)
            b.send("a", step, key("y"), np.array(step))
            assert Receiver(a, "b").take(step, key("y")) == step


@pytest.mark.parametrize("way", WAYS)
def test_both_may_call_at_once(way: str, tmp_path: Path) -> None:
    for step in range(1, 11 if way == "unix" else 4):
        with pair(way, tmp_path) as (a, b):
            calls = [Background(a.connect, "b"), Background(b.connect, "a")]
            for call in calls:
                call.result()
            a.send("b", step, key("x"), np.array(1))
            b.send("a", step, key("x"), np.array(2))
            assert Receiver(b, "a").take(step, key("x")) == 1
            assert Receiver(a, "b").take(step, key("x")) == 2
            numbers = [
                link.number
                for link in (a._peers["b"].link, b._peers["a"].link)
                if link
            ]
            assert len(numbers) == 2
            assert len(set(numbers)) == 1


def test_a_step_that_is_over_leaves_nothing(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        a.send("b", 1, key("x"), np.ones(3))
        until(lambda: len(b._arrivals) == 1)
        receiver = Receiver(b, "a")
        receiver.ask(1, key("y"))
        assert list(b.waiting(1)) == [("a", key("y"))]
        b.forget(1)
        a.send("b", 1, key("y"), np.ones(3))
        a.send("b", 2, key("y"), np.ones(3))
        assert receiver.take(2, key("y")).tolist() == [1, 1, 1]
        assert len(b._arrivals) == 0
        assert receiver.came.empty()


def test_a_wait_can_be_given_up(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        receiver = Receiver(b, "a")
        receiver.ask(1, key("x"))()
        assert list(b.waiting(1)) == []
        receiver.ask(1, key("x"))
        with pytest.raises(InvalidArgumentError, match="waited for already"):
            receiver.ask(1, key("x"))
        a.send("b", 1, key("x"), np.ones(()))
        assert receiver.get().value == 1


def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    with pair("unix", tmp_path, limits=Limits(payload=1000)) as (a, b):
        with pytest.raises(NotFoundError, match="no task 'c'; known are b"):
            a.send("c", 1, key("x"), np.ones(3))
        with pytest.raises(NotFoundError, match="no task 'c'"):
            a.receive("c", 1, key("x"), print)
        with pytest.raises(InvalidArgumentError, match="is this task"):
            a.send("a", 1, key("x"), np.ones(3))
        with pytest.raises(DTypeError, match="cannot be sent"):
            a.send("b", 1, key("x"), np.array([object()], object))
        with pytest.raises(DTypeError, match="NoneType"):
            a.send("b", 1, key("x"), None)
        with pytest.raises(InvalidArgumentError, match="1600 bytes"):
            a.send_all(
                "b", 1, [Parcel(key("y"), np.ones(3)), Parcel(key("x"), np.ones(200))]
            )
        a.send("b", 1, key("y"), np.ones(3))
        assert Receiver(b, "a").take(1, key("y")).tolist() == [1, 1, 1]


def test_options_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="can be guessed"):
        Plane("a", 1, b"short")
    with pytest.raises(InvalidArgumentError, match=r"silence=0\.5.*1\.0 seconds"):
        Plane("a", 1, SECRET, silence=0.5)
    with pytest.raises(InvalidArgumentError, match="every interface"):
        Plane("a", 1, SECRET, host="0.0.0.0")  # noqa: S104


def test_a_closed_plane_says_so(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, _):
        receiver = Receiver(a, "b")
        receiver.ask(1, key("x"))
        a.close()
        a.close()
        with pytest.raises(UnavailableError, match="plane of a is closed"):
            receiver.get()
        with pytest.raises(FailedPreconditionError, match="closed"):
            a.send("b", 1, key("x"), np.ones(3))
