"""tf.keras.backend: convolutions, pooling, borders, sizes, labels of sequences, loops, choices."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.v2.framework import Variable
from tensorlite.compat.v2.keras import ops, random as draws
from tensorlite.compat.v2.keras.defaults import kind_of
from tensorlite.compat.v2.keras.ops.making import (
    fraction,
    operation,
    tensor,
    together,
)
from tensorlite.compat.v2.keras.src.losses import functions as loss_functions
from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.sparse.tensor import SparseTensor

conv2d = conv3d = ops.conv


@operation
def conv1d(
    x: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int = 1,
) -> Any:
    """Return the convolution of sequences by a kernel of (width, channels, outputs).

    padding is "valid", "same" or "causal", which looks back only.
    """
    if padding == "causal":
        back = (dilation_rate * (kernel.shape[0] - 1), 0)
        axis = 2 if data_format == "channels_first" else 1
        x = ops.pad(x, [back if i == axis else (0, 0) for i in range(3)])
        padding = "valid"
    return ops.conv(x, kernel, strides, padding, data_format, dilation_rate)


@operation
def conv2d_transpose(
    x: Any,
    kernel: Any,
    output_shape: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Any:
    """Return the transpose of a convolution of images, which has output_shape.

    padding is "valid" or "same"; data_format "channels_first" or, by default, "channels_last".
    """
    form = "NCHW" if data_format == "channels_first" else "NHWC"
    sizes = tl.stack([tensor(n, int32) for n in output_shape])
    return tl.nn.conv_transpose(
        tensor(x),
        tensor(kernel),
        sizes,
        strides,
        padding.upper(),
        form,
        dilation_rate,
    )


def _pooled(
    x: Any, size: Any, strides: Any, padding: str, form: Any, mode: str
) -> Any:
    pool = ops.max_pool if mode == "max" else ops.average_pool
    return pool(x, tuple(size), tuple(strides), padding, form)


def pool2d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """Return the greatest or the mean of each window of images, by pool_mode "max" or "avg"."""
    return _pooled(x, pool_size, strides, padding, data_format, pool_mode)


def pool3d(
    x: Any,
    pool_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Any:
    """Return the greatest or the mean of each window of volumes, by pool_mode "max" or "avg"."""
    return _pooled(x, pool_size, strides, padding, data_format, pool_mode)


def temporal_padding(x: Any, padding: Any = (1, 1)) -> Any:
    """Return sequences with steps of zeros before and after them."""
    return ops.pad(x, ((0, 0), tuple(padding), (0, 0)))


def spatial_2d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Return images with a border of zeros: ((top, bottom), (left, right))."""
    return _bordered(x, padding, data_format)


