"""TensorFlow 2's functions by their names, run at once and in traced functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    yield
    mode.eager = before


X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def test_tensors_of_a_trace_tell_of_their_operation_and_graph() -> None:
    told: list[Any] = []

    @tf.function
    def doubled(x: Any) -> Any:
        y = x * 2.0
        told.extend([y.op.type, y.op.inputs[0].name, x.graph is y.graph, x.op.name])
        return y

    assert float(doubled(tf.constant(3.0))) == 6.0
    assert told == ["Mul", "x:0", True, "x"]


def test_a_seed_gives_the_numbers_that_tensorflow_draws() -> None:
    """The expected numbers are TensorFlow 2.21's."""
    tf.random.set_seed(1)
    first = tf.random.uniform([2])
    np.testing.assert_allclose(first, [0.16513085, 0.9014813], 1e-6)
    tf.random.set_seed(1)
    np.testing.assert_array_equal(tf.random.uniform([2]), first)
    assert not np.array_equal(tf.random.uniform([2]).numpy(), first.numpy())


def test_an_operators_seed_goes_on_from_call_to_call() -> None:
    tf.random.set_seed(2)
    one, two = tf.random.normal([2], seed=5), tf.random.normal([2], seed=5)
    assert not np.array_equal(one.numpy(), two.numpy())
    tf.random.set_seed(2)
    np.testing.assert_array_equal(tf.random.normal([2], seed=5), one)


def test_tapes() -> None:
    v, unused = tf.Variable(3.0), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
    zero = tf.UnconnectedGradients.ZERO
    slope, nothing = tape.gradient(y, [v, unused], unconnected_gradients=zero)
    assert slope.numpy() == 6.0
    np.testing.assert_array_equal(nothing, [0.0, 0.0])


def test_functions_convert_python() -> None:
    def f(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(3):
            array = array.write(i, tf.reduce_sum(x) * tf.cast(i, tf.float32))
        return array.stack()

    traced = tf.function(f, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    np.testing.assert_array_equal(traced(tf.constant(X)), [0.0, 10.0, 20.0])


def test_modules_have_names() -> None:
    class TwoLayers(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(1.0)

    made = TwoLayers()
    assert made.name == "two_layers"
    assert len(made.trainable_variables) == 1
    assert isinstance(made.w, tf.Variable)


def test_orders_of_arguments() -> None:
    x = tf.constant(X)
    np.testing.assert_array_equal(tf.boolean_mask(x, [True, False], 1), X[:, :1])
    np.testing.assert_array_equal(
        tf.pad(x, [[1, 0], [0, 0]], "CONSTANT", 7.0)[0], [7, 7]
    )
    np.testing.assert_array_equal(tf.where(x > 2.0, x, 0.0), np.where(X > 2, X, 0))
    np.testing.assert_array_equal(tf.gather(x, [0], axis=1), X[:, :1])
    np.testing.assert_array_equal(tf.argmax(x, 1, tf.int32), [1, 1])
    assert tf.constant(1, shape=[2, 2]).shape == (2, 2)
    assert tf.convert_to_tensor([1, 2], dtype=tf.float64).dtype is tf.float64


def test_assertions_raise_at_once() -> None:
    tf.debugging.assert_equal(X, X)
    with pytest.raises(InvalidArgumentError, match="why"):
        tf.debugging.assert_less(X, 1.0, message="why")


def test_python_in_functions() -> None:
    double = tf.function(
        lambda x: tf.numpy_function(lambda a: a * 2, [x], tf.float32)
    )
    np.testing.assert_array_equal(double(tf.constant(X)), X * 2)


def test_a_graph_may_be_built_by_hand() -> None:
    with tf.Graph().as_default():
        y = tf.add(tf.constant(1.0), 2.0, name="sum")
    assert y.name == "sum:0"


def test_what_is_missing_is_told_with_what_is_near() -> None:
    with pytest.raises(AttributeError, match="reduce_sum"):
        tf.reduce_summ  # noqa: B018


def test_tables_are_filled_at_once() -> None:
    filler = tf.lookup.KeyValueTensorInitializer(
        ["k", "j"], tf.constant([0, 1], tf.int64)
    )
    table = tf.lookup.StaticVocabularyTable(filler, 1)
    assert table.lookup(tf.constant(["j", "q"])).numpy().tolist() == [1, 2]


def test_text_stands_beside_strings_of_a_trace() -> None:
    @tf.function
    def framed(x: Any) -> Any:
        return "=" + x + "é"

    assert framed(tf.constant("x")).numpy() == "=xé".encode()


def test_results_are_nodes_of_their_own_named_identity() -> None:
    # Names and kinds as TensorFlow 2.21 has them.
    def powers(x: Any) -> Any:
        return x**3, x, {"again": x}

    concrete = tf.function(powers).get_concrete_function(
        tf.TensorSpec([], tf.float32)
    )
    names = ["Identity:0", "Identity_1:0", "Identity_2:0"]
    assert [x.name for x in concrete.outputs] == names
    assert concrete.graph.get_tensor_by_name("Identity_2:0").op.type == "Identity"
    cube, x, rest = concrete(tf.constant(2.0))
    assert (float(cube), float(x), float(rest["again"])) == (8.0, 2.0, 2.0)
