"""Keras' layers of attention of one head. Those of several heads are in heads.py."""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import seeding
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype, shape_of

_FAR = {"float16": 65504.0}
"""What is taken from the scores of steps that do not count; 1e9 where nothing else is said."""


class Attention(Layer):
    """Attention by products of queries and keys, or by sums of them."""

    supports_masking = True

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if score_mode not in {"dot", "concat"}:
            raise InvalidArgumentError(
                "Invalid value for argument score_mode. Expected one of {'dot', 'concat'}. "
                f"Received: score_mode={score_mode}"
            )
        self.use_scale, self.score_mode = use_scale, score_mode
        self.dropout, self.seed = dropout, seed
        self.seed_generator = seeding.generator(seed) if dropout > 0 else None
        self.scale: Any = None
        self.concat_score_weight: Any = None

    def build(self, input_shape: Any) -> None:
        self._check(input_shape)
        if self.use_scale:
            self.scale = self.add_weight("scale", (), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(
                "concat_score_weight", (), initializer="ones"
            )

    def scores(self, query: Any, key: Any) -> Any:
        """Return how much each key counts for each query."""
        if self.score_mode == "concat":
            both = query[..., :, None, :] + key[..., None, :, :]
            both = both if self.scale is None else both * self.scale
            return self.concat_score_weight * tl.sum(tl.tanh(both), axis=-1)
        made = tl.matmul(query, tl.matrix_transpose(key))
        return made if self.scale is None else made * self.scale

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        self._check(inputs, mask)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        of_query, of_value = (None, None) if mask is None else mask[:2]
        scores = self.scores(query, key)
        weights = tl.nn.softmax(_counted(scores, of_value, use_causal_mask))
        if self.dropout and training:
            weights = seeding.dropout(weights, self.dropout, seed=self.seed_generator)
        made = tl.matmul(weights, value)
        if of_query is not None:
            made = made * astype(astype(of_query, tl.bool)[..., None], made.dtype)
        return (made, weights) if return_attention_scores else made

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        self._check(inputs, mask)
        return None if mask is None else mask[0]

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[0][:-1], input_shape[1][-1])

    def _check(self, inputs: Any, mask: Any = None) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise InvalidArgumentError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or "
                f"[query, value, key]. Received: inputs={inputs}."
            )
        if len(inputs) not in {2, 3}:
            raise InvalidArgumentError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or "
                f"[query, value, key]. Received length: {len(inputs)}."
            )
        if mask is None:
            return
        if not isinstance(mask, list):
            raise InvalidArgumentError(
                f"{name} layer mask must be a list, namely [query_mask, value_mask]. Received: "
                f"mask={mask}."
            )
        if len(mask) not in {2, 3}:
            raise InvalidArgumentError(
                f"{name} layer accepts mask list of length 2 or 3. Received: inputs={inputs}, "
                f"mask={mask}."
            )


def _counted(scores: Any, mask: Any, is_causal: bool) -> Any:
    """Return scores, those of steps that do not count far below the others."""
    counts = None if mask is None else astype(mask, tl.bool)[..., None, :]
    if is_causal:
        own = shape_of(scores)
        ahead = tl.arange(own[-2])[:, None] >= tl.arange(own[-1])[None, :]
        counts = ahead if counts is None else counts & ahead
    if counts is None:
        return scores
    return tl.where(counts, scores, scores - _FAR.get(scores.dtype.name, 1.0e9))


class AdditiveAttention(Attention):
    """Attention by a layer over sums of queries and keys (Bahdanau et al. 2015)."""

    def __init__(
        self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape: Any) -> None:
        self._check(input_shape)
        if self.use_scale:
            self.scale = self.add_weight("scale", (input_shape[0][-1],))

    def scores(self, query: Any, key: Any) -> Any:
        """Return how much each key counts for each query."""
        both = tl.tanh(query[..., :, None, :] + key[..., None, :, :])
        return tl.sum(both if self.scale is None else self.scale * both, axis=-1)
