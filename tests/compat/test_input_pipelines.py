"""Pipelines of queues in graphs; what is expected is what TensorFlow 1.15 gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1
from tensorlite.compat.v1.pipelines import batching, input as inputs, queues
from tensorlite.graph_mode.graph import mode, reset_default_graph
from tensorlite.train.coordinator import Coordinator

tf: Any = v1
OutOfRangeError = tl.errors.OutOfRangeError


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def ran(fetches: Any, most: int = 99) -> list[Any]:
    """Return what runs give, with the queues filled, up to the end."""
    found: list[Any] = []
    init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
    with tf.Session() as session:
        session.run(init)
        coordinator = Coordinator()
        threads = inputs.start_queue_runners(session, coordinator)
        try:
            while len(found) < most:
                found.append(tl.nest.map_structure(plain, session.run(fetches)))
        except OutOfRangeError:
            found.append("end")
        coordinator.request_stop()
        coordinator.join(threads)
    return found


def plain(x: Any) -> Any:
    return texts_of(np.asarray(x).tolist())


def texts_of(x: Any) -> Any:
    if isinstance(x, list):
        return [texts_of(one) for one in x]
    return x.decode() if isinstance(x, bytes) else x


def test_queues_of_a_graph() -> None:
    queue: Any = queues.FIFOQueue(3, "float", shapes=[[]])
    begin = queue.enqueue_many(([0.0, 0.0, 0.0],))
    x = queue.dequeue()
    more = queue.enqueue([x + 1])
    assert [y.name for y in (queue.queue_ref, begin, x, more)] == [
        "fifo_queue:0",
        "fifo_queue_EnqueueMany",
        "fifo_queue_Dequeue:0",
        "fifo_queue_enqueue",
    ]
    assert queues.FIFOQueue(1, tf.int32).name == "fifo_queue_1"
    size = queue.size()
    for _ in range(2):  # each session has its own
        with tf.Session() as session:
            session.run(begin)
            for _ in range(4):
                session.run(more)
            assert session.run(size) == 3
            assert [session.run(x) for _ in range(3)] == [1.0, 1.0, 2.0]


def test_names_for_a_number_of_epochs() -> None:
    queue = inputs.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
    x = queue.dequeue()
    assert x.name == "input_producer_Dequeue:0"
    assert ran(x) == ["a", "b", "c", "a", "b", "c", "end"]
    with pytest.raises(tl.errors.InvalidArgumentError, match="non-null"):
        inputs.string_input_producer(np.zeros(0, object))
    with pytest.raises(tl.errors.InvalidArgumentError, match="must be > 0"):
        inputs.string_input_producer(["a"], num_epochs=0)


def test_files_that_are_looked_up_when_the_program_runs(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).write_text(name)
    names = inputs.match_filenames_once(str(tmp_path / "?"))
    queue = inputs.string_input_producer(names, num_epochs=1, shuffle=False)
    assert ran(queue.dequeue()) == [str(tmp_path / "a"), str(tmp_path / "b"), "end"]


def test_slices_in_batches() -> None:
    x, y = inputs.slice_input_producer(
        [np.arange(6).reshape(3, 2), [5, 6, 7]], num_epochs=1, shuffle=False
    )
    batch = batching.batch([x, y], batch_size=2, allow_smaller_final_batch=True)
    assert [z.shape.as_list() for z in batch] == [[None, 2], [None]]
    assert ran(batch) == [[[[0, 1], [2, 3]], [5, 6]], [[[4, 5]], [7]], "end"]


def test_shuffled_batches() -> None:
    number = inputs.range_input_producer(
        10, num_epochs=1, shuffle=True, seed=3
    ).dequeue()
    batch = batching.shuffle_batch(
        [number], 5, capacity=20, min_after_dequeue=5, seed=1
    )
    assert batch.shape.as_list() == [5]
    *found, end = ran(batch)
    assert (sorted(found[0] + found[1]), end) == (list(range(10)), "end")


def test_padded_kept_and_joined_batches() -> None:
    number = inputs.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    batch = batching.batch({"n": tf.fill([number], number)}, 4, dynamic_pad=True)
    assert ran(batch, 1) == [{"n": [[0, 0, 0], [1, 0, 0], [2, 2, 0], [3, 3, 3]]}]
    reset_default_graph()
    number = inputs.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    assert ran(batching.maybe_batch([number], tf.equal(number % 2, 0), 3)) == [
        [0, 2, 4],
        "end",
    ]
    reset_default_graph()
    two = [[inputs.range_input_producer(3, num_epochs=1).dequeue()] for _ in range(2)]
    (joined,) = ran(batching.batch_join(two, 6), 1)
    assert sorted(joined) == [0, 0, 1, 1, 2, 2]
    reset_default_graph()
    rows = tf.random_uniform([4, 2])
    assert batching.batch([rows], 3, enqueue_many=True).shape.as_list() == [3, 2]
    with pytest.raises(ValueError, match="All shapes must be fully defined"):
        batching.batch([tf.placeholder(tf.float32, [None])], 3)


def test_runners_start_anew_in_each_session() -> None:
    queue = queues.FIFOQueue(10, tf.int32, shapes=[[]])
    counter = tf.Variable(0)
    runner = inputs.QueueRunner(queue, [queue.enqueue(counter.assign_add(1))])
    inputs.add_queue_runner(runner)
    x = queue.dequeue()
    assert (runner.name, runner.queue) == ("fifo_queue", queue)
    for _ in range(2):
        assert ran(x, 3) == [1, 2, 3]
    with pytest.raises(tl.errors.InvalidArgumentError, match="Must provide queue"):
        inputs.QueueRunner(queue, [])


def test_an_error_of_a_thread_reaches_the_program() -> None:
    queue = queues.FIFOQueue(10, tf.int32, shapes=[[]])
    wrong = tf.placeholder(tf.int32, [])
    inputs.add_queue_runner(inputs.QueueRunner(queue, [queue.enqueue(wrong)]))
    x = queue.dequeue()
    with tf.Session() as session:
        coordinator = Coordinator()
        threads = inputs.start_queue_runners(session, coordinator)
        with pytest.raises(OutOfRangeError, match="is closed"):
            session.run(x)
        with pytest.raises(tl.errors.InvalidArgumentError, match="Placeholder"):
            coordinator.join(threads)


def test_eager_programs_are_told_of_datasets() -> None:
    mode.eager = True
    with pytest.raises(tl.errors.InvalidArgumentError, match=r"use tf\.data"):
        batching.batch([tl.ones(2)], 2)
    queue = queues.FIFOQueue(3, tl.int32)
    queue.enqueue(5)
    assert int(queue.dequeue()) == 5


def test_sparse_elements_are_batched_as_rows_of_one() -> None:
    number = tf.Variable(tf.constant(0, tf.int64)).count_up_to(4)
    sparse = tf.SparseTensor(
        indices=tf.reshape(number, [1, 1]), values=["x"], dense_shape=[number + 1]
    )
    texts, found = tf.train.batch([tf.as_string(number), sparse], 2)
    assert (found.indices.shape.as_list(), found.values.dtype) == (
        [None, 2],
        tf.string,
    )
    first, second, end = ran([texts, *found])
    assert first == [["0", "1"], [[0, 0], [1, 1]], ["x", "x"], [2, 2]]
    assert second == [["2", "3"], [[0, 2], [1, 3]], ["x", "x"], [2, 4]]
    assert end == "end"


def test_a_vector_says_which_rows_are_kept() -> None:
    number = tf.Variable(tf.constant(0, tf.int64)).count_up_to(3)
    rows = tf.stack([number, number + 10])
    keep = tf.stack([tf.equal(number % 2, 0), True])
    kept = tf.train.maybe_batch_join([{"x": rows}], keep, 5, enqueue_many=True)
    assert ran(kept["x"], 1) == [[0, 10, 11, 2, 12]]
    with pytest.raises(
        ValueError, match="cannot be a vector when `enqueue_many=False`"
    ):
        tf.train.maybe_batch([rows], keep, 2)
