"""What TensorFlow's operators become gives what TensorFlow gives: worked by hand or by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.interop.tensorflow.attributes import Shape
from tensorlite.interop.tensorflow.operators import ADAPTERS
from tensorlite.interop.tensorflow.signatures import signature_of
from tests.interop.graphdefs import Program

RNG = np.random.default_rng(3)


def ran(op: str, *values: Any, outputs: int = 1, **attributes: Any) -> Any:
    """Return what an operator gives for some values."""
    made = Program()
    names = [made.const(f"in{i}", value) for i, value in enumerate(values)]
    made.node(op, "out", *names, **attributes)
    found = made.session().run([f"out:{i}" for i in range(outputs)])
    return found[0] if outputs == 1 else found


def floats(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


X, Y = floats(2, 3), np.abs(floats(2, 3)) + 0.5

CASES: dict[str, tuple[tuple[Any, ...], Any]] = {
    "SquaredDifference": ((X, Y), (X - Y) ** 2),
    "RsqrtGrad": ((Y, X), -0.5 * X * Y**3),
    "SqrtGrad": ((Y, X), 0.5 * X / Y),
    "TanhGrad": ((X, Y), Y * (1 - X**2)),
    "SigmoidGrad": ((X, Y), Y * X * (1 - X)),
    "ReciprocalGrad": ((X, Y), -Y * X**2),
    "SoftsignGrad": ((X, Y), X / (1 + np.abs(Y)) ** 2),
    "BiasAddGrad": ((X,), X.sum(0)),
    "DivNoNan": (
        (X, np.array([0, 1, 2], np.float32)),
        [[0, *X[0, 1:] / [1, 2]], [0, *X[1, 1:] / [1, 2]]],
    ),
    "Xlogy": (
        (np.array([0, 2], np.float32), np.array([0, 3], np.float32)),
        [0, 2 * np.log(3)],
    ),
    "Select": ((np.array([True, False]), X, Y), [X[0], Y[1]]),
    "Pad": ((X, np.array([[1, 0], [0, 2]], np.int32)), np.pad(X, [[1, 0], [0, 2]])),
    "Cross": ((X, Y), np.cross(X, Y)),
    "MatrixDiag": ((X,), [np.diag(X[0]), np.diag(X[1])]),
    "TruncateDiv": ((np.array([7, -7, 8]), np.array([2, 2, -3])), [3, -3, -2]),
    "Round": ((np.array([0.5, 1.5, -2.5], np.float32),), [0, 2, -2]),
}


@pytest.mark.parametrize("name", CASES)
def test_it_gives_what_numpy_says(name: str) -> None:
    values, wanted = CASES[name]
    dtype = tl.as_dtype(values[-1].dtype) if name != "Pad" else tl.float32
    np.testing.assert_allclose(
        ran(name, *values, T=dtype), wanted, rtol=1e-5, atol=1e-6
    )


def test_outputs_have_the_dtype_that_is_asked_for() -> None:
    values, places = ran(
        "Unique", np.array([3, 1, 3]), outputs=2, T=tl.int64, out_idx=tl.int64
    )
    assert places.dtype == np.int64
    assert (values.tolist(), places.tolist()) == ([3, 1], [0, 1, 0])


def test_rows_are_searched() -> None:
    rows = np.array([[1, 2, 3], [5, 6, 7]], np.float32)
    values = np.array([[2.0], [9.0]], np.float32)
    assert ran("LowerBound", rows, values, T=tl.float32).tolist() == [[1], [3]]
    assert ran("UpperBound", rows, values, T=tl.float32).tolist() == [[2], [3]]


def test_what_one_has_and_the_other_has_not() -> None:
    values, places = ran(
        "ListDiff", np.array([4, 5, 6]), np.array([5]), outputs=2, T=tl.int64
    )
    assert (values.tolist(), places.tolist()) == ([4, 6], [0, 2])


def test_space_goes_to_the_batch_and_comes_back() -> None:
    x = floats(1, 2, 2, 1)
    block, none = np.array([2, 2], np.int32), np.zeros((2, 2), np.int32)
    kinds: dict[str, Any] = {"T": tl.float32, "Tblock_shape": tl.int32}
    batch = ran("SpaceToBatchND", x, block, none, Tpaddings=tl.int32, **kinds)
    np.testing.assert_array_equal(batch, x.reshape(4, 1, 1, 1))
    back = ran("BatchToSpaceND", batch, block, none, Tcrops=tl.int32, **kinds)
    np.testing.assert_array_equal(back, x)


def test_batches_are_normalised() -> None:
    x, scale, offset = floats(2, 3, 3, 2), floats(2), floats(2)
    none = np.zeros(0, np.float32)
    given = {"T": tl.float32, "U": tl.float32, "epsilon": 0.001, "is_training": True}
    y, mean, variance = ran(
        "FusedBatchNormV3", x, scale, offset, none, none, outputs=3, **given
    )
    axes = (0, 1, 2)
    normal = (x - x.mean(axes)) / np.sqrt(x.var(axes) + 0.001)
    np.testing.assert_allclose(y, normal * scale + offset, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean, x.mean(axes), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variance, x.var(axes, ddof=1), rtol=1e-5)


def test_responses_are_normalised_by_their_neighbours() -> None:
    x = floats(1, 1, 1, 5)
    given: dict[str, Any] = {
        "depth_radius": 1,
        "bias": 1.0,
        "alpha": 0.5,
        "beta": 0.75,
        "T": tl.float32,
    }
    sums = np.convolve(x.ravel() ** 2, [1, 1, 1], "same")
    np.testing.assert_allclose(
        ran("LRN", x, **given).ravel(),
        x.ravel() / (1 + 0.5 * sums) ** 0.75,
        rtol=1e-5,
    )


def test_strings_are_joined_and_matched() -> None:
    names = np.array(["ab", "b"], object)
    joined = ran("StringJoin", names, np.array("c", object), N=2, separator="-")
    assert joined.tolist() == [b"ab-c", b"b-c"]
    assert ran("StaticRegexFullMatch", names, pattern="a.*").tolist() == [True, False]
    name = ran("ShardedFilename", np.array("m", object), np.int32(1), np.int32(3))
    assert name == b"m-00001-of-00003"
    pattern = ran("ShardedFilespec", np.array("m", object), np.int32(3))
    assert pattern == b"m-?????-of-00003"


def test_a_trigger_runs_though_what_it_waits_for_is_dead() -> None:
    made = Program()
    x, p = made.placeholder("x", shape=()), made.placeholder("p", tl.bool, ())
    made.node("Switch", "s", x, p, T=tl.float32)
    made.node("Neg", "yes", "s:1", T=tl.float32)
    made.node("ControlTrigger", "trigger", control=["yes"])
    made.node("Square", "y", x, control=["trigger"], T=tl.float32)
    session = made.session()
    for taken in (True, False):
        assert session.run("y:0", {"x:0": 3.0, "p:0": taken}) == 9.0


def test_two_checkpoints_become_one(tmp_path: object) -> None:
    made = Program()
    made.const("slices", np.array([""], object))
    paths = [f"{tmp_path}/{i}" for i in range(2)]
    for i, path in enumerate(paths):
        made.const(f"path{i}", np.array(path, object))
        made.const(f"name{i}", np.array([f"x{i}"], object))
        made.floats(f"x{i}", float(i))
        made.node(
            "SaveV2",
            f"save{i}",
            f"path{i}",
            f"name{i}",
            "slices",
            f"x{i}",
            dtypes=(tl.float32,),
        )
    made.const("all", np.array(paths, object))
    made.const("whole", np.array(f"{tmp_path}/whole", object))
    made.node(
        "MergeV2Checkpoints", "merge", "all", "whole", control=["save0", "save1"]
    )
    made.session().run("merge")
    found = tl.interop.tensorflow.load_checkpoint(f"{tmp_path}/whole")
    assert {name: float(x) for name, x in found.items()} == {"x0": 0.0, "x1": 1.0}


def test_constants_that_no_kernel_takes_are_told_of_by_the_run() -> None:
    made = Program()
    made.const("x", np.array([3, 1], np.int32))
    made.const("axis", np.array(1, np.int32))
    kinds: dict[str, Any] = {"T": tl.int32, "Tidx": tl.int32, "output_type": tl.int64}
    made.node("ArgMin", "y", "x", "axis", **kinds)
    with pytest.raises(tl.errors.TensorliteError, match="axis"):
        made.session().run("y:0")


def test_of_each_operator_the_signature_is_known() -> None:
    assert [name for name in ADAPTERS if signature_of(name) is None] == []


def test_memory_is_read_as_another_dtype() -> None:
    x = np.array([1.0, -2.0], np.float32)
    kinds: dict[str, Any] = {"T": tl.float32}
    np.testing.assert_array_equal(
        ran("Bitcast", x, type=tl.int32, **kinds), x.view(np.int32)
    )
    parts = ran("Bitcast", x, type=tl.uint8, **kinds)
    np.testing.assert_array_equal(parts, x.view(np.uint8).reshape(2, 4))
    whole = ran("Bitcast", parts, type=tl.float32, T=tl.uint8)
    np.testing.assert_array_equal(whole, x)


def test_eight_comparisons_are_a_byte() -> None:
    x = floats(2, 16)
    found = ran("CompareAndBitpack", x, np.array(0.1, np.float32))
    np.testing.assert_array_equal(found, np.packbits(x > 0.1, axis=-1))


def test_what_nothing_looks_at_is_zeros() -> None:
    dtype, shape = tl.float32, Shape((2, 3))
    np.testing.assert_array_equal(
        ran("FakeParam", dtype=dtype, shape=shape), np.zeros((2, 3))
    )


def test_a_window_drawn_from_a_seed_is_the_whole_where_none_fits() -> None:
    size, none = np.array([12, 16, 3], np.int32), np.zeros((1, 0, 4), np.float32)
    begin, sizes, box = ran(
        "StatelessSampleDistortedBoundingBox",
        *(size, none, np.array(0.1, np.float32), np.array([1, 2], np.int64)),
        outputs=3,
        aspect_ratio_range=(0.5, 0.6),
        area_range=(0.99, 1.0),
        max_attempts=1,
        use_image_if_no_bounding_boxes=True,
    )
    assert (begin.tolist(), sizes.tolist()) == ([0, 0, 0], [12, 16, -1])
    np.testing.assert_array_equal(box, [[[0, 0, 1, 1]]])


def test_candidates_by_counts_are_of_those_that_have_some() -> None:
    drawn, true, each = ran(
        "FixedUnigramCandidateSampler",
        np.array([[2]], np.int64),
        outputs=3,
        num_true=1,
        num_sampled=6,
        unique=False,
        range_max=4,
        unigrams=(0.0, 1.0, 3.0),
        num_reserved_ids=1,
        seed=3,
    )
    assert set(drawn.tolist()) <= {2, 3}
    np.testing.assert_allclose(true, [[6 / 4]], rtol=1e-5)
    np.testing.assert_allclose(each, np.where(drawn == 2, 6 / 4, 18 / 4), rtol=1e-5)


@pytest.mark.parametrize("op", ["Sum", "Mean", "SqrtN"])
def test_sums_of_picked_rows_may_ask_for_gradients_of_these_alone(op: str) -> None:
    made = Program()
    rows = made.const("rows", np.array([0, 2], np.int32))
    ids = made.const("ids", np.array([0, 0], np.int32))
    x = made.const("x", X[[0, 1, 1]])
    made.node(f"SparseSegment{op}", "out", x, rows, ids, sparse_gradient=True)
    share = {"Sum": 1.0, "Mean": 2.0, "SqrtN": 2.0**0.5}[op]
    found = made.session().run("out:0")
    np.testing.assert_allclose(found, (X[:1] + X[1:]) / share, rtol=1e-6)


def test_complex_tangents_flow_back_as_they_are_given() -> None:
    y = np.array([0.5 + 1j], np.complex64)
    found = ran("TanhGrad", y, np.array([2j], np.complex64), T=tl.complex64)
    np.testing.assert_allclose(found, 2j * (1 - y * y), rtol=1e-6)
