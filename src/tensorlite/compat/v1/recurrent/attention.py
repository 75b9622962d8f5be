"""Attention over a memory: scores of Bahdanau and Luong, and those that only go forward.

The cell that looks at a memory at each step is in attention_wrapper.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.shared.arrays import (
    concat,
    ones,
    reshape,
    transpose,
    zeros,
)
from tensorlite.compat.shared.elementwise import (
    cast,
    clip_by_value,
    exp,
    log,
    rsqrt,
    square,
)
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.masks import (
    sequence_mask,
)
from tensorlite.compat.shared.nn import sigmoid, tanh
from tensorlite.compat.shared.picking import one_hot
from tensorlite.compat.shared.randoms.random import normal
from tensorlite.compat.shared.reductions import cumprod, cumsum
from tensorlite.compat.v1.functions.arrays import (
    expand_dims,
    ones_like,
    shape,
    squeeze,
    where,
)
from tensorlite.compat.v1.functions.checks import assert_positive
from tensorlite.compat.v1.functions.control_flow import scan
from tensorlite.compat.v1.functions.init_ops import Constant, Ones
from tensorlite.compat.v1.functions.nn_functions import softmax
from tensorlite.compat.v1.functions.numbers import argmax, reduce_sum
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.layer_kinds.base import Layer
from tensorlite.compat.v1.layer_kinds.core import Dense
from tensorlite.compat.v1.recurrent.zero_states import sizes_of_state
from tensorlite.core import nest
from tensorlite.core.dtypes import as_dtype, float32, int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError

Probability = Callable[[Any, Any], Any]


class AttentionMechanism:
    """What an AttentionWrapper asks where to look."""

    @property
    def alignments_size(self) -> Any:
        """How many places of the memory there are to look at."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """Size of the state that the mechanism hands on from step to step."""
        raise NotImplementedError


def known_or(x: Any, axis: int) -> Any:
    """Return a size as a number, or as a tensor where it is not known now."""
    known = x.get_shape().as_list()[axis]
    return shape(x)[axis] if known is None else known


def _memory(memory: Any, lengths: Any, check: bool) -> Any:
    """Return a memory whose rows behind each sequence's end are zeros."""
    memory = nest.map_structure(
        lambda m: framework.convert_to_tensor(m, name="memory"), memory
    )
    if check:
        nest.map_structure(_check_inner, memory)
    if lengths is None:
        return memory
    lengths = framework.convert_to_tensor(lengths, name="memory_sequence_length")
    first = nest.flatten(memory)[0]
    mask = sequence_mask(lengths, maxlen=shape(first)[1], dtype=first.dtype)

    def masked(m: Any) -> Any:
        more = ones(m.get_shape().rank - 2, int32)
        return m * reshape(mask, concat((shape(mask), more), 0))

    return nest.map_structure(masked, memory)


def _check_inner(m: Any) -> None:
    if None in m.get_shape().as_list()[2:]:
        raise ShapeError(
            f"Expected memory {m.name} to have fully defined inner dims, but saw shape: "
            f"{m.get_shape()}"
        )


def _masked_score(score: Any, lengths: Any, value: Any) -> Any:
    """Return scores with `value` behind each sequence's end."""
    if lengths is None:
        return score
    message = "All values in memory_sequence_length must be greater than zero."
    with framework.control_dependencies([assert_positive(lengths, message=message)]):
        mask = sequence_mask(lengths, maxlen=shape(score)[1])
    return where(mask, score, value * ones_like(score))


