"""tf.experimental.numpy: Python's own dtypes are of 64 bits; the values are TensorFlow 2.21's."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat.v2 import numpy as module

tf: Any = import_module("tensorlite.compat.v2")
tnp: Any = tf.experimental.numpy


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: tnp.array(1, dtype=int), "int64"),
        (lambda: tnp.asarray([1.5], dtype=int), "int64"),
        (lambda: tnp.zeros(2, dtype=float), "float64"),
        (lambda: tnp.ones(2, dtype=int), "int64"),
        (lambda: tnp.arange(3, dtype=int), "int64"),
        (lambda: tnp.full(2, 1, dtype=int), "int64"),
        (lambda: tnp.eye(2, dtype=int), "int64"),
        (lambda: tnp.zeros_like([1], dtype=int), "int64"),
        (lambda: tnp.sum(tnp.array([1]), dtype=float), "float64"),
        (lambda: tnp.array(1, dtype=complex), "complex128"),
        (lambda: tnp.array(1, dtype=np.int8), "int8"),
        (lambda: tnp.array(1, dtype=tf.float16), "float16"),
    ],
)
def test_dtypes_of_python_have_64_bits(make: Callable[[], Any], name: str) -> None:
    assert make().dtype == getattr(tf, name)


def test_parts_at_places_beyond_the_end_are_empty() -> None:
    parts = tnp.split(tnp.arange(8), [3, 5, 6, 10])
    found = [x.numpy().tolist() for x in parts]
    assert found == [[0, 1, 2], [3, 4], [5], [6, 7], []]
    ends = tnp.split(tnp.arange(4), [-1])
    assert [x.numpy().tolist() for x in ends] == [[0, 1, 2], [3]]


def test_numbers_are_held_by_one_bound() -> None:
    x = tnp.array([1, 5])
    assert tnp.clip(x, None, 3).numpy().tolist() == [1, 3]
    assert tnp.clip(x, 2, None).numpy().tolist() == [2, 5]


def test_axes_may_be_an_array() -> None:
    x = tnp.array([[1, 2], [3, 4]])
    assert int(tnp.max(x, axis=np.array([0, 1]))) == 4
    assert tnp.max(x, axis=np.array(0)).numpy().tolist() == [3, 4]


def test_sizes_are_known_in_traced_functions() -> None:
    made = tf.function(lambda x: tnp.zeros(tnp.size(x)))(tnp.array([[1, 2], [3, 4]]))
    assert made.shape == [4]


def test_tensors_have_more_of_numpys_methods() -> None:
    methods = module.METHODS
    x = tnp.array([[1.26, 2], [3, 4]])
    assert methods["flatten"](x, "F").numpy().tolist() == [1.26, 3, 2, 4]
    assert methods["__round__"](x, 1)[0, 0].numpy() == pytest.approx(1.3)
    assert methods["data"].fget(x) is x