def spatial_3d_padding(
    x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Any:
    """Return volumes with a border of zeros: (before, after) for each axis."""
    return _bordered(x, padding, data_format)


def _bordered(x: Any, padding: Any, form: Any) -> Any:
    none, inner = (0, 0), [tuple(pair) for pair in padding]
    first = form == "channels_first"
    return ops.pad(x, (none, none, *inner) if first else (none, *inner, none))


def resize_images(
    x: Any,
    height_factor: int,
    width_factor: int,
    data_format: str,
    interpolation: str = "nearest",
) -> Any:
    """Return images enlarged by factors, as interpolation says."""
    first = data_format == "channels_first"
    rows, columns = x.shape[2:4] if first else x.shape[1:3]
    size = (rows * height_factor, columns * width_factor)
    return ops.image.resize(x, size, interpolation, data_format=data_format)


def resize_volumes(
    x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str
) -> Any:
    """Return volumes in which each element is repeated along its axes."""
    start = 2 if data_format == "channels_first" else 1
    factors = (depth_factor, height_factor, width_factor)
    for axis, factor in enumerate(factors, start):
        x = ops.repeat(x, factor, axis)
    return x


def batch_normalization(
    x: Any,
    mean: Any,
    var: Any,
    beta: Any,
    gamma: Any,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> Any:
    """Return (x - mean) / sqrt(var + epsilon) * gamma + beta."""
    return ops.batch_normalization(x, mean, var, axis, beta, gamma, epsilon)


def dropout(x: Any, level: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Return x with a share level of its elements set to 0, the others divided by 1 - level."""
    return draws.dropout(x, level, noise_shape, seed)


def in_top_k(predictions: Any, targets: Any, k: int) -> Any:
    """Return whether each target class is among the k that are predicted most."""
    return ops.in_top_k(targets, predictions, k)


def binary_focal_crossentropy(
    target: Any,
    output: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> Any:
    """Return binary cross-entropies that weigh what is predicted well by less.

    alpha weighs the two classes if apply_class_balancing (Lin et al., 2017).
    """
    true, made = together(fraction(target), fraction(output))
    share = tl.nn.sigmoid(made) if from_logits else made
    right = true * share + (1.0 - true) * (1.0 - share)
    cost = ops.binary_crossentropy(true, share) * tl.pow(1.0 - right, gamma)
    if apply_class_balancing:
        cost = cost * (true * alpha + (1.0 - true) * (1.0 - alpha))
    return cost


def categorical_focal_crossentropy(
    target: Any,
    output: Any,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    axis: int = -1,
) -> Any:
    """Return cross-entropies of classes that weigh what is predicted well by less.

    alpha weighs all classes (Lin et al., 2017).
    """
    return loss_functions.categorical_focal_crossentropy(
        target, output, alpha, gamma, from_logits, axis=axis
    )


def random_bernoulli(
    shape: Any, p: float = 0.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Return ones with probability p and zeros else."""
    return astype(draws.uniform(shape, seed=seed) <= p, kind_of(dtype))


def random_normal_variable(
    shape: Any,
    mean: float,
    scale: float,
    dtype: Any = None,
    name: str | None = None,
    seed: Any = None,
) -> Any:
    """Return a variable of normally distributed numbers around mean."""
    with interpreted_by(None):
        first: Any = draws.normal(shape, mean, scale, dtype, seed)
        return Variable(first, name=name)


def random_uniform_variable(
    shape: Any,
    low: float,
    high: float,
    dtype: Any = None,
    name: str | None = None,
    seed: Any = None,
) -> Any:
    """Return a variable of numbers from low to below high, equally likely."""
    with interpreted_by(None):
        first: Any = draws.uniform(shape, low, high, dtype, seed)
        return Variable(first, name=name)


def moving_average_update(x: Any, value: Any, momentum: float) -> Any:
    """Let a variable become momentum of itself and 1 - momentum of a value."""
    own = astype(tensor(value), x.dtype)
    return x.assign(x.value() * momentum + own * (1.0 - momentum))


def foldl(
    fn: Any, elems: Any, initializer: Any = None, name: str | None = None
) -> Any:
    """Return what fn(accumulated, element) comes to, from the first element of elems on.

    name has no effect.
    """
    return tl.foldl(fn, elems, initializer)


def foldr(
    fn: Any, elems: Any, initializer: Any = None, name: str | None = None
) -> Any:
    """Return what fn(accumulated, element) comes to, from the last element of elems on.

    name has no effect.
    """
    return tl.foldr(fn, elems, initializer)


@operation
def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Return one of two values by a scalar, or elements of both by a tensor of conditions.

    The values may be functions without arguments. Conditions with more than one axis are for the
    leading axes of the values; InvalidArgumentError is raised where they have more axes than the
    values.
    """
    asked = astype(converted(condition), tl.bool)
    values = then_expression, else_expression
    if not len(asked.shape) and any(map(callable, values)):
        yes, no = (x if callable(x) else partial(converted, x) for x in values)
        return converted(tl.cond(asked, yes, no))
    first, second = [converted(x() if callable(x) else x) for x in values]
    missing = len(first.shape) - len(asked.shape)
    if missing < 0 and len(asked.shape):
        raise InvalidArgumentError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={len(asked.shape)}, "
            f"ndim(then_expression)={len(first.shape)}"
        )
    if len(asked.shape) > 1:
        for _ in range(missing):
            asked = tl.expand_dims(asked, axis=-1)
    return tl.where(asked, first, second)


def gradients(loss: Any, variables: Any) -> Any:
    """Return the derivatives of a loss by variables, in a graph or a traced function."""
    return tl.gradients(loss, variables)


def is_float_dtype(dtype: Any) -> bool:
    """Return whether a dtype, or its name, is one of floating-point numbers."""
    return kind_of(dtype).is_floating


def is_int_dtype(dtype: Any) -> bool:
    """Return whether a dtype, or its name, is one of integers, or bool."""
    kind = kind_of(dtype)
    return kind.is_integer or kind is tl.bool


def standardize_dtype(dtype: Any) -> str:
    """Return the name of a dtype; `floatx` for None."""
    return str(kind_of(dtype).name)


def result_type(*dtypes: Any) -> str:
    """Return the dtype in which values meet; Python's `int` and `float` stand for numbers."""
    examples = [
        x(0) if x in (int, float, bool) else tl.zeros((), dtype=kind_of(x))
        for x in dtypes
    ]
    return str(together(*examples)[0].dtype.name)


def is_sparse(tensor: Any) -> bool:
    """Return whether a tensor is sparse."""
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: Any) -> Any:
    """Return a sparse tensor as a dense one; a dense one as it is."""
    return tl.sparse.to_dense(tensor) if is_sparse(tensor) else tensor


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> Any:
    """Return the first label_lengths labels of each row as a sparse tensor."""
    rows = np.asarray(tensor(labels).numpy())
    lengths = np.asarray(tensor(label_lengths).numpy()).reshape(-1)
    places = [(i, j) for i, n in enumerate(lengths) for j in range(int(n))]
    indices = np.asarray(places, np.int64).reshape(-1, 2)
    values = rows[indices[:, 0], indices[:, 1]]
    return SparseTensor(indices, values, np.asarray(rows.shape, np.int64))


@operation
def ctc_batch_cost(
    y_true: Any, y_pred: Any, input_length: Any, label_length: Any
) -> Any:
    """Return what labels cost for shares of classes, of which the last is no label."""
    shares = fraction(y_pred)
    lengths = [
        astype(tl.reshape(tensor(x), [-1]), int32)
        for x in (label_length, input_length)
    ]
    cost = tl.nn.dense_ctc_loss(
        astype(tensor(y_true), int32),
        tl.log(shares + 1e-7),
        lengths[0],
        lengths[1],
        time_major=False,
        blank_index=int(shares.shape[-1]) - 1,
    )
    return cost[:, None]


@operation
def ctc_decode(
    y_pred: Any,
    input_length: Any,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> Any:
    """Return the likeliest labels, and what speaks for them: (matrices, matrix).

    y_pred are shares of (batch, steps, classes); the last class is the blank. Each matrix has a row
    per sequence, filled up by -1: one if greedy, else the top_paths best ones of a search.
    """
    shares = tl.permute_dims(tl.log(fraction(y_pred) + 1e-7), (1, 0, 2))
    lengths = astype(tensor(input_length), int32)
    if greedy:
        found, cost = tl.nn.ctc_greedy_decoder(shares, lengths)
    else:
        found, cost = tl.nn.ctc_beam_search_decoder(
            shares, lengths, beam_width, top_paths
        )
    sizes = shape_of(shares)
    dense = [
        tl.sparse.to_dense(
            SparseTensor(x.indices, x.values, tl.stack([sizes[1], sizes[0]])),
            default_value=-1,
        )
        for x in found
    ]
    return dense, cost


@operation
def rnn(
    step_function: Any,
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> Any:
    """Return the last output, all outputs and the states, of a function called on each step."""
    x = inputs if time_major else nest.map_structure(_turned, inputs)
    count = int(nest.flatten(x)[0].shape[0])
    order = range(count)[:: -1 if go_backwards else 1]
    states, last, outputs = list(initial_states), None, []
    for i in order:
        step = nest.map_structure(lambda t, i=i: t[i], x)
        made, after = step_function(step, [*states, *(constants or ())])
        if mask is not None:
            counts = tensor(mask, tl.bool)[:, i]
            old = (
                tl.zeros_like(made) if last is None or zero_output_for_mask else last
            )
            made = _kept(counts, made, old)
            after = [_kept(counts, a, b) for a, b in zip(after, states, strict=True)]
        states, last = list(after), made
        outputs.append(made)
    whole = tl.stack(outputs if return_all_outputs else outputs[-1:])
    return last, whole if time_major else _turned(whole), states


def _turned(x: Any) -> Any:
    value = x.__tensor__() if isinstance(x, Operand) else tensor(x)
    return tl.permute_dims(value, (1, 0, *range(2, len(value.shape))))


def _kept(counts: Any, new: Any, old: Any) -> Any:
    rank = len(new.shape) - len(counts.shape)
    return tl.where(tl.reshape(counts, [-1, *[1] * rank]), new, old)
