"""Neural networks' functions: activations, convolutions, pooling, losses, normalisation, attention.

The operators and functions stand in ops/; here they have the names under which people call them,
with TensorFlow's longer names of the cross entropies beside ours.
"""

from __future__ import annotations

from tensorlite.ops.arrays.blocks import batch_to_space, space_to_batch
from tensorlite.ops.math.isotonic import isotonic_regression
from tensorlite.ops.math.trigonometric import tanh
from tensorlite.ops.nn.activations import (
    elu,
    gelu,
    hard_sigmoid,
    hard_silu,
    hard_tanh,
    leaky_relu,
    log_sigmoid,
    log_softmax,
    mish,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
)
from tensorlite.ops.nn.attention import (
    attention,
    multi_head_attention,
)
from tensorlite.ops.nn.candidates import (
    all_candidates,
    compute_accidental_hits,
    fixed_unigram_candidates,
    uniform_candidates,
)
from tensorlite.ops.nn.conv import (
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    depthwise_conv2d,
)
from tensorlite.ops.nn.conv_forms import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv_transpose,
    convolution,
    local_response_normalization,
    separable_conv1d,
    separable_conv2d,
)
from tensorlite.ops.nn.ctc import (
    ctc_beam_search_decoder,
    ctc_greedy_decoder,
    ctc_loss,
    dense_ctc_loss,
)
from tensorlite.ops.nn.dropout import (
    dropout,
)
from tensorlite.ops.nn.embedding import (
    embedding_lookup,
)
from tensorlite.ops.nn.losses import (
    huber,
    l2_loss,
    l2_normalize,
    mean_absolute_error,
    mean_squared_error,
    moments,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
    weighted_sigmoid_cross_entropy,
)
from tensorlite.ops.nn.morphology import dilation2d, erosion2d
from tensorlite.ops.nn.normalise import (
    batch_norm,
    batch_normalization,
    group_norm,
    layer_norm,
    rms_norm,
    standardize,
)
from tensorlite.ops.nn.patches import pool
from tensorlite.ops.nn.pool import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    max_pool,
    max_pool1d,
    max_pool2d,
)
from tensorlite.ops.nn.pool_argmax import max_pool_with_argmax
from tensorlite.ops.nn.sampled import (
    log_uniform_candidates,
    nce_loss,
    sampled_softmax_loss,
)
from tensorlite.ops.nn.volume_pool import avg_pool3d, max_pool3d
from tensorlite.ops.nn.volumes import conv3d, conv3d_transpose
from tensorlite.ops.sparse.embeddings import (
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
)

sigmoid_cross_entropy_with_logits = sigmoid_cross_entropy
softmax_cross_entropy_with_logits = softmax_cross_entropy
sparse_softmax_cross_entropy_with_logits = sparse_softmax_cross_entropy
weighted_cross_entropy_with_logits = weighted_sigmoid_cross_entropy

__all__ = [
    "all_candidates",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "attention",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "batch_normalization",
    "batch_to_space",
    "compute_accidental_hits",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "dense_ctc_loss",
    "depthwise_conv2d",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "fixed_unigram_candidates",
    "gelu",
    "group_norm",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "huber",
    "isotonic_regression",
    "l2_loss",
    "l2_normalize",
    "layer_norm",
    "leaky_relu",
    "local_response_normalization",
    "log_sigmoid",
    "log_softmax",
    "log_uniform_candidates",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "mean_absolute_error",
    "mean_squared_error",
    "mish",
    "moments",
    "multi_head_attention",
    "nce_loss",
    "pool",
    "relu",
    "relu6",
    "rms_norm",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "selu",
    "separable_conv1d",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "sparse_softmax_cross_entropy",
    "sparse_softmax_cross_entropy_with_logits",
    "standardize",
    "swish",
    "tanh",
    "uniform_candidates",
    "weighted_cross_entropy_with_logits",
    "weighted_sigmoid_cross_entropy",
]


def __dir__() -> list[str]:
    return __all__
