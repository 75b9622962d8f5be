"""tf.contrib.layers: its names. What each does stands in the files beside this one."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib.embeddings import (
    bow_encoder,
    embed_sequence,
    embedding_lookup_unique,
)
from tensorlite.compat.v1.contrib.group_norms import (
    group_norm,
    instance_norm,
)
from tensorlite.compat.v1.contrib.normalizing import (
    batch_norm,
    layer_norm,
    poincare_normalize,
    unit_norm,
)
from tensorlite.compat.v1.contrib.optimizing import (
    OPTIMIZER_CLS_NAMES,
    OPTIMIZER_SUMMARIES,
    adaptive_clipping_fn,
    optimize_loss,
)
from tensorlite.compat.v1.contrib.recomputing import recompute_grad as recompute_grad
from tensorlite.compat.v1.contrib.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from tensorlite.compat.v1.contrib.shaping import (
    avg_pool2d,
    avg_pool3d,
    bias_add,
    dense_to_sparse,
    dropout,
    flatten,
    max_pool2d,
    max_pool3d,
    maxout,
    one_hot_encoding,
    pool,
    repeat,
    softmax,
    spatial_softmax,
    stack,
)
from tensorlite.compat.v1.contrib.summaries import (
    summarize_activation,
    summarize_activations,
    summarize_collection,
    summarize_tensor,
    summarize_tensors,
)
from tensorlite.compat.v1.contrib.weighted import (
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    convolution,
    convolution1d,
    convolution2d,
    convolution2d_transpose,
    convolution3d,
    convolution3d_transpose,
    elu,
    fully_connected,
    linear,
    relu,
    relu6,
    separable_conv2d,
    separable_convolution2d,
)
from tensorlite.compat.v1.functions.nn_losses import safe_embedding_lookup_sparse

__all__ = [
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "adaptive_clipping_fn",
    "apply_regularization",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "bow_encoder",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution2d_transpose",
    "convolution3d",
    "convolution3d_transpose",
    "dense_to_sparse",
    "dropout",
    "elu",
    "embed_sequence",
    "embedding_lookup_unique",
    "flatten",
    "fully_connected",
    "group_norm",
    "instance_norm",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "linear",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "one_hot_encoding",
    "optimize_loss",
    "poincare_normalize",
    "pool",
    "recompute_grad",
    "relu",
    "relu6",
    "repeat",
    "safe_embedding_lookup_sparse",
    "separable_conv2d",
    "separable_convolution2d",
    "softmax",
    "spatial_softmax",
    "stack",
    "sum_regularizer",
    "summarize_activation",
    "summarize_activations",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "unit_norm",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
