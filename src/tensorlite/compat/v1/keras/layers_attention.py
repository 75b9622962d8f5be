"""Keras' layers of attention, composed in graphs as TensorFlow 1 composes them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared.arrays import concat, expand_dims, ones
from tensorlite.compat.shared.elementwise import (
    cast,
    greater_equal,
    logical_and,
    logical_not,
)
from tensorlite.compat.shared.linear.matrices import matmul
from tensorlite.compat.shared.nn import tanh
from tensorlite.compat.shared.reductions import cumsum
from tensorlite.compat.v1.functions.arrays import ones_like, shape
from tensorlite.compat.v1.functions.nn_functions import softmax
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.keras.written import written_by
from tensorlite.compat.v2.keras import layers
from tensorlite.core.dtypes import float32, int32


class _Attending:
    """A layer of attention; a causal one lets no step look at later ones."""

    asks_phase = False

    def __init__(
        self, use_scale: bool = False, causal: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(use_scale, **kwargs)  # type: ignore[call-arg]
        self.causal = causal

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        own: Any = self
        own._check(inputs, mask)  # noqa: SLF001  its own
        if not (return_attention_scores or use_causal_mask):
            made = written_by(self, self._written, inputs, mask)
            if made is not NotImplemented:
                return made
        run: Any = super()
        is_causal = use_causal_mask or self.causal
        return run.call(inputs, mask, training, return_attention_scores, is_causal)

    def written_scores(self, query: Any, key: Any) -> Any:
        """Return how much each key counts for each query."""
        raise NotImplementedError

    def _written(self, inputs: Any, mask: Any) -> Any:
        query, value = inputs[:2]
        of_query, of_value = (None, None) if not mask else mask[:2]
        scores = self.written_scores(query, inputs[2] if len(inputs) > 2 else value)
        counts = None if of_value is None else expand_dims(of_value, -2)
        if self.causal:
            before = _before(scores)
            counts = before if counts is None else logical_and(counts, before)
        if counts is not None:
            scores = scores - 1.0e9 * cast(logical_not(counts), float32)
        made = matmul(softmax(scores), value)
        if of_query is None:
            return made
        return made * cast(expand_dims(of_query, -1), made.dtype)


def _before(scores: Any) -> Any:
    """Return which keys are no later than queries."""
    sizes = shape(scores)
    sizes = concat([ones_like(sizes[:-2]), sizes[-2:]], 0)
    rows, columns = (cumsum(ones(sizes, int32), axis) for axis in (-2, -1))
    return greater_equal(rows, columns)


class Attention(_Attending, layers.Attention):
    """Attention by products of queries and keys."""

    def written_scores(self, query: Any, key: Any) -> Any:
        """Return products, which may be scaled."""
        made = matmul(query, key, transpose_b=True)
        return made if self.scale is None else made * self.scale


class AdditiveAttention(_Attending, layers.AdditiveAttention):
    """Attention by sums of queries and keys (Bahdanau et al. 2015)."""

    def __init__(
        self, use_scale: bool = True, causal: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(use_scale, causal, **kwargs)

    def written_scores(self, query: Any, key: Any) -> Any:
        """Return sums of what is bounded, which may be scaled."""
        sums = tanh(expand_dims(query, -2) + expand_dims(key, -3))
        scale = 1.0 if self.scale is None else self.scale
        return reduce_sum(scale * sums, axis=-1)


KINDS = {kind.__name__: kind for kind in (Attention, AdditiveAttention)}
"""What is found by its name in programs of version 1."""
