"""Derivatives along a direction: of functions, of gradients, and of each other.

Expected values are those of closed forms.
"""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError


def test_along_a_direction() -> None:
    x = tl.asarray(np.array([[2.0, 3.0], [1.0, 4.0]]))
    t = np.array([[1.0, 0.0], [0.0, -2.0]])
    with tl.ForwardAccumulator(x, t) as along:
        y = tl.exp(x) * x
    expected = t * np.exp(x.numpy()) * (1 + x.numpy())
    np.testing.assert_allclose(along.jvp(y).numpy(), expected)
    np.testing.assert_array_equal(along.jvp(x).numpy(), t)
    assert along.jvp([tl.asarray(1.0)]) == [None]


def test_along_a_direction_of_variables() -> None:
    x = np.array([[2.0, 3.0], [1.0, 4.0]])
    w = tl.Variable(np.array([[1.0], [2.0]]))
    with tl.ForwardAccumulator(w, [[1.0], [0.0]]) as along:
        loss = tl.sum((tl.matmul(tl.asarray(x), w) - 1.0) ** 2)
    errors = x @ w.numpy() - 1
    np.testing.assert_allclose(along.jvp(loss).numpy(), (2 * errors * x[:, :1]).sum())


def test_along_a_direction_of_rows_gathered() -> None:
    x = tl.asarray(np.array([1.0, 2.0, 3.0]))
    with tl.ForwardAccumulator(x, [0.0, 1.0, 10.0]) as along:
        y = tl.take(x, tl.asarray([2, 1, 2])) ** 2
    np.testing.assert_allclose(along.jvp(y).numpy(), [60.0, 4.0, 60.0])


@pytest.mark.parametrize("within", [True, False])
def test_along_directions_twice(within: bool) -> None:
    x = tl.asarray(np.float64(1.1))
    with tl.ForwardAccumulator(x, 1.0) as outer:
        with tl.ForwardAccumulator(x, 1.0) as inner:
            y = x**3.5
        first = inner.jvp(y)
    first = first if within else inner.jvp(y)
    np.testing.assert_allclose(first.numpy(), 3.5 * 1.1**2.5)
    np.testing.assert_allclose(outer.jvp(first).numpy(), 3.5 * 2.5 * 1.1**1.5)


def test_along_a_direction_of_gradients() -> None:
    x = tl.Variable([1.0, 2.0])
    with tl.ForwardAccumulator(x, [1.0, 0.0]) as along:
        with tl.GradientTape() as tape:
            y = tl.sum(x**3.0)
        slope = tape.gradient(y, x)
    np.testing.assert_allclose(along.jvp(slope).numpy(), [6.0, 0.0])


def test_along_a_direction_through_functions_and_loops() -> None:
    def powers(x: tl.Tensor) -> tl.Tensor:
        found = x
        for _ in tl.range(3):
            found = found * x
        return tl.sin(x) * found

    x = tl.asarray(np.float64(1.1))
    with tl.ForwardAccumulator(x, 2.0) as along:
        y = tl.function(powers)(x)
    expected = 2 * (np.cos(1.1) * 1.1**4 + np.sin(1.1) * 4 * 1.1**3)
    np.testing.assert_allclose(along.jvp(y).numpy(), expected)


def test_along_complex_directions() -> None:
    z = tl.asarray(1 + 2j)
    with tl.ForwardAccumulator(z, 1j) as along:
        y = z * z
    np.testing.assert_allclose(along.jvp(y).numpy(), 2 * (1 + 2j) * 1j)


def test_directions_that_do_not_fit() -> None:
    x = tl.asarray([1.0, 2.0])
    with pytest.raises(InvalidArgumentError, match="more than once"):
        tl.ForwardAccumulator([x, x], [x, x])
    with pytest.raises(ShapeError, match="a tangent of the shape"):
        tl.ForwardAccumulator(x, tl.asarray([1.0]))
    with pytest.raises(DTypeError, match="a tangent of"):
        tl.ForwardAccumulator(x, tl.asarray([1, 2]))


def test_along_a_direction_of_variables_that_are_no_primals() -> None:
    w, b = tl.Variable(2.0), tl.Variable(3.0)
    with tl.ForwardAccumulator(w, 1.0) as along:
        y = w * b
    assert along.jvp(y).numpy() == 3.0
    assert along.jvp(b) is None