class BaseAttentionMechanism(AttentionMechanism):
    """A memory made into keys and values, and layers for it and for what asks."""

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Probability,
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        custom_key_value_fn: Any = None,
        name: str | None = None,
    ) -> None:
        for what, layer in (("query", query_layer), ("memory", memory_layer)):
            if layer is not None and not isinstance(layer, Layer):
                raise DTypeError(
                    f"{what}_layer is not a Layer: {type(layer).__name__}"
                )
        if not callable(probability_fn):
            raise DTypeError(
                f"probability_fn must be callable, saw type: {type(probability_fn).__name__}"
            )
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        least = -np.inf if score_mask_value is None else score_mask_value
        lengths = memory_sequence_length
        self._probability_fn: Probability = lambda score, state: probability_fn(
            _masked_score(score, lengths, least), state
        )
        with framework.name_scope(name, "BaseAttentionMechanismInit"):
            self._values = _memory(memory, lengths, check_inner_dims_defined)
            self._keys = (
                self._values if memory_layer is None else memory_layer(self._values)
            )
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(
                    self._keys, self._values
                )
            self._batch_size = known_or(self._keys, 0)
            self._alignments_size = known_or(self._keys, 1)

    @property
    def memory_layer(self) -> Any:
        """The layer that makes keys of the memory, or None."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer that queries go through before they are compared, or None."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """The memory, of shape [batch, time, depth], 0 behind each sequence's end."""
        return self._values

    @property
    def keys(self) -> Any:
        """What queries are compared with, of shape [batch, time, units]."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """How many sequences the memory holds."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """How many steps of time the memory has."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """Size of the state, which is that of the alignments."""
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Return the alignments before the first step: zeros of shape [batch_size, time]."""
        return sizes_of_state(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the state before the first step, which is the initial alignments."""
        return self.initial_alignments(batch_size, dtype)


def _dense(units: int, name: str, dtype: Any) -> Dense:
    return Dense(units, name=name, use_bias=False, dtype=dtype or float32)


def _scale(dtype: Any) -> Any:
    return scopes.get_variable("attention_g", (), dtype, Ones())


def _plain(probability_fn: Callable[[Any], Any] | None) -> Probability:
    chosen = probability_fn or softmax
    return lambda score, _: chosen(score)


class _Luong(BaseAttentionMechanism):
    """Scores by the product of what asks and the keys."""

    _scale_wanted: bool = False

    def _score(self, query: Any) -> Any:
        depth, units = (x.get_shape().as_list()[-1] for x in (query, self._keys))
        if depth != units:
            raise InvalidArgumentError(
                "Incompatible or unknown inner dimensions between query and keys.  Query "
                f"({query}) has units: {depth}.  Keys ({self._keys}) have units: {units}.  "
                f"Perhaps you need to set num_units to the keys' dimension ({units})?"
            )
        scale = _scale(query.dtype) if self._scale_wanted else None
        score = squeeze(
            matmul(expand_dims(query, 1), self._keys, transpose_b=True), [1]
        )
        return score if scale is None else scale * score


class _Bahdanau(BaseAttentionMechanism):
    """Scores by what a layer makes of what asks and of the keys together."""

    _num_units: int
    _normalize: bool = False

    def _score(self, query: Any) -> Any:
        dtype, units = query.dtype, self._num_units
        asked = self._query_layer(query) if self._query_layer else query
        v = scopes.get_variable("attention_v", [units], dtype)
        if not self._normalize:
            return reduce_sum(v * tanh(self._keys + expand_dims(asked, 1)), [2])
        first = Constant((1.0 / units) ** 0.5)
        g = scopes.get_variable("attention_g", (), dtype, first)
        b = scopes.get_variable("attention_b", [units], dtype, Constant(0.0))
        normed = g * v * rsqrt(reduce_sum(square(v)))
        return reduce_sum(normed * tanh(self._keys + expand_dims(asked, 1) + b), [2])


class LuongAttention(_Luong):
    """Scores that are products of the query and the keys, with a factor if scale (Luong 2015)."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_dense(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_plain(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._scale_wanted = scale

    def __call__(self, query: Any, state: Any) -> Any:
        with scopes.variable_scope(None, "luong_attention", [query]):
            score = self._score(query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauAttention(_Bahdanau):
    """Scores v * tanh(query + keys), weight normalised if normalize (Bahdanau et al. 2014)."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            query_layer=_dense(num_units, "query_layer", dtype),
            memory_layer=_dense(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_plain(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._normalize = num_units, normalize

    def __call__(self, query: Any, state: Any) -> Any:
        with scopes.variable_scope(None, "bahdanau_attention", [query]):
            score = self._score(query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Return cumulative products as exp of sums of logarithms, so that none overflows.

    x is clipped to [tiny, 1] first; other arguments are those of tf.cumsum.
    """
    with framework.name_scope(None, "SafeCumprod"):
        x = framework.convert_to_tensor(x, name="x")
        tiny = np.finfo(as_dtype(x.dtype).numpy).tiny
        return exp(cumsum(log(clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """Return the attention, [batch, time], of a step that never looks behind the one before.

    p_choose_i are the chances to stop at each place, previous_attention what the last step gave.
    mode: "recursive" (exact, one place after another), "parallel" (cumulative sums and products;
    unstable where chances are near 1) or "hard" (chances that are 0 or 1). Others raise
    InvalidArgumentError. Raffel et al. 2017, https://arxiv.org/abs/1704.00784.
    """
    p = framework.convert_to_tensor(p_choose_i, name="p_choose_i")
    before = framework.convert_to_tensor(
        previous_attention, name="previous_attention"
    )
    if mode == "recursive":
        batch = known_or(p, 0)
        passed = concat([ones([batch, 1]), 1 - p[:, :-1]], 1)
        reached = scan(
            lambda x, given: reshape(given[0] * x + given[1], [batch]),
            [transpose(passed), transpose(before)],
            zeros([batch]),
        )
        return p * transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        return p * passed * cumsum(before / clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        p = p * cumsum(before, axis=1)
        return p * cumprod(1 - p, axis=1, exclusive=True)
    raise InvalidArgumentError("mode must be 'recursive', 'parallel', or 'hard'.")


def _monotonic(noise: float, mode: str, seed: int | None) -> Probability:
    """Return a function of scores and alignments before that gives those to come."""

    def function(score: Any, before: Any) -> Any:
        if noise > 0:
            drawn = normal(shape(score), dtype=score.dtype, seed=seed)
            score = score + noise * drawn
        hard = mode == "hard"
        p = cast(score > 0, score.dtype) if hard else sigmoid(score)
        return monotonic_attention(p, before, mode)

    return function


class _Forward(BaseAttentionMechanism):
    """A mechanism that begins at the memory's first row and only goes forward."""

    _score_bias_init: Any = 0.0

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        return one_hot(zeros([batch_size], int32), self._alignments_size, dtype=dtype)

    def _bias(self, dtype: Any) -> Any:
        first = Constant(self._score_bias_init)
        return scopes.get_variable("attention_score_bias", (), dtype, first)


class BahdanauMonotonicAttention(_Forward, _Bahdanau):
    """Bahdanau's scores as chances to stop, so that attention only goes forward (Raffel 2017)."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=_dense(num_units, "query_layer", dtype),
            memory_layer=_dense(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_monotonic(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._normalize = num_units, normalize
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> Any:
        with scopes.variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = self._score(query)
            score = score + self._bias(query.dtype)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongMonotonicAttention(_Forward, _Luong):
    """Luong's scores as chances to stop, so that attention only goes forward (Raffel 2017)."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=_dense(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_monotonic(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._scale_wanted, self._score_bias_init = scale, score_bias_init

    def __call__(self, query: Any, state: Any) -> Any:
        with scopes.variable_scope(None, "luong_monotonic_attention", [query]):
            score = self._score(query)
            score = score + self._bias(query.dtype)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def hardmax(logits: Any, name: str | None = None) -> Any:
    """Return 1 at the largest element along the last axis and 0 elsewhere, in logits' dtype."""
    with framework.name_scope(name, "Hardmax"):
        logits = framework.convert_to_tensor(logits, name="logits")
        return one_hot(argmax(logits, -1), known_or(logits, -1), dtype=logits.dtype)
