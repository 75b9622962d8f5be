"""Jacobians by gradients and by differences, side by side, as tests of gradients compare them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorlite.core import operand
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.tensor import EagerTensor, IndexedSlices
from tensorlite.graph.tape import GradientTape

Array = np.ndarray[Any, Any]


def numeric_jacobian(f: Callable[[Array], Array], x: Array, delta: float) -> Array:
    """Return the derivatives of f's elements (rows) by x's (columns), by central differences.

    A complex element counts as two, its real and its imaginary part.
    """
    columns = []
    for place in range(_reals(x).size):
        moved = [np.array(x, order="C"), np.array(x, order="C")]
        for array, step in zip(moved, (delta, -delta), strict=True):
            _reals(array)[place] += step
        high, low = (np.asarray(f(array)) for array in moved)
        columns.append(_reals((high - low) / _twice(high, delta)))
    size = _reals(np.asarray(f(x))).size
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0), x.dtype)


def _reals(array: Array) -> Array:
    """Return the numbers of an array in a row, complex ones as pairs: a view, where it can."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _twice(y: Array, delta: float) -> Any:
    return np.asarray(2 * delta, y.real.dtype if y.dtype.kind == "c" else y.dtype)[()]


def jacobian_of(vjp: Callable[[Array], Any], y: Array, x: Array) -> Array:
    """Return the derivatives of y's elements by x's; `vjp` says what x is of a gradient of y.

    A complex element counts as two, its real and its imaginary part.
    """
    rows, none = [], np.zeros(_reals(x).size, _reals(x).dtype)
    for place in range(_reals(y).size):
        one = np.zeros(y.shape, y.dtype)
        _reals(one)[place] = 1
        found = vjp(one)
        rows.append(none if found is None else _reals(np.asarray(found)))
    return np.stack(rows) if rows else np.zeros((0, none.size), none.dtype)


def compute_gradient_v2(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[Array], list[Array]]:
    """Return Jacobians of `f` by each of its arguments: by gradients, and by differences."""
    given = [np.asarray(to_tensor(one).numpy()) for one in x]
    theoretical, numerical = [], []
    for place, one in enumerate(given):
        step = step_of(one) if delta is None else delta

        def at(value: Array, place: int = place) -> Array:
            return np.asarray(to_tensor(f(*_with(given, place, value))).numpy())

        def vjp(dy: Array, place: int = place) -> Any:
            inputs = [EagerTensor(array) for array in given]
            with GradientTape() as tape:
                tape.watch(inputs[place])
                y = f(*inputs)
            found = tape.gradient(y, inputs[place], output_gradients=to_tensor(dy))
            if isinstance(found, IndexedSlices):
                found = operand.operators.densify(found)
            return None if found is None else to_tensor(found).numpy()

        theoretical.append(jacobian_of(vjp, at(one), one))
        numerical.append(numeric_jacobian(at, one, step))
    return theoretical, numerical


def step_of(x: Array) -> float:
    """Return by how much to move, as TensorFlow does: a power of two that suits the dtype."""
    return 1.0 / 1024 if x.dtype.itemsize > 2 else 1.0 / 16


def _with(given: list[Array], place: int, value: Array) -> list[Any]:
    return [
        EagerTensor(value if i == place else array) for i, array in enumerate(given)
    ]
