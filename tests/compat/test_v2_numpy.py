"""Functions of tf.experimental.numpy: values and dtypes, which TensorFlow 2.21 or NumPy gave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2 import numpy as tnp

nan = float("nan")

GIVEN: list[tuple[str, Any, str, Any]] = [
    ("allclose([1.0, 2.0], [1.0, 2.000001])", None, "bool", True),
    ("allclose([nan], [nan])", None, "bool", False),
    ("allclose([nan], [nan], equal_nan=True)", None, "bool", True),
    ("angle([1 + 1j, -1.0], deg=True)", None, "float64", [45.0, 180.0]),
    ("append([1, 2], [[3.5], [4]])", None, "float64", [1.0, 2.0, 3.5, 4.0]),
    ("append([[1, 2]], [[3, 4]], axis=0)", None, "int64", [[1, 2], [3, 4]]),
    ("around([1.234, 5.678], 1)", None, "float64", [1.2, 5.7]),
    ("around([15, 25], -1)", None, "int64", [20, 20]),
    ("around([0.5, 1.5])", None, "float64", [0.0, 2.0]),
    ("array_equal([1, 2], [1, 2, 3])", None, "bool", False),
    ("array_equal([1, 2], [1.0, 2.0])", None, "bool", True),
    ("ascontiguousarray(3.0)", None, "float64", [3.0]),
    ("atleast_1d(3)", None, "int64", [3]),
    ("atleast_2d([1, 2])", None, "int64", [[1, 2]]),
    ("atleast_3d([1, 2])", None, "int64", [[[1], [2]]]),
    ("atleast_3d([[1, 2], [3, 4]])", None, "int64", [[[1], [2]], [[3], [4]]]),
    ("bitwise_not([1, 2])", None, "int64", [-2, -3]),
    ("bitwise_not([True, False])", None, "bool", [False, True]),
    ("broadcast_arrays([1, 2], [[1], [2]])", 1, "int64", [[1, 1], [2, 2]]),
    ("compress([True, False, True], [1, 2, 3])", None, "int64", [1, 3]),
    ("compress([1, 0], [[1, 2], [3, 4]], axis=1)", None, "int64", [[1], [3]]),
    ("compress([False, True], [[1, 2], [3, 4]])", None, "int64", [2]),
    ("diag_indices(3)", 1, "int32", [0, 1, 2]),
    ("divmod([7, -8], 3)", 0, "int64", [2, -3]),
    ("divmod([7, -8], 3)", 1, "int64", [1, 1]),
    ("einsum('ij,jk->ik', [[1, 2]], [[3], [4.5]])", None, "float64", [[12.0]]),
    ("empty_like([1, 2])", None, "int64", [0, 0]),
    ("fix([1.7, -1.7])", None, "float64", [1.0, -1.0]),
    ("fix([3, -2])", None, "float64", [3.0, -2.0]),
    ("flatten([[1, 2], [3, 4]], order='F')", None, "int64", [1, 3, 2, 4]),
    ("float_power([2, 3], 2)", None, "int64", [4, 9]),
    ("iscomplex([1 + 1j, 2])", None, "bool", [True, False]),
    ("ix_([0, 1], [2, 3, 4])", 0, "int64", [[0], [1]]),
    ("ix_([True, False, True], [1])", 0, "int64", [[0], [2]]),
    ("nextafter(1.0, 2.0)", None, "float64", 1.0000000000000002),
    ("polyval([1, 2, 3], 2.0)", None, "float64", 11.0),
    ("polyval([1, 2, 3], [[1, 2]])", None, "int64", [[6, 11]]),
    ("remainder([7, -7], 3)", None, "int64", [1, 2]),
    ("select([[True, False], [0, 1]], [[1, 2], [3, 4]], 9)", None, "int64", [1, 4]),
    ("select([[True, False]], [[1.5, 2]])", None, "float64", [1.5, 0.0]),
]


@pytest.mark.parametrize(("call", "place", "dtype", "value"), GIVEN)
def test_values_and_dtypes(call: str, place: Any, dtype: str, value: Any) -> None:
    made = eval(f"tnp.{call}", {"tnp": tnp, "nan": nan})  # noqa: S307  # calls written above
    found = made if place is None else made[place]
    assert found.dtype.name == dtype
    np.testing.assert_allclose(np.asarray(found), value, rtol=1e-15)


def test_what_is_told_of_arrays_is_no_tensor() -> None:
    assert tnp.shape([[1, 2]]) == (1, 2)
    assert tnp.ndim([[1]]) == 2
    assert tnp.size([[1, 2]]) == 2
    assert tnp.iscomplexobj([1j])
    assert tnp.isrealobj([1.0])
    assert [tnp.isscalar(x) for x in (3, [3], tnp.asarray(3))] == [True, False, True]
    assert tnp.issubdtype(np.float32, tnp.inexact)
    assert tnp.string_ is np.bytes_


def test_polynomials_and_choices_have_gradients() -> None:
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.polyval([1.0, 2.0, 3.0], x) + tnp.select([x > 1.5], [x * x], x)
    np.testing.assert_allclose(tape.gradient(y, x), [2 + 2 + 1, 4 + 2 + 4])


def test_draws_of_poisson_have_their_mean_and_shape() -> None:
    drawn = tnp.random.poisson([1.0, 50.0], (2000, 2))
    assert drawn.dtype == tf.int64
    np.testing.assert_allclose(np.mean(drawn, axis=0), [1.0, 50.0], rtol=0.1)
    assert tnp.random.poisson(3.0).shape == ()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("size([[1]], axis=0)", "take shape"),
        ("flatten([1], order='X')", "'X'; allowed are"),
        ("compress([[1]], [1])", "condition has 2 axes"),
        ("ix_([[1]])", "argument 0 has 2 axes"),
        ("select([[True]], [[1], [2]])", "1 conditions and 2 choices"),
        ("diag_indices(-1)", "n=-1"),
        ("broadcast_arrays([1], other=2)", "not other"),
        ("einsum('i->i', [1], order='C')", "not order"),
    ],
)
def test_what_is_wrong_is_told(call: str, said: str) -> None:
    with pytest.raises((ValueError, NotImplementedError), match=said):
        eval(f"tnp.{call}", {"tnp": tnp})  # noqa: S307  # calls written above


def test_sums_of_narrow_integers_are_wide() -> None:
    narrow = np.array([1, 2], np.int8)
    assert tnp.sum(narrow).dtype == tf.int64
    assert tnp.cumsum(narrow.astype(np.int32)).dtype == tf.int64
    assert tnp.prod(narrow.astype(np.uint8)).dtype == tf.uint64
    assert tnp.sum([True, True]).numpy() == 2
    assert tnp.max(narrow).dtype == tf.int8
    assert tnp.sum(np.array([1.0], np.float32)).dtype == tf.float32
    assert tnp.argmax(5, axis=-1).numpy() == 0


def test_arguments_have_numpy_s_names_and_order() -> None:
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(tnp.clip(x, a_min=1, a_max=4), np.clip(x, 1, 4))
    assert tnp.sum(a=x, axis=0, keepdims=None).shape == (3,)
    assert tnp.prod(x, 0, np.float32).dtype == tf.float32
    assert tnp.nansum(x, 0, np.float32, True).shape == (1, 3)
    np.testing.assert_array_equal(tnp.sort(x, 1, "quicksort"), x)
    np.testing.assert_array_equal(tnp.tile(a=x, reps=2), np.tile(x, 2))
    for order in "CF":
        found = tnp.reshape(x, (3, 2), order=order)
        np.testing.assert_array_equal(found, x.reshape((3, 2), order=order))  # type: ignore[call-overload]
    np.testing.assert_allclose(tnp.var(x, 1, ddof=1), x.var(1, ddof=1))
    assert tnp.where(np.array([0.0, 2.0]), 1, 2).numpy().tolist() == [2, 1]
    with pytest.raises(ValueError, match="Setting out is not supported"):
        tnp.amax(x, out=[])


def test_averages_say_the_sums_of_their_weights() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    mean, whole = tnp.average(x, axis=0, weights=[1.0, 3.0], returned=True)
    np.testing.assert_allclose(mean, [2.5, 3.5])
    np.testing.assert_allclose(whole, [4.0, 4.0])
    assert tnp.average([1, 2]).numpy() == 1.5
    with pytest.raises(ValueError, match="weights of shape"):
        tnp.average(x, weights=[1.0, 2.0, 3.0])
