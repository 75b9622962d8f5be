"""Operands of NumPy beside tensors: which dtype they have, by the setting of the process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v2
from tensorlite.compat.v2 import errors
from tensorlite.compat.v2.numpy import METHODS
from tensorlite.core.device import settings


@pytest.fixture(autouse=True)
def _adopting() -> Iterator[None]:
    before = tl.config.get_numpy_operands()
    tl.config.set_numpy_operands("adopt")
    yield
    tl.config.set_numpy_operands(before)


@pytest.mark.parametrize("other", [np.ones(2), np.float64(1.0), np.arange(2)])
def test_arrays_take_the_tensors_dtype(other: Any) -> None:
    x = tl.ones(2)
    assert (x + other).dtype is tl.float32
    assert (other * x).dtype is tl.float32


_X = tl.constant([1, 2])
_CAST: dict[str, tuple[Any, list[Any]]] = {
    "add": (lambda: _X + np.array([2.7, -1.5]), [3, 1]),
    "reflected": (lambda: np.array([2.7, -1.5]) + _X, [3, 1]),
    "scalars": (lambda: _X * np.float32(2.7), [2, 4]),
    "functions": (lambda: v2.add(_X, np.array([2.7])), [3, 4]),
    "comparisons": (lambda: v2.less(_X, np.array(1.5)), [False, False]),
    "equality": (lambda: v2.equal(_X, np.array(1.0)), [True, False]),
    "choices": (lambda: v2.where([True, False], _X, np.array(2.5)), [1, 2]),
    "stacks": (lambda: v2.concat([_X, np.array([2.5])], 0), [1, 2, 2]),
    "bools": (lambda: v2.add(_X, np.array(True)), [2, 3]),
    "complex": (lambda: v2.constant([1.5]) + np.array([2 + 1j]), [3.5]),
    "too large": (lambda: v2.constant([1], v2.int8) + np.array(300), [45]),
    "traced": (lambda: v2.function(lambda x: x + np.array(2.5))(_X), [3, 4]),
}
"""What TensorFlow 2.21 makes of NumPy's arrays beside tensors of other kinds of numbers."""


@pytest.mark.parametrize("title", _CAST)
def test_arrays_are_cast_to_the_tensors_dtype(title: str) -> None:
    made, expected = _CAST[title]
    assert made().numpy().tolist() == expected


def test_fractions_of_python_are_not_cut_off() -> None:
    halves = [0.5, 0.5]
    assert (_X + halves).numpy().tolist() == [1.5, 2.5]


def test_numpys_behavior_lets_arrays_promote() -> None:
    """TensorFlow 2.21 gives these dtypes once its tensors behave as NumPy's arrays."""
    promotion, behavior = settings.promotion, settings.numpy_behavior
    lacking = [name for name in METHODS if not hasattr(tl.Tensor, name)]
    v2.experimental.numpy.experimental_enable_numpy_behavior()
    try:
        assert (_X + np.array(2.5)).dtype is v2.float64
        assert (v2.constant([1.5]) + np.array([2.0])).dtype is v2.float64
    finally:
        settings.promotion, settings.numpy_behavior = promotion, behavior
        for name in lacking:
            delattr(tl.Tensor, name)


def test_means_of_no_whole_numbers_are_0() -> None:
    assert v2.reduce_mean(v2.zeros([0], v2.int32)).numpy() == 0
    assert v2.reduce_mean(v2.zeros([2, 0], v2.int64), 1).numpy().tolist() == [0, 0]


def test_tensors_promote_as_before() -> None:
    assert (tl.ones(2) + tl.ones(2, dtype=tl.float64)).dtype is tl.float64


def test_traced_functions_do_the_same() -> None:
    f = tl.function(lambda x: x + np.ones(2))
    assert f(tl.ones(2)).dtype is tl.float32


def test_promotion_is_the_rule_at_first() -> None:
    tl.config.set_numpy_operands("promote")
    assert (tl.ones(2) + np.ones(2)).dtype is tl.float64
    with pytest.raises(tl.errors.InvalidArgumentError, match="'promote' or 'adopt'"):
        tl.config.set_numpy_operands("else")  # type: ignore[arg-type]


def test_strings_are_compared_with_text() -> None:
    one, some = tl.constant("a"), tl.constant(["a", "b"])
    assert bool(one == "a")
    assert not bool(one != b"a")
    assert (some == "a").numpy().tolist() == [True, False]
    assert (some != "b").numpy().tolist() == [True, False]
    assert bool(tl.Variable("a") == "a")
    assert bool(tl.function(lambda x: x == "a")(one))
    unlike: object = tl.constant(1) == "a"
    assert unlike is False


tf: Any = v2
WRONG = {
    "add": lambda: tf.add(tf.constant([1]), tf.constant([1.0])),
    "matmul": lambda: tf.matmul(tf.constant([[1]]), tf.constant([[1.0]])),
    "sum of texts": lambda: tf.reduce_sum(tf.constant(["a"])),
    "places that are no integers": lambda: tf.gather([1.0], [0.0]),
    "sizes that are no integers": lambda: tf.reshape([1.0], [1.0]),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize(
    "kind", [errors.InvalidArgumentError, TypeError], ids=lambda x: x.__name__
)
def test_wrong_dtypes_are_wrong_arguments_and_wrong_types(
    call: Any, kind: Any
) -> None:
    # TensorFlow raises the first where it runs at once, the second where it builds a graph.
    with pytest.raises(kind):
        call()
