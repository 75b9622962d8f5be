"""Conditional random fields: against all sequences of tags, counted one by one."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.nn import crf

RNG = np.random.default_rng(0)
SCORES = RNG.standard_normal((4, 4, 3))
TRANSITIONS = RNG.standard_normal((3, 3))
LENGTHS = [4, 2, 1, 0]


def scores_of_all(row: Any, length: int) -> dict[tuple[int, ...], float]:
    """Return the score of each sequence of tags."""
    return {
        tags: sum(row[i, tag] for i, tag in enumerate(tags))
        + sum(TRANSITIONS[pair] for pair in pairwise(tags))
        for tags in product(range(3), repeat=length)
    }


@pytest.mark.parametrize("traced", [False, True])
def test_sums_and_the_best_are_those_over_all_sequences(traced: bool) -> None:
    wrap = tl.function if traced else (lambda function: function)
    norms = wrap(lambda x: crf.log_norm(x, LENGTHS, TRANSITIONS))(SCORES).numpy()
    tags, best = wrap(lambda x: crf.decode(x, LENGTHS, TRANSITIONS))(SCORES)
    for i, length in enumerate(LENGTHS):
        known = scores_of_all(SCORES[i], length)
        total = np.log(np.sum(np.exp(list(known.values()))))
        np.testing.assert_allclose(norms[i], total, rtol=1e-12)
        if length:
            likeliest = max(known, key=lambda one: known[one])
            assert tuple(tags.numpy()[i, :length]) == likeliest
            assert not tags.numpy()[i, length:].any()
            np.testing.assert_allclose(best.numpy()[i], known[likeliest])


def test_a_sequences_score_is_that_among_all() -> None:
    tags = RNG.integers(0, 3, (4, 4))
    found = crf.sequence_score(SCORES, tags, LENGTHS, TRANSITIONS).numpy()
    for i, length in enumerate(LENGTHS):
        known = scores_of_all(SCORES[i], length)
        np.testing.assert_allclose(found[i], known[tuple(tags[i, :length])])


def test_the_gradient_of_the_sum_is_how_likely_each_tag_is() -> None:
    x = tl.asarray(SCORES)
    with tl.GradientTape() as tape:
        tape.watch(x)
        total = tl.sum(crf.log_norm(x, LENGTHS, TRANSITIONS))
    likely = np.zeros_like(SCORES)
    for i, length in enumerate(LENGTHS):
        known = scores_of_all(SCORES[i], length)
        whole = np.sum(np.exp(list(known.values())))
        for tags, score in known.items():
            likely[i, range(length), tags] += np.exp(score) / whole
    np.testing.assert_allclose(tape.gradient(total, x).numpy(), likely, atol=1e-12)
