"""tf.contrib.rnn."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.cells import LayerRNNCell
from tensorlite.compat.v1.rnn import (
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)
from tensorlite.compat.v1.rnn_cell import (
    BasicLSTMCell,
    BasicRNNCell,
    DeviceWrapper,
    DropoutWrapper,
    EmbeddingWrapper,
    GRUCell,
    InputProjectionWrapper,
    LSTMCell,
    LSTMStateTuple,
    MultiRNNCell,
    OutputProjectionWrapper,
    ResidualWrapper,
    RNNCell,
)


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
