"""What is told before anything runs: values of constants, names of devices; training in a loop.

What is expected is what TensorFlow 1.15 gives.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default() as made:
        yield made
    mode.eager = before


def test_values_that_are_made_of_constants_are_told() -> None:
    rows = tf.constant([[1.5, 2.5]])
    made = {
        "cast": (tf.cast(rows, tf.int32), [[1, 2]]),
        "concat": (tf.concat([rows, rows], 0), [[1.5, 2.5], [1.5, 2.5]]),
        "stack": (tf.stack([rows, rows]), [[[1.5, 2.5]], [[1.5, 2.5]]]),
        "fill": (tf.fill([2], 7.0), [7.0, 7.0]),
        "equal": (tf.equal(rows, 1.5), [[True, False]]),
        "shape": (tf.shape(rows), [1, 2]),
    }
    for x, expected in made.values():
        np.testing.assert_array_equal(tf.get_static_value(x), expected)
    assert tf.get_static_value(tf.stack([tf.placeholder(tf.float32, [])])) is None
    assert tf.get_static_value(tf.sqrt(rows)) is None


def test_shapes_of_which_nothing_is_known_are_equal() -> None:
    unknown = tf.placeholder(tf.float32).get_shape()
    assert unknown == tf.TensorShape(None)
    assert (unknown == tf.TensorShape([])) is False
    with pytest.raises(ValueError, match="inequality of unknown"):
        operator.ne(unknown, tf.TensorShape([]))


def test_sizes_that_are_not_known_equal_none_and_are_not_compared() -> None:
    shape = tf.TensorShape([None, 3])
    same = shape
    assert shape == same
    assert shape != tf.TensorShape([None, 3])
    assert tf.TensorShape([2, 3]) == tf.TensorShape([2, 3])
    assert (shape[0] == 3) is None
    assert (shape[0] != shape[0]) is None
    assert (shape[1] < shape[0]) is None
    assert (shape[0] == "no size", shape[1] == "no size") == (False, False)
    assert (shape[1] < 4, shape[1] == "3", shape[1] != 4) == (True, True, True)
    assert (bool(shape[0]), bool(tf.Dimension(0))) == (True, True)


def test_sizes_are_computed_with() -> None:
    shape = tf.TensorShape([None, 3])
    assert isinstance(shape[1] * 2, tf.Dimension)
    assert ((shape[1] * 2).value, (shape[1] // None).value) == (6, None)
    with pytest.raises(TypeError, match="please use // instead"):
        shape[1] / 2
    with pytest.raises(TypeError, match="'int' and 'Dimension'"):
        2 / shape[1]
    with pytest.raises(ValueError, match="Ambiguous"):
        tf.Dimension(2.5)


def test_shapes_are_told_joined_and_cut() -> None:
    shape = tf.TensorShape([None, 3])
    assert [dim.size for dim in shape.as_proto().dim] == [-1, 3]
    common = shape.most_specific_compatible_shape([2, 4])
    assert common.as_list() == [None, None]
    assert shape.most_specific_compatible_shape([3]).rank is None
    assert tf.TensorShape(None)[1:3].as_list() == [None, None]
    assert tf.TensorShape(None)[1:].rank is None
    kind, given = shape.__reduce__()
    assert kind(*given).as_list() == [None, 3]


def test_parts_of_device_specs_are_set() -> None:
    spec = tf.DeviceSpec(job="worker")
    spec.task = 3
    spec.merge_from(tf.DeviceSpec.from_string("/task:1/gpu:2"))
    assert spec.to_string() == "/job:worker/task:1/device:GPU:2"
    assert spec.parse_from_string("/replica:1/cpu:0") is spec
    assert (spec.job, spec.replica, spec.device_type) == (None, 1, "CPU")
    with pytest.raises(ValueError, match="Cannot specify multiple device types"):
        spec.parse_from_string("/job:worker/gpu:2/cpu:0")


def test_a_loop_trains_until_it_is_stopped_and_again_if_tasks_are_lost() -> None:
    supervisor, calls = tf.train.Supervisor(), []

    def step(session: Any, first: int, second: int) -> None:
        calls.append((first, second))
        if len(calls) == 2:
            raise tf.errors.AbortedError(None, None, "lost")
        if len(calls) == 4:
            supervisor.request_stop()

    tf.train.basic_train_loop(supervisor, step, args=(1,), kwargs={"second": 2})
    assert calls == [(1, 2)] * 4


def test_times_of_checkpoints_are_told(tmp_path: Path) -> None:
    tf.Variable(1.0, name="v")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        saved = tf.train.Saver().save(session, str(tmp_path / "model"))
    (time,) = tf.train.get_checkpoint_mtimes([saved, str(tmp_path / "none")])
    assert time == (tmp_path / "model.index").stat().st_mtime
