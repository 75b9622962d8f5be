"""tf.keras.ops.nn: activations, normalizations, convolutions, pooling, losses, attention."""

from __future__ import annotations

import math
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2 import nn
from tensorlite.compat.v2.keras import activation_functions as activations, checking
from tensorlite.compat.v2.keras.ops import creating
from tensorlite.compat.v2.keras.ops.making import (
    fraction,
    fractional,
    of_one,
    operation,
    tensor,
    together,
)
from tensorlite.compat.v2.keras.src.losses import functions as loss_functions
from tensorlite.core.dtypes import as_dtype, float32, int32
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.sparse.dense import from_dense
from tensorlite.ops.sparse.tensor import SparseTensor

relu = of_one("relu", tl.nn.relu)
relu6 = fractional("relu6", tl.nn.relu6)
sigmoid = fractional("sigmoid", tl.nn.sigmoid)
log_sigmoid = fractional("log_sigmoid", tl.nn.log_sigmoid)
softplus = fractional("softplus", tl.nn.softplus)
softsign = fractional("softsign", tl.nn.softsign)
silu = swish = fractional("silu", tl.nn.silu)
selu = fractional("selu", tl.nn.selu)
hard_sigmoid = fractional("hard_sigmoid", lambda x: tl.nn.relu6(x + 3.0) / 6.0)
hard_silu = hard_swish = fractional(
    "hard_silu", lambda x: x * tl.nn.relu6(x + 3.0) / 6.0
)
hard_tanh = fractional("hard_tanh", lambda x: tl.clip(x, -1.0, 1.0))
tanh_shrink = fractional("tanh_shrink", lambda x: x - tl.tanh(x))
sparse_sigmoid = fractional(
    "sparse_sigmoid", lambda x: tl.clip((x + 1.0) * 0.5, 0.0, 1.0)
)
sparse_plus = fractional(
    "sparse_plus",
    lambda x: tl.where(
        x <= -1.0, tl.zeros_like(x), tl.where(x < 1.0, tl.square(x + 1.0) * 0.25, x)
    ),
)


@operation
def elu(x: Any, alpha: float = 1.0) -> Any:
    """Return x above 0, and alpha * (exp(x) - 1) below."""
    return activations.elu(fraction(x), alpha)


@operation
def celu(x: Any, alpha: float = 1.0) -> Any:
    """Return x above 0, and alpha * (exp(x / alpha) - 1) below."""
    value = fraction(x)
    return tl.maximum(value, 0.0) + alpha * tl.expm1(tl.minimum(value, 0.0) / alpha)


@operation
def gelu(x: Any, approximate: bool = True) -> Any:
    """Return x times the normal distribution's share below x, by a tanh if approximate."""
    return nn.gelu(fraction(x), approximate)


@operation
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """Return x above 0, and negative_slope * x below."""
    return tl.nn.leaky_relu(fraction(x), negative_slope)


@operation
def glu(x: Any, axis: int = -1) -> Any:
    """Return the first half along an axis times the sigmoid of the second."""
    first, second = tl.split(fraction(x), 2, axis=axis)
    return first * tl.nn.sigmoid(second)


@operation
def squareplus(x: Any, b: float = 4) -> Any:
    """Return (x + sqrt(x * x + b)) / 2, which is smooth where relu has its corner."""
    value = fraction(x)
    return (value + tl.sqrt(tl.square(value) + float(b))) / 2.0


