"""Scores and best tags of sequences in graphs: nodes and names are those of TensorFlow 1.

What is computed at once is worked out by ops/nn/crf.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    concat,
    expand_dims,
    fill,
    range as counted,
    reshape,
    squeeze,
    stack,
)
from tensorlite.compat.shared.cutting import reverse_sequence, slice as cut
from tensorlite.compat.shared.elementwise import cast, equal, less_equal, maximum
from tensorlite.compat.shared.masks import sequence_mask
from tensorlite.compat.shared.picking import gather_nd
from tensorlite.compat.v1.contrib.static import smart_cond
from tensorlite.compat.v1.functions.arrays import gather, shape, where, zeros_like
from tensorlite.compat.v1.functions.numbers import (
    argmax,
    reduce_logsumexp,
    reduce_max,
    reduce_sum,
)
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.recurrent.cells import RNNCell
from tensorlite.compat.v1.recurrent.rnn import dynamic_rnn
from tensorlite.core.dtypes import float32, int32, int64


def _by_length(inputs: Any, one: Callable[[], Any], more: Callable[[], Any]) -> Any:
    """Return what a function makes of sequences of one step, or another of longer ones."""
    count = inputs.get_shape().as_list()[1] or shape(inputs)[1]
    return smart_cond(equal(count, 1), one, more)


def _where_any(lengths: Any, found: Any) -> Any:
    """Return results, 0 for sequences without steps."""
    return where(less_equal(lengths, 0), zeros_like(found), found)


def _of_unmasked(lengths: Any, tags: Any) -> Any:
    return sequence_mask(lengths, maxlen=shape(tags)[1], dtype=float32)


def unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Return the sums of the scores of tags, without those of transitions."""
    batch, steps, kinds = shape(inputs)[0], shape(inputs)[1], shape(inputs)[2]
    flat = reshape(inputs, [-1])
    places = expand_dims(counted(batch) * steps * kinds, 1)
    places += expand_dims(counted(steps) * kinds, 0)
    if tag_indices.dtype == int64:
        places = cast(places, int64)
    picked = gather(flat, reshape(places + tag_indices, [-1]))
    scores = reshape(picked, [batch, steps])
    return reduce_sum(scores * _of_unmasked(sequence_lengths, tag_indices), 1)


def binary_score(
    tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Return the sums of the scores of transitions between tags."""
    kinds = transition_params.get_shape().as_list()[0]
    count = shape(tag_indices)[1] - 1
    before = cut(tag_indices, [0, 0], [-1, count])
    after = cut(tag_indices, [0, 1], [-1, count])
    places = before * kinds + after
    scores = gather(reshape(transition_params, [-1]), places)
    masks = cut(_of_unmasked(sequence_lengths, tag_indices), [0, 1], [-1, -1])
    return reduce_sum(scores * masks, 1)


def sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Return the scores of sequences of tags: of these, and of the transitions between them."""

    def one() -> Any:
        batch = shape(inputs, out_type=tag_indices.dtype)[0]
        rows = reshape(counted(batch, dtype=tag_indices.dtype), [-1, 1])
        places = concat([rows, tag_indices], 1)
        return _where_any(sequence_lengths, gather_nd(squeeze(inputs, [1]), places))

    def more() -> Any:
        unary = unary_score(tag_indices, sequence_lengths, inputs)
        return unary + binary_score(tag_indices, sequence_lengths, transition_params)

    return _by_length(inputs, one, more)


def multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Return the log of the sum over all sequences of tags that are allowed."""

    def allowed() -> Any:
        return where(tag_bitmap, inputs, fill(shape(inputs), -np.inf))

    return _by_length(
        inputs,
        lambda: reduce_logsumexp(allowed(), axis=[1, 2]),
        lambda: log_norm(allowed(), sequence_lengths, transition_params),
    )


def log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Return the log of the sum over all sequences of tags, by which scores are normalised."""
    first = squeeze(cut(inputs, [0, 0, 0], [-1, 1, -1]), [1])

    def one() -> Any:
        return _where_any(sequence_lengths, reduce_logsumexp(first, [1]))

    def more() -> Any:
        rest = cut(inputs, [0, 1, 0], [-1, -1, -1])
        cell = CrfForwardRnnCell(transition_params)
        lengths = _less_one(sequence_lengths)
        _, alphas = dynamic_rnn(cell, rest, lengths, first, dtype=float32)
        return _where_any(sequence_lengths, reduce_logsumexp(alphas, [1]))

    return _by_length(inputs, one, more)


def _less_one(lengths: Any) -> Any:
    return maximum(constant(0, lengths.dtype), lengths - 1)


def decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Any:
    """Return the likeliest tags [batch, time] of each sequence, and their scores."""

    def one() -> Any:
        scores = squeeze(potentials, [1])
        tags = expand_dims(argmax(scores, axis=1), 1)
        best = reduce_max(scores, axis=1)
        return cast(tags, int32), best

    def more() -> Any:
        kinds = potentials.get_shape().as_list()[2]
        forward = CrfDecodeForwardRnnCell(transition_params)
        first = squeeze(cut(potentials, [0, 0, 0], [-1, 1, -1]), [1])
        rest = cut(potentials, [0, 1, 0], [-1, -1, -1])
        lengths = _less_one(sequence_length)
        back, last = dynamic_rnn(forward, rest, lengths, first, dtype=int32)
        back = reverse_sequence(back, lengths, seq_axis=1)
        best = expand_dims(cast(argmax(last, axis=1), int32), -1)
        backward = CrfDecodeBackwardRnnCell(kinds)
        tags, _ = dynamic_rnn(backward, back, lengths, best, dtype=int32)
        tags = concat([best, squeeze(tags, [2])], 1)
        whole = reverse_sequence(tags, sequence_length, seq_axis=1)
        return whole, reduce_max(last, axis=1)

    return _by_length(potentials, one, more)


class _Cell(RNNCell):
    """A cell without variables whose state is a score for each tag."""

    def __init__(self, transition_params: Any) -> None:
        super().__init__()
        transitions = convert_to_tensor(transition_params)
        self._transitions = expand_dims(transitions, 0)
        self._count = transitions.get_shape().as_list()[0]

    @property
    def state_size(self) -> Any:
        return self._count

    @property
    def output_size(self) -> Any:
        return self._count


class CrfForwardRnnCell(_Cell):
    """Goes on with the logarithms of the sums over all that ends in each tag."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        scores = expand_dims(state, 2) + self._transitions
        after = inputs + reduce_logsumexp(scores, [1])
        return after, after


class CrfDecodeForwardRnnCell(_Cell):
    """Goes on with the best score that ends in each tag, and gives the tags before."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        scores = expand_dims(state, 2) + self._transitions
        after = inputs + reduce_max(scores, [1])
        return cast(argmax(scores, 1), int32), after


class CrfDecodeBackwardRnnCell(RNNCell):
    """Goes back from a tag to the one before it."""

    def __init__(self, num_tags: int) -> None:
        super().__init__()
        self._count = num_tags

    @property
    def state_size(self) -> Any:
        """Size of the state: 1, a tag."""
        return 1

    @property
    def output_size(self) -> Any:
        """Size of the output: 1, a tag."""
        return 1

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        last = squeeze(state, [1])
        rows = counted(shape(inputs)[0])
        tags = expand_dims(gather_nd(inputs, stack([rows, last], axis=1)), -1)
        return tags, tags
