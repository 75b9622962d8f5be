"""Connectionist temporal classification against brute force, and against TensorFlow's numbers."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tests.checks import check_gradient

X = (((np.arange(40) * 7) % 11) / 4 - 1).reshape(5, 2, 4)
LABELS = tl.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 2], (2, 2))
LENGTHS = np.asarray([5, 3], np.int32)


def probability(logits: Any, labels: list[int]) -> float:
    """Return the sum over all alignments of a short example."""
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    blank = logits.shape[1] - 1
    total = 0.0
    for path in product(range(logits.shape[1]), repeat=len(logits)):
        if [one for one, _ in groupby(path) if one != blank] == labels:
            total += float(np.prod([p[t, one] for t, one in enumerate(path)]))
    return total


def test_the_loss_sums_over_all_alignments() -> None:
    found = tl.nn.ctc_loss(LABELS, X, LENGTHS).numpy()
    wanted = [probability(X[:, 0], [1, 1]), probability(X[:3, 1], [2])]
    np.testing.assert_allclose(found, -np.log(wanted), 1e-10)


def test_the_gradient_is_a_slope() -> None:
    check_gradient(lambda x: tl.nn.ctc_loss(LABELS, x, LENGTHS), X, order=1)


def test_the_gradient_has_no_gradient() -> None:
    x = tl.asarray(X)
    with tl.GradientTape() as outer:
        outer.watch(x)
        with tl.GradientTape() as inner:
            inner.watch(x)
            loss = tl.sum(tl.nn.ctc_loss(LABELS, x, LENGTHS))
        gradient = inner.gradient(loss, x)
    with pytest.raises(tl.errors.GradientError, match="first derivative only"):
        outer.gradient(gradient, x)


def test_dense_labels_with_another_blank() -> None:
    # TensorFlow 2.21: tf.nn.ctc_loss(labels, X as float32, [2, 1], LENGTHS, blank_index=0)
    found = tl.nn.dense_ctc_loss([[1, 1], [2, 0]], X, [2, 1], LENGTHS)
    np.testing.assert_allclose(found.numpy(), [4.6836677, 1.4486666], 1e-6)


@pytest.mark.parametrize("blank", [0, 2, 3])
def test_the_gradient_of_dense_labels_is_a_slope(blank: int) -> None:
    def loss(x: Any) -> Any:
        return tl.nn.dense_ctc_loss(
            [[1, 1], [1, 0]], x, [2, 1], LENGTHS, blank_index=blank
        )

    check_gradient(loss, X, order=1)


@pytest.mark.parametrize(
    ("labels", "lengths", "blank", "losses", "slopes"),
    [
        (
            [[1, 1], [2, 0]],
            [2, 3],
            0,
            [708.3873291015625, 1.4486665725708008],
            [
                [-0.10055505, -0.5786504, 0.10055049, 0.5786282],
                [-0.044422746, -0.25563347, 0.21936907, 0.08070137],
            ],
        ),
        (
            [[0, 1], [2, 0]],
            [5, 3],
            0,
            [5.07642936706543, 1.4486665725708008],
            [
                [-0.10515115, 0.2733246, 0.10055049, 0.5786282],
                [-0.031933814, 0.00151521, 0.21936907, 0.08070137],
            ],
        ),
        (
            [[2, 1], [2, 0]],
            [5, 3],
            2,
            [3.174201488494873, 2.9304661750793457],
            [
                [0.047496688, -0.5893077, -0.036817208, 0.5786282],
                [0.103622615, 0.10766640, -0.29199046, 0.08070137],
            ],
        ),
    ],
    ids=["too long", "the first is blank", "a later one is blank"],
)
def test_dense_labels_that_no_path_or_the_blank_emits(
    labels: Any, lengths: Any, blank: int, losses: Any, slopes: Any
) -> None:
    """TensorFlow 2.21's tf.nn.ctc_loss gives these, in 32 bits."""
    x = tl.asarray(X)
    with tl.GradientTape() as tape:
        tape.watch(x)
        loss = tl.nn.dense_ctc_loss(labels, x, [2, 1], lengths, blank_index=blank)
    np.testing.assert_allclose(loss.numpy(), losses, 1e-6)
    found = tape.gradient(loss, x).numpy()[:2, 0]
    np.testing.assert_allclose(found, slopes, rtol=2e-5, atol=2e-5)


