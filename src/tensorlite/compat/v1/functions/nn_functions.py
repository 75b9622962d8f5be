"""Functions of TensorFlow 1's tf.nn: activations, normalisation, dropout."""

from __future__ import annotations

from collections.abc import Callable
from operator import truediv
from typing import Any

import numpy as np

from tensorlite.compat.adopting import inner_named
from tensorlite.compat.calling import converted, deferring, named
from tensorlite.compat.shared import arrays, elementwise, nn, reductions, statistics
from tensorlite.compat.shared.python import custom_gradient
from tensorlite.compat.v1.functions.nn_losses import floats
from tensorlite.compat.v1.functions.numbers import reduce_sum
from tensorlite.compat.v1.functions.statistics_written import (
    sufficient_statistics_written,
    weighted_moments_written,
    zero_fraction_written,
)
from tensorlite.compat.v1.graphs.constants import constant, convert_to_tensor
from tensorlite.compat.v1.random import random_uniform
from tensorlite.compat.v1.renamed import renamed
from tensorlite.compat.views import plain
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.scope import control_dependencies
from tensorlite.core.shapes import AnyShape
from tensorlite.graph_mode.graph import active_graph
from tensorlite.ops.arrays.arrange import shape as shape_of
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.composite import composed
from tensorlite.ops.math import arithmetic, bounds, reduce
from tensorlite.ops.math.elementwise import rsqrt, square
from tensorlite.ops.math.rounding import abs as absolute
from tensorlite.ops.nn import activations
from tensorlite.ops.nn.batch_norm import FusedBatchNormV3
from tensorlite.ops.ragged.tensor import RaggedTensor


@named("Softmax")
def _softmax(logits: Any, axis: Any = -1, name: str | None = None) -> Any:
    return activations.softmax(floats(logits), axis)


@named("LogSoftmax")
def _log_softmax(logits: Any, axis: Any = -1, name: str | None = None) -> Any:
    return activations.log_softmax(floats(logits), axis)


@custom_gradient
def swish(features: Any) -> Any:
    """Return x * sigmoid(x), element by element; the sigmoid is computed again for gradients.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.nn.swish([0.0])).tolist()
    [0.0]
    """
    x = convert_to_tensor(features)

    def gradient(dy: Any) -> Any:
        with control_dependencies([plain(dy)]):
            share = nn.sigmoid(x)
        return dy * (share * (1.0 + x * (1.0 - share)))

    return x * nn.sigmoid(x), gradient


def softmax(
    logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """Return exp(logits) over their sum along an axis, the last if none is given.

    dim is the older name of axis.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.nn.softmax([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return _along(_softmax, logits, renamed("axis", axis, "dim", dim), name)


def log_softmax(
    logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """Return the logarithm of softmax along an axis, the last if none is given.

    dim is the older name of axis.
    """
    return _along(_log_softmax, logits, renamed("axis", axis, "dim", dim), name)


def _along(
    function: Callable[..., Any], logits: Any, axis: Any, name: str | None
) -> Any:
    """Return a function of what lies along an axis; graphs bring that behind the others for it."""
    place = -1 if axis is None else axis
    if active_graph() is not None:
        logits = convert_to_tensor(logits)
    if active_graph() is None or not isinstance(place, int) or place == -1:
        return function(logits, place, name=name)
    x = logits
    sizes = x.get_shape()
    rank = sizes.rank
    if rank is None or not -rank <= place < rank - 1:
        return function(x, place, name=name)
    count = arrays.rank(x)
    place = (place + count) % rank if place < 0 else place
    count = arrays.rank(x)
    made = function(_swapped(x, place, count))
    made = _swapped(made, place, count, name)
    made.set_shape(sizes)
    return made


def _swapped(x: Any, place: Any, count: Any, name: str | None = None) -> Any:
    """Return a tensor of which an axis and the last of so many have changed places."""
    last = elementwise.subtract(count, 1)
    order = [arrays.range(place), [last], arrays.range(place + 1, last), [place]]
    return arrays.transpose(x, arrays.concat(order, 0), name=name)


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """Return x with elements set to 0 and the rest over keep_prob, or 1 - rate.

    noise_shape says, by sizes of 1, what is dropped together. keep_prob is in (0, 1], rate in [0,
    1); both or neither, and types that are not floating, raise InvalidArgumentError.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.nn.dropout([1.0, 1.0], keep_prob=1.0)).tolist()
    [1.0, 1.0]
    """
    if (keep_prob is None) == (rate is None):
        raise InvalidArgumentError("dropout: give one of keep_prob and rate")
    value = x if isinstance(x, RaggedTensor) else converted(x)
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
            return x if isinstance(x, Operand) else value
    rank = (
        given.__tensor__().spec.rank if isinstance(given, Operand) else np.ndim(given)
    )
    if rank:
        raise InvalidArgumentError(
            f"dropout: {'keep_prob' if rate is None else 'rate'}={given!r}; give one number"
        )
    part = 1.0 - keep_prob if rate is None else rate
    return _dropped(value, part, noise_shape, seed, name=name)


@named("dropout", "mul_1")
def _dropped(
    value: Any, part: Any, noise_shape: Any, seed: Any, name: str | None = None
) -> Any:
    rate = converted(part, value.dtype, "rate")
    sizes = noise_shape
    if sizes is None:
        sizes = inner_named(shape_of(value), "Shape")
    elif isinstance(sizes, (list, tuple, AnyShape)):
        have: Any = shape_of(value) if None in list(sizes) else None
        sizes = [have[i] if size is None else size for i, size in enumerate(sizes)]
    drawn = converted(random_uniform(sizes, seed=seed, dtype=value.dtype))
    one = converted(1.0, value.dtype, "sub/x")
    keep = inner_named(one - rate, "sub")
    numerator = converted(1.0, value.dtype, "truediv/x")
    scale = inner_named(numerator / keep, "truediv")
    kept = inner_named(drawn >= rate, "GreaterEqual")
    scaled = inner_named(value * scale, "mul")
    made = scaled * astype(kept, value.dtype)
    made.set_shape(value.get_shape())  # which a rate of unknown rank hides
    return made


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Return (count, sum, sum of squares, shift) along axes, for normalize_moments.

    What is summed is x - shift, x itself without a shift. keep_dims is the older name of keepdims.
    """
    kept = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    if active_graph() is None or not isinstance(axes, (list, tuple)):
        return statistics.sufficient_statistics(x, axes, shift, kept, name)
    return sufficient_statistics_written(x, axes, shift, kept, name)