@operation
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Return x brought nearer to 0 by threshold, 0 where it is nearer than that."""
    value = fraction(x)
    return tl.sign(value) * tl.maximum(tl.abs(value) - threshold, 0.0)


@operation
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """Return x, 0 where it is nearer to 0 than threshold."""
    value = fraction(x)
    return tl.where(tl.abs(value) > threshold, value, tl.zeros_like(value))


@operation
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """Return x above threshold, and default_value elsewhere."""
    value = fraction(x)
    return tl.where(value > threshold, value, tl.full_like(value, default_value))


@operation
def softmax(x: Any, axis: Any = -1) -> Any:
    """Return exp(x) divided by its sum along an axis, or along several.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.ops.softmax([[0.0, 0.0]]).numpy().tolist()
    [[0.5, 0.5]]
    """
    return activations.over(tl.nn.softmax, fraction(x), axis)


@operation
def log_softmax(x: Any, axis: Any = -1) -> Any:
    """Return the logarithm of the softmax along an axis, or along several."""
    return activations.over(tl.nn.log_softmax, fraction(x), axis)


@operation
def sparsemax(x: Any, axis: int = -1) -> Any:
    """Return the shares nearest to x, many of which are 0 (Martins and Astudillo, 2016)."""
    value = tl.moveaxis(fraction(x), axis, -1)
    ordered = tl.flip(tl.sort(value), axis=-1)
    ranks = tl.arange(1, value.shape[-1] + 1, dtype=value.dtype)
    sums = tl.cumulative_sum(ordered, axis=-1)
    inside = astype(1.0 + ranks * ordered > sums, value.dtype)
    count = tl.sum(inside, axis=-1, keepdims=True)
    total = tl.sum(ordered * inside, axis=-1, keepdims=True)
    return tl.moveaxis(tl.maximum(value - (total - 1.0) / count, 0.0), -1, axis)


@operation
def normalize(
    x: Any, axis: int = -1, order: int = 2, epsilon: float | None = None
) -> Any:
    """Return x divided by its norm along an axis, or by epsilon if that is greater."""
    value = fraction(x)
    small = 1e-7 if epsilon is None else epsilon
    if order == 2:
        squares = tl.sum(tl.square(value), axis=axis, keepdims=True)
        return value * tl.rsqrt(tl.maximum(squares, small**2))
    norm = tl.linalg.vector_norm(value, ord=order, axis=axis, keepdims=True)
    return value / tl.maximum(norm, small)


@operation
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    axis: int,
    offset: Any = None,
    scale: Any = None,
    epsilon: float = 1e-3,
) -> Any:
    """Return (x - mean) / sqrt(variance + epsilon) * scale + offset, by places of an axis."""
    value = fraction(x)
    sizes = [1] * len(value.shape)
    sizes[axis] = -1
    parts: list[Any] = [
        None if p is None else tl.reshape(fraction(p), sizes)
        for p in (mean, variance, offset, scale)
    ]
    centre, spread, shift, factor = parts
    return tl.nn.batch_normalization(value, centre, spread, shift, factor, epsilon)


@operation
def layer_normalization(
    x: Any,
    gamma: Any = None,
    beta: Any = None,
    axis: Any = -1,
    epsilon: float | None = None,
    **kwargs: Any,
) -> Any:
    """Return x with mean 0 and variance 1 along an axis or several.

    It is multiplied by gamma, then beta is added. Further arguments have no effect.
    """
    value = fraction(x)
    mean, variance = tl.nn.moments(value, axis, keepdims=True)
    made = (value - mean) * tl.rsqrt(
        variance + (1e-7 if epsilon is None else epsilon)
    )
    made = made if gamma is None else made * _along(fraction(gamma), value, axis)
    return made if beta is None else made + _along(fraction(beta), value, axis)


@operation
def rms_normalization(
    x: Any, scale: Any = None, axis: Any = -1, epsilon: float | None = None
) -> Any:
    """Return x divided by the root of its mean square along an axis, times scale."""
    value = fraction(x)
    squares = tl.mean(tl.square(value), axis=axis, keepdims=True)
    made = value * tl.rsqrt(squares + (1e-7 if epsilon is None else epsilon))
    return made if scale is None else made * _along(fraction(scale), value, axis)


def _along(weight: Any, value: Any, axis: Any) -> Any:
    """Return a weight of one axis with the others' sizes 1."""
    if not isinstance(axis, int):
        return weight
    sizes = [1] * len(value.shape)
    sizes[axis] = -1
    return tl.reshape(weight, sizes)


