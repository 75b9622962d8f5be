"""What coordinators and queue runners refuse, and that refusing stops nothing."""

from __future__ import annotations

from typing import Any

import pytest

import tensorlite as tl
from tests.begun import fifo

errors = tl.errors


WRONG: dict[str, Any] = {
    "no list of operations": lambda of, q, c: of.QueueRunner(q, 3),
    "what has run": lambda of, q, c: of.QueueRunner(q, [None]),
    "no coordinator": lambda of, q, c: of.QueueRunner(
        q, [lambda: None]
    ).create_threads(coord=3),
    "no kinds of errors": lambda of, q, c: of.Coordinator(3),
    "no error": lambda of, q, c: c.request_stop("stop"),
    "a kind of error": lambda of, q, c: c.request_stop(ValueError),
    "no thread": lambda of, q, c: c.register_thread(3),
    "no threads": lambda of, q, c: c.join(3),
    "a list of no threads": lambda of, q, c: c.join([3]),
    "no grace": lambda of, q, c: c.join(stop_grace_period_secs=-1),
    "no time": lambda of, q, c: c.wait_for_stop("x"),
}


@pytest.mark.parametrize("ask", WRONG.values(), ids=WRONG)
def test_arguments_of_the_wrong_kind_are_refused_and_stop_nothing(ask: Any) -> None:
    queue, coord = fifo(2), tl.queue.Coordinator()
    with pytest.raises(
        (errors.DTypeError, errors.InvalidArgumentError), match=r"give|allowed"
    ):
        ask(tl.queue, queue, coord)
    assert not coord.should_stop()
    assert tl.queue.QueueRunner(queue, [lambda: queue.enqueue(1)]).create_threads(
        coord=coord
    )
    coord.clear_stop()
