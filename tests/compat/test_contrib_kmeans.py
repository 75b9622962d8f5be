"""tf.contrib.factorization.KMeans, step by step against NumPy's arithmetic."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import InvalidArgumentError

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
factorization: Any = import_module("tensorlite.compat.v1.contrib.factorization")
_draws = np.random.RandomState(0)
ROWS = np.concatenate(
    [_draws.randn(20, 2) + middle for middle in ([1, 1], [6, 5], [0, 7])]
).astype(np.float32)
FIRST = ROWS[[0, 25, 50]]


def unit(x: Any) -> Any:
    return x / np.sqrt((x**2).sum(1, keepdims=True))


def distances(rows: Any, centers: Any, is_cosine: bool) -> Any:
    if is_cosine:
        return 1 - rows @ unit(centers).T
    return ((rows[:, None] - centers) ** 2).sum(-1)


@pytest.mark.parametrize("metric", ["squared_euclidean", "cosine"])
@pytest.mark.parametrize("by_batches", [False, True])
def test_steps_move_centres_as_the_formulas_say(
    metric: str, by_batches: bool
) -> None:
    is_cosine = metric == "cosine"
    centers, counts = FIRST.astype(np.float64), np.ones(3)
    with tf.Graph().as_default(), tf.Session() as session:
        means = factorization.KMeans(ROWS, 3, FIRST, metric, by_batches)
        every, index, least, initialized, begin, step = means.training_graph()
        fetches = every[0], index[0], least[0]
        session.run(tf.global_variables_initializer())
        assert not session.run(initialized)
        session.run(begin)
        assert session.run(initialized)
        for _ in range(3):
            rows = unit(ROWS.astype(np.float64)) if is_cosine else ROWS
            expected = distances(rows, centers, is_cosine)
            found, which, nearest = session.run(fetches)
            np.testing.assert_allclose(found, expected, atol=1e-4)
            assert which.tolist() == expected.argmin(1).tolist()
            np.testing.assert_allclose(nearest, expected.min(1), atol=1e-4)
            mine = [rows[which == one] for one in range(3)]
            if by_batches:
                for one, part in enumerate(mine):
                    apart = part.sum(0) - len(part) * centers[one]
                    counts[one] += len(part)
                    centers[one] += apart / counts[one]
            else:
                centers = np.array([part.mean(0) for part in mine])
                centers = unit(centers) if is_cosine else centers
            session.run(step)


@pytest.mark.parametrize("first", ["random", "kmeans_plus_plus"])
def test_centres_are_drawn_from_the_rows_once(first: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        means = factorization.KMeans([x], 3, first, random_seed=4)
        *_, begin, step = means.training_graph()
        session.run(tf.global_variables_initializer())
        session.run(begin, {x: ROWS})
        (clusters,) = (v for v in tf.global_variables() if v.op.name == "clusters")
        drawn = session.run(clusters)
        assert all(any(np.array_equal(one, row) for row in ROWS) for one in drawn)
        session.run(begin, {x: ROWS + 100})
        assert np.array_equal(session.run(clusters), drawn)
        for _ in range(5):
            session.run(step, {x: ROWS})
        if first == "kmeans_plus_plus":
            found = np.sort(session.run(clusters)[:, 0])
            assert found == pytest.approx([0, 1, 6], abs=0.8)


def test_what_is_refused() -> None:
    with tf.Graph().as_default():
        with pytest.raises(InvalidArgumentError, match="Unsupported distance metric"):
            factorization.KMeans(ROWS, 3, distance_metric="manhattan")
        with pytest.raises(InvalidArgumentError, match="'kmeans_plus_plus'"):
            factorization.KMeans(ROWS, 3, "rondom").training_graph()
