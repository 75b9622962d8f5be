"""Parts of the trainer: batches from any position on, and what is shown while it trains."""

from __future__ import annotations

import io

import pytest

import tensorlite as tl
from tensorlite.distributed.training.feed import Feed
from tensorlite.distributed.training.progress import (
    Drawn,
    Printed,
    Speed,
    progress_of,
)


class TestFeed:
    def test_it_goes_back_and_on_in_what_can_be_begun_anew(self) -> None:
        for data in ([0, 1, 2, 3, 4], lambda: range(5), range(5)):
            feed = Feed(data)
            assert [next(feed) for _ in range(3)] == [0, 1, 2]
            feed.mark()
            for position in (1, 3, 0, 4):
                feed.go_to(position)
                assert (next(feed), feed.position) == (position, position + 1)
            assert next(feed, None) is None

    def test_an_iterator_keeps_what_was_read_since_the_mark(self) -> None:
        feed = Feed(iter(range(10)))
        for _ in range(4):
            next(feed)
        feed.mark()
        assert [next(feed), next(feed)] == [4, 5]
        feed.go_to(4)
        assert [next(feed) for _ in range(3)] == [4, 5, 6]
        with pytest.raises(tl.errors.FailedPreconditionError, match="beyond batch 2"):
            feed.go_to(2)
        feed.go_to(9)
        assert next(feed) == 9
        with pytest.raises(tl.errors.OutOfRangeError, match="has 10 batches now"):
            feed.go_to(12)


class TestProgress:
    def test_lines_are_printed_now_and_then_and_in_the_end(self) -> None:
        now, stream = [0.0], io.StringIO()
        shown = Printed(lambda: ["ps: well"], stream, lambda: now[0])
        for step in range(1, 26):
            now[0] += 1.0
            shown.step(step, 50, lambda: "loss 0.5")
        shown.event("a task is lost")
        shown.close()
        shown.close()
        assert stream.getvalue().splitlines() == [
            "step 11 of 50, 1.0 steps/s, 39 s left, loss 0.5",
            "  ps: well",
            "step 21 of 50, 1.0 steps/s, 29 s left, loss 0.5",
            "  ps: well",
            "a task is lost",
            "step 25 of 50, 1.0 steps/s, 25 s left, loss 0.5",
            "  ps: well",
        ]

    def test_a_bar_is_drawn_with_lines_for_tasks(self) -> None:
        pytest.importorskip("rich")
        now, stream = [0.0], io.StringIO()
        shown = Drawn(lambda: ["ps: well", "x" * 500], stream, lambda: now[0])
        for step in (1, 2, 3):
            now[0] += 1.0
            shown.step(step, None if step == 2 else 3, lambda: "[loss] 0.5")
        shown.event("[lost]")
        shown.close()
        drawn = stream.getvalue()
        assert "step 3 of 3, 1.0 steps/s, [loss] 0.5" in drawn
        assert "ps: well" in drawn
        assert drawn.count("x" * 60) == 1
        assert "[lost]" in drawn

    def test_a_step_back_gives_no_negative_speed(self) -> None:
        now = [0.0]
        speed = Speed(lambda: now[0])
        speed.look(10)
        now[0] = 2.0
        assert speed.look(20) == 5.0
        assert speed.look(3) == 5.0

    def test_without_a_terminal_lines_are_printed(self) -> None:
        assert isinstance(progress_of(True), Printed)
