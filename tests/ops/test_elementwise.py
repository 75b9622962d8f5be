"""Edges of the functions of elements: zeros, infinities, ties, dtypes, and what errors say."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tests.architecture.source import SOURCE
from tests.checks import check_gradient, pullback

SILENT = """
import numpy as np
import tensorlite as tl

def accidents(x):
    return tl.log(x), tl.sqrt(x), x / 0.0, tl.exp(1000.0 * x)

for function in (accidents, tl.function(accidents)):
    print(*[y.numpy().tolist() for y in function(tl.constant([0.0, -1.0, 1.0]))])
try:
    np.log(np.zeros(1))
except RuntimeWarning:
    print("NumPy's own words stay")
"""


def gradient(function: Any, *values: Any) -> list[Any]:
    xs = [tl.asarray(np.asarray(v, np.float64)) for v in values]
    found = pullback(function, xs, [tl.ones_like(function(*xs))])
    return [None if g is None else g.numpy().tolist() for g in found]


@pytest.mark.parametrize(
    "name", ["exp", "log", "sqrt", "sin", "acosh", "reciprocal", "rsqrt"]
)
def test_integers_become_float32(name: str) -> None:
    assert getattr(tl, name)(tl.asarray([1, 2])).dtype is tl.float32


@pytest.mark.parametrize("dtype", [tl.float16, tl.bfloat16])
@pytest.mark.parametrize(
    "name", ["exp", "log", "tanh", "erf", "square", "rsqrt", "expm1"]
)
def test_short_floats_stay_short(name: str, dtype: tl.DType) -> None:
    found = getattr(tl, name)(tl.asarray([0.5, 1.0], dtype=dtype))
    assert found.dtype is dtype
    exact = getattr(tl, name)(tl.asarray([0.5, 1.0], dtype=tl.float64)).numpy()
    np.testing.assert_allclose(found.numpy().astype(np.float64), exact, rtol=2e-2)


def test_strings_have_no_exponential() -> None:
    with pytest.raises(
        DTypeError, match=r"Exp takes floating-point tensors, not string"
    ):
        tl.exp(tl.asarray(["a"]))


def test_erf_is_exact_everywhere() -> None:
    x = np.concatenate(
        [np.linspace(-7, 7, 2001), [0.46875, 4.0, -4.0, np.inf, -np.inf, np.nan]]
    )
    exact = np.vectorize(math.erf)(x)
    np.testing.assert_allclose(tl.erf(tl.asarray(x)).numpy(), exact, rtol=1e-14)


def test_integers_to_negative_powers_say_what_to_do() -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"Pow: .*Cast the base with tl.astype"
    ):
        tl.pow(tl.asarray([2]), tl.asarray([-1]))


def test_power_at_zero_has_finite_gradients() -> None:
    assert gradient(tl.pow, [0.0, 0.0, 2.0], [0.0, 2.0, 0.0])[0] == [0.0, 0.0, 0.0]
    assert gradient(tl.pow, [0.0, -2.0], [2.0, 2.0])[1] == [0.0, 0.0]


def test_power_of_two_keeps_the_dtype_and_takes_floats() -> None:
    assert (tl.asarray([3]) ** 2).dtype is tl.int32
    assert (tl.asarray([3]) ** 2.0).dtype is tl.float32


def test_logaddexp_does_not_overflow() -> None:
    assert float(tl.logaddexp(1e4, 1e4)) == pytest.approx(1e4 + np.log(2))


@pytest.mark.parametrize(("name", "sign"), [("maximum", 1), ("minimum", -1)])
def test_equal_operands_give_the_gradient_to_the_first(name: str, sign: int) -> None:
    function = getattr(tl, name)
    first, second = gradient(function, [1.0, 2.0, 0.0], [1.0, 1.0, 1.0])
    assert first == [1.0, float(sign > 0), float(sign < 0)]
    assert second == [0.0, float(sign < 0), float(sign > 0)]
    assert np.isnan(function(tl.asarray([np.nan]), 1.0).numpy()).all()


def test_clip_gives_the_gradient_to_what_it_returns() -> None:
    x, low, high = gradient(tl.clip, [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0] * 5, [1.0] * 5)
    assert x == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert low == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert high == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_magnitude_and_sign_at_zero() -> None:
    assert gradient(tl.abs, [0.0, -2.0]) == [[0.0, -1.0]]
    zero = tl.asarray([0j, 3 + 4j], dtype=tl.complex128)
    np.testing.assert_allclose(tl.sign(zero).numpy(), [0j, 0.6 + 0.8j])
    (g,) = pullback(tl.abs, [zero], [tl.ones(2, dtype=tl.float64)])
    np.testing.assert_allclose(g.numpy(), [0j, 0.6 + 0.8j])


def test_gradients_of_complex_functions_that_are_not_analytic() -> None:
    z = np.asarray([1 + 2j, -0.5 + 0.3j])
    for function in (tl.abs, tl.real, tl.imag, tl.conj, tl.sign):
        check_gradient(function, z)


def test_floor_division_beside_infinities() -> None:
    found = tl.floor_divide(
        tl.asarray([np.inf, 1.0, -1.0]), tl.asarray([2.0, -np.inf, np.inf])
    )
    assert found.tolist() == [np.inf, 0.0, 0.0]
    assert tl.signbit(found).tolist() == [False, True, True]


def test_whole_numbers_are_rounded_already() -> None:
    x = tl.asarray([1, 2])
    for name in ("floor", "ceil", "round", "trunc"):
        assert getattr(tl, name)(x).dtype is tl.int32


def test_operands_that_do_not_broadcast() -> None:
    with pytest.raises(ShapeError, match=r"shapes \[2\] and \[3\] do not broadcast"):
        tl.maximum(tl.asarray([1.0, 2.0]), tl.asarray([1.0, 2.0, 3.0]))


def test_complex_numbers_have_no_order() -> None:
    with pytest.raises(
        DTypeError, match=r"Maximum takes real numbers, not tl.complex64"
    ):
        tl.maximum(tl.asarray([1j]), tl.asarray([1j]))
    with pytest.raises(DTypeError, match=r"Less takes .* compare tl.abs"):
        tl.less(tl.asarray([1j]), tl.asarray([1j]))


def test_conditions_are_bools() -> None:
    with pytest.raises(
        DTypeError, match=r"SelectV2: the condition must hold bools.*x != 0"
    ):
        tl.where(tl.asarray([1, 0]), 1.0, 2.0)


def test_bits_of_floats_are_refused() -> None:
    with pytest.raises(DTypeError, match=r"BitwiseAnd takes integers and bools"):
        tl.bitwise_and(tl.asarray([1.0]), tl.asarray([1.0]))


def test_numbers_are_logical_where_they_are_not_zero() -> None:
    assert tl.logical_not(tl.asarray([0j, 1j])).tolist() == [True, False]


def test_equality_with_what_is_no_number() -> None:
    for other in ("a", None):
        answer: object = tl.asarray([1]) == other
        assert answer is False


def test_accidents_of_floats_are_values_even_where_warnings_are_errors() -> None:
    command = [sys.executable, "-W", "error", "-c", SILENT]
    ran = subprocess.run(
        command,
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    values = "[-inf, nan, 0.0] [0.0, nan, 1.0] [nan, -inf, inf] [1.0, 0.0, inf]"
    assert ran.stdout.splitlines() == [values, values, "NumPy's own words stay"]
    assert not ran.stderr


def test_the_error_function_of_float32_is_right_to_its_last_digits() -> None:
    x = np.concatenate([np.linspace(-6, 6, 4001), np.geomspace(1e-30, 1, 500)])
    single = x.astype(np.float32)
    wanted = np.array([math.erf(float(v)) for v in single])
    np.testing.assert_allclose(tl.erf(single).numpy(), wanted, rtol=5e-7)
    assert np.abs(tl.erf(single).numpy()).max() == 1.0
    ends = tl.erf(np.array([-0.0, np.inf, -np.inf, np.nan], np.float32)).numpy()
    np.testing.assert_array_equal(ends, np.array([-0.0, 1, -1, np.nan], np.float32))
    assert np.signbit(ends[0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint64", "int8"])
@pytest.mark.parametrize(
    "shapes", [((5000,), (5000,)), ((5000,), ()), ((1, 5000), (3, 1))]
)
def test_one_of_two_is_chosen_of_many(dtype: str, shapes: Any) -> None:
    draws = np.random.default_rng(0)
    x, y = (
        draws.normal(0, 50, shape).astype(np.float64).astype(dtype)
        for shape in shapes
    )
    condition = draws.random(5000) < 0.5
    found = tl.where(condition, x, y).numpy()
    np.testing.assert_array_equal(found, np.where(condition, x, y))
    assert found.dtype == np.dtype(dtype)
