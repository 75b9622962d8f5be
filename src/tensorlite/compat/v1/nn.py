"""tf.nn of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.nn import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    avg_pool1d,
    avg_pool3d,
    batch_normalization,
    bias_add,
    conv3d,
    crelu,
    ctc_beam_search_decoder,
    ctc_greedy_decoder,
    depth_to_space,
    elu,
    gelu,
    in_top_k,
    l2_loss,
    leaky_relu,
    local_response_normalization,
    log_sigmoid,
    lrn,
    max_pool1d,
    max_pool3d,
    normalize_moments,
    relu,
    relu6,
    relu_layer,
    selu,
    sigmoid,
    silu,
    softplus,
    softsign,
    space_to_depth,
    sufficient_statistics,
    swish,
    tanh,
    top_k,
    xw_plus_b,
)
from tensorlite.compat.v1 import rnn_cell
from tensorlite.compat.v1.contrib import legacy_seq2seq as seq2seq
from tensorlite.compat.v1.convolutions import (
    avg_pool,
    avg_pool2d,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d_transpose,
    convolution,
    depthwise_conv2d,
    depthwise_conv2d_native,
    dilation2d,
    erosion2d,
    max_pool,
    max_pool2d,
    max_pool_with_argmax,
    pool,
    separable_conv2d,
)
from tensorlite.compat.v1.nn_functions import (
    batch_norm_with_global_normalization,
    dropout,
    fused_batch_norm,
    l2_normalize,
    log_softmax,
    moments,
    softmax,
    weighted_moments,
    zero_fraction,
)
from tensorlite.compat.v1.nn_losses import (
    ctc_loss,
    embedding_lookup,
    embedding_lookup_sparse,
    log_poisson_loss,
    nce_loss,
    sampled_softmax_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from tensorlite.compat.v1.rnn import (
    bidirectional_dynamic_rnn,
    dynamic_rnn,
    raw_rnn,
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)
from tensorlite.compat.v1.rnn import static_bidirectional_rnn as bidirectional_rnn
from tensorlite.compat.v1.rnn import static_rnn as rnn
from tensorlite.compat.v1.rnn import static_state_saving_rnn as state_saving_rnn


def __getattr__(name: str) -> object:
    """Say what is near a name that is not there."""
    raise attribute_error(__name__, name, globals())
