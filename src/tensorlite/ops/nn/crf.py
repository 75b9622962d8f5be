"""Linear-chain conditional random fields: how likely sequences of tags are, and which is likeliest.

A sequence's score is the sum of its tags' own scores and of those of each tag after another. Names
of TensorFlow are in compat/v1/contrib/crf.py.
Source: Lafferty, McCallum and Pereira 2001; tf.contrib.crf.
"""

from __future__ import annotations

from typing import Any

from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import expand_dims, moveaxis
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.gather import gather_nd, take_along_axis
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.repeat import sequence_mask
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.control.functional import foldl, scan
from tensorlite.ops.math.arithmetic import sum
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.reduce import argmax, logsumexp, max

__all__ = [
    "backed",
    "binary_score",
    "decode",
    "forward",
    "log_norm",
    "sequence_score",
    "unary_score",
    "viterbi",
]


def unary_score(scores: TensorLike, tags: TensorLike, lengths: TensorLike) -> Tensor:
    """Return the sum of the tags' own scores for each sequence, (batch,).

    `scores` are (batch, time, tags), `tags` (batch, time), `lengths` (batch,).
    """
    own, chosen = to_tensor(scores), to_tensor(tags)
    each = take_along_axis(own, expand_dims(chosen, 2), axis=2)[:, :, 0]
    return sum(each * _within(lengths, chosen, own), axis=1)


def binary_score(
    tags: TensorLike, lengths: TensorLike, transitions: TensorLike
) -> Tensor:
    """Return the sum of the scores of each tag after another for each sequence, (batch,).

    `transitions` holds a row for each tag, and in it a score for each tag that follows.
    """
    chosen, follow = to_tensor(tags), to_tensor(transitions)
    each = gather_nd(follow, stack([chosen[:, :-1], chosen[:, 1:]], axis=2))
    return sum(each * _within(lengths, chosen, follow)[:, 1:], axis=1)


def sequence_score(
    scores: TensorLike,
    tags: TensorLike,
    lengths: TensorLike,
    transitions: TensorLike,
) -> Tensor:
    """Return the score of each sequence of tags, (batch,); 0 for an empty one.

    >>> scores, transitions = [[[1.0, 2.0], [3.0, 4.0]]], [[0.1, 0.2], [0.3, 0.4]]
    >>> print(tl.round(100 * sequence_score(scores, [[1, 0]], [2], transitions)))
    [530.]
    """
    own = unary_score(scores, tags, lengths)
    return own + binary_score(tags, lengths, transitions)


def log_norm(
    scores: TensorLike, lengths: TensorLike, transitions: TensorLike
) -> Tensor:
    """Return the logarithm of the sum of the exponentials of all sequences' scores, (batch,).

    >>> print(tl.round(100 * log_norm([[[0.0, 0.0]]], [1], [[0.0, 0.0], [0.0, 0.0]])))
    [69.]
    """
    rows, length = moveaxis(to_tensor(scores), 1, 0), to_tensor(lengths)

    def step(alphas: Tensor, row: tuple[Tensor, Tensor]) -> Tensor:
        own, time = row
        goes_on = _goes_on(time, length) & (time > 0)
        return where(goes_on, forward(alphas, own, transitions), alphas)

    total = logsumexp(foldl(step, _numbered(rows), rows[0]), axis=1)
    return where(length > 0, total, zeros_like(total))


def forward(alphas: Tensor, scores: TensorLike, transitions: TensorLike) -> Tensor:
    """Return the logarithms of sums over all that ends in each tag, one tag on, (batch, tags)."""
    return to_tensor(scores) + logsumexp(_steps(alphas, transitions), axis=1)


def viterbi(
    best: Tensor, scores: TensorLike, transitions: TensorLike
) -> tuple[Tensor, Tensor]:
    """Return the best score that ends in each tag, one tag on, and the tag before it."""
    steps = _steps(best, transitions)
    before = astype(argmax(steps, axis=1), int32)
    return to_tensor(scores) + max(steps, axis=1), before


def backed(tags: Tensor, before: Tensor) -> Tensor:
    """Return the tag before each of `tags`, (batch,), given that before every tag."""
    return take_along_axis(before, expand_dims(tags, 1), axis=1)[:, 0]


def decode(
    scores: TensorLike, lengths: TensorLike, transitions: TensorLike
) -> tuple[Tensor, Tensor]:
    """Return the tags of highest score, (batch, time) in int32, and that score, (batch,).

    Behind a sequence's end the tags are 0.

    >>> tags, best = decode([[[1.0, 2.0], [9.0, 4.0]]], [2], [[0.0, 0.0], [0.0, 0.0]])
    >>> print(tags, best)
    [[1 0]] [11.]
    """
    rows, length = moveaxis(to_tensor(scores), 1, 0), to_tensor(lengths)
    stay = zeros_like(astype(rows[0], int32)) + arange(shape_of(rows)[2])

    def step(known: tuple[Tensor, Tensor], row: tuple[Tensor, Tensor]) -> Any:
        best, _ = known
        own, time = row
        goes_on = _goes_on(time, length) & (time > 0)
        after, before = viterbi(best, own, transitions)
        return where(goes_on, after, best), where(goes_on, before, stay)

    every, before = scan(step, _numbered(rows), (rows[0], stay))
    last = astype(argmax(every[-1], axis=1), int32)
    earlier = scan(backed, before, last, reverse=True)
    tags = moveaxis(concat([earlier[1:], expand_dims(last, 0)]), 0, 1)
    # TensorFlow gives the first tag of an empty sequence, too.
    return tags * _within(maximum(length, 1), tags, tags), max(every[-1], axis=1)


def _steps(state: Tensor, transitions: TensorLike) -> Tensor:
    """Return the score of each tag after each, (batch, tag, next tag)."""
    return expand_dims(state, 2) + expand_dims(to_tensor(transitions), 0)


def _numbered(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return all rows, with their numbers."""
    return rows, arange(shape_of(rows)[0])


def _goes_on(time: Tensor, lengths: Tensor) -> Tensor:
    """Return which sequences have a tag at a time, (batch, 1)."""
    return expand_dims(astype(time, lengths.dtype) < lengths, 1)


def _within(lengths: TensorLike, tags: Tensor, like: Tensor) -> Tensor:
    """Return ones where tags belong to their sequence, (batch, time), else zeros."""
    return sequence_mask(lengths, shape_of(tags)[1], dtype=like.dtype)
