"""Queues of tf.contrib: buckets of elements that are alike, elements that chance keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, InvalidArgumentError, OutOfRangeError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def all_of(fetches: Any) -> list[Any]:
    """Return what the queues give until they are empty."""
    found = []
    with tf.Session() as session:
        session.run(
            [tf.global_variables_initializer(), tf.local_variables_initializer()]
        )
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        try:
            while True:
                found.append(session.run(fetches))
        except OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    return found


def words(epochs: int = 1) -> tuple[Any, Any]:
    """Return a length and as many numbers, of 1, 2, ..., 8 in turn."""
    (length,) = tf.train.slice_input_producer(
        [list(range(1, 9))], epochs, shuffle=False
    )
    return length, tf.range(length)


def test_sentences_of_one_bucket_make_a_batch() -> None:
    length, numbers = words()
    lengths, batch = tf.contrib.training.bucket_by_sequence_length(
        length, [numbers, length * 10], 2, [4, 7], dynamic_pad=True
    )
    assert batch[0].get_shape().as_list() == [2, None]
    found = all_of([lengths, *batch])
    shorter = {tuple(x.tolist()): (y.tolist(), z.tolist()) for x, y, z in found}
    assert shorter == {  # 3 is alone among those below 4, and left out
        (1, 2): ([[0, 0], [0, 1]], [10, 20]),
        (4, 5): ([[0, 1, 2, 3, 0], [0, 1, 2, 3, 4]], [40, 50]),
        (7, 8): ([[*range(7), 0], [*range(8)]], [70, 80]),
    }


def test_the_last_of_a_bucket_may_be_fewer() -> None:
    length, _ = words()
    which, batch = tf.contrib.training.bucket(
        {"length": length, "half": length / 2},
        length % 2,
        [2, 3],
        2,
        keep_input=length > 1,
        allow_smaller_final_batch=True,
    )
    found: list[Any] = all_of([which, batch])
    told = sorted(
        (int(x), y["length"].tolist(), y["half"].tolist()) for x, y in found
    )
    assert told == [
        (0, [2, 4], [1.0, 2.0]),
        (0, [6, 8], [3.0, 4.0]),
        (1, [3, 5, 7], [1.5, 2.5, 3.5]),
    ]


def test_sparse_elements_wait_in_buckets() -> None:
    length, _ = words()
    at = tf.cast(tf.reshape(length, [1, 1]), tf.int64)
    element = tf.SparseTensor(at, tf.reshape(length, [1]), tf.cast([10], tf.int64))
    _, batch = tf.contrib.training.bucket([element], 0, 4, 1)
    first, second = all_of(batch)
    assert first.indices.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert second.values.tolist() == [5, 6, 7, 8]


def test_what_is_no_bucket_is_refused() -> None:
    bucket = tf.contrib.training.bucket
    by_length = tf.contrib.training.bucket_by_sequence_length
    with pytest.raises(InvalidArgumentError, match="num_buckets elements"):
        bucket([tf.zeros([])], 0, [1, 2], 3)
    with pytest.raises(InvalidArgumentError, match="bucket_capacities"):
        bucket([tf.zeros([])], 0, 1, 3, bucket_capacities=[1])
    with pytest.raises(InvalidArgumentError, match="at least one"):
        bucket([], 0, 1, 3)
    with pytest.raises(InvalidArgumentError, match="5 before 2"):
        by_length(1, [tf.zeros([])], 2, [5, 2])
    with pytest.raises(InvalidArgumentError, match="empty"):
        by_length(1, [tf.zeros([])], 2, [])
    with pytest.raises(DTypeError, match="integers"):
        by_length(1, [tf.zeros([])], 2, [1, 2.5])


def test_a_runner_closes_what_it_is_told_to_close() -> None:
    first = tf.FIFOQueue(2, tf.int32, [], name="first")
    second = tf.FIFOQueue(2, tf.int32, [], name="second")
    number = tf.train.limit_epochs(tf.constant(3), 1)
    runner = tf.train.QueueRunner(
        first, [second.enqueue(number)], second.close(), second.close(True)
    )
    tf.train.add_queue_runner(runner)
    assert all_of(second.dequeue()) == [3]
    with tf.Session() as session:
        tf.train.start_queue_runners(session)  # the variable has no value: an error
        with pytest.raises(OutOfRangeError):
            session.run(second.dequeue())
        assert not session.run(first.is_closed())


def test_elements_are_kept_by_their_probability() -> None:
    tf.set_random_seed(1)
    length, _ = words(20)
    (batch,) = tf.contrib.training.rejection_sample(
        [length], lambda x: tf.cast(x[0] > 4, tf.float32), 2
    )
    assert set(np.concatenate(all_of(batch)).tolist()) == {5, 6, 7, 8}
    (rows,) = tf.contrib.training.rejection_sample(
        [tf.reshape(length, [1])],
        lambda x: tf.cast(x[0] > 6, tf.float32),
        2,
        enqueue_many=True,
        runtime_checks=True,
    )
    assert set(np.concatenate(all_of(rows)).tolist()) == {7, 8}


def test_classes_come_as_often_as_is_asked() -> None:
    tf.set_random_seed(1)
    (number,) = tf.train.slice_input_producer([list(range(10))], 60)
    label = tf.cast(number < 1, tf.int32)  # one in ten
    [data], labels = tf.contrib.training.stratified_sample(
        [number], label, [0.5, 0.5], 10, [0.9, 0.1]
    )
    found = all_of([data, labels])
    seen = Counter(np.concatenate([y for _, y in found]).tolist())
    # None of the rarer class is left out but for the last, which are no whole batch.
    assert seen[1] == sum(int((x == 0).sum()) for x, _ in found) > 45
    assert 0.6 < seen[0] / seen[1] < 1.6


def test_classes_are_counted_where_nobody_says_how_frequent_they_are() -> None:
    label = tf.placeholder(tf.int32, [3])
    tf.contrib.training.stratified_sample(
        [tf.zeros([3])], label, [0.5, 0.5], 4, enqueue_many=True
    )
    (counts,) = tf.global_variables()
    assert (counts.name, counts.dtype.base_dtype) == (
        "stratified_sample/class_count:0",
        tf.int64,
    )
    with tf.Session() as session:
        session.run(counts.initializer)
        assert session.run(counts).tolist() == [10, 10]
    with pytest.raises(DTypeError, match="list"):
        tf.contrib.training.stratified_sample(
            tf.zeros([1, 3]), tf.constant(1), [0.5, 0.5], 4
        )


def test_rows_are_repeated_by_their_rates() -> None:
    rows, rates = tf.constant([[1.0], [2.0], [3.0]]), tf.constant([0.0, 2.0, 4.0])
    (found,) = tf.contrib.training.resample_at_rate([rows], rates, seed=3)
    inputs = [tf.constant([1, 2])]
    (kept,), how = tf.contrib.training.weighted_resample(
        inputs, tf.constant([0.0, 4.0]), 2.0, seed=3
    )
    assert [v.name for v in tf.local_variables()] == [
        "estimate_mean/estimated_mean:0"
    ]
    counted: Counter[float] = Counter()
    with tf.Session() as session:
        session.run(
            [tf.global_variables_initializer(), tf.local_variables_initializer()]
        )
        for _ in range(100):
            drawn = session.run(found)[:, 0].tolist()
            assert drawn == sorted(drawn)
            counted.update(drawn)
            numbers, weights = session.run([kept, how])
            assert set(numbers.tolist()) <= {2}
            np.testing.assert_allclose(weights, 4.0, rtol=1e-4)  # twice the mean's
    assert counted[1.0] == 0
    assert 160 < counted[2.0] < 240
    assert 340 < counted[3.0] < 460
