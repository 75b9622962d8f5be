"""Keras' layers of attention."""

from __future__ import annotations

from math import sqrt
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import initializers
from tensorlite.compat.v2.keras.base_layer import Layer
from tensorlite.ops.shape import astype


class MultiHeadAttention(Layer):
    """Attention of several heads (Vaswani et al. 2017), with Keras' weights."""

    names_inputs = True
    """Whether Keras' call has a parameter for each input, rather than one for all."""

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_heads, self.key_dim = num_heads, key_dim
        self.value_dim = value_dim or key_dim
        self.dropout, self.use_bias = dropout, use_bias
        self.output_size = output_shape
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self._pairs: dict[str, tuple[Any, Any]] = {}

    def __call__(
        self, query: Any, value: Any = None, key: Any = None, **kwargs: Any
    ) -> Any:
        given = (
            query if value is None else [query, value, value if key is None else key]
        )
        return super().__call__(given, **kwargs)

    def stored_parts(self) -> dict[str, list[Any]]:
        """Return the weights by the names of the layers that Keras makes of them."""
        return {
            f"{name.removeprefix('attention_')}_dense": [
                w for w in pair if w is not None
            ]
            for name, pair in sorted(self._pairs.items())
        }

    def build(self, input_shape: Any) -> None:
        query, value, key = input_shape
        heads = self.num_heads
        self._add("query", (query[-1], heads, self.key_dim), (heads, self.key_dim))
        self._add("key", (key[-1], heads, self.key_dim), (heads, self.key_dim))
        self._add(
            "value", (value[-1], heads, self.value_dim), (heads, self.value_dim)
        )
        out = self.output_size or query[-1]
        self._add("attention_output", (heads, self.value_dim, out), (out,))
        self.built = True

    def _add(self, name: str, kernel: Any, bias: Any) -> None:
        made = self.add_weight(
            f"{name}/kernel", kernel, initializer=self.kernel_initializer
        )
        offset = None
        if self.use_bias:
            offset = self.add_weight(
                f"{name}/bias", bias, initializer=self.bias_initializer
            )
        self._pairs[name] = (made, offset)

    def _projected(self, name: str, x: Any, rule: str) -> Any:
        kernel, bias = self._pairs[name]
        made = tl.einsum(rule, x, kernel.value())
        return made if bias is None else made + bias

    def call(
        self,
        inputs: Any,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        query, value, key = inputs
        q = self._projected("query", query, "bte,ehd->bthd") / sqrt(self.key_dim)
        k = self._projected_heads("key", key)
        v = self._projected_heads("value", value)
        scores = tl.einsum("bthd,bshd->bhts", q, k)
        if use_causal_mask:
            steps, others = scores.shape[-2], scores.shape[-1]
            causal = tl.arange(steps)[:, None] >= tl.arange(others)[None, :]
            scores = tl.where(causal, scores, -1e9)
        if attention_mask is not None:
            counts = astype(attention_mask, tl.bool)
            scores = tl.where(counts[:, None], scores, -1e9)
        weights = tl.nn.softmax(scores)
        dropped = (
            nn.dropout(weights, self.dropout)
            if self.dropout and training
            else weights
        )
        mixed = tl.einsum("bhts,bshd->bthd", dropped, v)
        made = self._projected("attention_output", mixed, "bthd,hde->bte")
        return (made, weights) if return_attention_scores else made

    def _projected_heads(self, name: str, x: Any) -> Any:
        return self._projected(name, x, "bse,ehd->bshd")


class Attention(Layer):
    """Attention by products of queries and keys."""

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.use_scale, self.dropout = use_scale, dropout
        self.scale: Any = None

    def build(self, input_shape: Any) -> None:
        if self.use_scale:
            self.scale = self.add_weight("scale", (), initializer="ones")
        self.built = True

    def scores(self, query: Any, key: Any) -> Any:
        made = tl.matmul(query, tl.matrix_transpose(key))
        return made if self.scale is None else made * self.scale

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        return_attention_scores: bool = False,
    ) -> Any:
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        scores = self.scores(query, key)
        if isinstance(mask, (list, tuple)) and len(mask) > 1 and mask[1] is not None:
            scores = tl.where(astype(mask[1], tl.bool)[:, None, :], scores, -1e9)
        weights = tl.nn.softmax(scores)
        dropped = (
            nn.dropout(weights, self.dropout)
            if self.dropout and training
            else weights
        )
        made = tl.matmul(dropped, value)
        return (made, weights) if return_attention_scores else made


class AdditiveAttention(Attention):
    """Attention by a layer over sums of queries and keys (Bahdanau et al. 2015)."""

    def build(self, input_shape: Any) -> None:
        self.scale = self.add_weight("scale", (input_shape[1][-1],))
        self.built = True

    def scores(self, query: Any, key: Any) -> Any:
        both = tl.tanh(query[:, :, None, :] + key[:, None, :, :])
        return tl.sum(self.scale * both, axis=-1)
