"""Keras' attention of several heads, each with keys and values of its own or in groups."""

from __future__ import annotations

from math import sqrt
from string import ascii_letters
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras import (
    constraints,
    initializers,
    regularizers,
    seeding,
)
from tensorlite.compat.v2.keras.src.layers import (
    activations as layers_activations,
    dropping as layers_dropping,
    naming,
)
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.shapes import TensorShape
from tensorlite.ops.arrays.shape import astype, shape_of


class _Heads(Layer):
    """Attention of several heads (Vaswani et al. 2017), with Keras' weights."""

    supports_masking = True
    num_heads: int
    key_heads: int
    """How many heads keys and values have, each for as many of the queries'."""
    key_dim: int
    value_dim: int
    attention_axes: Any = None
    output_size: tuple[int, ...] | None = None

    def __init__(
        self,
        dropout: float = 0.0,
        use_bias: bool = True,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if flash_attention:
            raise InvalidArgumentError("there is no flash attention on this machine")
        if sliding_window is not None:
            _check_count("sliding_window", sliding_window)
        self.dropout, self.use_bias, self.use_gate = dropout, use_bias, use_gate
        self.sliding_window, self.flash_attention = sliding_window, flash_attention
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.seed = seed
        self.seed_generator: Any = None
        self._pairs: dict[str, tuple[Any, Any]] = {}

    def stored_parts(self) -> dict[str, list[Any]]:
        """Return the weights by the names of the layers that Keras makes of them."""
        return {
            f"{name.removeprefix('attention_')}_dense": [
                w for w in pair if w is not None
            ]
            for name, pair in sorted(self._pairs.items())
        }

    def build(
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        key_shape = value_shape if key_shape is None else key_shape
        _check_lengths(value_shape, key_shape)
        self._axes = self._attended(len(query_shape))
        wide, deep = query_shape[-1], self.key_dim
        self._add("query", (wide, self.num_heads, deep), 1)
        self._add("key", (key_shape[-1], self.key_heads, deep), 1)
        if self.use_gate:
            self._add("gate", (wide, self.num_heads, self.value_dim), 1)
        self._add("value", (value_shape[-1], self.key_heads, self.value_dim), 1)
        naming.unique("dropout")  # Keras has a layer for it
        if self.dropout > 0:
            self.seed_generator = seeding.generator(self.seed)
        ends = self.output_size or (wide,)
        self._add("attention_output", (self.num_heads, self.value_dim, *ends), 2)

    def _attended(self, rank: int) -> tuple[int, ...]:
        """Return the axes along which there is attention."""
        if self.attention_axes is None:
            return tuple(range(1, rank - 1))
        return tuple(axis % rank for axis in self.attention_axes)

    def _add(self, name: str, shape: Any, bound: int) -> None:
        """Make the weights of a projection, whose kernel takes up some axes of what comes."""
        axes = list(range(len(shape)))
        first = _again(self.kernel_initializer)
        kernel = self.add_weight(
            f"{name}/kernel",
            shape,
            initializer=initializers.over_axes(first, axes[:bound], axes[bound:]),
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        bias = None
        if self.use_bias:
            bias = self.add_weight(
                f"{name}/bias",
                shape[bound:],
                initializer=_again(self.bias_initializer),
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self._pairs[name] = (kernel, bias)

    def _projected(self, name: str, x: Any, bound: int = 1) -> Any:
        kernel, bias = self._pairs[name]
        free = len(x.shape) - bound
        letters = ascii_letters[: free + len(kernel.shape)]
        taken, made = (
            letters[: free + bound],
            letters[:free] + letters[free + bound :],
        )
        found = tl.einsum(f"{taken},{letters[free:]}->{made}", x, kernel.value())
        return found if bias is None else found + bias.value()

    def _shared(self, x: Any) -> Any:
        """Return keys or values for each head of the queries."""
        times = self.num_heads // self.key_heads
        return x if times == 1 else tl.repeat(x, times, axis=-2)

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        of_steps = (query_mask, value_mask, key_mask)
        counts = self._counting(
            query, value, of_steps, attention_mask, use_causal_mask
        )
        q = self._projected("query", query)
        k = self._shared(self._projected("key", value if key is None else key))
        v = self._shared(self._projected("value", value))
        product, mixing = _equations(len(q.shape), self._axes)
        scores = tl.einsum(product, q * (1.0 / sqrt(self.key_dim)), k)
        direct = (
            not self.dropout and not return_attention_scores and len(q.shape) == 4
        )
        weights = self._weights(scores, counts, zeroed=not direct)
        mixed = tl.einsum(mixing, self._dropped(weights, training), v)
        if self.use_gate:
            mixed = mixed * tl.nn.sigmoid(self._projected("gate", query))
        made = self._projected("attention_output", mixed, 2)
        return (made, weights) if return_attention_scores else made

    def _counting(
        self, query: Any, value: Any, masks: Any, given: Any, is_causal: bool
    ) -> Any:
        """Return which steps are attended to, None if all are."""
        found = [] if given is None else [astype(given, tl.bool)]
        for mask, axis in zip(masks, (-1, -2, -2), strict=True):
            if mask is not None:
                found.append(tl.expand_dims(astype(mask, tl.bool), axis=axis))
        rows = tl.arange(shape_of(query)[1])[None, :, None]
        columns = tl.arange(shape_of(value)[1])[None, None, :]
        if is_causal:
            found.append(rows >= columns)
        if self.sliding_window is not None:
            found.append(tl.abs(rows - columns) < self.sliding_window)
        if not found:
            return None
        made = found[0]
        for other in found[1:]:
            made = made & other
        return made

    def _weights(self, scores: Any, counts: Any, zeroed: bool) -> Any:
        ends = tuple(range(-len(self._axes), 0))
        softmax = layers_activations.Softmax(
            ends, dtype=scores.dtype.name, name="softmax"
        )
        if counts is None:
            return softmax.call(scores)
        while len(counts.shape) < len(scores.shape):
            counts = tl.expand_dims(counts, axis=-2 * len(self._axes) - 1)
        if zeroed:
            return softmax.call(scores, counts)
        below = layers_activations.far_below(scores.dtype)
        return softmax.call(tl.where(counts, scores, below))

    def _dropped(self, weights: Any, training: Any) -> Any:
        if not self.dropout:
            return weights

        def dropped() -> Any:
            return seeding.dropout(weights, self.dropout, seed=self.seed_generator)

        return layers_dropping.chosen(training, dropped, lambda: tl.identity(weights))

    def compute_output_shape(
        self, query_shape: Any, value_shape: Any = None, key_shape: Any = None
    ) -> Any:
        if value_shape is not None and key_shape is not None:
            _check_lengths(value_shape, key_shape)
        ends = self.output_size or tuple(query_shape[-1:])
        return (*query_shape[:-1], *ends)


class MultiHeadAttention(_Heads):
    """Attention of several heads, whose keys and values are their own."""

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        _check_count("num_heads", num_heads)
        _check_count("key_dim", key_dim)
        if value_dim is not None:
            _check_count("value_dim", value_dim)
        super().__init__(dropout, use_bias, **kwargs)
        self.num_heads = self.key_heads = num_heads
        self.key_dim, self.value_dim = key_dim, value_dim or key_dim
        self.output_size = None if not output_shape else _sizes(output_shape)
        self.attention_axes = (
            None if attention_axes is None else _sizes(attention_axes)
        )


class GroupedQueryAttention(_Heads):
    """Attention whose keys and values are shared by groups of heads."""

    def __init__(
        self,
        head_dim: int,
        num_query_heads: int,
        num_key_value_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(dropout, use_bias, **kwargs)
        if num_query_heads % num_key_value_heads:
            raise InvalidArgumentError(
                "`num_query_heads` must be divisible by `num_key_value_heads`."
            )
        self.head_dim = self.key_dim = self.value_dim = head_dim
        self.num_query_heads = self.num_heads = num_query_heads
        self.num_key_value_heads = self.key_heads = num_key_value_heads


def _again(initializer: Any) -> Any:
    """Return an initializer that draws by itself."""
    return type(initializer).from_config(initializer.get_config())


def _sizes(given: Any) -> tuple[int, ...]:
    if isinstance(given, int):
        return (given,)
    if not isinstance(given, (list, tuple, TensorShape)):
        raise InvalidArgumentError(
            f"{given!r}: `output_shape` and `attention_axes` must be an int, list, or tuple."
        )
    return tuple(given)


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or value <= 0:
        raise InvalidArgumentError(
            f"Received an invalid value for argument `{name}`, expected a positive integer. "
            f"Received: {name}={value}; `{name}` must be a positive integer."
        )


def _check_lengths(value_shape: Any, key_shape: Any) -> None:
    if tuple(value_shape[1:-1]) != tuple(key_shape[1:-1]):
        raise ShapeError(
            "All dimensions of `value` and `key`, except the last one, must be equal. Received: "
            f"value_shape={tuple(value_shape)} and key_shape={tuple(key_shape)}"
        )


def _equations(rank: int, axes: tuple[int, ...]) -> tuple[str, str]:
    """Return how queries meet keys, and how values are mixed.

    All have the rank; the last axis is of features, the one before of heads.
    """
    ours = ascii_letters[:rank]
    others = dict(zip(axes, ascii_letters[rank:], strict=False))
    theirs = "".join(others.get(i, letter) for i, letter in enumerate(ours))
    batch = "".join(ours[i] for i in range(rank - 1) if i not in axes)
    scores = batch + "".join(ours[i] for i in axes) + "".join(others.values())
    return f"{ours},{theirs}->{scores}", f"{scores},{theirs}->{ours}"
