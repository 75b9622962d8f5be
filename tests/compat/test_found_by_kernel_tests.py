"""What TensorFlow's own tests of kernels found; what is expected is what TensorFlow 1.15 gives."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.compat.v1.test import TestCase
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def evaluated(tensor: Any) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor)


def test_a_shape_with_unknown_sizes_equals_itself_and_no_other() -> None:
    x, y = (tf.placeholder(tf.float32, [None, 3]) for _ in range(2))
    assert x.shape == x.shape
    assert x.get_shape() == x.shape
    assert x.shape != y.shape
    assert x.shape != tf.TensorShape([None, 3])


def test_placeholders_have_no_sizes_below_zero() -> None:
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        tf.placeholder(tf.float32, [-1, 3])


@pytest.mark.parametrize(("dtype", "number"), [("int32", 2**40), ("uint8", 300)])
def test_numbers_that_a_placeholder_cannot_hold_are_of_the_wrong_type(
    dtype: str, number: int
) -> None:
    x = tf.placeholder(dtype)
    with (
        tf.Session() as session,
        pytest.raises(TypeError, match="Type of feed value"),
    ):
        session.run(x, {x: number})


def test_lists_say_the_dtype_of_a_variable() -> None:
    assert tf.get_variable("whole", initializer=[[1, 2]]).dtype.base_dtype == tf.int32
    assert tf.get_variable("real", initializer=2.5).dtype.base_dtype == tf.float32


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scatter_update", [[1, 2], [7, 7]]),
        ("scatter_add", [[1, 2], [10, 11]]),
        ("scatter_sub", [[1, 2], [-4, -3]]),
        ("scatter_max", [[1, 2], [7, 7]]),
        ("scatter_min", [[1, 2], [3, 4]]),
    ],
)
def test_one_number_is_scattered_into_whole_rows(name: str, expected: Any) -> None:
    variable = tf.Variable([[1, 2], [3, 4]])
    assert evaluated(getattr(tf, name)(variable, [1], 7)).tolist() == expected


def test_gather_takes_none_for_no_batch() -> None:
    params = [[10, 11, 12], [13, 14, 15]]
    found = tf.gather(params, [1, 0], axis=1, batch_dims=None)
    assert evaluated(found).tolist() == [[11, 10], [14, 13]]


def test_decompositions_take_no_matrices_and_empty_ones() -> None:
    lu, order = evaluated(tf.linalg.lu(tf.zeros([2, 0, 0])))
    assert (lu.shape, order.shape) == ((2, 0, 0), (2, 0))
    assert evaluated(tf.linalg.sqrtm(tf.zeros([0, 2, 2]))).shape == (0, 2, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: tf.check_numerics(tf.constant([np.inf, np.nan]), "x"),
            "Tensor had Inf and NaN values",
        ),
        (
            lambda: tf.check_numerics(tf.constant([np.nan]), "x"),
            "Tensor had NaN values",
        ),
        (lambda: tf.strings.regex_replace(["a"], "A[", "b"), "Invalid pattern"),
        (
            lambda: tf.io.decode_raw(["ab", "abcd"], tf.uint8),
            "element 1 has size 4 != 2",
        ),
    ],
)
def test_errors_say_what_tensorflows_say(make: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        evaluated(make())


class Writes(TestCase):
    """A test that looks at what is printed."""

    __test__ = False

    def runTest(self) -> None:  # noqa: N802  unittest's name
        with self.captureWritesToStream(sys.__stderr__) as printed:
            print("told", file=sys.__stderr__)
            assert "told" in printed.contents()
        assert "later" not in printed.contents()


def test_writes_to_a_stream_are_captured() -> None:
    result = Writes().run()
    assert result is not None
    assert result.wasSuccessful(), result.failures + result.errors
