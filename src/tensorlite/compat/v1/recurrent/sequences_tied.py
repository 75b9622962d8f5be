"""Sequence to sequence models that share their vectors, or one encoder between decoders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorlite.compat.v1.functions.embeddings import embedding_lookup
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.recurrent.cell_wrappers import (
    EmbeddingWrapper,
    OutputProjectionWrapper,
)
from tensorlite.compat.v1.recurrent.cells import RNNCell
from tensorlite.compat.v1.recurrent.sequences import (
    Decoded,
    check_projection,
    either,
    embedded_previous,
    embedding_rnn_decoder,
    tied_rnn_seq2seq,
)
from tensorlite.compat.v1.recurrent.static_rnn import static_rnn
from tensorlite.core.errors import DTypeError, InvalidArgumentError


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> Decoded:
    """Return (list of outputs, last state) of an encoder and a decoder that share their weights.

    They share the vectors of symbols, too. Without output_projection the outputs are logits of
    num_decoder_symbols, num_symbols if None. feed_previous is a Python boolean, or a tensor.
    """
    with scopes.variable_scope(
        scope or "embedding_tied_rnn_seq2seq", dtype=dtype
    ) as opened:
        kind = opened.dtype
        if output_projection is not None:
            output_projection = [
                framework.convert_to_tensor(x, dtype=kind) for x in output_projection
            ]
            check_projection(output_projection, num_symbols)
        table = scopes.get_variable("embedding", [num_symbols, embedding_size], kind)
        seen, given = [
            [embedding_lookup(table, x) for x in inputs]
            for inputs in (encoder_inputs, decoder_inputs)
        ]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols or num_symbols)

        def decode(own: bool, update: bool) -> Decoded:
            function = (
                embedded_previous(table, output_projection, update) if own else None
            )
            return tied_rnn_seq2seq(seen, given, cell, function, kind)

        return either(feed_previous, decode, cell.state_size)


def one2many_rnn_seq2seq(
    encoder_inputs: Sequence[Any],
    decoder_inputs_dict: Mapping[Any, Sequence[Any]],
    enc_cell: Any,
    dec_cells_dict: Mapping[Any, Any],
    num_encoder_symbols: int,
    num_decoder_symbols_dict: Mapping[Any, int],
    embedding_size: int,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    """Return (outputs, last states), by the names of decoders that begin with one encoder's state.

    Outputs are logits of a decoder's symbols. feed_previous is a Python boolean, or a tensor.
    """
    for cell in [enc_cell, *dec_cells_dict.values()]:
        if not isinstance(cell, RNNCell):
            raise DTypeError(f"one2many_rnn_seq2seq: {cell} is not an RNNCell")
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise InvalidArgumentError(
            "keys of dec_cells_dict != keys of decoder_inputs_dict: "
            f"{list(dec_cells_dict)} and {list(decoder_inputs_dict)}"
        )
    outputs, states = {}, {}
    with scopes.variable_scope(
        scope or "one2many_rnn_seq2seq", dtype=dtype
    ) as opened:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        for name, inputs in decoder_inputs_dict.items():
            with scopes.variable_scope(f"one2many_decoder_{name}"):
                outputs[name], states[name] = _one_decoder(
                    inputs,
                    state,
                    dec_cells_dict[name],
                    num_decoder_symbols_dict[name],
                    embedding_size,
                    feed_previous,
                )
    return outputs, states


def _one_decoder(
    inputs: Sequence[Any],
    state: Any,
    cell: Any,
    symbols: int,
    size: int,
    feed_previous: Any,
) -> Decoded:
    projected = OutputProjectionWrapper(cell, symbols)

    def decode(own: bool, _: bool) -> Decoded:
        return embedding_rnn_decoder(
            inputs, state, projected, symbols, size, feed_previous=own
        )

    return either(feed_previous, decode, state)
