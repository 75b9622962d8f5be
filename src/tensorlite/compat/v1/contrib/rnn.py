"""tf.contrib.rnn."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib.cell_kinds.around import (
    AttentionCellWrapper as AttentionCellWrapper,
    CompiledWrapper as CompiledWrapper,
    HighwayWrapper as HighwayWrapper,
)
from tensorlite.compat.v1.contrib.cell_kinds.cells import (
    GRUBlockCell as GRUBlockCell,
    GRUBlockCellV2 as GRUBlockCellV2,
    LayerNormBasicLSTMCell as LayerNormBasicLSTMCell,
    LSTMBlockCell as LSTMBlockCell,
    NASCell as NASCell,
    UGRNNCell as UGRNNCell,
    best_effort_input_batch_size as best_effort_input_batch_size,
    stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn,
    stack_bidirectional_rnn as stack_bidirectional_rnn,
    transpose_batch_time as transpose_batch_time,
)
from tensorlite.compat.v1.contrib.cell_kinds.in_grids import (
    BidirectionalGridLSTMCell as BidirectionalGridLSTMCell,
    GridLSTMCell as GridLSTMCell,
    TimeFreqLSTMCell as TimeFreqLSTMCell,
)
from tensorlite.compat.v1.contrib.cell_kinds.of_each import (
    IndRNNCell as IndRNNCell,
    IndyGRUCell as IndyGRUCell,
    IndyLSTMCell as IndyLSTMCell,
    SRUCell as SRUCell,
)
from tensorlite.compat.v1.contrib.cell_kinds.of_sequences import (
    FusedRNNCell as FusedRNNCell,
    FusedRNNCellAdaptor as FusedRNNCellAdaptor,
    LSTMBlockFusedCell as LSTMBlockFusedCell,
    LSTMBlockWrapper as LSTMBlockWrapper,
    TimeReversedFusedRNN as TimeReversedFusedRNN,
)
from tensorlite.compat.v1.contrib.cell_kinds.with_gates import (
    Conv1DLSTMCell as Conv1DLSTMCell,
    Conv2DLSTMCell as Conv2DLSTMCell,
    Conv3DLSTMCell as Conv3DLSTMCell,
    ConvLSTMCell as ConvLSTMCell,
    CoupledInputForgetGateLSTMCell as CoupledInputForgetGateLSTMCell,
    GLSTMCell as GLSTMCell,
    IntersectionRNNCell as IntersectionRNNCell,
    PhasedLSTMCell as PhasedLSTMCell,
)
from tensorlite.compat.v1.recurrent.cells import LayerRNNCell as LayerRNNCell
from tensorlite.compat.v1.recurrent.static_rnn import (
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

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
