"""What TensorFlow 1.15's own unit tests found, as 1.15 has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def test_parts_of_structures_that_never_vary_are_fetched_with_them() -> None:
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    found = tf.gather(rows, tf.ragged.constant([[1], [0, 1]]))
    with tf.Session() as session:
        value = session.run(found)
    assert value.to_list() == [[[b"c"]], [[b"a", b"b"], [b"c"]]]


def test_negative_numbers_are_not_counted() -> None:
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"),
    ):
        session.run(tf.bincount([-1, 2]))
