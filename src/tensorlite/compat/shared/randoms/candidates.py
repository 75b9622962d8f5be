"""Samplers of candidates for losses over many classes, by TensorFlow's names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import raw_ops
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.streams import get_seed, stream
from tensorlite.ops.nn import candidates, sampled

__all__ = [
    "all_candidate_sampler",
    "compute_accidental_hits",
    "fixed_unigram_candidate_sampler",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "uniform_candidate_sampler",
]


class Sampled(NamedTuple):
    """What samplers return."""

    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


def _labels(true_classes: Any, name: str = "true_classes") -> Any:
    is_tensor = isinstance(true_classes, Operand)
    given = converted(true_classes, None if is_tensor else int64, name)
    return tl.astype(given, int64)


@named("LogUniformCandidateSampler")
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return classes drawn with probability log((k + 2) / (k + 1)) / log(range_max + 1).

    Also how often true classes and drawn ones are expected. `num_true` has no effect.
    """
    source = stream(seed, "LogUniformCandidateSampler")
    labels = _labels(true_classes)
    return Sampled(
        *sampled.log_uniform_candidates(
            labels, num_sampled, range_max, unique, source
        )
    )


@named("UniformCandidateSampler")
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return classes below range_max drawn alike, and expected counts.

    `num_true` has no effect.
    """
    source = stream(seed, "UniformCandidateSampler")
    labels = _labels(true_classes)
    return Sampled(
        *candidates.uniform_candidates(labels, num_sampled, range_max, unique, source)
    )


@named("FixedUnigramCandidateSampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return classes drawn by given frequencies to the power of distortion.

    They are `unigrams` or stand in vocab_file, one of the two. num_shards and shard must be 1 and
    0.
    """
    if (num_shards, shard) != (1, 0):
        raise InvalidArgumentError(
            f"fixed_unigram_candidate_sampler: num_shards={num_shards}, shard={shard}; allowed are "
            "1 and 0: draw from all classes"
        )
    if bool(vocab_file) == bool(len(unigrams)):
        raise InvalidArgumentError(
            "Must provide exactly one of vocab_file and unigrams to "
            "fixed_unigram_candidate_sampler"
        )
    counts = _counts(vocab_file) if vocab_file else unigrams
    source = stream(seed, "FixedUnigramCandidateSampler")
    return Sampled(
        *candidates.fixed_unigram_candidates(
            _labels(true_classes),
            num_sampled,
            range_max,
            counts,
            distortion,
            num_reserved_ids,
            unique,
            source,
        )
    )


def _counts(vocab_file: str) -> list[float]:
    """Return the counts in a file, which are behind the last comma of its lines."""
    lines = Path(vocab_file).read_text("utf-8").splitlines()
    return [float(line.rpartition(",")[2]) for line in lines if line]


@named("AllCandidateSampler")
def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return all classes below num_sampled, and expected counts of one.

    `unique` and `seed` have no effect.
    """
    return Sampled(*candidates.all_candidates(_labels(true_classes), num_sampled))


@named("ComputeAccidentalHits")
def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return rows, places and weights of drawn classes that are true ones.

    The weights are the lowest floats, to be added to logits.
    """
    labels = _labels(true_classes)
    drawn = _labels(sampled_candidates, "sampled_candidates")
    return candidates.compute_accidental_hits(labels, drawn)


def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return classes drawn as often as they were true before, and once more each.

    Also how often true classes and drawn ones are expected.
    """
    first, second = get_seed(seed)
    return Sampled(
        *raw_ops.LearnedUnigramCandidateSampler(
            true_classes=_labels(true_classes),
            num_true=num_true,
            num_sampled=num_sampled,
            unique=unique,
            range_max=range_max,
            seed=first or 0,
            seed2=second or 0,
            name=name,
        )
    )
