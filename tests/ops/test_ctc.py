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


def test_labels_that_take_too_long() -> None:
    short = np.asarray([2, 3], np.int32)
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="example 0 take 3 steps"
    ):
        tl.nn.ctc_loss(LABELS, X, short)
    ignoring = tl.nn.ctc_loss(
        LABELS, X, short, ignore_longer_outputs_than_inputs=True
    )
    assert ignoring.numpy()[0] == 0
    assert ignoring.numpy()[1] > 0
    dense = tl.nn.dense_ctc_loss([[1, 1], [2, 0]], X, [2, 1], short)
    assert dense.numpy()[0] == 707


def test_labels_that_are_no_classes() -> None:
    wrong = tl.sparse.SparseTensor([[0, 0], [0, 1]], [3, 1], (2, 2))
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="the last of 4 classes is"
    ):
        tl.nn.ctc_loss(wrong, X, LENGTHS)
    with pytest.raises(tl.errors.InvalidArgumentError, match="must be nonnegative"):
        tl.nn.ctc_loss(wrong.with_values([-1, 0]), X, LENGTHS)


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
