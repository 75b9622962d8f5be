"""What TensorFlow 1.15's own unit tests found, as 1.15 has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
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


def test_what_programs_write_into_their_arrays_later_is_not_seen() -> None:
    first, second = np.ones(3), np.ones(3)
    one, other = tf.Variable(first), tf.get_variable("other", initializer=second)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first[0], second[1] = 5.0, 7.0
        np.testing.assert_array_equal(session.run(one), np.ones(3))
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(other), np.ones(3))


def test_averages_move_half_precision() -> None:
    x = tf.Variable(np.asarray([1.0, 2.0], np.float16))
    averages = tf.train.ExponentialMovingAverage(0.5)
    update = averages.apply([x])
    moved = x.assign([3.0, 4.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(moved)
        session.run(update)
        assert session.run(averages.average(x)).tolist() == [2.0, 3.0]


def test_cases_without_a_default_ask_for_one_that_holds() -> None:
    x = tf.placeholder(tf.int32, [])
    pairs = [(tf.equal(x, i), lambda i=i: tf.constant(2 * i)) for i in (1, 2)]
    alone, first = tf.case(pairs), tf.case(pairs[:1])
    twice = tf.case([*pairs, (tf.equal(x, 2), lambda: 6)], lambda: 8, exclusive=True)
    with tf.Session() as session:
        found = [session.run(twice, {x: i}) for i in (1, 3)]
        assert (found, session.run([alone, first], {x: 1})) == ([2, 8], [2, 2])
        for wrong, given in ((alone, 4), (first, 2), (twice, 2)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Input error:"):
                session.run(wrong, {x: given})


@pytest.mark.parametrize(
    ("index", "branches", "kind", "message"),
    [
        (1, {0: float}, TypeError, "branch_index must be a Tensor"),
        (None, {0: float, 2: float}, ValueError, "must form contiguous"),
        (None, [(0, float), (0, float)], ValueError, "must form contiguous"),
        (None, [("0", float)], TypeError, "must be a Python `int`"),
    ],
)
def test_branches_have_the_numbers_from_nought_on(
    index: Any, branches: Any, kind: type[Exception], message: str
) -> None:
    given = tf.constant(0) if index is None else index
    with pytest.raises(kind, match=message):
        tf.switch_case(given, branches)


def test_loops_give_the_only_tensor_of_what_they_carry() -> None:
    found = tf.while_loop(
        lambda i, _: i < 10, lambda i, _: [i + 1, []], [tf.constant(0), []]
    )
    with tf.Session() as session:
        assert session.run(found) == 10


def test_what_gradients_refuse() -> None:
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients"):
        tf.gradients(x, x, unconnected_gradients="nonsense")
    y = tf.square(tf.constant(7 + 3j))
    with pytest.raises(
        TypeError, match="Gradients of complex tensors must set grad_ys"
    ):
        tf.gradients(y, y)


def test_products_that_are_nought_have_a_slope_where_a_factor_is_nought() -> None:
    x, y = tf.constant([0.0, 1.0, np.inf]), tf.zeros([3])
    by_x, by_y = tf.gradients(tf.math.multiply_no_nan(x, y), [x, y])
    following = tf.gradients(tf.math.nextafter(x, y), [x, y])
    with tf.Session() as session:
        assert session.run(by_x).tolist() == [0.0, 0.0, 0.0]
        assert session.run(by_y).tolist() == [0.0, 1.0, np.inf]
        assert session.run(following[1]).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("count", [1, 2])
def test_variables_of_values_are_cut_into_parts(count: int) -> None:
    value = np.arange(4, dtype=np.float32)
    whole = tf.get_variable(
        "w",
        partitioner=tf.fixed_size_partitioner(count),
        initializer=tf.constant(value),
    )
    assert [part.name for part in whole] == [f"w/part_{i}:0" for i in range(count)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(np.concatenate(session.run(list(whole))), value)


def test_what_sessions_are_not_made_of() -> None:
    with pytest.raises(TypeError, match="target must be a string"):
        tf.Session(37)
    with pytest.raises(TypeError, match=r"config must be a tf\.ConfigProto"):
        tf.Session(config=37)
    with pytest.raises(TypeError, match=r"graph must be a tf\.Graph"):
        tf.Session(graph=37)
    with pytest.raises(
        tf.errors.NotFoundError, match="No session factory registered"
    ):
        tf.Session("INVALID_TARGET")


def test_classes_of_attrs_are_fetched() -> None:
    attr = pytest.importorskip("attr")
    sample = attr.make_class("Sample", ["one", "other"])
    given = sample(tf.constant([1.0, 2.0]), [tf.constant(3)])
    with tf.Session() as session:
        found = session.run(given, {given.one: [5.0, 6.0]})
    assert isinstance(found, sample)
    assert (found.one.tolist(), found.other) == ([5.0, 6.0], [3])
