"""tf.contrib.legacy_seq2seq."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.recurrent.sequence_losses import (
    sequence_loss as sequence_loss,
    sequence_loss_by_example as sequence_loss_by_example,
)
from tensorlite.compat.v1.recurrent.sequences import (
    attention_decoder as attention_decoder,
    basic_rnn_seq2seq as basic_rnn_seq2seq,
    embedding_attention_decoder as embedding_attention_decoder,
    embedding_attention_seq2seq as embedding_attention_seq2seq,
    embedding_rnn_decoder as embedding_rnn_decoder,
    embedding_rnn_seq2seq as embedding_rnn_seq2seq,
    model_with_buckets as model_with_buckets,
    rnn_decoder as rnn_decoder,
    tied_rnn_seq2seq as tied_rnn_seq2seq,
)
from tensorlite.compat.v1.recurrent.sequences_tied import (
    embedding_tied_rnn_seq2seq as embedding_tied_rnn_seq2seq,
    one2many_rnn_seq2seq as one2many_rnn_seq2seq,
)

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
