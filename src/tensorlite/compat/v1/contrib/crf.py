"""tf.contrib.crf: scores, losses and the best tags of sequences, which ops/nn/crf.py works out."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.making import same
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.recurrent import cells
from tensorlite.graph_mode.graph import at_once
from tensorlite.ops.math.compare import where
from tensorlite.ops.math.reduce import logsumexp
from tensorlite.ops.nn import crf

__all__ = [
    "CrfDecodeBackwardRnnCell",
    "CrfDecodeForwardRnnCell",
    "CrfForwardRnnCell",
    "crf_binary_score",
    "crf_decode",
    "crf_log_likelihood",
    "crf_log_norm",
    "crf_multitag_sequence_score",
    "crf_sequence_score",
    "crf_unary_score",
    "viterbi_decode",
]


def _decoded(potentials: Any, transition_params: Any, sequence_length: Any) -> Any:
    """Return the likeliest tags [batch, time] of each sequence, and their scores."""
    return crf.decode(potentials, sequence_length, transition_params)


def _unary(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Return the sums of the scores of tags, without those of transitions."""
    return crf.unary_score(inputs, tag_indices, sequence_lengths)


def _multitag(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Return the scores of all sequences together whose tags a bitmap allows."""
    allowed = where(tag_bitmap, inputs, -np.inf)
    if inputs.spec.shape is not None and inputs.spec.shape[1] == 1:
        return logsumexp(allowed, axis=(1, 2))
    return crf.log_norm(allowed, sequence_lengths, transition_params)


_SCORED = "inputs tag_indices sequence_lengths transition_params"
crf_sequence_score = same("crf_sequence_score", crf.sequence_score, _SCORED, 4)
crf_multitag_sequence_score = same(
    "crf_multitag_sequence_score", _multitag, _SCORED.replace("indices", "bitmap"), 4
)
crf_log_norm = same(
    "crf_log_norm", crf.log_norm, "inputs sequence_lengths transition_params", 3
)
crf_unary_score = same(
    "crf_unary_score", _unary, "tag_indices sequence_lengths inputs", 3
)
crf_binary_score = same(
    "crf_binary_score",
    crf.binary_score,
    "tag_indices sequence_lengths transition_params",
    3,
)
crf_decode = same(
    "crf_decode", _decoded, "potentials transition_params sequence_length", 3
)
_forward = same("crf_forward", crf.forward, "state inputs transition_params", 3)
_viterbi = same("crf_viterbi", crf.viterbi, "state inputs transition_params", 3)
_backed = same("crf_backed", crf.backed, "state inputs", 2)


def crf_log_likelihood(
    inputs: Any,
    tag_indices: Any,
    sequence_lengths: Any,
    transition_params: Any = None,
) -> tuple[Any, Any]:
    """Return (log likelihoods of the tags, [batch], and the transitions' scores).

    inputs are scores [batch, time, tags], tag_indices [batch, time]; transition_params [tags, tags]
    is a variable "transitions" if None. Lafferty et al. 2001.
    """
    if transition_params is None:
        count = inputs.get_shape().as_list()[2]
        transition_params = scopes.get_variable("transitions", [count, count])
    lengths, transitions = sequence_lengths, transition_params
    score = crf_sequence_score(inputs, tag_indices, lengths, transitions)
    return score - crf_log_norm(inputs, lengths, transitions), transitions


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """Return (the tags with the highest score, a list, and that score), of one sequence.

    score is a NumPy array [time, tags], transition_params one of [tags, tags].
    """
    one = np.asarray(score)[None]
    transitions = np.asarray(transition_params, one.dtype)
    with at_once():
        tags, best = crf.decode(one, [len(score)], transitions)
        return tags.numpy()[0].tolist(), best.numpy()[0]


class _Cell(cells.RNNCell):
    """A cell without variables whose state is a score for each tag."""

    def __init__(self, transition_params: Any) -> None:
        super().__init__()
        self._transitions = transition_params
        self._count = transition_params.get_shape().as_list()[0]

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
        after = _forward(state, inputs, self._transitions)
        return after, after


class CrfDecodeForwardRnnCell(_Cell):
    """Goes on with the best score that ends in each tag, and gives the tags before."""

    def __call__(
        self, inputs: Any, state: Any, scope: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        after, before = _viterbi(state, inputs, self._transitions)
        return before, after


class CrfDecodeBackwardRnnCell(cells.RNNCell):
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
        tags = _backed(state[:, 0], inputs)[:, None]
        return tags, tags


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
