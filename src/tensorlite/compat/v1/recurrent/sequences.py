"""Sequence to sequence models of TensorFlow 1's contrib: encoders, decoders, attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

from tensorlite.compat.shared.arrays import (
    concat,
    reshape,
    shape,
    stack,
    stop_gradient,
    zeros,
)
from tensorlite.compat.shared.nn import tanh, xw_plus_b
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.convolutions import conv2d
from tensorlite.compat.v1.functions.embeddings import embedding_lookup
from tensorlite.compat.v1.functions.nn_functions import softmax
from tensorlite.compat.v1.functions.numbers import argmax, reduce_sum
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.recurrent.cell_wrappers import (
    EmbeddingWrapper,
    OutputProjectionWrapper,
)
from tensorlite.compat.v1.recurrent.rnn_parts import linear
from tensorlite.compat.v1.recurrent.sequence_losses import (
    sequence_loss,
    sequence_loss_by_example,
)
from tensorlite.compat.v1.recurrent.static_rnn import static_rnn
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.graph_mode.variable_scopes import get_variable_scope

Decoded = tuple[list[Any], Any]


def embedded_previous(
    embedding: Any, projection: Any, update: bool
) -> Callable[[Any, int], Any]:
    """Return a function of an output that gives the embedding of its most likely symbol."""

    def function(previous: Any, _: int) -> Any:
        if projection is not None:
            previous = xw_plus_b(previous, *projection)
        found = embedding_lookup(embedding, argmax(previous, 1))
        return found if update else stop_gradient(found)

    return function


def _chosen(given: Any, loop_function: Any, step: int, previous: Any) -> Any:
    """Return a step's input: what is given, or what is made of the output before."""
    if loop_function is None or previous is None:
        return given
    with scopes.variable_scope("loop_function", reuse=True):
        return loop_function(previous, step)


def rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    loop_function: Any = None,
    scope: Any = None,
) -> Decoded:
    """Return (list of outputs, last state) of a cell over a list of inputs.

    loop_function(last output, step), where given, says each input but the first.
    """
    with scopes.variable_scope(scope or "rnn_decoder"):
        outputs: list[Any] = []
        state = initial_state
        for step, given in enumerate(decoder_inputs):
            previous = outputs[-1] if outputs else None
            x = _chosen(given, loop_function, step, previous)
            if step:
                get_variable_scope().reuse_variables()
            output, state = cell(x, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    dtype: Any = "float32",
    scope: Any = None,
) -> Decoded:
    """Return (list of outputs, last state) of a decoder that begins with an encoder's state.

    Both have the cell, with weights of their own.
    """
    with scopes.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    loop_function: Any = None,
    dtype: Any = "float32",
    scope: Any = None,
) -> Decoded:
    """Return (list of outputs, last state) of a decoder that begins with an encoder's state.

    Both have the same cell and the same weights.
    """
    with scopes.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, scope)


