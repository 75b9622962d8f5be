"""Delay: a tensor comes later, in traces beside what does not depend on it, and can be given up."""

from __future__ import annotations

from threading import enumerate as threads

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.control.delay import Delay


def test_it_is_the_tensor_eagerly_and_traced() -> None:
    x = tl.asarray([1.0, 2.0])
    for delay in (tl.debugging.delay, tl.function(tl.debugging.delay)):
        assert delay(x, 0.001).tolist() == [1, 2]


def test_neither_tracing_nor_merging_takes_it_away() -> None:
    @tl.function
    def twice(x: tl.Tensor) -> tl.Tensor:
        y, z = (tl.debugging.delay(x, 0.001) for _ in range(2))
        return y + z + tl.debugging.delay(1.0, 0.001)

    assert twice(tl.asarray(3.0)).item() == 7
    graph = twice.get_concrete_function(tl.asarray(3.0)).graph
    assert [node.op.name for node in graph.nodes].count("Delay") == 3


def test_the_gradient_comes_at_once() -> None:
    x = tl.asarray([1.0, 2.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.sum(tl.debugging.delay(x, 0.001) ** 2)
    assert tape.gradient(y, x).tolist() == [2, 4]


def test_what_is_given_up_does_not_come() -> None:
    came: list[object] = []
    before = set(threads())
    cancel = Delay().start(came.append, np.ones(2), np.asarray(100.0))
    assert cancel is not None
    cancel()
    for thread in set(threads()) - before:
        thread.join(10)
    assert not came


@pytest.mark.parametrize(
    ("seconds", "error", "words"),
    [
        (-1.0, tl.errors.InvalidArgumentError, "seconds=-1.0; give 0 or more"),
        (float("nan"), tl.errors.InvalidArgumentError, "seconds=nan"),
        ([1.0, 2.0], tl.errors.ShapeError, "one number is due"),
    ],
)
def test_bad_times_are_refused(
    seconds: object, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        tl.debugging.delay(1.0, seconds)  # type: ignore[arg-type]
