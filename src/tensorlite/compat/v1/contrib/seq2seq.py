"""tf.contrib.seq2seq."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.recurrent.attention import (
    AttentionMechanism as AttentionMechanism,
    BahdanauAttention as BahdanauAttention,
    BahdanauMonotonicAttention as BahdanauMonotonicAttention,
    LuongAttention as LuongAttention,
    LuongMonotonicAttention as LuongMonotonicAttention,
    hardmax as hardmax,
    monotonic_attention as monotonic_attention,
    safe_cumprod as safe_cumprod,
)
from tensorlite.compat.v1.recurrent.attention_wrapper import (
    AttentionWrapper as AttentionWrapper,
    AttentionWrapperState as AttentionWrapperState,
)
from tensorlite.compat.v1.recurrent.beam_search import (
    BeamSearchDecoder as BeamSearchDecoder,
    BeamSearchDecoderOutput as BeamSearchDecoderOutput,
    BeamSearchDecoderState as BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput as FinalBeamSearchDecoderOutput,
    gather_tree as gather_tree,
    tile_batch as tile_batch,
)
from tensorlite.compat.v1.recurrent.decoding import (
    BasicDecoder as BasicDecoder,
    BasicDecoderOutput as BasicDecoderOutput,
    Decoder as Decoder,
    dynamic_decode as dynamic_decode,
)
from tensorlite.compat.v1.recurrent.decoding_helpers import (
    CustomHelper as CustomHelper,
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
    Helper as Helper,
    InferenceHelper as InferenceHelper,
    SampleEmbeddingHelper as SampleEmbeddingHelper,
    TrainingHelper as TrainingHelper,
)
from tensorlite.compat.v1.recurrent.scheduled_helpers import (
    ScheduledEmbeddingTrainingHelper as ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper as ScheduledOutputTrainingHelper,
)
from tensorlite.compat.v1.recurrent.sequence_losses import (
    batched_sequence_loss,
)

sequence_loss = batched_sequence_loss


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
