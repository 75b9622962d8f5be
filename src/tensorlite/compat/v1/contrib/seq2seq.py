"""tf.contrib.seq2seq."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.sequence_losses import (
    batched_sequence_loss as sequence_loss,
)


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
