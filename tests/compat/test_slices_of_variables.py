"""Parts of variables in graphs of version 1 are given values by one operator, as TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v1 as tf

FIRST = np.arange(6.0, dtype=np.float32).reshape(3, 2)
KEYS = [
    (1, [7.0, 8.0]),
    ((slice(None), 0), [7.0, 8.0, 9.0]),
    ((slice(1, None), slice(None, None, -1)), [[7.0, 8.0], [9.0, 10.0]]),
    ((..., 1), 5.0),
    (slice(None), FIRST[::-1] + 1.0),
]


def made(use_resource: bool) -> Any:
    return tf.get_variable("v", initializer=FIRST, use_resource=use_resource)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize(("key", "value"), KEYS)
def test_a_part_has_the_value(key: Any, value: Any, use_resource: bool) -> None:
    wanted = FIRST.copy()
    wanted[key] = value
    with tf.Graph().as_default() as graph:
        v = made(use_resource)
        after = v[key].assign(value)
        kinds = {node.op for node in graph.as_graph_def().node}
        assert ("Resource" * use_resource + "StridedSliceAssign") in kinds
        with tf.Session() as session:
            session.run(v.initializer)
            np.testing.assert_array_equal(session.run(after), wanted)
            np.testing.assert_array_equal(session.run(v), wanted)


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_written_graph_assigns_the_same(use_resource: bool) -> None:
    with tf.Graph().as_default() as graph:
        v = made(use_resource)
        end = tf.placeholder(tf.int32, [], name="end")
        v[:end].assign(tf.fill([end, 2], 9.0))
        proto = graph.as_graph_def()
    (name,) = [x.name for x in proto.node if x.op.endswith("SliceAssign")]
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name="")
        write = graph.get_operation_by_name(name)
        read = "v/Read/ReadVariableOp:0" if use_resource else "v/read:0"
        with tf.Session() as session:
            session.run(graph.get_operation_by_name("v/Assign"))
            session.run(write, {"end:0": 2})
            assert session.run(read).tolist() == [[9.0, 9.0], [9.0, 9.0], [4.0, 5.0]]


def test_places_that_a_mask_picks_are_read_and_written_whole() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = made(use_resource=False)
        session.run(v.initializer)
        changed = tf.scatter_nd_update(v, [[0, 1]], [5.0])
        assert session.run(changed).tolist() == [[0.0, 5.0], [2.0, 3.0], [4.0, 5.0]]


@pytest.mark.parametrize("use_resource", [False, True])
def test_values_that_do_not_fit_are_refused(use_resource: bool) -> None:
    with tf.Graph().as_default():
        part = made(use_resource)[1]
        with pytest.raises(tl.errors.ShapeError, match="does not broadcast"):
            part.assign([1.0, 2.0, 3.0])


def test_a_scalar_place_takes_one_row() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = made(use_resource=False)
        session.run(v.initializer)
        after = tf.scatter_add(v, 1, [10.0, 20.0])
        assert session.run(after).tolist() == [[0.0, 1.0], [12.0, 23.0], [4.0, 5.0]]
