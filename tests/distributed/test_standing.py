"""Standing exchanges: what ranks put up for each other is summed, whoever comes when."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError, UnavailableError
from tensorlite.distributed.collectives import standing
from tensorlite.distributed.collectives.collectives import all_reduce, group_of
from tensorlite.distributed.collectives.standing import Standing
from tensorlite.distributed.transport import boards
from tensorlite.distributed.transport.boards import Board
from tensorlite.distributed.transport.plane import Plane
from tests.distributed.loopback import Net
from tests.distributed.pairs import pair, plane
from tests.threads import LONG, Background

pytestmark = pytest.mark.skipif(
    boards.made() is None, reason="this system has no memory for boards"
)


class Rank:
    """One of two planes, as it reduces."""

    def __init__(self, own: Plane, names: list[str]) -> None:
        self.plane = own
        self.group = group_of(names, own)

    def begin(
        self, step: int, value: Any, key: str = "k", **options: Any
    ) -> list[Any]:
        """Return where the outcome will be."""
        found: list[Any] = []

        def done(outcome: Any) -> None:
            found.append(outcome)
            self.plane.wake()

        all_reduce(self.group, step, key, np.asarray(value), done, **options)
        return found

    def end(self, found: list[Any]) -> Any:
        """Return the outcome, or raise it."""
        assert self.plane.wait(lambda: bool(found), LONG)
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]

    def reduce(self, step: int, value: Any, key: str = "k", **options: Any) -> Any:
        return self.end(self.begin(step, value, key, **options))

    @property
    def sent(self) -> int:
        return sum(each.messages_out for each in self.plane.traffic().values())

    @property
    def places(self) -> dict[Any, Standing]:
        assert self.plane.board is not None
        return self.plane.board.uses


@pytest.fixture
def ranks(tmp_path: Path) -> Iterator[tuple[Rank, Rank]]:
    """Give two ranks on unix sockets, which have met once."""
    with pair("unix", tmp_path) as (a, b):
        a.connect("b")
        both = Rank(a, ["a", "b"]), Rank(b, ["a", "b"])
        _together(both, 1, [[1.0], [2.0]])
        yield both


def _together(
    both: tuple[Rank, ...], step: int, values: list[Any], **options: Any
) -> None:
    """Have ranks reduce on threads of their own, and check what they get."""
    work = [
        Background(partial(rank.reduce, step, value, **options))
        for rank, value in zip(both, values, strict=True)
    ]
    for each in work:
        assert each.result().tolist() == np.sum(values, axis=0).tolist()


def test_once_they_have_met_no_message_is_sent(
    ranks: tuple[Rank, Rank], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing, "MOST", LONG)
    for rank in ranks:
        for place in rank.places.values():
            monkeypatch.setattr(place, "_patience", LONG)
    before = [rank.sent for rank in ranks]
    for step in range(2, 30):
        _together(ranks, step, [[float(step)], [0.5]])
    assert [rank.sent for rank in ranks] == before
    _together(ranks, 30, [[1, 2], [3, 4]])  # which they did not mean before
    assert all(rank.sent > count for rank, count in zip(ranks, before, strict=True))


def test_who_waits_in_vain_says_so(
    ranks: tuple[Rank, Rank], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first to come gives up looking; the second has all at once, and sends its own."""
    monkeypatch.setattr(standing, "LEAST", 0.0)
    for rank in ranks:
        for place in rank.places.values():
            monkeypatch.setattr(place, "_patience", 0.0)
    for step in range(2, 12):
        first, second = ranks if step % 2 else ranks[::-1]
        sent = first.sent, second.sent
        begun = first.begin(step, [float(step)])
        assert not begun
        there = second.begin(step, [1.0])
        assert there[0].tolist() == [step + 1.0]
        assert first.end(begun).tolist() == [step + 1.0]
        assert (first.sent, second.sent) == (sent[0] + 1, sent[1] + 1)


def test_steps_at_the_same_time(ranks: tuple[Rank, Rank]) -> None:
    """Of those under way at once one is put up, and the others are sent."""
    a, b = ranks
    begun = {step: a.begin(step, [float(step)]) for step in (2, 3, 4)}
    for step in (4, 2, 3):
        assert b.reduce(step, [0.5]).tolist() == [step + 0.5]
        assert a.end(begun[step]).tolist() == [step + 0.5]
    _together(ranks, 5, [[1.0], [2.0]])


def test_one_that_is_given_up_holds_up_nothing(ranks: tuple[Rank, Rank]) -> None:
    a, b = ranks
    found: list[Any] = []
    cancel = all_reduce(a.group, 2, "k", np.ones(1), found.append)
    assert cancel is not None
    cancel()
    assert b.reduce(2, [3.0]).tolist() == [4.0]
    for step in range(3, 9):
        _together(ranks, step, [[1.0], [float(step)]])
    assert not found


