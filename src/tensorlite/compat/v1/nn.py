"""tf.nn of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from tensorlite.compat.later import of_version_2
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import nn_labels
from tensorlite.compat.shared.images.fractional import (
    fractional_avg_pool as fractional_avg_pool,
    fractional_max_pool as fractional_max_pool,
)
from tensorlite.compat.shared.nn import (
    avg_pool1d as avg_pool1d,
    avg_pool3d as avg_pool3d,
    batch_normalization as batch_normalization,
    bias_add as bias_add,
    conv3d as conv3d,
    crelu as crelu,
    ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_greedy_decoder as ctc_greedy_decoder,
    elu as elu,
    gelu as gelu,
    in_top_k as in_top_k,
    l2_loss as l2_loss,
    leaky_relu as leaky_relu,
    local_response_normalization as local_response_normalization,
    log_sigmoid as log_sigmoid,
    lrn as lrn,
    max_pool1d as max_pool1d,
    max_pool3d as max_pool3d,
    relu as relu,
    relu6 as relu6,
    relu_layer as relu_layer,
    selu as selu,
    sigmoid as sigmoid,
    silu as silu,
    softplus as softplus,
    softsign as softsign,
    tanh as tanh,
    top_k as top_k,
    xw_plus_b as xw_plus_b,
)
from tensorlite.compat.shared.nn_labels import (
    approx_max_k as approx_max_k,
    approx_min_k as approx_min_k,
)
from tensorlite.compat.shared.quantized import (
    quantized_avg_pool as quantized_avg_pool,
    quantized_conv2d as quantized_conv2d,
    quantized_max_pool as quantized_max_pool,
    quantized_relu_x as quantized_relu_x,
)
from tensorlite.compat.shared.randoms.candidates import (
    all_candidate_sampler as all_candidate_sampler,
    compute_accidental_hits as compute_accidental_hits,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from tensorlite.compat.shared.statistics import normalize_moments as normalize_moments
from tensorlite.compat.v1 import rnn_cell as rnn_cell
from tensorlite.compat.v1.contrib import legacy_seq2seq
from tensorlite.compat.v1.functions.arrays import (
    depth_to_space as depth_to_space,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from tensorlite.compat.v1.functions.channelwise import (
    depthwise_conv2d as depthwise_conv2d,
    depthwise_conv2d_native as depthwise_conv2d_native,
    separable_conv2d as separable_conv2d,
)
from tensorlite.compat.v1.functions.convolution_gradients import (
    conv1d_transpose as conv1d_transpose,
    conv2d_backprop_filter as conv2d_backprop_filter,
    conv2d_backprop_input as conv2d_backprop_input,
    conv3d_backprop_filter as conv3d_backprop_filter,
    depthwise_conv2d_native_backprop_filter as depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_native_backprop_input as depthwise_conv2d_native_backprop_input,
)
from tensorlite.compat.v1.functions.convolutions import (
    atrous_conv2d as atrous_conv2d,
    atrous_conv2d_transpose as atrous_conv2d_transpose,
    avg_pool as avg_pool,
    avg_pool2d as avg_pool2d,
    conv1d as conv1d,
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv3d_transpose as conv3d_transpose,
    convolution as convolution,
    dilation2d as dilation2d,
    erosion2d as erosion2d,
    max_pool as max_pool,
    max_pool2d as max_pool2d,
    max_pool_with_argmax as max_pool_with_argmax,
    pool as pool,
)
from tensorlite.compat.v1.functions.embeddings import (
    embedding_lookup as embedding_lookup,
)
from tensorlite.compat.v1.functions.labels_written import (
    collapse_repeated as collapse_repeated,
    ctc_unique_labels as ctc_unique_labels,
)
from tensorlite.compat.v1.functions.nn_functions import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    dropout as dropout,
    fused_batch_norm as fused_batch_norm,
    l2_normalize as l2_normalize,
    log_softmax as log_softmax,
    moments as moments,
    softmax as softmax,
    sufficient_statistics as sufficient_statistics,
    swish as swish,
    weighted_moments as weighted_moments,
    zero_fraction as zero_fraction,
)
from tensorlite.compat.v1.functions.nn_losses import (
    ctc_loss as ctc_loss,
    log_poisson_loss as log_poisson_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tensorlite.compat.v1.functions.sampled_losses import (
    nce_loss as nce_loss,
    sampled_softmax_loss as sampled_softmax_loss,
)
from tensorlite.compat.v1.functions.sparse_embeddings import (
    embedding_lookup_sparse as embedding_lookup_sparse,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from tensorlite.compat.v1.recurrent.rnn import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
    dynamic_rnn as dynamic_rnn,
    raw_rnn as raw_rnn,
)
from tensorlite.compat.v1.recurrent.static_rnn import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)

bidirectional_rnn = static_bidirectional_rnn
conv3d_backprop_filter_v2 = conv3d_backprop_filter
ctc_loss_v2 = nn_labels.ctc_loss_v2
depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter
depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input
rnn = static_rnn
seq2seq = legacy_seq2seq
state_saving_rnn = static_state_saving_rnn


_OF_VERSION_2 = {
    "avg_pool_v2": "avg_pool",
    "compute_average_loss": "compute_average_loss",
    "conv_transpose": "conv_transpose",
    "ctc_beam_search_decoder_v2": "ctc_beam_search_decoder",
    "max_pool_v2": "max_pool",
    "scale_regularization_loss": "scale_regularization_loss",
}
"""What version 2 calls that of it which version 1 has, too."""


__dir__ = listing(__name__, globals(), _OF_VERSION_2)


def __getattr__(name: str) -> object:
    """Return what version 2 has, or say what is near a name that is not there."""
    if name in _OF_VERSION_2:
        return of_version_2("nn", _OF_VERSION_2[name])
    raise attribute_error(__name__, name, [*globals(), *_OF_VERSION_2])