def test_labels_that_take_too_long() -> None:
    """As TensorFlow 2.21, which counts no blanks between labels that are alike."""
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="example 0 take 2 steps"
    ):
        tl.nn.ctc_loss(LABELS, X, np.asarray([1, 3], np.int32))
    ignoring = tl.nn.ctc_loss(
        LABELS, X, [1, 3], ignore_longer_outputs_than_inputs=True
    )
    np.testing.assert_allclose(ignoring.numpy(), [0.0, 1.7836893], 1e-6)
    x = tl.asarray(X)
    with tl.GradientTape() as tape:
        tape.watch(x)
        loss = tl.nn.ctc_loss(LABELS, x, [2, 3])
    np.testing.assert_allclose(loss.numpy(), [np.inf, 1.7836893], 1e-6)
    slopes = tape.gradient(loss, x).numpy()[:, 0]
    chances = np.exp(X[:2, 0]) / np.exp(X[:2, 0]).sum(1, keepdims=True)
    np.testing.assert_allclose(slopes[:2], chances, 1e-6)
    assert not slopes[2:].any()


def test_labels_that_are_no_classes() -> None:
    wrong = tl.sparse.SparseTensor([[0, 0], [0, 1]], [3, 1], (2, 2))
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="the last of 4 classes is"
    ):
        tl.nn.ctc_loss(wrong, X, LENGTHS)
    with pytest.raises(tl.errors.InvalidArgumentError, match="must be nonnegative"):
        tl.nn.ctc_loss(wrong.with_values([-1, 0]), X, LENGTHS)
    with pytest.raises(tl.errors.InvalidArgumentError, match="there are 4 classes"):
        tl.nn.dense_ctc_loss([[4, 1], [2, 0]], X, [2, 1], LENGTHS)
    with pytest.raises(tl.errors.InvalidArgumentError, match="blank_index=4"):
        tl.nn.dense_ctc_loss([[1, 1], [2, 0]], X, [2, 1], LENGTHS, blank_index=4)


def test_greedy_decoding() -> None:
    (found,), score = tl.nn.ctc_greedy_decoder(X, LENGTHS)
    assert tl.sparse.to_dense(found, -1).tolist() == [[1, 2], [2, 0]]
    assert score.tolist() == [[-6.0], [-3.75]]


def test_beam_search_is_exact_when_the_beam_is_wide() -> None:
    found, scores = tl.nn.ctc_beam_search_decoder(X[:3, 1:], [3], 1000, 3)
    for path, score in zip(found, scores.numpy()[0], strict=True):
        wanted = probability(X[:3, 1], path.values.tolist())
        np.testing.assert_allclose(score, np.log(wanted), 1e-10)


def test_beam_search_with_a_narrow_beam() -> None:
    # TensorFlow 2.21: tf.compat.v1.nn.ctc_beam_search_decoder(X, LENGTHS, 4, 2, False)
    found, scores = tl.nn.ctc_beam_search_decoder(X, LENGTHS, 4, 2)
    assert [path.values.tolist() for path in found] == [[1, 2, 2, 0], [1, 2]]
    np.testing.assert_allclose(
        scores.numpy(), [[-1.7354581, -2.9247332], [-1.279085, -1.7955360]], 1e-6
    )


def test_the_loss_in_a_traced_function() -> None:
    @tl.function
    def loss(labels: Any, x: Any) -> Any:
        return tl.nn.ctc_loss(labels, x, LENGTHS)

    wanted = tl.nn.ctc_loss(LABELS, X, LENGTHS).numpy()
    np.testing.assert_allclose(loss(LABELS, tl.asarray(X)).numpy(), wanted, 1e-12)
