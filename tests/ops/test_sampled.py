"""Losses over sampled classes, against their formulas in NumPy and the whole softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.graph.trace import trace
from tests.checks import check_gradient, run_graph

RNG = np.random.default_rng(0)
WEIGHTS, BIASES = RNG.normal(size=(20, 3)), RNG.normal(size=20)
INPUTS, LABELS = RNG.normal(size=(4, 3)), RNG.integers(0, 8, (4, 2))
SEED = tl.random.Seed((1, 2))
CANDIDATES = tl.nn.log_uniform_candidates(LABELS, 6, 20, generator=SEED)


def logits() -> tuple[Any, Any]:
    """Return the logits of true and of drawn classes, accidental hits hidden."""
    drawn, true_expected, drawn_expected = (part.numpy() for part in CANDIDATES)
    scores = INPUTS @ WEIGHTS.T + BIASES
    true = np.take_along_axis(scores, LABELS, 1) - np.log(true_expected)
    others = scores[:, drawn] - np.log(drawn_expected)
    hit = (LABELS[:, :, None] == drawn).any(1)
    return true, np.where(hit, -np.inf, others)


def test_sampled_softmax_is_the_softmax_of_the_sample() -> None:
    true, others = logits()
    total = np.log(np.exp(true).sum(1) + np.exp(others).sum(1))
    found = tl.nn.sampled_softmax_loss(
        WEIGHTS, BIASES, LABELS, INPUTS, 6, 20, CANDIDATES
    )
    np.testing.assert_allclose(found.numpy(), total - true.mean(1), 1e-6)


def test_nce_tells_true_classes_from_drawn_ones() -> None:
    true, others = logits()
    wanted = np.log1p(np.exp(others)).sum(1)
    wanted += (np.log1p(np.exp(-true)) + np.log1p(np.exp(true))).sum(1) / 2
    found = tl.nn.nce_loss(WEIGHTS, BIASES, LABELS, INPUTS, 6, 20, CANDIDATES, True)
    np.testing.assert_allclose(found.numpy(), wanted, 1e-6)


def test_gradients_are_slopes() -> None:
    for loss in (tl.nn.sampled_softmax_loss, tl.nn.nce_loss):

        def bound(w: Any, b: Any, x: Any, loss: Any = loss) -> Any:
            return loss(w, b, LABELS, x, 6, 20, CANDIDATES)

        check_gradient(bound, WEIGHTS, BIASES, INPUTS)


def test_only_the_rows_in_use_get_gradients() -> None:
    weights, biases = tl.Variable(WEIGHTS), tl.Variable(BIASES)
    with tl.GradientTape() as tape:
        loss = tl.nn.sampled_softmax_loss(
            weights, biases, LABELS, INPUTS, 6, 20, CANDIDATES
        )
    slices = tape.gradient(loss, weights)
    assert isinstance(slices, tl.IndexedSlices)
    used = {*LABELS.ravel().tolist(), *CANDIDATES[0].tolist()}
    assert set(slices.indices.tolist()) == used


def test_drawn_classes_follow_zipfs_law() -> None:
    drawn, true, expected = tl.nn.log_uniform_candidates(
        [[0]], 50_000, 9, False, SEED
    )
    p = np.log1p(1 / np.arange(1, 10)) / np.log(10)
    found = np.bincount(drawn.numpy(), minlength=9) / 50_000
    assert np.abs(found - p).max() < 0.01
    np.testing.assert_allclose(float(true[0, 0]), p[0] * 50_000, 1e-5)
    np.testing.assert_allclose(expected.numpy(), p[drawn.numpy()] * 50_000, 1e-5)


def test_unique_classes_are_all_different_even_if_all_are_drawn() -> None:
    drawn, _, expected = tl.nn.log_uniform_candidates([[3]], 20, 20, generator=SEED)
    assert sorted(drawn.tolist()) == list(range(20))
    assert 0 < expected.numpy().min() <= expected.numpy().max() <= 1


def test_sampling_in_a_trace_goes_on_from_call_to_call() -> None:
    generator = tl.random.Generator.from_seed(1)
    traced = trace(
        lambda y, x: [
            tl.nn.sampled_softmax_loss(
                WEIGHTS, BIASES, y, x, 6, 20, generator=generator
            )
        ],
        [tl.TensorSpec((None, None), tl.int64), tl.TensorSpec((None, 3), tl.float64)],
    )
    given = [LABELS, INPUTS, *traced.captured]
    first, second = (run_graph(traced.graph, given)[0] for _ in range(2))
    assert first.shape == (4,)
    assert not np.array_equal(first, second)


def test_errors_say_what_is_allowed() -> None:
    with pytest.raises(
        InvalidArgumentError, match="21 classes of 20 cannot be drawn"
    ):
        tl.nn.log_uniform_candidates(LABELS, 21, 20)
    with pytest.raises(ShapeError, match="labels must be"):
        tl.nn.sampled_softmax_loss(WEIGHTS, BIASES, LABELS[0], INPUTS, 6, 20)
    with pytest.raises(DTypeError, match="integer labels"):
        trace(
            lambda y: [tl.nn.log_uniform_candidates(y, 2, 20)[0]],
            [tl.TensorSpec((2, 1), tl.float32)],
        )
