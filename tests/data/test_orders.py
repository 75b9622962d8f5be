"""Orders that seeds give: TensorFlow's own, put down as TensorFlow 2.21 and 1.15 gave them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.data.ordering import mixed
from tensorlite.ops.random.words import DEFAULT_SEED, Words

RANGE = tl.data.Dataset.range
FIRST = [0, 4, 5, 1, 2, 7, 9, 8, 6, 3]
SECOND = [2, 1, 3, 4, 6, 8, 7, 9, 5, 0]
SAME = [3, 4, 0, 5, 2, 7, 8, 9, 1, 6]


def values(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


def test_each_run_has_tensorflows_order() -> None:
    dataset = RANGE(10).shuffle(4, seed=1)
    assert [values(dataset), values(dataset)] == [FIRST, SECOND]
    assert values(RANGE(10).shuffle(4, seed=1).repeat(2)) == FIRST + SECOND


def test_the_same_order_in_each_run() -> None:
    dataset = RANGE(10).shuffle(4, seed=1, reshuffle_each_iteration=False)
    assert values(dataset.repeat(2)) == SAME + SAME


def test_two_seeds() -> None:
    dataset = RANGE(10).shuffle(4, seed=(7, 1))
    assert values(dataset) == [1, 4, 3, 5, 0, 2, 6, 9, 8, 7]
    same = RANGE(10).shuffle(4, seed=(DEFAULT_SEED, 1))
    assert values(same) == FIRST


def test_random_numbers() -> None:
    dataset = tl.data.Dataset.random(1).take(3)
    numbers = [2870909127, 3455438759, 4052121393]
    assert [values(dataset), values(dataset)] == [numbers, numbers]


def test_datasets_are_sampled_by_their_weights() -> None:
    one, other = RANGE(10), RANGE(100, 110)
    mixture = tl.data.Dataset.sample_from_datasets([one, other], [0.3, 0.7], seed=4)
    last = [106, 107, 108, 109, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert values(mixture) == [100, 101, 0, 102, 103, 104, 105, *last]


def test_what_has_no_weight_is_never_drawn() -> None:
    parts = [RANGE(3), RANGE(10, 12)]
    found = tl.data.Dataset.sample_from_datasets(parts, [0.0, 1.0], seed=1)
    assert values(found) == [10, 11]


def test_queues_give_tensorflows_order() -> None:
    queue = tl.queue.RandomShuffleQueue(10, 2, tl.int64, shapes=(), seed=(2, 3))
    queue.enqueue_many([np.arange(10)])
    assert queue.dequeue_many(5).tolist() == [0, 8, 4, 3, 2]


@pytest.mark.parametrize("count", [1, 3, 50, 10**9])
def test_nothing_is_lost_whatever_the_buffer(count: int) -> None:
    given: Iterator[int] = iter(range(50))
    assert sorted(mixed(given, count, Words((3, 4)))) == list(range(50))


def test_a_buffer_lets_go_of_what_it_gave() -> None:
    elements = [np.zeros(1) for _ in range(4)]
    order = mixed(iter(elements), 2, Words((1, 2)))
    given = next(order)
    place = next(i for i, each in enumerate(elements) if each is given)
    rest = list(order)
    assert len(rest) == 3
    assert all(each is not elements[place] for each in rest)


def test_words_of_large_seeds_and_many_of_them() -> None:
    words = [Words((2**63 + 5, -1)) for _ in range(2)]
    assert [words[0].next() for _ in range(300)] == [
        words[1].next() for _ in range(300)
    ]
    assert words[0].seeds() != words[0].seeds()


@pytest.mark.parametrize("seed", ["a", 1.5, (1,), (1, 2, 3), (1, "a")])
def test_seeds_that_are_none_are_refused_at_once(seed: Any) -> None:
    wrong = (tl.errors.InvalidArgumentError, tl.errors.DTypeError)
    with pytest.raises(wrong, match=r"seed=.*; allowed are"):
        RANGE(4).shuffle(2, seed=seed)
    with pytest.raises(wrong, match=r"seed=.*; allowed are"):
        tl.queue.RandomShuffleQueue(4, 0, tl.int32, shapes=(), seed=seed)
