"""tf.contrib.rnn."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.cells import LayerRNNCell as LayerRNNCell
from tensorlite.compat.v1.contrib.cells import (
    GRUBlockCell as GRUBlockCell,
    GRUBlockCellV2 as GRUBlockCellV2,
    LayerNormBasicLSTMCell as LayerNormBasicLSTMCell,
    LSTMBlockCell as LSTMBlockCell,
    NASCell as NASCell,
    UGRNNCell as UGRNNCell,
    stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn,
    transpose_batch_time as transpose_batch_time,
)
from tensorlite.compat.v1.rnn import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)
from tensorlite.compat.v1.rnn_cell import (
    BasicLSTMCell as BasicLSTMCell,
    BasicRNNCell as BasicRNNCell,
    DeviceWrapper as DeviceWrapper,
    DropoutWrapper as DropoutWrapper,
    EmbeddingWrapper as EmbeddingWrapper,
    GRUCell as GRUCell,
    InputProjectionWrapper as InputProjectionWrapper,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
    MultiRNNCell as MultiRNNCell,
    OutputProjectionWrapper as OutputProjectionWrapper,
    ResidualWrapper as ResidualWrapper,
    RNNCell as RNNCell,
)


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
