"""Candidates for losses over many classes, drawn by other laws than Zipf's (in sampled.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import check_rank
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.create import full_like, ones, ones_like
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.search import nonzero
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.compare import equal
from tensorlite.ops.nn.sampled import Candidates, LogUniformCandidates, candidates
from tensorlite.ops.operators import astype
from tensorlite.ops.random.generators import Source

__all__ = [
    "all_candidates",
    "compute_accidental_hits",
    "fixed_unigram_candidates",
    "uniform_candidates",
]


class UniformCandidates(LogUniformCandidates):
    """Classes drawn all equally likely."""

    def classes(self, words: Array) -> Array:
        """Return the class for each two words."""
        low, high = words.reshape(-1, 2).astype(np.uint64).T
        return ((low | high << 32) % np.uint64(self.range_max)).astype(np.int64)

    def probabilities(self, xp: Xp, classes: Array) -> Array:
        """Return the probability of each of some classes."""
        return xp.full(classes.shape, 1.0 / self.range_max, "float64")


class FixedUnigramCandidates(LogUniformCandidates):
    """Classes drawn by given probabilities."""

    weights: tuple[float, ...] = ()

    def classes(self, words: Array) -> Array:
        """Return the class for each two words: the second chooses one, the first it or another."""
        share, number = words.reshape(-1, 2).T
        odds, others = alias_table(self.shares())
        chosen = (number % self.range_max).astype(np.int64)
        numbers = (share & 0x7FFFFF) * np.float32(2.0**-23)
        return np.where(numbers < odds[chosen], chosen, others[chosen])

    def shares(self) -> Any:
        """Return the probabilities of all classes."""
        weights = np.asarray(self.weights, np.float64)
        return weights / weights.sum()

    def probabilities(self, xp: Xp, classes: Array) -> Array:
        """Return the probability of each of some classes."""
        return xp.minimum(xp.asarray(self.shares())[classes], 1.0 - 1e-16)


def alias_table(shares: Array) -> tuple[Array, Array]:
    """Return how likely each class is kept where it is chosen evenly, and what comes in its place.

    Source: Walker's method of aliases (1977), which pairs classes as TensorFlow's sampler does.
    """
    odds = shares * len(shares)
    others = np.arange(len(shares))
    low, high = list(np.flatnonzero(odds < 1)), list(np.flatnonzero(odds >= 1))
    while low and high:
        small, large = low.pop(), high.pop()
        others[small] = large
        odds[large] -= 1 - odds[small]
        (low if odds[large] < 1 else high).append(large)
    odds[low + high] = 1
    others[low + high] = low + high
    return odds.astype(np.float32), others


def uniform_candidates(
    labels: TensorLike,
    num_sampled: int,
    range_max: int,
    unique: bool = True,
    generator: Source | None = None,
) -> Candidates:
    """Return drawn classes, all equally likely, and how often labels and they are expected there.

    >>> source = tl.random.Seed((1, 2))
    >>> drawn, _, expected = tl.nn.uniform_candidates([[0]], 2, 4, False, source)
    >>> print(expected)
    [0.5 0.5]
    """
    op = UniformCandidates(num_sampled, range_max, unique)
    return candidates(op, labels, generator)


def fixed_unigram_candidates(
    labels: TensorLike,
    num_sampled: int,
    range_max: int,
    unigrams: Sequence[float],
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    unique: bool = True,
    generator: Source | None = None,
) -> Candidates:
    """Return classes drawn in proportion to counts, raised to a power, and what is expected.

    The first `num_reserved_ids` classes are never drawn; the counts are of those behind.

    >>> source = tl.random.Seed((1, 2))
    >>> drawn, _, _ = tl.nn.fixed_unigram_candidates([[0]], 1, 3, [0, 5, 0], generator=source)
    >>> print(drawn)
    [1]
    """
    weights = (
        *([0.0] * num_reserved_ids),
        *(float(n) ** distortion for n in unigrams),
    )
    if len(weights) != range_max:
        raise InvalidArgumentError(
            f"{len(weights)} counts, with reserved ones, for range_max={range_max} classes"
        )
    if unique and sum(weight > 0 for weight in weights) < num_sampled:
        raise InvalidArgumentError(
            f"{num_sampled} different classes cannot be drawn: fewer have a count above 0"
        )
    op = FixedUnigramCandidates(num_sampled, range_max, unique, weights)
    return candidates(op, labels, generator)


def all_candidates(labels: TensorLike, range_max: int) -> Candidates:
    """Return every class, each expected once.

    >>> print(tl.nn.all_candidates([[0]], 3)[0])
    [0 1 2]
    """
    given = astype(to_tensor(labels), dtypes.int64)
    check_rank("all_candidates: labels", given.spec, 2)
    width = 1 if given.spec.shape is None else given.spec.shape[-1] or 1
    found = composed(AllCandidateSampler(width, range_max), given)
    classes, true, expected = found
    return classes, true, expected


class AllCandidateSampler(Composite):
    """All classes, each expected once."""

    differentiable = False
    num_true: int
    num_sampled: int
    unique: bool = True
    seed: int = 0
    seed2: int = 0

    def compose(self, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the classes, and how often labels and classes are expected."""
        classes = arange(self.num_sampled, dtype=dtypes.int64)
        true = ones_like(labels, dtype=dtypes.float32)
        return classes, true, ones((self.num_sampled,), dtype=dtypes.float32)


def compute_accidental_hits(
    true_classes: TensorLike, sampled_candidates: TensorLike
) -> tuple[Tensor, Tensor, Tensor]:
    """Return where drawn classes are true ones: rows, numbers of the drawn, and lowest weights.

    >>> rows, numbers, weights = tl.nn.compute_accidental_hits([[3], [5]], [5, 7])
    >>> print(rows, numbers)
    [1] [0]
    """
    true = astype(to_tensor(true_classes), dtypes.int64)
    drawn = astype(to_tensor(sampled_candidates), dtypes.int64)
    check_rank("compute_accidental_hits: true_classes", true.spec, 2)
    labels = 1 if true.spec.shape is None else true.spec.shape[-1] or 1
    rows, numbers, weights = composed(ComputeAccidentalHits(labels), true, drawn)
    return rows, numbers, weights


class ComputeAccidentalHits(Composite):
    """Where drawn classes are labels: rows, numbers of the drawn, and lowest weights."""

    differentiable = False
    num_true: int
    seed: int = 0
    seed2: int = 0

    def compose(self, true: Tensor, drawn: Tensor) -> list[Tensor]:
        """Return the three vectors, an element for each hit."""
        rows, numbers, _ = nonzero(equal(expand_dims(true, 1), expand_dims(drawn, 1)))
        lowest = float(-np.finfo(np.float32).max)
        weights = full_like(rows, lowest, dtype=dtypes.float32)
        return [
            astype(rows, dtypes.int32),
            astype(numbers, dtypes.int64),
            weights,
        ]
