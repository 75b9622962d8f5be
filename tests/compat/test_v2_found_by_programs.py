"""What public programs of TensorFlow 2 found; what is expected is what TensorFlow 2.21 gives."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

IN_PLACE: dict[str, tuple[Callable[[Any, Any], Any], list[float]]] = {
    "+=": (operator.iadd, [2.0, 5.0]),
    "-=": (operator.isub, [0.0, -1.0]),
    "*=": (operator.imul, [1.0, 6.0]),
    "/=": (operator.itruediv, [1.0, 2 / 3]),
    "//=": (operator.ifloordiv, [1.0, 0.0]),
    "%=": (operator.imod, [0.0, 2.0]),
    "**=": (operator.ipow, [1.0, 8.0]),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_an_array_that_is_changed_by_a_tensor_becomes_one(
    name: str, dtype: Any
) -> None:
    change, expected = IN_PLACE[name]
    array = np.array([1, 2], dtype)
    made = change(array, tf.constant([1.0, 3.0]))
    assert isinstance(made, tf.Tensor)
    assert made.dtype is tf.float32
    np.testing.assert_allclose(made, expected, rtol=1e-6)
    np.testing.assert_array_equal(array, [1, 2])


def test_parts_of_arrays_are_changed_by_tensors() -> None:
    array = np.zeros((2, 2), np.float32)
    array[0] += tf.constant([2.0, 1.0])
    array[:, 1] -= tf.Variable([1.0, 3.0])
    assert array.tolist() == [[2.0, 0.0], [0.0, -3.0]]


def test_a_function_of_numpy_writes_where_it_is_told() -> None:
    array = np.zeros(2, np.float32)
    made = np.add(np.ones(2, np.float32), tf.constant([1.0, 2.0]), out=array)
    assert made is array
    assert array.tolist() == [2.0, 3.0]


def test_an_array_is_changed_by_a_tensor_of_a_trace() -> None:
    @tf.function
    def summed(x: Any) -> Any:
        total = np.zeros(2, np.float32)
        for _ in range(3):
            total += x
        return total

    assert summed(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]


def growing(size: int) -> Any:
    return tf.TensorArray(tf.int32, size=size, dynamic_size=True)


def squares(n: Any) -> Any:
    array = growing(0)
    for i in tf.range(n):
        array.append(i * i)
    return array.stack()


def of_two_branches(n: Any) -> Any:
    array = growing(2)
    if n > 2:
        array.append(n)
    else:
        array.append(-n)
    return array.stack()


def stored(n: Any) -> Any:
    array = growing(3)
    array[0] = n
    return array.stack()


CONVERTED: dict[Callable[[Any], Any], list[int]] = {
    squares: [0, 1, 4, 9],
    of_two_branches: [0, 0, 4],
    stored: [4, 0, 0],
}


@pytest.mark.parametrize("function", CONVERTED)
def test_arrays_of_tensors_are_lists_in_converted_code(function: Any) -> None:
    lists = tf.autograph.experimental.Feature.LISTS
    traced = tf.function(function, experimental_autograph_options=lists)
    in_graph = tf.autograph.to_graph(function, experimental_optional_features=lists)
    assert traced(tf.constant(4)).numpy().tolist() == CONVERTED[function]
    assert in_graph(tf.constant(4)).numpy().tolist() == CONVERTED[function]


def test_arrays_of_tensors_are_no_lists_to_python() -> None:
    with pytest.raises(AttributeError, match="no attribute 'append'"):
        squares(tf.constant(4))
    with pytest.raises(TypeError, match="item assignment"):
        stored(tf.constant(4))
