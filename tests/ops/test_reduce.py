"""Edges of reductions and running sums: nothing to reduce, ties, zeros, dtypes, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tests.checks import check_gradient, pullback


def gradient(function: Any, value: Any) -> Any:
    x = tl.asarray(np.asarray(value, np.float64))
    return pullback(function, [x], [tl.ones_like(function(x))])[0].numpy().tolist()


def test_mean_and_variance_of_nothing_are_nan() -> None:
    nothing = tl.zeros((0, 2))
    assert np.isnan(tl.mean(nothing, axis=0).numpy()).all()
    assert np.isnan(tl.var(tl.asarray([1.0]), correction=1).numpy())
    assert tl.mean(nothing, axis=1).shape == (0,)


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_of_nothing_are_refused(name: str) -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"over axes \[0\] of \[0, 2\] has no elements"
    ):
        getattr(tl, name)(tl.zeros((0, 2)), axis=0)
    assert getattr(tl, name)(tl.zeros((0, 2)), axis=1).shape == (0,)


@pytest.mark.parametrize(
    "kind", ["float16", "float32", "int8", "int64", "uint8", "bool"]
)
def test_extremes_of_nothing_are_where_numbers_end_in_graphs(kind: str) -> None:
    """As TensorFlow's operators have them."""
    ends = {"bool": (False, True), "uint8": (0, 255), "int8": (-128, 127)}
    ends["int64"] = (-(2**63), 2**63 - 1)
    open_ended = tl.TensorSpec([None, 2], kind)
    for name, end in zip(
        ("max", "min"), ends.get(kind, (-np.inf, np.inf)), strict=True
    ):
        extreme = tl.function(
            lambda x, name=name: getattr(tl, name)(x, axis=0),
            input_signature=[open_ended],
        )
        assert extreme(tl.zeros((0, 2), dtype=kind)).tolist() == [end, end]


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_in_nothing_are_refused(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="axis 0 is empty"):
        getattr(tl, name)(tl.zeros((0,)))


def test_equal_extremes_share_the_gradient() -> None:
    assert gradient(tl.max, [1.0, 3.0, 3.0]) == [0.0, 0.5, 0.5]
    assert gradient(tl.min, [1.0, 1.0, 3.0]) == [0.5, 0.5, 0.0]


def test_first_of_equal_extremes_is_the_place() -> None:
    assert int(tl.argmax(tl.asarray([1, 3, 3]))) == 1
    assert int(tl.argmin(tl.asarray([1, 1, 3]))) == 0


def test_product_has_a_gradient_at_zeros() -> None:
    assert gradient(tl.prod, [2.0, 0.0, 3.0]) == [0.0, 6.0, 0.0]
    assert gradient(tl.prod, [0.0, 0.0, 3.0]) == [0.0, 0.0, 0.0]
    check_gradient(
        lambda x: tl.prod(x, axis=(0, 1)),
        np.asarray([[2.0, 0.0], [3.0, 1.0]]),
        order=1,
    )


def test_running_product_at_zero_is_finite() -> None:
    assert gradient(tl.cumulative_prod, [2.0, 0.0, 3.0])[1] == 0.0


def test_sums_of_small_integers_are_wider() -> None:
    small = tl.asarray([100, 100], dtype=tl.int8)
    for found in (tl.sum(small), tl.cumulative_sum(small)[-1], tl.prod(small)):
        assert found.dtype is tl.int32
    assert int(tl.sum(small)) == 200
    assert tl.sum(tl.asarray([1, 2], dtype=tl.uint8)).dtype is tl.uint32


def test_logsumexp_of_infinities() -> None:
    assert float(tl.logsumexp(tl.asarray([np.inf, 0.0]))) == np.inf
    assert float(tl.logsumexp(tl.asarray([1000.0, -np.inf]))) == 1000.0
    assert tl.logsumexp(tl.asarray([1, 2])).dtype is tl.float32


def test_running_along_several_axes_needs_an_axis() -> None:
    with pytest.raises(InvalidArgumentError, match="say along which, as in axis=0"):
        tl.cumulative_sum(tl.ones((2, 2)))
    with pytest.raises(ShapeError, match="axis 2 is out of range"):
        tl.cumulative_sum(tl.ones((2, 2)), axis=2)


def test_axes_that_are_not_there() -> None:
    with pytest.raises(
        ShapeError, match="axis 1 is out of range: allowed are -1 to 0"
    ):
        tl.mean(tl.ones(3), axis=1)
    with pytest.raises(ShapeError, match="name an axis twice"):
        tl.max(tl.ones((3, 2)), axis=(0, -2))
    with pytest.raises(DTypeError, match="an axis is an integer"):
        tl.max(tl.ones((3, 2)), axis=(0.5,))  # type: ignore[arg-type]


def test_axes_may_be_a_tensor() -> None:
    x = tl.reshape(tl.arange(6, dtype=tl.float32), (2, 3))
    assert tl.mean(x, axis=tl.asarray([1])).tolist() == [1.0, 4.0]
    assert tl.argmax(x, axis=tl.asarray(0)).tolist() == [1, 1, 1]


def test_differences_of_bools_and_of_nothing() -> None:
    assert tl.diff(tl.asarray([True, True, False])).tolist() == [False, True]
    assert tl.diff(tl.zeros((0,))).shape == (0,)
    with pytest.raises(InvalidArgumentError, match="n=-1"):
        tl.diff(tl.ones(3), n=-1)


def test_complex_numbers_have_a_variance_but_no_greatest() -> None:
    z = tl.asarray([1 + 1j, -1 - 1j], dtype=tl.complex128)
    assert tl.var(z).dtype is tl.float64
    assert float(tl.var(z)) == pytest.approx(2.0)
    with pytest.raises(DTypeError, match=r"Max takes real numbers.*tl.abs"):
        tl.max(z)
