"""What sessions of TensorFlow 1 are given and give back, beside tensors, and what they refuse.

Expected values are those of TensorFlow 1.15.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.compat.shared.values import IndexedSlicesValue
from tensorlite.compat.v1 import test
from tensorlite.graph_mode.graph import mode

tf: Any = v1


@pytest.fixture(autouse=True)
def session() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default(), tf.Session() as made:
        yield made
    mode.eager = before


def test_slices_are_fetched_and_fed_by_parts(session: Any) -> None:
    values = tf.placeholder(tf.float32, [2])
    slices = tf.IndexedSlices(values, tf.placeholder(tf.int64, [2]), tf.constant([7]))
    fetched = session.run(slices, {slices: ([1.0, 2.0], [3, 2], [7])})
    assert type(fetched) is IndexedSlicesValue
    np.testing.assert_array_equal(fetched.values, [1.0, 2.0])
    again = session.run([slices], {slices: fetched})[0]
    np.testing.assert_array_equal(again.indices, [3, 2])
    np.testing.assert_array_equal(again.dense_shape, [7])


def test_slices_without_a_shape_have_none_in_its_place(session: Any) -> None:
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.placeholder(tf.int64, [1]))
    values, indices, shape = session.run(slices, {slices: ([5.0], [2])})
    assert (values.tolist(), indices.tolist(), shape) == ([5.0], [2], None)


def test_sparse_tensors_of_a_known_shape_are_fed_without_it(session: Any) -> None:
    sp = tf.sparse_placeholder(tf.float32, shape=[7, 9])
    dense = tf.sparse_tensor_to_dense(sp)
    assert session.run(dense, {sp: ([[3, 2]], [1.5])})[3, 2] == 1.5


def test_what_is_fetched_comes_in_mappings_of_the_same_kind(session: Any) -> None:
    x = tf.constant(3)
    ordered = session.run(OrderedDict([("b", x), ("a", x + 1)]))
    assert type(ordered) is OrderedDict
    assert list(ordered.items()) == [("b", 3), ("a", 4)]
    asked: dict[str, list[Any]] = defaultdict(list)
    asked["a"].append(x)
    found = session.run(asked)
    assert type(found) is defaultdict
    assert (found["a"], found["none"]) == ([3], [])


def test_what_is_not_there_is_refused_as_tensorflow_does(session: Any) -> None:
    x = tf.constant(1.0, name="x")
    with pytest.raises(ValueError, match="Fetch argument 'foo:0' cannot be"):
        session.run("foo:0")
    for key in ("x", "foo:0", 3):
        with pytest.raises(TypeError, match=r"feed"):
            session.run(x, {key: 2.0})
    session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.run(x)


def test_names_may_be_bytes(session: Any) -> None:
    x = tf.constant(44.0, name=b"e")
    assert (x.name, session.run(b"e:0")) == ("e:0", 44.0)


def test_runs_are_recorded_where_their_options_say_so(session: Any) -> None:
    x, record = tf.placeholder(tf.float32, []), tf.RunMetadata()
    y = tf.square(x)
    session.run(y, {x: 2.0}, run_metadata=record)
    session.run(y, {x: 2.0}, tf.RunOptions(), record)
    assert not record.HasField("step_stats")
    session.run(y, {x: 2.0}, tf.RunOptions(trace_level=3), record)
    assert record.HasField("step_stats")


def test_ragged_tensors_are_fetched_and_fed_as_arrays(session: Any) -> None:
    x = tf.ragged.placeholder(tf.int32, ragged_rank=2, value_shape=[2], name="x")
    assert x.flat_values.name == "x/flat_values:0"
    assert [s.name for s in x.nested_row_splits] == [
        "x/row_splits_0:0",
        "x/row_splits_1:0",
    ]
    given = tf.ragged.constant_value(
        [[[[1, 2]], []], [], [[[3, 4], [5, 6]]]], ragged_rank=2
    )
    found = session.run(x * 10, {x: given})
    assert type(found) is tf.ragged.RaggedTensorValue
    assert found.to_list() == [[[[10, 20]], []], [], [[[30, 40], [50, 60]]]]
    assert (found.shape, found.ragged_rank) == ((3, None, None, 2), 2)
    np.testing.assert_array_equal(found.nested_row_splits[0], [0, 2, 2, 3])
    np.testing.assert_array_equal(found.flat_values, [[10, 20], [30, 40], [50, 60]])
    assert str(found).startswith("<tf.RaggedTensorValue [[[[10, 20]]")


def test_ragged_tensors_are_compared_as_lists() -> None:
    class Rows(test.TestCase):
        def test_rows(self) -> None:
            x = tf.ragged.constant([[1.5, 2.5], [3.5]])
            self.assertAllEqual(x, [[1.5, 2.5], [3.5]])
            self.assertAllClose(x, [[1.5, 2.5 + 1e-9], [3.5]])
            self.assertNotAllEqual(x, [[1.5], [2.5, 3.5]])
            assert self.evaluate([x])[0].to_list() == [[1.5, 2.5], [3.5]]

    Rows("test_rows").debug()
