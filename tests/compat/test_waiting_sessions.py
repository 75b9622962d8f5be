"""Sessions whose runs wait: closing cancels them, and they may be told how long to wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import TensorliteError
from tests.threads import Background, until

tf: Any = v1


@pytest.fixture
def queue() -> Iterator[Any]:
    with tf.Graph().as_default():
        yield tf.FIFOQueue(1, tf.float32, [[]])


@pytest.mark.parametrize("what", ["dequeue", "dequeue_many", "twice", "enqueue"])
def test_closing_a_session_cancels_what_waits(queue: Any, what: str) -> None:
    taken = queue.dequeue()
    waiting = {
        "dequeue": taken,
        "dequeue_many": queue.dequeue_many(1),
        "twice": tf.group(taken, queue.dequeue()),
        "enqueue": queue.enqueue_many([[1.0, 2.0]]),
    }[what]
    session = tf.Session()
    stands = session._leave.stands
    with Background(session.run, waiting) as run:
        until(lambda: bool(stands))
        session.close()
    with pytest.raises(tf.errors.CancelledError, match="was cancelled"):
        run.result()
    assert not stands


def test_other_sessions_go_on(queue: Any) -> None:
    put, took = queue.enqueue(3.0), queue.dequeue()
    other, session = tf.Session(), tf.Session()
    with Background(session.run, took) as run:
        until(lambda: bool(session._leave.stands))
        other.close()
        session.run(put)
    assert run.result() == 3.0


def test_a_run_that_waits_too_long(queue: Any) -> None:
    put, took = queue.enqueue(3.0), queue.dequeue()
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
                session.run(took, options=tf.RunOptions(timeout_in_ms=1))
        session.run(put)
        assert session.run(took) == 3.0
    hasty = tf.ConfigProto(operation_timeout_in_ms=1)
    with (
        tf.Session(config=hasty) as session,
        pytest.raises(TensorliteError, match="Timed out waiting for notification"),
    ):
        session.run(took)