@operation
def one_hot(
    x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    """Return rows with 1 at each index and 0 elsewhere; sparse has no effect."""
    kind = float32 if dtype is None else as_dtype(dtype)
    made = tl.one_hot(tensor(x), num_classes, axis=axis, dtype=kind)
    return from_dense(made) if sparse else made


@operation
def multi_hot(
    inputs: Any,
    num_classes: Any = None,
    axis: int = -1,
    dtype: Any = None,
    sparse: bool = False,
    **kwargs: Any,
) -> Any:
    """Return rows with 1 at all the indices of an example and 0 elsewhere.

    Indices are along the last axis; sparse has no effect.
    """
    value = tensor(inputs)
    hot = one_hot(value, num_classes or kwargs.get("num_tokens"), axis, dtype)
    over = 1 if len(value.shape) > 1 else 0
    made = tl.max(hot, axis=over)
    return from_dense(made) if sparse else made


@operation
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Return the entropies of yes and no, element by element."""
    true, made = together(fraction(target), fraction(output))
    if from_logits:
        return tl.nn.sigmoid_cross_entropy_with_logits(true, made)
    made = tl.clip(made, 1e-7, 1.0 - 1e-7)
    return -(true * tl.log(made) + (1.0 - true) * tl.log(1.0 - made))


@operation
def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Return the entropy of predicted shares of classes, for true shares."""
    return loss_functions.categorical_crossentropy(
        fraction(target), fraction(output), from_logits, axis=axis
    )


@operation
def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Return the entropy of predicted shares of classes, for numbers of classes."""
    return loss_functions.sparse_categorical_crossentropy(
        tensor(target), fraction(output), from_logits, axis=axis
    )


@operation
def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: Any = None,
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """Return the values that queries look for, by their keys (Vaswani et al., 2017).

    All are of (batch, steps, heads, size); keys may have fewer heads. bias is added to the scores,
    mask and is_causal say which keys count; flash_attention has no effect.
    """
    q, k, v = together(*map(fraction, (query, key, value)))
    copies = q.shape[2] // k.shape[2]
    if copies > 1:
        k, v = tl.repeat(k, copies, axis=2), tl.repeat(v, copies, axis=2)
    share = 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale
    logits = tl.einsum("btnh,bsnh->bnts", q, k) * share
    logits = logits if bias is None else logits + fraction(bias)
    if attn_logits_soft_cap is not None:
        logits = attn_logits_soft_cap * tl.tanh(logits / attn_logits_soft_cap)
    allowed = None if mask is None else tensor(mask, tl.bool)
    if is_causal:
        steps = creating.tri(q.shape[1], k.shape[1], dtype="bool")[None, None]
        allowed = steps if allowed is None else tl.logical_and(allowed, steps)
    if allowed is not None:
        lowest = tl.finfo(logits.dtype).min * 0.7
        logits = tl.where(allowed, logits, tl.full_like(logits, lowest))
    return tl.einsum("bnts,bsnh->btnh", tl.nn.softmax(logits), v)


@operation
def psnr(x1: Any, x2: Any, max_val: float) -> Any:
    """Return the ratio of max_val to the mean error, in decibels."""
    x, y = map(fraction, together(x1, x2))
    error = tl.mean(tl.square(x - y))
    return 20.0 * math.log10(max_val) - 10.0 * tl.log10(error)


@operation
def ctc_loss(
    target: Any,
    output: Any,
    target_length: Any,
    output_length: Any,
    mask_index: int = 0,
) -> Any:
    """Return the cost of labels of sequences whose places are not known (Graves et al., 2006).

    mask_index is the number of the blank.
    """
    return tl.nn.dense_ctc_loss(
        tensor(target),
        fraction(output),
        tensor(target_length),
        tensor(output_length),
        time_major=False,
        blank_index=mask_index,
    )


@operation
def ctc_decode(
    inputs: Any,
    sequence_lengths: Any,
    strategy: str = "greedy",
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
    mask_index: int | None = 0,
) -> Any:
    """Return the likeliest labels, -1 behind them, and the scores, by a greedy or a beam search."""
    checking.among("strategy", strategy, ("greedy", "beam_search"))
    logits, lengths = fraction(inputs), tensor(sequence_lengths, int32)
    classes = int(logits.shape[-1])
    sizes = shape_of(logits)[:2]
    blank = (mask_index or 0) % classes
    steps = tl.permute_dims(logits, (1, 0, 2))
    if strategy == "greedy":
        paths, scores = tl.nn.ctc_greedy_decoder(
            steps, lengths, merge_repeated, blank
        )
    else:
        if mask_index is not None:  # the decoder has its blank behind the others
            parts = (
                steps[..., :blank],
                steps[..., blank + 1 :],
                steps[..., blank, None],
            )
            steps = tl.concat(parts, axis=-1)
        paths, scores = tl.nn.ctc_beam_search_decoder(
            steps, lengths, beam_width, top_paths
        )
    rows = [
        tl.sparse.to_dense(SparseTensor(x.indices, x.values, sizes), -1)
        for x in paths
    ]
    found = astype(tl.stack(rows, axis=0), int32)
    if strategy != "greedy" and mask_index is not None:
        found = tl.where(found >= blank, found + 1, found)
    return found, scores


@operation
def space_to_depth(
    x: Any, block_size: int, data_format: str = "channels_last"
) -> Any:
    """Return blocks of images, their elements as channels."""
    return _blocks(tl.space_to_depth, x, block_size, data_format)


@operation
def depth_to_space(
    x: Any, block_size: int, data_format: str = "channels_last"
) -> Any:
    """Return channels as blocks of images."""
    return _blocks(tl.depth_to_space, x, block_size, data_format)


def _blocks(function: Any, x: Any, block_size: int, form: str) -> Any:
    value = tensor(x)
    if form != "channels_first":
        return function(value, block_size)
    return tl.moveaxis(function(tl.moveaxis(value, 1, -1), block_size), -1, 1)