def test_what_differs_is_told_on_both(ranks: tuple[Rank, Rank]) -> None:
    _together(ranks, 2, [[1, 2], [3, 4]])
    for step, values in ((3, ([1.0], [1, 2])), (4, ([1, 2], [1.0]))):
        begun = [
            rank.begin(step, value) for rank, value in zip(ranks, values, strict=True)
        ]
        for rank, found in zip(ranks, begun, strict=True):
            with pytest.raises(InvalidArgumentError, match="all ranks must have"):
                rank.end(found)
    _together(ranks, 5, [[1.0], [2.0]])


def test_the_order_of_ranks_and_in_place(ranks: tuple[Rank, Rank]) -> None:
    for step, op, wanted in ((2, "mean", 2.0), (3, "max", 3.0), (4, "mean", 2.0)):
        x, y = np.array([1.0]), np.array([3.0])
        begun = ranks[0].begin(step, x, op, op=op, out=x)
        assert ranks[1].reduce(step, y, op, op=op, out=y) is y
        assert ranks[0].end(begun) is x
        assert x.tolist() == y.tolist() == [wanted]


def test_a_full_board(ranks: tuple[Rank, Rank]) -> None:
    board = ranks[0].plane.board
    assert board is not None
    while board.reserve(boards.ALIGNED) is not None:
        pass
    sent = [rank.sent for rank in ranks]
    for step in range(2, 5):
        _together(ranks, step, [[1.0], [2.0]], key="new")
    assert [rank.sent for rank in ranks] == [count + 3 for count in sent]
    _together(ranks, 5, [[1.0], [2.0]])


def test_a_place_that_is_none_is_not_looked_into(ranks: tuple[Rank, Rank]) -> None:
    a, _ = ranks
    (place,) = a.places.values()
    for begin in (
        standing.NOWHERE,
        boards.SIZE,
        boards.SIZE - boards.ALIGNED,
        1 << 62,
    ):
        place.told(a.group, 1, begin)
        assert not place.post(a.group, 9, np.ones(1))
    for step in range(2, 5):
        _together(ranks, step, [[1.0], [2.0]])


def test_a_rank_that_is_started_anew(tmp_path: Path) -> None:
    with pair("unix", tmp_path) as (a, b):
        ranks = Rank(a, ["a", "b"]), Rank(b, ["a", "b"])
        for step in range(1, 5):
            _together(ranks, step, [[1.0], [float(step)]])
        b.close()
        with pytest.raises(UnavailableError):
            ranks[0].reduce(5, [1.0])
        again = plane("b", "unix", tmp_path, incarnation=2)
        try:
            a.meet("b", again.address, 2)
            again.meet("a", a.address, 1)
            ranks = ranks[0], Rank(again, ["a", "b"])
            for step in range(6, 12):
                _together(ranks, step, [[1.0], [float(step)]])
            (place,) = ranks[0].places.values()
            assert place._boards[1] is a.board_of("b")
        finally:
            again.close()


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("seed", range(20))
def test_any_order(size: int, seed: int) -> None:
    """Several steps at a time begin in any order, and messages come in any order."""
    names = [f"task{i}" for i in range(size)]
    net = Net(names, seed)
    for carrier in net.carriers.values():
        carrier.board = Board()
    values = np.random.default_rng(seed).standard_normal((12, size, 3))
    found: dict[tuple[int, int], list[Any]] = {}
    for first in range(0, 12, 3):
        for step in range(first, first + 3):
            for rank, name in enumerate(names):
                there = found[step, rank] = []
                group = group_of(names, net.carriers[name])
                value = values[step, rank]
                work = partial(all_reduce, group, step + 1, "k", value, there.append)
                net.events.append(work)
        net.run()
    wanted = values[:, 0]
    for rank in range(1, size):
        wanted = wanted + values[:, rank]
    for (step, _), there in found.items():
        assert [each.tolist() for each in there] == [wanted[step].tolist()]


def test_threads_that_come_when_they_like(tmp_path: Path) -> None:
    """Some of the time all look at the same moment, some of the time nobody waits long enough."""
    names = ["a", "b", "c"]
    planes = [plane(name, "unix", tmp_path) for name in names]
    try:
        for own in planes:
            for other in planes:
                if own is not other:
                    own.meet(other.task, other.address, 1)
        work = [Background(partial(_wander, own, names)) for own in planes]
        for each in work:
            assert each.result() == [3.0 * step + 3.0 for step in range(1, 400)]
    finally:
        for own in planes:
            own.close()


def _wander(own: Plane, names: list[str]) -> list[float]:
    rank = Rank(own, names)
    random = Random(own.task)  # noqa: S311  order, not secrets
    found = []
    for step in range(1, 400):
        if random.random() < 0.2:
            sleep(random.random() * 3e-4)
        found.append(float(rank.reduce(step, float(step + names.index(own.task)))))
        own.forget(step)
    return found
