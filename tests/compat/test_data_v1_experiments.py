"""tf.data.experimental of version 1: what gives datasets gives version 1's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.compat.v1 import data

tf: Any = v1


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda x: x.Counter(3, 2).take(2), [3, 5]),
        (lambda x: x.choose_from_datasets([of(1), of(9)], of(1, 0)), [9, 1]),
        (lambda x: x.sample_from_datasets([of(4), of(4)], [0.5, 0.5], 1), [4, 4]),
        (lambda x: x.RandomDataset(3).map(lambda n: n * 0).take(1), [0]),
    ],
)
def test_experiments_give_datasets_that_sessions_iterate_over(
    make: Any, wanted: list[int]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = make(data.experimental).make_initializable_iterator()
        element = iterator.get_next()
        session.run(iterator.initializer)
        assert [int(session.run(element)) for _ in wanted] == wanted


def of(*numbers: int) -> Any:
    return data.Dataset.from_tensor_slices(np.asarray(numbers, np.int64))
