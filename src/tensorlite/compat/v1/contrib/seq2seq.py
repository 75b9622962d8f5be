"""tf.contrib.seq2seq."""

from __future__ import annotations

from tensorlite.compat.v1.sequence_losses import (
    batched_sequence_loss as sequence_loss,
)
