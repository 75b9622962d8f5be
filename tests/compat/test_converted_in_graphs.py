"""tf.autograph.to_graph in graphs of TensorFlow 1: statements on tensors become branches and loops.

Expected numbers are Python's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorlite.compat.v1 as tf

autograph: Any = tf.autograph
to_graph = autograph.to_graph


@pytest.fixture(autouse=True)
def _new_graph() -> Iterator[None]:
    tf.reset_default_graph()
    yield
    tf.reset_default_graph()


def _branching(x: Any) -> Any:
    if x > 0:
        return tf.square(x)
    return tf.negative(x)


def _looping(n: Any) -> Any:
    total = tf.constant(0)
    for i in tf.range(n):
        if tf.equal(i % 2, 0):
            total = total + i
    return total


def test_conditions_become_branches_of_the_default_graph() -> None:
    x = tf.placeholder(tf.float32, [])
    y = to_graph(_branching)(x)
    graph: Any = tf.get_default_graph()
    assert isinstance(y, tf.Tensor)
    assert y.graph is graph
    assert {"Switch", "Square", "Neg"} <= {op.type for op in graph.get_operations()}
    (slope,) = tf.gradients(y, x)
    with tf.Session() as session:
        assert session.run([y, slope], {x: 3.0}) == [9.0, 6.0]
        assert session.run([y, slope], {x: -2.0}) == [2.0, -1.0]


def test_conditions_become_branches_of_a_graph_that_is_entered() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [])
        y = to_graph(_branching)(x)
        assert isinstance(y, tf.Tensor)
        assert y.graph is graph
        with tf.Session() as session:
            assert session.run(y, {x: -2.0}) == 2.0


def test_loops_become_loops_of_the_default_graph() -> None:
    n = tf.placeholder(tf.int32, [])
    total = to_graph(_looping)(n)
    with tf.Session() as session:
        assert session.run(total, {n: 5}) == 6
        assert session.run(total, {n: 0}) == 0


def test_numbers_of_python_are_decided_at_once() -> None:
    assert to_graph(lambda x: x + 1 if x > 2 else x)(3) == 4


def _breaking(x: Any) -> Any:
    total = x
    for i in tf.range(10):
        if tf.reduce_sum(total) > 30.0:
            break
        if tf.equal(i % 2, 0):
            continue
        total = total * x
    return total


def _either(x: Any) -> Any:
    return x * 2.0 if x[0] > 1.0 else x * x


def _nested(x: Any) -> Any:
    total = tf.zeros([2])
    for i in tf.range(3):
        for j in tf.range(2):
            total += x * tf.cast(i * j, tf.float32)
    return total


@pytest.mark.parametrize(
    ("function", "name", "values", "slopes"),
    [
        (_either, "cond/Merge:0", [0.25, 2.25], [1.0, -3.0]),
        (_breaking, "while/Exit_2:0", [0.015625, 11.390625], [0.1875, -45.5625]),
        (_nested, "while/Exit_1:0", [1.5, -4.5], [3.0, 3.0]),
    ],
)
def test_statements_are_nodes_of_tensorflow_1_which_gradients_leave_there(
    function: Any, name: str, values: list[float], slopes: list[float]
) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = to_graph(function)(x)
    # What counts turns comes first; how TensorFlow orders variables differs from run to run.
    graph: Any = tf.get_default_graph()
    before = {node.name for node in graph.as_graph_def().node}
    slope = tf.gradients(y, x)[0]
    proto = graph.as_graph_def()
    assert y.name == name
    assert before <= {node.name for node in proto.node}
    assert not {node.op for node in proto.node} & {"If", "While", "OptionalNone"}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(proto, name="")
        found = session.run([name, slope.name], {"x:0": [0.5, -1.5]})
    assert [one.tolist() for one in found] == [values, slopes]


def _counting(start: Any, limit: Any, step: Any) -> Any:
    seen, last = tf.constant(0), tf.constant(-1)
    for i in tf.range(start, limit, step):
        seen = seen * 10 + i
        last = i
    return seen, last


@pytest.mark.parametrize(
    "bounds", [(1, 5, 1), (1, 8, 3), (5, 0, -2), (3, 3, 1), (4, 1, 1)]
)
@pytest.mark.parametrize("is_fed", [False, True])
def test_loops_over_ranges_count_without_making_them(
    bounds: tuple[int, int, int], is_fed: bool
) -> None:
    places = [tf.placeholder(tf.int32, []) for _ in bounds] if is_fed else bounds
    seen, last = to_graph(_counting)(*places)
    graph: Any = tf.get_default_graph()
    kinds = {node.op for node in graph.as_graph_def().node}
    assert {x.op.name for x in (seen, last)} == {"while/Exit_1", "while/Exit_2"}
    assert not any(kind.startswith("TensorArray") for kind in kinds)
    numbers = list(range(*bounds))
    feed = dict(zip(places, bounds, strict=True)) if is_fed else {}
    with tf.Session() as session:
        found = session.run([seen, last], feed)
    wanted = 0
    for number in numbers:
        wanted = wanted * 10 + number
    assert found == [wanted, numbers[-1] if numbers else -1]


def _growing(n: Any) -> Any:
    total = tf.constant(0)
    for i in range(2, n, 2):
        total = total + i
    return total


def test_ranges_of_python_by_a_tensor_are_counted_through() -> None:
    n = tf.placeholder(tf.int32, [])
    total = to_graph(_growing)(n)
    with tf.Session() as session:
        assert [session.run(total, {n: x}) for x in (0, 3, 9)] == [0, 2, 20]


@pytest.mark.parametrize("taken", [True, False])
def test_written_gradients_of_variables_in_branches_are_zeros_on_the_other_side(
    taken: bool,
) -> None:
    pred = tf.placeholder(tf.bool, [], name="pred")
    v: Any = tf.get_variable(
        "v", initializer=[[1.0, 2.0]], use_resource=True, dtype=tf.float32
    )
    y = tf.cond(pred, lambda: v * 3.0, lambda: v + 1.0)
    name = tf.gradients(y, v)[0].name
    graph: Any = tf.get_default_graph()
    written, copied = graph.as_graph_def(), tf.Graph()
    assert sum(node.op == "VariableShape" for node in written.node) == 2
    with copied.as_default(), tf.Session() as session:
        tf.import_graph_def(written, name="")
        session.run("v/Assign")
        found = session.run(name, {"pred:0": taken})
    assert found.tolist() == [[3.0, 3.0] if taken else [1.0, 1.0]]
