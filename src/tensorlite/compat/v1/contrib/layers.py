"""tf.contrib.layers: its names. What each does stands in the files beside this one."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib.columns.classes import (
    crossed_column,
    sparse_column_with_hash_bucket,
    sparse_column_with_integerized_feature,
    sparse_column_with_keys,
    sparse_column_with_vocabulary_file,
    weighted_sparse_column,
)
from tensorlite.compat.v1.contrib.columns.joining import (
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    sequence_input_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from tensorlite.compat.v1.contrib.columns.numbers import (
    bucketized_column,
    real_valued_column,
)
from tensorlite.compat.v1.contrib.columns.parsing import (
    check_feature_columns,
    create_feature_spec_for_parsing,
    infer_real_valued_columns,
    make_place_holder_tensors_for_base_features,
    parse_feature_columns_from_examples,
    parse_feature_columns_from_sequence_examples,
    transform_features,
)
from tensorlite.compat.v1.contrib.columns.vectors import (
    embedding_column,
    one_hot_column,
    scattered_embedding_column,
    shared_embedding_columns,
)
from tensorlite.compat.v1.contrib.divisive import GDN, gdn
from tensorlite.compat.v1.contrib.embeddings import (
    bow_encoder,
    embed_sequence,
    embedding_lookup_unique,
)
from tensorlite.compat.v1.contrib.group_norms import (
    group_norm,
    instance_norm,
)
from tensorlite.compat.v1.contrib.image_sequences import (
    images_to_sequence,
    sequence_to_images,
)
from tensorlite.compat.v1.contrib.in_plane import (
    conv2d_in_plane,
    convolution2d_in_plane,
)
from tensorlite.compat.v1.contrib.legacy_layers import (
    legacy_fully_connected,
    legacy_linear,
    legacy_relu,
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
from tensorlite.compat.v1.contrib.reversible import RevBlock, rev_block
from tensorlite.compat.v1.contrib.scaled_gradients import scale_gradient
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
from tensorlite.compat.v1.functions.sparse_embeddings import (
    safe_embedding_lookup_sparse,
)
from tensorlite.ops.sparse.crossing import (
    HASH_KEY as SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY,
)

__all__ = [
    "GDN",
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY",
    "RevBlock",
    "adaptive_clipping_fn",
    "apply_regularization",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bias_add",
    "bow_encoder",
    "bucketized_column",
    "check_feature_columns",
    "conv1d",
    "conv2d",
    "conv2d_in_plane",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution2d_in_plane",
    "convolution2d_transpose",
    "convolution3d",
    "convolution3d_transpose",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "dense_to_sparse",
    "dropout",
    "elu",
    "embed_sequence",
    "embedding_column",
    "embedding_lookup_unique",
    "flatten",
    "fully_connected",
    "gdn",
    "group_norm",
    "images_to_sequence",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "instance_norm",
    "joint_weighted_sum_from_feature_columns",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "legacy_fully_connected",
    "legacy_linear",
    "legacy_relu",
    "linear",
    "make_place_holder_tensors_for_base_features",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "one_hot_column",
    "one_hot_encoding",
    "optimize_loss",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "poincare_normalize",
    "pool",
    "real_valued_column",
    "recompute_grad",
    "relu",
    "relu6",
    "repeat",
    "rev_block",
    "safe_embedding_lookup_sparse",
    "scale_gradient",
    "scattered_embedding_column",
    "separable_conv2d",
    "separable_convolution2d",
    "sequence_input_from_feature_columns",
    "sequence_to_images",
    "shared_embedding_columns",
    "softmax",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "spatial_softmax",
    "stack",
    "sum_regularizer",
    "summarize_activation",
    "summarize_activations",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "transform_features",
    "unit_norm",
    "variance_scaling_initializer",
    "weighted_sparse_column",
    "weighted_sum_from_feature_columns",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
