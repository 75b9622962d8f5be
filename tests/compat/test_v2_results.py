"""What TensorFlow 2's programs rely on and tensorlite's own results differ in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.device import settings


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [("int32", "float64"), ("int64", "float64"), ("int8", "float32")],
)
def test_quotients_of_integers(dtype: str, wanted: str) -> None:
    x = tf.constant([1, 2], dtype=dtype)
    assert (x / x).dtype.name == wanted
    assert (x / 2).dtype.name == wanted
    assert tf.function(lambda y: 1 / y)(x).dtype.name == wanted
    assert (tf.constant([1.0]) / 2).dtype.name == "float32"


def test_extremes_of_nothing_are_where_numbers_end() -> None:
    nothing = tf.zeros([2, 0, 3])
    assert tf.reduce_max(nothing, 1).numpy().tolist() == [[-np.inf] * 3] * 2
    assert tf.reduce_min(nothing, [0, 1], keepdims=True).shape == (1, 1, 3)
    assert tf.reduce_max(nothing, 0).shape == (0, 3)
    assert int(tf.reduce_min(tf.zeros([0], tf.int64))) == 2**63 - 1
    with np.errstate(divide="ignore"):
        assert float(tf.reduce_logsumexp(tf.zeros([0]))) == -np.inf


def test_a_single_text_is_bytes_for_numpy() -> None:
    assert tf.constant("text").numpy() == b"text"
    assert tf.strings.join(["a", "b"]).numpy().decode() == "ab"
    assert isinstance(tf.constant(["a"]).numpy(), np.ndarray)


@pytest.mark.parametrize("paddings", [[[0, -1]], np.array([[-1, 0]])])
def test_paddings_are_not_negative(paddings: Any) -> None:
    for given in (paddings, tf.constant(paddings)):
        with pytest.raises(ValueError, match="non-negative"):
            tf.pad(tf.constant([1, 2]), given)


def test_generators_give_tensorflows_numbers() -> None:
    stream = tf.random.Generator.from_seed(1, alg="philox")
    np.testing.assert_allclose(
        stream.normal([2]), [0.43842274, -0.53439844], rtol=1e-6
    )
    double = stream.uniform([2], dtype=tf.float64)
    np.testing.assert_allclose(double, [0.11655799, 0.93182858], rtol=1e-7)
    assert stream.uniform([3], 0, 10, tf.int32).numpy().tolist() == [4, 5, 1]
    whole = stream.uniform_full_int([2], dtype=tf.uint32)
    assert whole.numpy().tolist() == [34080404, 1856341477]
    assert stream.key.numpy() == 0
    assert stream.make_seeds(2).shape == (2, 2)
    other = tf.random.Generator.from_key_counter(key=7, counter=[1, 2], alg="philox")
    np.testing.assert_allclose(other.normal([2]), [-1.6157985, 1.401077], rtol=1e-6)
    assert (
        tf.random.Generator(copy_from=other).state.numpy().tolist()
        == other.state.numpy().tolist()
    )
    with pytest.raises(ValueError, match="philox"):
        tf.random.Generator.from_seed(1, alg="threefry")

    traced = tf.function(lambda: tf.random.create_rng_state(5))
    assert traced().numpy().tolist() == [5, 0, 0]
    tf.random.set_global_generator(other)
    assert tf.random.get_global_generator() is other


def test_traced_functions_may_be_decorated_and_devices_named_barely() -> None:
    twice = tf.function(lambda x: x * 2)
    twice._decorate(lambda inner: lambda x: inner(x) + 1)
    with tf.device("cpu"):
        assert twice(tf.constant(3)).numpy() == 7
    with pytest.raises(ValueError, match="after they have been traced"):
        twice._decorate(lambda inner: inner)


A = [[1.0, 2.0], [3.0, 4.0]]
# Calls of tf.raw_ops, and what TensorFlow 2.21 gives for each.
RAW: list[tuple[str, dict[str, Any], Any]] = [
    ("MatMul", {"a": A, "b": A, "transpose_b": True}, [[5.0, 11.0], [11.0, 25.0]]),
    ("Add", {"x": 1.0, "y": 2.0}, 3.0),
    ("ConcatV2", {"values": [A, A], "axis": 1}, [[1, 2, 1, 2], [3, 4, 3, 4]]),
    ("Split", {"axis": 0, "value": A, "num_split": 2}, [[[1.0, 2.0]], [[3.0, 4.0]]]),
    ("Sum", {"input": A, "axis": [0], "keep_dims": True}, [[4.0, 6.0]]),
    ("Cast", {"x": A, "DstT": tf.int32}, [[1, 2], [3, 4]]),
    ("Select", {"condition": [True, False], "x": [1, 2], "y": [3, 4]}, [1, 4]),
    ("Where", {"condition": [True, False]}, [[0]]),
    (
        "StridedSlice",
        {"input": A, "begin": [0], "end": [1], "strides": [1]},
        [[1.0, 2.0]],
    ),
    ("TopKV2", {"input": A, "k": 1}, [[[2.0], [4.0]], [[1], [1]]]),
    ("StringJoin", {"inputs": ["a", "b"], "separator": "-"}, b"a-b"),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), RAW)
def test_raw_ops(name: str, arguments: dict[str, Any], expected: Any) -> None:
    found = getattr(tf.raw_ops, name)(**arguments)
    made = (
        [x.numpy().tolist() for x in found]
        if isinstance(found, (list, tuple))
        else found.numpy()
    )
    assert (made if isinstance(made, (list, bytes)) else made.tolist()) == expected


def test_raw_ops_are_traced_and_differentiated_and_say_what_they_take() -> None:
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda z: tf.raw_ops.Square(x=z))(x)
    assert tape.gradient(y, x).numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    with pytest.raises(ValueError, match="by keyword"):
        tf.raw_ops.MatMul(x=A, y=A)
    with pytest.raises(AttributeError, match="NoSuchOperator"):
        _ = tf.raw_ops.NoSuchOperator


def test_kinds_of_variables_have_their_own_instances() -> None:
    class Own(tf.Variable):
        pass

    bare, own = tf.Variable(1.0), Own(2.0)
    assert isinstance(bare, tf.Variable)
    assert isinstance(own, tf.Variable)
    assert isinstance(own, Own)
    assert not isinstance(bare, Own)


def test_shapes_of_results_that_are_none() -> None:
    concrete = tf.function(lambda x: (x, None)).get_concrete_function(
        tf.constant([1.0])
    )
    assert concrete.output_shapes == ((1,), None)
    assert concrete.output_dtypes == (tf.float32, None)


def test_a_list_as_a_key_stands_for_a_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "numpy_behavior", False)
    x: Any = tf.reshape(tf.range(12), [3, 4])
    assert int(x[[0, 1]]) == 1
    assert x[[..., 1]].numpy().tolist() == [1, 5, 9]
    assert x[[slice(None), 2]].numpy().tolist() == [2, 6, 10]
    assert int(tf.Variable(x)[[tf.constant(1), 0]]) == 4
    monkeypatch.setattr(settings, "numpy_behavior", True)
    assert x[[0, 1]].shape == [2, 4]


def test_the_only_size_may_be_a_tensor_of_rank_0() -> None:
    assert tf.ones(tf.constant(2)).numpy().tolist() == [1.0, 1.0]
    made = tf.function(lambda n: tf.zeros(n, tf.int32))(tf.constant(3))
    assert made.numpy().tolist() == [0, 0, 0]
