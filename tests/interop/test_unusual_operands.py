"""Operators on operands that few graphs have; what is expected is what TensorFlow 2.21 gives."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tensorlite as tl
from tests.interop.test_operators import ran


def test_mod_has_the_sign_of_its_first_operand() -> None:
    x, y = np.array([7, -7, 26], np.int32), np.array([3, 3, -27], np.int32)
    assert ran("Mod", x, y, T=tl.int32).tolist() == [1, -1, 26]


def test_labels_of_any_sum_flow_as_the_softmax_less_them() -> None:
    logits, labels = np.zeros((3, 2), np.float32), np.array([[0, 0], [1, 1], [1, 0]])
    loss, slope = ran(
        "SoftmaxCrossEntropyWithLogits",
        logits,
        labels.astype(np.float32),
        outputs=2,
        T=tl.float32,
    )
    np.testing.assert_allclose(loss, np.log(2) * labels.sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(slope, 0.5 - labels, rtol=1e-6)


def test_products_of_short_floats_stay_short() -> None:
    x = np.array([[1, 2], [3, 4]], ml_dtypes.bfloat16)
    found = ran("Einsum", x, x, N=2, equation="ij,jk->ik", T=tl.bfloat16)
    assert found.dtype == ml_dtypes.bfloat16
    assert found.tolist() == [[7, 10], [15, 22]]


def test_stitched_texts_are_empty_where_none_comes() -> None:
    texts = np.asarray(b"ab", object)
    found = ran("DynamicStitch", np.int32(1), texts, N=1, T=tl.string)
    assert found.tolist() == [b"", b"ab"]


@pytest.mark.parametrize(("place", "expected"), [(0, b"abc"), (2, b"c"), (-1, b"c")])
def test_a_part_of_negative_length_goes_to_the_end(
    place: int, expected: bytes
) -> None:
    text = np.asarray(b"abc", object)
    found = ran("Substr", text, np.int32(place), np.int32(-1), T=tl.int32)
    assert np.asarray(found).item() == expected


def test_axes_of_broadcasting_have_the_dtype_of_shapes() -> None:
    x, y = np.array([3, 1], np.int64), np.array([3, 4], np.int64)
    first, second = ran("BroadcastGradientArgs", x, y, outputs=2, T=tl.int64)
    assert first.dtype == second.dtype == np.int64
    assert (first.tolist(), second.tolist()) == ([1], [])


def test_functions_are_not_numbers_outside_of_their_domains() -> None:
    orders = np.array([0.5, -1, 1], np.float32)
    found = ran("Polygamma", orders, np.ones(3, np.float32), T=tl.float32)
    assert np.isnan(found).tolist() == [True, True, False]
    a, x = np.array([-1, 1, 1, -1], np.float32), np.array([2, -1, 2, 0], np.float32)
    found = ran("Igamma", a, x, T=tl.float32)
    assert np.isnan(found).tolist() == [True, True, False, False]
    roots = ran("MatrixSquareRoot", np.array([[-4.0]], np.float32), T=tl.float32)
    assert np.isnan(roots).all()


def test_lengths_along_axes_that_are_computed() -> None:
    x = np.array([[3, 4], [6, 8]], np.int32)
    found = ran("EuclideanNorm", x, np.array([1], np.int32), T=tl.int32)
    assert found.dtype == np.int32
    assert found.tolist() == [5, 10]


def test_gradients_of_filled_rows_keep_small_dtypes() -> None:
    dy = np.array([1, 2, 3], np.int16)
    places = np.array([0, 2], np.int64)
    own, other = ran("SparseFillEmptyRowsGrad", places, dy, outputs=2, T=tl.int16)
    assert own.dtype == other.dtype == np.int16
    assert (own.tolist(), other.item()) == ([1, 3], 2)
