"""tf.nn.rnn_cell of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from tensorlite.compat.v1.cell_wrappers import (
    DeviceWrapper,
    DropoutWrapper,
    EmbeddingWrapper,
    InputProjectionWrapper,
    OutputProjectionWrapper,
    ResidualWrapper,
)
from tensorlite.compat.v1.cells import (
    BasicLSTMCell,
    BasicRNNCell,
    GRUCell,
    LSTMCell,
    LSTMStateTuple,
    MultiRNNCell,
    RNNCell,
)
