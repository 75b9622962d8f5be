"""tf.nn.rnn_cell of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.recurrent.cell_wrappers import (
    DeviceWrapper as DeviceWrapper,
    DropoutWrapper as DropoutWrapper,
    EmbeddingWrapper as EmbeddingWrapper,
    InputProjectionWrapper as InputProjectionWrapper,
    OutputProjectionWrapper as OutputProjectionWrapper,
    ResidualWrapper as ResidualWrapper,
)
from tensorlite.compat.v1.recurrent.cells import (
    BasicLSTMCell as BasicLSTMCell,
    BasicRNNCell as BasicRNNCell,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
    MultiRNNCell as MultiRNNCell,
    RNNCell as RNNCell,
)

__dir__ = listing("v1.nn.rnn_cell", globals())


def __getattr__(name: str) -> object:
    """Say what is near a name that is not there."""
    raise attribute_error("v1.nn.rnn_cell", name, globals())
