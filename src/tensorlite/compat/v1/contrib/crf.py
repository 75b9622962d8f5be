"""tf.contrib.crf: scores, losses and the best tags of sequences, which ops/nn/crf.py works out."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.making import same
from tensorlite.compat.v1.contrib import crf_written
from tensorlite.compat.v1.contrib.crf_written import (
    CrfDecodeBackwardRnnCell as CrfDecodeBackwardRnnCell,
    CrfDecodeForwardRnnCell as CrfDecodeForwardRnnCell,
    CrfForwardRnnCell as CrfForwardRnnCell,
)
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.graph_mode.graph import active_graph, at_once
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
_WRITTEN: dict[str, Callable[..., Any]] = {
    "crf_sequence_score": crf_written.sequence_score,
    "crf_multitag_sequence_score": crf_written.multitag_sequence_score,
    "crf_log_norm": crf_written.log_norm,
    "crf_unary_score": crf_written.unary_score,
    "crf_binary_score": crf_written.binary_score,
    "crf_decode": crf_written.decode,
}


def _written(
    name: str, at_once: Callable[..., Any], parts: str
) -> Callable[..., Any]:
    """Return a function that is written into graphs in its own way."""

    @wraps(at_once)
    def made(*args: Any, **kwargs: Any) -> Any:
        if active_graph() is None:
            return at_once(*args, **kwargs)
        known = dict(zip(parts.split(), args, strict=False)) | kwargs
        return _WRITTEN[name](
            **{key: convert_to_tensor(value) for key, value in known.items()}
        )

    return made


def _served(
    name: str, function: Callable[..., Any], parts: str
) -> Callable[..., Any]:
    at_once = same(name, function, parts, len(parts.split()))
    return _written(name, at_once, parts)


crf_sequence_score = _served("crf_sequence_score", crf.sequence_score, _SCORED)
crf_multitag_sequence_score = _served(
    "crf_multitag_sequence_score", _multitag, _SCORED.replace("indices", "bitmap")
)
crf_log_norm = _served(
    "crf_log_norm", crf.log_norm, "inputs sequence_lengths transition_params"
)
crf_unary_score = _served(
    "crf_unary_score", _unary, "tag_indices sequence_lengths inputs"
)
crf_binary_score = _served(
    "crf_binary_score",
    crf.binary_score,
    "tag_indices sequence_lengths transition_params",
)
crf_decode = _served(
    "crf_decode", _decoded, "potentials transition_params sequence_length"
)


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


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
