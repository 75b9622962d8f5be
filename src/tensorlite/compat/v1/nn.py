"""tf.nn of TensorFlow 1, but for recurrent networks (rnn.py, rnn_cell.py)."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.calling import agreeing, converted, named
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
    spatial,
    sufficient_statistics,
    swish,
    tanh,
    top_k,
    xw_plus_b,
)
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
from tensorlite.compat.v1.nn_losses import (
    ctc_loss,
    embedding_lookup,
    embedding_lookup_sparse,
    floats,
    log_poisson_loss,
    nce_loss,
    sampled_softmax_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from tensorlite.compat.v1.random import random_uniform
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core.dtypes import as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.ops import (
    activations,
    arithmetic,
    bounds,
    normalise,
    reduce,
)
from tensorlite.ops.arrange import shape as shape_of
from tensorlite.ops.elementwise import rsqrt, square
from tensorlite.ops.identity import stop_gradient
from tensorlite.ops.rounding import floor
from tensorlite.ops.shape import astype, reshape


@named("Softmax")
def softmax(
    logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    chosen = renamed("axis", axis, "dim", dim)
    return activations.softmax(floats(logits), -1 if chosen is None else chosen)


@named("LogSoftmax")
def log_softmax(
    logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    chosen = renamed("axis", axis, "dim", dim)
    return activations.log_softmax(floats(logits), -1 if chosen is None else chosen)


@named("dropout")
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    if (keep_prob is None) == (rate is None):
        raise InvalidArgumentError("dropout: give one of keep_prob and rate")
    value = converted(x)
    if not value.dtype.is_floating:
        raise InvalidArgumentError(
            "x has to be a floating point tensor since it's going to be scaled. Got a "
            f"{value.dtype!r} tensor instead."
        )
    given = keep_prob if rate is None else rate
    if isinstance(given, (int, float)):
        allowed = 0 < given <= 1 if rate is None else 0 <= given < 1
        if not allowed:
            raise InvalidArgumentError(
                f"dropout: {'keep_prob' if rate is None else 'rate'}={given} is not in "
                f"{'(0, 1]' if rate is None else '[0, 1)'}"
            )
        if given == (1 if rate is None else 0):
            return value
    keep = (
        converted(given, value.dtype)
        if rate is None
        else 1 - converted(given, value.dtype)
    )
    sizes = shape_of(value) if noise_shape is None else noise_shape
    drawn = random_uniform(sizes, seed=seed, dtype=value.dtype)
    return value / keep * floor(converted(drawn) + keep)


@named("moments")
def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    kept = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    return mean_and_variance(converted(x), axes, kept)


def mean_and_variance(x: Any, axes: Any, kept: bool) -> Any:
    """Return mean and variance over axes."""
    over = tuple(axes) if isinstance(axes, (list, tuple)) else axes
    mean = reduce.mean(x, axis=over, keepdims=True)
    variance = reduce.mean(square(x - stop_gradient(mean)), axis=over, keepdims=kept)
    return (mean if kept else reduce.mean(x, axis=over)), variance


@named("weighted_moments")
def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    kept = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    value = converted(x)
    weights = converted(frequency_weights, value.dtype) + 0 * value
    over = tuple(axes) if isinstance(axes, (list, tuple)) else axes
    total = arithmetic.sum(weights, axis=over, keepdims=True)
    mean = arithmetic.sum(weights * value, axis=over, keepdims=True) / total
    spread = (
        arithmetic.sum(weights * square(value - mean), axis=over, keepdims=True)
        / total
    )
    if kept:
        return mean, spread
    return reduce.mean(mean, axis=over), reduce.mean(spread, axis=over)


@named("FusedBatchNorm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    value = converted(x)
    axes = (
        (0, 2, 3)
        if data_format == "NCHW"
        else tuple(range((value.spec.rank or 4) - 1))
    )
    shaped = (1, -1, 1, 1) if data_format == "NCHW" else (-1,)

    def fit(v: Any) -> Any:
        return reshape(converted(v), shaped)

    if not is_training:
        made = normalise.batch_normalization(
            value, fit(mean), fit(variance), fit(offset), fit(scale), epsilon
        )
        return made, converted(mean), converted(variance)
    batch_mean, batch_variance = mean_and_variance(value, axes, kept=False)
    made = normalise.batch_normalization(
        value, fit(batch_mean), fit(batch_variance), fit(offset), fit(scale), epsilon
    )
    sizes = shape_of(value)
    count = astype(
        reduce.prod(sizes) // sizes[axes[-1] + 1 if shaped == (-1,) else 1],
        value.dtype,
    )
    unbiased = batch_variance * (count / bounds.maximum(count - 1, 1.0))
    return made, batch_mean, unbiased


@named("batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Any:
    return normalise.batch_normalization(
        converted(renamed("t", t, "input", input)),
        renamed("m", m, "mean", mean),
        renamed("v", v, "variance", variance),
        beta,
        gamma if scale_after_normalization else None,
        variance_epsilon,
    )


@named("l2_normalize")
def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Any:
    value = converted(x)
    chosen = renamed("axis", axis, "dim", dim)
    over = tuple(chosen) if isinstance(chosen, list) else chosen
    total = arithmetic.sum(square(value), axis=over, keepdims=True)
    return value * rsqrt(bounds.maximum(total, converted(epsilon, value.dtype)))


@named("zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Any:
    x = converted(value)
    return reduce.mean(astype(x == 0, as_dtype("float32")))
