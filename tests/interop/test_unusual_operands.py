"""Operators on operands that few graphs have; what is expected is what TensorFlow 2.21 gives."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tensorlite as tl
from tensorlite.interop.tensorflow.attributes import Shape
from tests.interop.graphdefs import Program
from tests.interop.test_operators import RNG, ran


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


def test_what_overlaps_by_a_table_is_left_out() -> None:
    table = np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], np.float32)
    scores = np.array([0.5, 0.9, 0.7], np.float32)
    limits = np.int32(3), np.float32(0.5), np.float32(-1)
    found = ran("NonMaxSuppressionWithOverlaps", table, scores, *limits)
    assert found.tolist() == [1, 2]
    with pytest.raises(tl.errors.ShapeError, match="a row and a column for each"):
        ran("NonMaxSuppressionWithOverlaps", table[:2], scores, *limits)


def test_gradients_of_sums_by_segments_for_the_rows_that_were_taken() -> None:
    dy = np.array([[1, 2], [3, 4]], np.float32)
    rows, ids = np.array([7, 2, 7], np.int32), np.array([0, 0, 1], np.int32)
    kinds = {"T": tl.float32, "Tidx": tl.int32, "Tsegmentids": tl.int32}
    given = dy, rows, ids, np.int32(10)
    found, taken = ran("SparseSegmentSumGradV2", *given, outputs=2, **kinds)
    assert (taken.tolist(), found.tolist()) == ([2, 7], [[1, 2], [4, 6]])
    found, taken = ran("SparseSegmentMeanGradV2", *given, outputs=2, **kinds)
    assert (taken.tolist(), found.tolist()) == ([2, 7], [[0.5, 1], [3.5, 5]])


def test_the_blank_of_the_second_version_is_the_first_class() -> None:
    logits = RNG.normal(size=(4, 1, 3)).astype(np.float32)
    places, length = np.array([[0, 0], [0, 1]], np.int64), np.array([4], np.int32)
    one = ran(
        "CTCLossV2", logits, places, np.array([1, 2], np.int32), length, outputs=2
    )
    turned = np.roll(logits, -1, axis=2)
    two = ran(
        "CTCLoss", turned, places, np.array([0, 1], np.int32), length, outputs=2
    )
    np.testing.assert_allclose(one[0], two[0], rtol=1e-6)
    np.testing.assert_allclose(one[1], np.roll(two[1], 1, axis=2), rtol=1e-6)


@pytest.mark.parametrize(
    ("ops", "function"),
    [
        (["BiasAdd"], lambda x: x),
        (["BiasAdd", "Relu"], lambda x: np.maximum(x, 0)),
        (["BiasAdd", "LeakyRelu"], lambda x: np.where(x > 0, x, 0.2 * x)),
        (["BiasAdd", "Tanh"], np.tanh),
    ],
)
def test_products_with_what_was_fused_to_them(ops: list[str], function: Any) -> None:
    x, w, b = [RNG.normal(size=s).astype(np.float32) for s in ((2, 3), (3, 4), (4,))]
    given: dict[str, Any] = {"T": tl.float32, "num_args": 1, "fused_ops": tuple(ops)}
    found = ran("_FusedMatMul", x, w, b, **given)
    np.testing.assert_allclose(found, function(x @ w + b), rtol=1e-5, atol=1e-6)


def test_convolutions_with_what_was_fused_to_them() -> None:
    x, w = [
        RNG.normal(size=s).astype(np.float32) for s in ((1, 2, 2, 3), (1, 1, 3, 2))
    ]
    scale, offset, mean, variance = np.array(
        [[1, 2], [3, 4], [5, 6], [7, 8]], np.float32
    )
    given: dict[str, Any] = {
        "T": tl.float32,
        "TArgs": (tl.float32,) * 4,
        "num_args": 4,
        "strides": (1, 1, 1, 1),
        "padding": "SAME",
        "epsilon": 1e-3,
        "fused_ops": ("FusedBatchNorm", "Relu"),
    }
    found = ran("_FusedConv2D", x, w, scale, offset, mean, variance, **given)
    y = (x @ w[0, 0] - mean) / np.sqrt(variance + 1e-3) * scale + offset
    np.testing.assert_allclose(found, np.maximum(y, 0), rtol=1e-5, atol=1e-6)
    with pytest.raises(tl.errors.GraphDefError, match="allowed are BiasAdd"):
        ran("_FusedConv2D", x, w, scale, **given | {"fused_ops": ("Other",)})


def test_an_element_that_may_be_missing() -> None:
    made = Program()
    made.const("n", np.int64(2)), made.const("zero", np.int64(0))
    made.const("one", np.int64(1))
    kinds: dict[str, Any] = {
        "output_types": (tl.int64,),
        "output_shapes": (Shape(()),),
    }
    made.node("RangeDataset", "numbers", "zero", "n", "one", **kinds)
    made.node("DummySeedGenerator", "seeds")
    made.node("DummyMemoryCache", "memory")
    made.node(
        *("ShuffleDatasetV3", "mixed", "numbers", "one", "one", "one", "seeds"),
        reshuffle_each_iteration=False,
        **kinds,
    )
    made.const("file", np.asarray(b"", object))
    made.node("CacheDatasetV2", "kept", "mixed", "file", "memory", **kinds)
    made.node("IteratorV2", "place", shared_name="a", container="", **kinds)
    made.node("MakeIterator", "begin", "kept", "place")
    made.node("IteratorGetNextAsOptional", "next", "place", **kinds)
    made.node("OptionalHasValue", "has", "next")
    made.node("OptionalGetValue", "value", "next", **kinds)
    session = made.session()
    session.run("begin")
    assert [session.run(["has:0", "value:0"]) for _ in range(2)] == [
        [True, 0],
        [True, 1],
    ]
    assert not session.run("has:0")
