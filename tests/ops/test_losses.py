"""Activations and losses where numbers end: far values, infinities, masks, labels out of range."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph.trace import trace
from tests.checks import run_graph

FAR = np.array([-1e4, -100.0, 0.0, 100.0, 1e4], np.float32)


def test_far_values_neither_overflow_nor_vanish() -> None:
    assert tl.nn.sigmoid(FAR).tolist() == [0, np.exp(np.float32(-100)), 0.5, 1, 1]
    np.testing.assert_allclose(
        tl.nn.log_sigmoid(FAR).numpy(), [-1e4, -100, -np.log(2), -3.8e-44, 0], 1e-2
    )
    np.testing.assert_allclose(
        tl.nn.softplus(FAR).numpy(), [0, 3.8e-44, np.log(2), 100, 1e4], 1e-2
    )
    np.testing.assert_allclose(
        tl.nn.silu(FAR).numpy(), [0, 0, 0, 100, 1e4], atol=1e-30
    )
    np.testing.assert_allclose(tl.nn.elu(FAR).numpy(), [-1, -1, 0, 100, 1e4])


def test_cross_entropies_of_far_logits_are_exact() -> None:
    logits = tl.asarray([[1e4, 0.0, -1e4]])
    for label, expected in ((0, 0.0), (1, 1e4), (2, 2e4)):
        one_hot = np.eye(3, dtype=np.float32)[[label]]
        assert tl.nn.sparse_softmax_cross_entropy([label], logits).tolist() == [
            expected
        ]
        assert tl.nn.softmax_cross_entropy(one_hot, logits).tolist() == [expected]
    found = tl.nn.sigmoid_cross_entropy([1.0, 1.0, 0.0, 0.0], [1e4, -1e4, 1e4, -1e4])
    assert found.tolist() == [0, 1e4, 1e4, 0]


def test_infinite_logits_mask_classes() -> None:
    logits = tl.asarray([[0.0, -np.inf, 0.0]])
    assert tl.nn.softmax(logits).tolist() == [[0.5, 0, 0.5]]
    loss = tl.nn.softmax_cross_entropy([[1.0, 0.0, 0.0]], logits)
    np.testing.assert_allclose(loss.numpy(), [np.log(2)], 1e-6)
    with tl.GradientTape() as tape:
        tape.watch(logits)
        loss = tl.nn.sparse_softmax_cross_entropy([2], logits)
    np.testing.assert_allclose(tape.gradient(loss, logits).numpy(), [[0.5, 0, -0.5]])


def test_where_no_distribution_exists_softmax_is_nan_without_a_warning() -> None:
    for row in ([-np.inf, -np.inf], [np.inf, 0.0], [np.nan, 0.0]):
        assert np.isnan(tl.nn.softmax(np.array(row)).numpy()).all()
        assert np.isnan(tl.nn.log_softmax(np.array(row)).numpy()).all()


def test_gradients_of_activations_at_zero() -> None:
    x = tl.zeros(1)
    for function, slope in ((tl.nn.relu, 0.0), (tl.nn.relu6, 0.0), (tl.nn.elu, 1.0)):
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert tape.gradient(y, x).tolist() == [slope]


def test_sigmoid_cross_entropy_at_zero_has_its_slope() -> None:
    x = tl.zeros(1)
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.nn.sigmoid_cross_entropy([1.0], x)
    assert tape.gradient(y, x).tolist() == [-0.5]


def test_half_precision_is_summed_in_single() -> None:
    x = tl.zeros((1, 4096), dtype=tl.float16)
    assert float(tl.nn.log_softmax(x)[0, 0]) == pytest.approx(-np.log(4096), rel=1e-3)
    assert tl.nn.softmax(x).dtype is tl.float16


def test_losses_of_any_rank_trace_with_unknown_sizes() -> None:
    specs = [tl.TensorSpec((None, None), tl.int32), tl.TensorSpec((None, None, 3))]
    traced = trace(
        lambda y, x: [
            tl.nn.sparse_softmax_cross_entropy(y, x),
            tl.nn.softmax_cross_entropy(tl.ones_like(x) / 3.0, x),
        ],
        specs,
    )
    assert [y.spec.rank for y in traced.graph.outputs] == [2, 2]
    labels, logits = np.array([[0, 1]], np.int32), np.zeros((1, 2, 3), np.float32)
    for found in run_graph(traced.graph, [labels, logits, *traced.captured]):
        np.testing.assert_allclose(found, np.full((1, 2), np.log(3)), 1e-6)


def test_no_examples_no_losses() -> None:
    assert tl.nn.sparse_softmax_cross_entropy(
        np.zeros(0, np.int32), np.zeros((0, 3))
    ).shape == (0,)
    assert tl.nn.softmax_cross_entropy(np.zeros((0, 3)), np.zeros((0, 3))).shape == (
        0,
    )


def test_errors_say_what_is_allowed() -> None:
    logits = tl.zeros((2, 3))
    with pytest.raises(
        InvalidArgumentError, match="labels from 1 to 3; allowed are 0 to 2"
    ):
        tl.nn.sparse_softmax_cross_entropy([1, 3], logits)
    with pytest.raises(ShapeError, match="without the last axis"):
        tl.nn.sparse_softmax_cross_entropy([1], logits)
    with pytest.raises(DTypeError, match="probabilities go to softmax_cross_entropy"):
        tl.nn.sparse_softmax_cross_entropy([0.5, 0.5], logits)
    with pytest.raises(ShapeError, match="must"):
        tl.nn.softmax_cross_entropy([[1.0, 0.0]], logits)
    with pytest.raises(ShapeError, match="an axis"):
        tl.nn.softmax(1.0)
    with pytest.raises(ShapeError, match="an axis of classes"):
        tl.nn.softmax_cross_entropy(1.0, 1.0)
    with pytest.raises(DTypeError, match="Softplus takes real floating-point"):
        trace(lambda x: [tl.nn.softplus(x)], [tl.TensorSpec((2,), tl.complex64)])
