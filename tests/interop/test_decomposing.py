"""Operators that TensorFlow does not have are written as several of its own, to the same effect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.op import Op
from tensorlite.interop.tensorflow import from_graphdef, to_graphdef
from tensorlite.ops.arrays.repeat import Repeat, RepeatGrad
from tensorlite.ops.arrays.search import ArgSort, LowerBound, Sort, UpperBound
from tensorlite.ops.arrays.sets import IsIn
from tensorlite.ops.math.arithmetic import KeptShape
from tensorlite.ops.math.compare import LogicalXor
from tensorlite.ops.math.reduce import ReducedSize
from tensorlite.ops.nn.sequences import InsertSize, RemoveSize
from tensorlite.ops.random.draws import CountOf, KeyAndCounter
from tensorlite.ops.sparse.row_counts import NonNegative


@pytest.mark.parametrize(
    ("op", "given"),
    [
        (KeptShape(), [[3, 4, 5], [0, -1]]),
        (KeptShape(), [[3, 4], 1]),
        (ReducedSize(), [[3, 4, 5], [0, -1]]),
        (ReducedSize(), [[3, 4, 5], -2]),
        (CountOf(), [[3, 4, 5]]),
        (InsertSize(0), [[3, 4, 5]]),
        (InsertSize(3), [[3, 4, 5]]),
        (RemoveSize(0), [[3, 4, 5]]),
        (RemoveSize(2), [[3, 4, 5]]),
        (LogicalXor(), [[True, False], [True, True]]),
        (ArgSort(), [[[3, 1, 2, 1], [0, -1, 5, 5]]]),
        (ArgSort(1, True), [[[3.0, 1.0, 3.0], [0.5, -1.0, 0.5]]]),
        (Sort(), [[[3.0, 1.0, 3.0], [0.5, -1.0, 0.5]]]),
        (Sort(descending=True), [[3, 1, 2, 1]]),
        (LowerBound(), [[1.0, 2.0, 2.0, 5.0], [[2.0, 0.5], [9.0, 5.0]]]),
        (UpperBound(), [[1, 2, 2, 5], 2]),
        (KeyAndCounter(), [[1 << 40, 2, 3]]),
        (Repeat(), [[3, 1, 2], [2, 0, 3]]),
        (Repeat(1), [[[3, 1], [2, 4]], 2]),
        (RepeatGrad(1), [[[3, 1, 5], [2, 4, 1]], [2, 1], [2, 2]]),
        (IsIn(), [[[3, 1], [2, 4]], [4, 3]]),
        (NonNegative(), [[3, 0]]),
    ],
)
@pytest.mark.parametrize("wide", [False, True])
def test_what_is_written_does_the_same(op: Op, given: Any, wide: bool) -> None:
    arrays = [np.asarray(x) for x in given]
    if not wide and not isinstance(op, KeyAndCounter):
        arrays = [x.astype(np.int32) if x.dtype == np.int64 else x for x in arrays]
    graph = tl.Graph()
    with graph.as_default():
        inputs = [tl.placeholder(tl.as_dtype(x.dtype), x.shape) for x in arrays]
        node = graph.add(op, inputs, name="y")
    feed = {x.name: array for x, array in zip(inputs, arrays, strict=True)}
    wanted = tl.Session(graph).run("y:0", feed)
    again = from_graphdef(to_graphdef(graph).SerializeToString())
    found = tl.Session(again).run("y:0", feed)
    np.testing.assert_array_equal(found, wanted, strict=True)
    assert node.name == "y"


def test_gradients_of_means_are_written() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, (None, 2))
        y = tl.mean(tl.square(x), axis=0)
        (dx,) = tl.gradients(tl.mean(y), [x])
    feed = {x.name: np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)}
    again = from_graphdef(to_graphdef(graph).SerializeToString())
    found = tl.Session(again).run(dx.name, feed)
    np.testing.assert_allclose(found, [[0.5, 1.0], [1.5, 2.0]])


def test_orders_of_other_axes_are_not_written() -> None:
    graph = tl.Graph()
    with graph.as_default():
        graph.add(Sort(0), [tl.placeholder(tl.float32, (2, 2))])
    with pytest.raises(tl.errors.MissingOperatorError, match="Sort"):
        to_graphdef(graph)


@pytest.mark.parametrize("limit", [-1.0, 0.5])
def test_inverses_of_any_matrix_are_written(limit: float) -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float64, (2, 3, 2))
        y: Any = tl.linalg.pinv(x, rtol=None if limit < 0 else limit)
    given = np.random.default_rng(3).normal(size=(2, 3, 2))
    again = from_graphdef(to_graphdef(graph).SerializeToString())
    found = tl.Session(again).run(y.name, {x.name: given})
    wanted = np.linalg.pinv(given, rcond=1e-15 if limit < 0 else limit)
    np.testing.assert_allclose(found, wanted)


def test_negative_numbers_are_refused_where_they_were_written() -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.int32, (2,))
        graph.add(NonNegative(), [x], name="y")
    again = from_graphdef(to_graphdef(graph).SerializeToString())
    with pytest.raises(tl.errors.InvalidArgumentError, match="non-negative"):
        tl.Session(again).run("y:0", {x.name: np.array([1, -1], np.int32)})
