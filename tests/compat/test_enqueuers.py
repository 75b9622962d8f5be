"""Enqueuers of tf.keras.utils: batches made ahead by threads come in order, and errors as well."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from tensorlite.compat import v1

tf: Any = v1


class Numbers:
    """Three batches, and how many epochs of them were over."""

    def __init__(self) -> None:
        self.epochs = 0

    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: int) -> int:
        if i > 2:
            raise IndexError(i)
        return 10 * i

    def on_epoch_end(self) -> None:
        self.epochs += 1


@pytest.mark.parametrize("workers", [1, 4])
def test_batches_of_a_sequence_come_in_order_epoch_after_epoch(workers: int) -> None:
    numbers = Numbers()
    queue = tf.keras.utils.OrderedEnqueuer(numbers)
    assert not queue.is_running()
    queue.start(workers=workers, max_queue_size=2)
    assert list(islice(queue.get(), 7)) == [0, 10, 20, 0, 10, 20, 0]
    assert queue.is_running()
    queue.stop()
    assert not queue.is_running()
    assert numbers.epochs >= 2


def test_shuffled_batches_are_all_there() -> None:
    queue = tf.keras.utils.OrderedEnqueuer(Numbers(), shuffle=True)
    queue.start()
    assert sorted(islice(queue.get(), 3)) == [0, 10, 20]
    queue.stop()


def counting(upto: int, fails: bool) -> Iterator[int]:
    yield from range(upto)
    if fails:
        raise ValueError("no more numbers")


def test_generators_come_to_their_end() -> None:
    queue = tf.keras.utils.GeneratorEnqueuer(counting(4, fails=False))
    queue.start(workers=2)
    assert list(queue.get()) == [0, 1, 2, 3]
    assert not queue.is_running()


def test_what_goes_wrong_is_told_who_asks() -> None:
    queue = tf.keras.utils.GeneratorEnqueuer(counting(1, fails=True))
    queue.start()
    batches = queue.get()
    assert next(batches) == 0
    with pytest.raises(ValueError, match="no more numbers"):
        next(batches)
    assert not queue.is_running()
