"""Checks of numbers, crosses and lengths of texts are written by what TensorFlow has for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v1 as tf
from tensorlite.core.dispatch import call
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.control.assertions import assert_true
from tensorlite.ops.sparse.crossing import sparse_cross
from tensorlite.ops.sparse.row_counts import NonNegative
from tensorlite.ops.sparse.segments import SortedSegments
from tensorlite.ops.strings.decoding import decode_raw


def written(function: Callable[..., Any], *values: Any) -> tuple[set[str], Any]:
    """Return the operators that a function is written by, and what reads and runs them again."""
    with tf.Graph().as_default() as graph:
        given = [
            tf.placeholder(x.dtype, x.shape, name=f"x{i}")
            for i, x in enumerate(values)
        ]
        made = function(*given)
        results = made if isinstance(made, (list, tuple)) else [made]
        outputs = [tf.identity(y, name=f"y{i}") for i, y in enumerate(results)]
    proto = graph.as_graph_def()

    def run(*fed: Any) -> list[Any]:
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(proto, name="")
            feed = {f"x{i}:0": x for i, x in enumerate(fed)}
            found = session.run([f"y{i}:0" for i in range(len(outputs))], feed)
        return [x.tolist() for x in found]

    return {node.op for node in proto.node}, run


def test_checks_that_tell_nothing_tell_their_message() -> None:
    def checked(x: Any) -> Any:
        with tl.control_dependencies([assert_true(tl.all(x > 0), "all above 0")]):
            return tl.identity(x)

    _, run = written(checked, np.array([1, 2]))
    assert run(np.array([1, 2])) == [[1, 2]]
    with pytest.raises(InvalidArgumentError, match="all above 0"):
        run(np.array([1, -2]))
    with tf.Graph().as_default() as graph:
        assert_true(tf.placeholder("bool", [], name="x").__tensor__(), "no")
    (check,) = [x for x in graph.as_graph_def().node if x.op == "Assert"]
    assert len(check.input) == 2
    assert len(check.attr["T"].list.type) == 1


def test_numbers_that_must_not_be_negative() -> None:
    x = np.array([[1, 0], [2, 3]])
    ops, run = written(lambda x: call(NonNegative(), x), x)
    assert "Assert" in ops
    assert "NonNegative" not in ops
    assert run(x) == [x.tolist()]
    with pytest.raises(InvalidArgumentError, match="must be non-negative"):
        run(-x)


@pytest.mark.parametrize("counted", [False, True])
def test_segments_that_must_grow(counted: bool) -> None:
    ids, count = np.array([0, 0, 2]), np.array(3)
    given = (ids, count) if counted else (ids,)
    ops, run = written(lambda *xs: call(SortedSegments(), *xs), *given)
    assert "Assert" in ops
    assert run(*given) == [[0, 0, 2]]
    with pytest.raises(InvalidArgumentError, match="must be non-decreasing"):
        run(ids[::-1], *given[1:])
    if counted:
        with pytest.raises(InvalidArgumentError, match="less than their number"):
            run(ids, np.array(2))


@pytest.mark.parametrize("hashed", [False, True])
def test_crosses(hashed: bool) -> None:
    def crossed() -> Any:
        first = tf.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1])
        second = tf.SparseTensor([[0, 0], [0, 1]], ["x", "y"], [2, 2])
        cross = tf.sparse.cross_hashed if hashed else tf.sparse.cross
        made = cross([first, second])
        return [made.indices, made.values, made.dense_shape]

    ops, run = written(crossed)
    assert "SparseCross" in ops  # which TensorFlow 1 has, too
    places, values, shape = run()
    assert (places, shape) == ([[0, 0], [0, 1]], [2, 2])
    if not hashed:
        assert values == [b"a_X_x", b"a_X_y"]


def test_crosses_by_another_separator() -> None:
    def crossed() -> Any:
        words = tf.SparseTensor([[0, 0]], ["a"], [1, 1])
        return sparse_cross([words, words], "-").values

    ops, run = written(crossed)
    assert "SparseCrossV2" in ops
    assert run() == [[b"a-a"]]


def test_texts_of_a_length() -> None:
    texts = np.array([b"\x01\x00\x02", b"\x05"], object)
    ops, run = written(
        lambda: decode_raw(tf.constant(texts), tl.int16, fixed_length=4)
    )
    assert "DecodePaddedRaw" in ops
    assert run() == [[[1, 2], [5, 0]]]


def test_a_signal_is_filled_up_to_what_is_transformed() -> None:
    x = np.arange(3, dtype=np.float32)
    ops, run = written(lambda x: tf.abs(tf.signal.rfft(x, [5])), x)
    assert "Pad" in ops
    np.testing.assert_allclose(run(x)[0], np.abs(np.fft.rfft(x, 5)), atol=1e-5)


def test_nothing_is_repeated() -> None:
    x = np.zeros([0], np.int64)
    ops, run = written(lambda x: tf.repeat(x, tf.cast(x, tf.int32)), x)
    assert "Maximum" in ops
    assert run(x) == [[]]
