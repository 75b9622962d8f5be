"""What TensorFlow 1.15's tests of loops and variables ask, with the values it gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def run(*tensors: Any) -> list[Any]:
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return [np.asarray(x).tolist() for x in session.run(list(tensors))]


def test_gradients_in_a_loop_of_what_hangs_on_tensors_around_it_too() -> None:
    """Steps of learning in a loop: gradients stop at the loop's own variables."""
    c = tf.constant([1.0, 2.0])
    v = tf.Variable([1.0, 2.0])

    def step(k: Any, w: Any) -> Any:
        (gradient,) = tf.gradients(tf.reduce_sum(w * w * c), w)
        return k + 1, w * gradient

    def step_of_both(k: Any, w: Any) -> Any:
        inner, outer = tf.gradients(tf.reduce_sum(w * w * c * v), [w, v])
        return k + 1, w - 0.1 * inner + outer

    start = [0, tf.constant([1.0, 2.0])]
    _, found = tf.while_loop(lambda k, w: k < 3, step, start)
    _, both = tf.while_loop(lambda k, w: k < 3, step_of_both, start)
    by_v = tf.gradients(both, v)[0]
    assert run(found) == [[128.0, 4194304.0]]
    np.testing.assert_allclose(
        run(both, by_v),
        [[25.646399, 40812.223], [-13.534401, -17427.678]],
        rtol=1e-5,
    )


def test_gradients_in_loops_within_loops_and_of_these() -> None:
    c = tf.constant([1.0, 2.0])

    def descended(w: Any) -> Any:
        def step(k: Any, u: Any) -> Any:
            (gradient,) = tf.gradients(tf.reduce_sum(u * u * c * w), u)
            return k + 1, u - 0.1 * gradient

        return tf.while_loop(lambda k, u: k < 2, step, [0, w])[1]

    found = tf.map_fn(descended, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    values, by_c = run(found, tf.gradients(found, c)[0])
    np.testing.assert_allclose(values, [[0.64, 0.08], [0.48, 1.44]], rtol=1e-5)
    np.testing.assert_allclose(by_c, [-1.76, 3.52], rtol=1e-5)


def test_gradients_in_a_branch_stop_at_what_was_made_there() -> None:
    c = tf.constant(3.0)

    def branch() -> Any:
        x = tf.constant(2.0)
        return tf.gradients(x * x * c, x, stop_gradients=[x])[0]

    assert run(tf.cond(c > 1, branch, lambda: c)) == [12.0]


def test_a_function_along_rows_makes_its_variables_once() -> None:
    def scaled(x: Any) -> Any:
        with tf.variable_scope("body"):
            two = tf.get_variable("two", [], initializer=tf.constant_initializer(2.0))
        return x * two

    def layers(x: Any) -> Any:
        return tf.layers.dense(tf.layers.dense(x[None], 3), 2)[0]

    with tf.variable_scope("root") as scope:
        once = tf.map_fn(scaled, tf.constant([1.0, 2.0]))
        scope.reuse_variables()
        again = tf.map_fn(scaled, tf.constant([3.0]))
    tf.map_fn(layers, np.ones((3, 2), np.float32))
    tf.layers.dense(np.ones((1, 2), np.float32), 1)
    names = [x.op.name for x in tf.trainable_variables()]
    expected = [f"dense{x}/{y}" for x in ("", "_1", "_2") for y in ("kernel", "bias")]
    assert names == ["root/body/two", *expected]
    assert run(once, again) == [[2.0, 4.0], [6.0]]


def test_a_loop_whose_variable_grows_has_its_variables_once() -> None:
    """Its shape is told by an invariant."""

    def grown(x: Any) -> Any:
        return tf.concat([x, tf.layers.dense(x[:1, :], 2)], 0)

    sizes = [tf.TensorShape([None, 2])]
    start = [tf.ones((1, 2))]
    found = tf.while_loop(lambda x: tf.shape(x)[0] < 4, grown, start, sizes)
    names = [x.op.name for x in tf.global_variables()]
    assert names == ["dense/kernel", "dense/bias"]
    assert np.shape(run(found)[0]) == (4, 2)


def test_variables_are_read_and_changed_in_their_own_graph() -> None:
    with tf.Graph().as_default() as other:
        resource = tf.Variable(0.0, use_resource=True)
        reference = tf.Variable(0.0)
    changes = [
        resource.assign(2.0),
        resource.assign_add(1.0),
        resource.read_value(),
        resource.value(),
        reference.assign(2.0),
        tf.assign(resource, 1.0),
    ]
    assert {x.graph for x in changes} == {other}
    assert tf.get_default_graph().get_operations() == []


def test_an_array_is_the_same_behind_what_is_waited_for() -> None:
    v = tf.Variable(0.0)
    array = tf.TensorArray(tf.float32, 2).write(0, 5.0)
    with tf.control_dependencies([v.assign_add(1.0)]):
        same = array.identity()
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(same.read(0)) == 5.0
        assert session.run(v) == 1.0


@pytest.mark.parametrize(
    "looped",
    [
        lambda body: tf.while_loop(lambda i: i < 3, body, [0]),
        lambda body: tf.map_fn(body, [1, 2]),
        lambda body: tf.foldl(lambda a, x: a + body(x), [1, 2]),
        lambda body: tf.cond(
            tf.placeholder_with_default(True, []),
            lambda: tf.while_loop(lambda i: i < 3, body, [0]),
            lambda: 5,
        ),
    ],
)
def test_what_stands_outside_and_a_turn_waits_for_runs_once(looped: Any) -> None:
    count = tf.Variable(0.0)
    more = count.assign_add(1.0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([more]):
            return tf.identity(i) + 1

    loop = looped(body)
    with tf.Session() as session:
        session.run(count.initializer)
        session.run(loop)
        assert session.run(count) == 1.0