@named("moments")
def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Return (mean, variance) of x along axes; shift has no effect.

    keep_dims is the older name of keepdims.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     [float(x) for x in session.run(tf.nn.moments([1.0, 3.0], [0]))]
    [2.0, 1.0]
    """
    kept = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    return mean_and_variance(converted(x), axes, kept)


def mean_and_variance(x: Any, axes: Any, kept: bool) -> Any:
    """Return mean and variance over axes."""
    over = tuple(axes) if isinstance(axes, (list, tuple)) else axes
    mean = reductions.reduce_mean(x, over, True, name="mean")
    squares = elementwise.squared_difference(x, arrays.stop_gradient(mean))
    variance = reductions.reduce_mean(squares, over, True, name="variance")
    if kept:
        return mean, variance
    return arrays.squeeze(mean, over), arrays.squeeze(variance, over)


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Return (mean, variance) of x along axes, weighted by frequency_weights."""
    kept = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    if active_graph() is None:
        return moments_of(converted(x), axes, frequency_weights, kept, truediv)
    return weighted_moments_written(x, axes, frequency_weights, kept, name)


def moments_of(
    value: Any, axes: Any, frequency_weights: Any, kept: bool, over_sum: Any
) -> tuple[Any, Any]:
    """Return weighted moments: sums, which a function divides by the sum of the weights."""
    weights = converted(frequency_weights, value.dtype) + 0 * value
    over = tuple(axes) if isinstance(axes, (list, tuple)) else axes
    total = arithmetic.sum(weights, axis=over, keepdims=True)
    weighed = arithmetic.sum(weights * value, axis=over, keepdims=True)
    mean = over_sum(weighed, total)
    away = weights * square(value - mean)
    spread = over_sum(arithmetic.sum(away, axis=over, keepdims=True), total)
    if kept:
        return mean, spread
    return arrays.squeeze(mean, over), arrays.squeeze(spread, over)


@deferring
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
    """Return (normalized images, mean, variance), in one operator.

    In training the batch's moments are taken, else those given. data_format is "NHWC" or "NCHW";
    exponential_avg_factor mixes the batch's moments with those given.
    """
    value = convert_to_tensor(x, name="input")
    factor = convert_to_tensor(scale, name="scale")
    shift = convert_to_tensor(offset, factor.dtype, name="offset")
    known = [
        constant([], factor.dtype) if one is None else one for one in (mean, variance)
    ]
    op = FusedBatchNormV3(
        max(float(epsilon), LEAST_EPSILON),
        float(exponential_avg_factor),
        data_format,
        is_training,
    )
    return _batch_norm(op, [value, factor, shift, *known], name=name)


@named("FusedBatchNormV3")
def _batch_norm(
    op: FusedBatchNormV3, given: list[Any], name: str | None = None
) -> tuple[Any, ...]:
    made = composed(op, *given)
    return tuple(made[:3])


LEAST_EPSILON = 1.001e-5
"""What variances have added at least, as fused kernels want it."""


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
    """Return t with mean m and variance v taken out, then moved by beta.

    gamma scales it only if scale_after_normalization. input, mean and variance are newer names.
    """
    return nn.batch_normalization(
        renamed("t", t, "input", input),
        renamed("m", m, "mean", mean),
        renamed("v", v, "variance", variance),
        beta,
        gamma if scale_after_normalization else None,
        variance_epsilon,
        name,
    )


@named("l2_normalize")
def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Any:
    """Return x over the root of its sum of squares along axes, which is at least epsilon.

    dim is the older name of axis.
    """
    value = converted(x)
    chosen = renamed("axis", axis, "dim", dim)
    over = tuple(chosen) if isinstance(chosen, list) else chosen
    squares = square(absolute(value) if value.dtype.is_complex else value)
    total = plain(reduce_sum(squares, over, keepdims=True))
    share = rsqrt(bounds.maximum(total, converted(epsilon, total.dtype)))
    return value * astype(share, value.dtype)


@deferring
def zero_fraction(value: Any, name: str | None = None) -> Any:
    """Return the share of elements that are 0, a float32 scalar."""
    if active_graph() is not None:
        return zero_fraction_written(value, name)
    x = converted(value)
    return reduce.mean(astype(x == 0, as_dtype("float32")))