def embedding_rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> Decoded:
    """Return (list of outputs, last state) of a decoder over symbols' vectors.

    With feed_previous each input but the first is the likeliest symbol of the last output, which
    output_projection, a pair of weights and biases, makes logits of.
    """
    with scopes.variable_scope(scope or "embedding_rnn_decoder"):
        check_projection(output_projection, num_symbols)
        table = scopes.get_variable("embedding", [num_symbols, embedding_size])
        function = (
            embedded_previous(table, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        embedded = (embedding_lookup(table, x) for x in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, function)


def check_projection(projection: Any, num_symbols: int) -> None:
    """Raise ShapeError for weights and biases that make no logits of so many symbols."""
    if projection is not None:
        weights, biases = projection
        weights.get_shape().assert_is_compatible_with([None, num_symbols])
        biases.get_shape().assert_is_compatible_with([num_symbols])


def either(
    feed_previous: Any, decode: Callable[[bool, bool], Decoded], state: Any
) -> Decoded:
    """Return what is decoded, from its own outputs or not, as is known now or when it runs."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)

    def branch(own: bool) -> Callable[[], list[Any]]:
        def made() -> list[Any]:
            reuse = None if own else True
            with scopes.variable_scope(get_variable_scope(), reuse=reuse):
                outputs, last = decode(own, False)
            return [*outputs, *nest.flatten(last)]

        return made

    found = cond(feed_previous, branch(own=True), branch(own=False))
    count = len(found) - len(nest.flatten(state))
    return list(found[:count]), nest.pack_like(state, list(found[count:]))


def embedding_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> Decoded:
    """Return (list of outputs, last state) of an encoder and a decoder over symbols.

    Without output_projection the outputs are logits of num_decoder_symbols. feed_previous is a
    Python boolean, or a tensor.
    """
    with scopes.variable_scope(
        scope or "embedding_rnn_seq2seq", dtype=dtype
    ) as opened:
        encoder = EmbeddingWrapper(
            deepcopy(cell), num_encoder_symbols, embedding_size
        )
        _, state = static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(own: bool, update: bool) -> Decoded:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection,
                own,
                update,
            )

        return either(feed_previous, decode, state)


class _Attention:
    """Reads states, weighted by how well they answer a query."""

    def __init__(self, states: Any, heads: int, dtype: Any) -> None:
        sizes = states.get_shape().as_list()
        if sizes[2] is None:
            raise ShapeError(f"Shape[2] of attention_states must be known: {sizes}")
        self._size, self._dtype = sizes[2], dtype
        self._length = sizes[1] if sizes[1] is not None else shape(states)[1]
        self._hidden = reshape(states, [-1, self._length, 1, self._size])
        self._heads = []
        for head in range(heads):
            kernel = scopes.get_variable(
                f"AttnW_{head}", [1, 1, self._size, self._size], dtype=dtype
            )
            seen = conv2d(self._hidden, kernel, [1, 1, 1, 1], "SAME")
            vector = scopes.get_variable(f"AttnV_{head}", [self._size], dtype=dtype)
            self._heads.append((seen, vector))

    def nothing(self, batch: Any) -> list[Any]:
        """Return what is read before the first query."""
        made = [zeros(stack([batch, self._size]), self._dtype) for _ in self._heads]
        for x in made:
            x.set_shape([None, self._size])
        return made

    def __call__(self, query: Any) -> list[Any]:
        leaves = nest.flatten(query)
        joined = leaves[0] if len(leaves) == 1 else concat(leaves, 1)
        return [self._read(i, joined, *head) for i, head in enumerate(self._heads)]

    def _read(self, head: int, query: Any, seen: Any, vector: Any) -> Any:
        with scopes.variable_scope(f"Attention_{head}"):
            asked = reshape(linear([query], self._size, True), [-1, 1, 1, self._size])
            scores = reduce_sum(vector * tanh(seen + asked), [2, 3])
            weights = reshape(softmax(scores), [-1, self._length, 1, 1])
            return reshape(
                reduce_sum(weights * self._hidden, [1, 2]), [-1, self._size]
            )


def attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Any = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """Return (list of outputs, last state) of a decoder that looks at attention_states.

    These are [batch, length, width]. No inputs, or fewer than one head, raise InvalidArgumentError.
    Bahdanau et al. 2014.
    """
    if not decoder_inputs:
        raise InvalidArgumentError(
            "Must provide at least 1 input to attention decoder."
        )
    if num_heads < 1:
        raise InvalidArgumentError(
            "With less than 1 heads, use a non-attention decoder."
        )
    width = cell.output_size if output_size is None else output_size
    with scopes.variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        attention = _Attention(attention_states, num_heads, opened.dtype)
        read = attention.nothing(shape(decoder_inputs[0])[0])
        if initial_state_attention:
            read = attention(initial_state)
        outputs: list[Any] = []
        state = initial_state
        for step, given in enumerate(decoder_inputs):
            if step:
                get_variable_scope().reuse_variables()
            previous = outputs[-1] if outputs else None
            x = _chosen(given, loop_function, step, previous)
            size = x.get_shape().as_list()[1]
            if size is None:
                raise ShapeError(f"Could not infer input size from input: {x.name}")
            made, state = cell(linear([x, *read], size, True), state)
            if step == 0 and initial_state_attention:
                with scopes.variable_scope(get_variable_scope(), reuse=True):
                    read = attention(state)
            else:
                read = attention(state)
            with scopes.variable_scope("AttnOutputProjection"):
                outputs.append(linear([made, *read], width, True))
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """Return (list of outputs, last state) of an attention decoder over symbols' vectors.

    With feed_previous each input but the first is the likeliest symbol of the last output.
    """
    with scopes.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        table = scopes.get_variable("embedding", [num_symbols, embedding_size])
        function = (
            embedded_previous(table, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        return attention_decoder(
            [embedding_lookup(table, x) for x in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            cell.output_size if output_size is None else output_size,
            num_heads,
            function,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """Return (list of outputs, last state) of an encoder and an attention decoder.

    The decoder looks at the encoder's outputs. Without output_projection the outputs are logits of
    num_decoder_symbols.
    """
    with scopes.variable_scope(
        scope or "embedding_attention_seq2seq", dtype=dtype
    ) as opened:
        encoder = EmbeddingWrapper(
            deepcopy(cell), num_encoder_symbols, embedding_size
        )
        outputs, state = static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        states = concat([reshape(x, [-1, 1, cell.output_size]) for x in outputs], 1)
        size = None
        if output_projection is None:
            cell, size = (
                OutputProjectionWrapper(cell, num_decoder_symbols),
                num_decoder_symbols,
            )

        def decode(own: bool, update: bool) -> Decoded:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads,
                size,
                output_projection,
                own,
                update,
                initial_state_attention=initial_state_attention,
            )

        return either(feed_previous, decode, state)


def model_with_buckets(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Callable[[Any, Any], Decoded],
    softmax_loss_function: Any = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """Return (outputs, losses) of seq2seq for each bucket of lengths, with shared weights.

    buckets are pairs of the encoder's and decoder's lengths, the longest last; lists that are
    shorter raise InvalidArgumentError.
    """
    longest = buckets[-1]
    lists = (
        (encoder_inputs, longest[0]),
        (targets, longest[1]),
        (weights, longest[1]),
    )
    for given, needed in lists:
        if len(given) < needed:
            raise InvalidArgumentError(
                f"Length of inputs ({len(given)}) must be at least that of last bucket ({needed})."
            )
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with framework.name_scope(name, "model_with_buckets"):
        for number, (before, after) in enumerate(buckets):
            with scopes.variable_scope(
                get_variable_scope(), reuse=True if number else None
            ):
                made, _ = seq2seq(encoder_inputs[:before], decoder_inputs[:after])
                outputs.append(made)
                losses.append(
                    loss(
                        made,
                        targets[:after],
                        weights[:after],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
