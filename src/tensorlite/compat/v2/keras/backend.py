"""tf.keras.backend: a small set of functions of tensors, by the names that Keras had for them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, elementwise, reductions
from tensorlite.compat.shared.randoms import random as draws
from tensorlite.compat.v2 import arrays as arrays_2, framework, nn
from tensorlite.compat.v2.framework import Variable as Variable
from tensorlite.compat.v2.keras import (
    activation_functions as activations,
    defaults,
    losses,
)
from tensorlite.compat.v2.keras.backend_names import (
    bias_add as bias_add,
    conv2d as conv2d,
    conv3d as conv3d,
    depthwise_conv2d as depthwise_conv2d,
    expand_dims as expand_dims,
    eye as eye,
    ones_like as ones_like,
    pow as pow,
    reshape as reshape,
    reverse as reverse,
    separable_conv2d as separable_conv2d,
    shape as shape,
    softplus as softplus,
    softsign as softsign,
    squeeze as squeeze,
    stop_gradient as stop_gradient,
    tile as tile,
    zeros_like as zeros_like,
)
from tensorlite.compat.v2.keras.backend_tensors import (
    batch_normalization as batch_normalization,
    binary_focal_crossentropy as binary_focal_crossentropy,
    categorical_focal_crossentropy as categorical_focal_crossentropy,
    conv1d as conv1d,
    conv2d_transpose as conv2d_transpose,
    ctc_batch_cost as ctc_batch_cost,
    ctc_decode as ctc_decode,
    ctc_label_dense_to_sparse as ctc_label_dense_to_sparse,
    dropout as dropout,
    foldl as foldl,
    foldr as foldr,
    gradients as gradients,
    in_top_k as in_top_k,
    is_float_dtype as is_float_dtype,
    is_int_dtype as is_int_dtype,
    is_sparse as is_sparse,
    moving_average_update as moving_average_update,
    pool2d as pool2d,
    pool3d as pool3d,
    random_bernoulli as random_bernoulli,
    random_normal_variable as random_normal_variable,
    random_uniform_variable as random_uniform_variable,
    resize_images as resize_images,
    resize_volumes as resize_volumes,
    result_type as result_type,
    rnn as rnn,
    spatial_2d_padding as spatial_2d_padding,
    spatial_3d_padding as spatial_3d_padding,
    standardize_dtype as standardize_dtype,
    switch as switch,
    temporal_padding as temporal_padding,
    to_dense as to_dense,
)
from tensorlite.compat.v2.keras.backend_values import (
    batch_get_value as batch_get_value,
    batch_set_value as batch_set_value,
    eval as eval,
    get_value as get_value,
    set_value as set_value,
    update as update,
    update_add as update_add,
    update_sub as update_sub,
)
from tensorlite.compat.v2.keras.defaults import (
    epsilon as epsilon,
    floatx as floatx,
    image_data_format as image_data_format,
    set_epsilon as set_epsilon,
    set_floatx as set_floatx,
    set_image_data_format as set_image_data_format,
)
from tensorlite.compat.v2.keras.ops import creating, neural
from tensorlite.compat.v2.keras.ops.making import operation
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand


def backend() -> str:
    """Return "tensorflow", the backend whose ways are followed."""
    return "tensorflow"


def name_scope(name: str) -> Any:
    """Open a context in which layers' names stand below a name."""
    return naming.inside(name)


def clear_session(free_memory: bool = True) -> None:
    """Let names of layers be counted from the beginning, and forget the learning phase.

    free_memory has no effect.
    """
    naming.forget()
    defaults.chosen.learning_phase = None


def get_uid(prefix: str = "") -> int:
    """Return how often names with a prefix have been given, this time included, from 1."""
    return naming.number(prefix)


def learning_phase() -> int:
    """Return 1 where layers are told to train, else 0."""
    return defaults.chosen.learning_phase or 0


def set_learning_phase(value: Any) -> None:
    """Let layers that are not told whether they train do so, by 1, or not, by 0."""
    if value not in (0, 1):
        raise InvalidArgumentError(
            f"set_learning_phase({value!r}): it is 0, to test, or 1, to train"
        )
    defaults.chosen.learning_phase = int(value)


def variable(
    value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None
) -> Any:
    """Return a variable, of the width `floatx` unless a dtype is given."""
    kind = dtype or floatx()
    return framework.Variable(value, dtype=kind, name=name, constraint=constraint)


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: Any = None
) -> Any:
    """Return a constant tensor, of the width `floatx` unless a dtype is given.

    name has no effect.
    """
    return framework.constant(value, dtype or floatx(), shape)


def is_keras_tensor(x: Any) -> bool:
    """Return whether something is a tensor of layers called without numbers."""
    return hasattr(x, "node") and hasattr(x, "spec")


def int_shape(x: Any) -> Any:
    """Return the sizes of a tensor's axes as a tuple, None where a size is not known."""
    sizes = x.shape
    return tuple(sizes.as_list() if hasattr(sizes, "as_list") else sizes)


def ndim(x: Any) -> int:
    """Return how many axes a tensor has."""
    return len(x.shape)


def dtype(x: Any) -> str:
    """Return the name of a tensor's dtype."""
    return str(x.dtype.name)


def count_params(x: Any) -> int:
    """Return how many elements a tensor has."""
    return int(np.prod(tuple(x.shape)))


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean along an axis or several, of all elements if axis is None.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.backend.mean(tf.constant([[1.0, 3.0], [2.0, 6.0]]), axis=1).numpy().tolist()
    [2.0, 4.0]
    """
    return reductions.reduce_mean(x, axis, keepdims)


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the sum along an axis or several, of all elements if axis is None."""
    return reductions.reduce_sum(x, axis, keepdims)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the greatest element along an axis or several, of all if axis is None."""
    return reductions.reduce_max(x, axis, keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the least element along an axis or several, of all if axis is None."""
    return reductions.reduce_min(x, axis, keepdims)


def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the product along an axis or several, of all elements if axis is None."""
    return reductions.reduce_prod(x, axis, keepdims)


@operation
def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the standard deviation along an axis, dividing by the number of elements."""
    return tl.std(converted(x), axis=axis, keepdims=keepdims)


@operation
def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the variance along an axis, dividing by the number of elements."""
    return tl.var(converted(x), axis=axis, keepdims=keepdims)


@operation
def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether any element along an axis is not 0."""
    return tl.any(tl.astype(converted(x), tl.bool), axis=axis, keepdims=keepdims)


@operation
def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether all elements along an axis are not 0."""
    return tl.all(tl.astype(converted(x), tl.bool), axis=axis, keepdims=keepdims)


def argmax(x: Any, axis: int = -1) -> Any:
    """Return the indices of the greatest elements along an axis, as int64."""
    return reductions.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    """Return the indices of the least elements along an axis, as int64."""
    return reductions.argmin(x, axis)


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """Return x with elements below min_value and above max_value set to these."""
    return elementwise.clip_by_value(x, min_value, max_value)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Return tensors put one after the other along an axis, the last one by default."""
    return arrays.concat(tensors, axis)


@operation
def dot(x: Any, y: Any) -> Any:
    """Return the products summed over x's last axis and y's last but one.

    The result has the other axes of x and then those of y: (2, 3) and (4, 3, 5) make (2, 4, 5).
    """
    left, right = converted(x), converted(y)
    if len(right.shape) < 3:
        return tl.matmul(left, right)
    return tl.tensordot(left, right, axes=([-1], [-2]))


@operation
def cast_to_floatx(x: Any) -> Any:
    """Return a tensor, or an array, in the width `floatx`."""
    if isinstance(x, Operand):
        return tl.astype(x.__tensor__(), floatx())
    return np.asarray(x, floatx())


@operation
def gather(reference: Any, indices: Any) -> Any:
    """Return the slices of reference at indices along its first axis."""
    return tl.gather(converted(reference), converted(indices), axis=0)


@operation
def one_hot(indices: Any, num_classes: int) -> Any:
    """Return rows of float32 with 1 at each index and 0 elsewhere."""
    return tl.one_hot(converted(indices), num_classes, dtype=tl.float32)


@operation
def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Return each slice along an axis rep times, one after the other."""
    return tl.repeat(converted(x), rep, axis=axis)


@operation
def transpose(x: Any) -> Any:
    """Return the tensor with its axes reversed."""
    given = converted(x)
    return tl.permute_dims(given, tuple(reversed(range(len(given.shape)))))


@operation
def cumsum(x: Any, axis: int = 0) -> Any:
    """Return the sums of all elements up to each, along an axis."""
    return tl.cumulative_sum(converted(x), axis=axis)


@operation
def cumprod(x: Any, axis: int = 0) -> Any:
    """Return the products of all elements up to each, along an axis."""
    return tl.cumulative_prod(converted(x), axis=axis)


@operation
def arange(start: Any, stop: Any = None, step: int = 1, dtype: str = "int32") -> Any:
    """Return the numbers from start to below stop, or from 0 to below start without one."""
    first, last = (0, start) if stop is None else (start, stop)
    if [x for x in (first, last, step) if isinstance(x, Operand)]:
        return creating.arange(first, last, step, dtype)
    return constant(np.arange(first, last, step), dtype=dtype)


@operation
def map_fn(fn: Any, elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """Return fn's results for the slices along the first axis, stacked.

    name and dtype have no effect.
    """
    return tl.map_fn(fn, converted(elems))


@operation
def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """Return the products of the examples of two batches, along an axis of each."""
    a, b = converted(x), converted(y)
    ranks = len(a.shape), len(b.shape)
    if axes is None:
        axes = (ranks[0] - 1, ranks[1] - 1 if ranks[1] == 2 else ranks[1] - 2)
    own = (axes, axes) if isinstance(axes, int) else tuple(axes)
    first = tl.moveaxis(a, own[0], -1)[..., None, :] if ranks[0] == 2 else a
    second = tl.moveaxis(b, own[1], 1)
    if ranks[0] > 2:
        first = tl.moveaxis(a, own[0], -1)
    second = second[..., None] if ranks[1] == 2 else second
    made = tl.matmul(first, second)
    made = tl.squeeze(made, axis=1) if ranks[0] == 2 and ranks[1] > 2 else made
    made = tl.squeeze(made, axis=-1) if ranks[1] == 2 and ranks[0] > 2 else made
    return made[..., 0] if ranks == (2, 2) else made


@operation
def flatten(x: Any) -> Any:
    """Return all elements as a vector."""
    return tl.reshape(converted(x), [-1])


@operation
def batch_flatten(x: Any) -> Any:
    """Return the elements of each example as a row; all axes but the first must be known."""
    y = converted(x)
    return tl.reshape(y, [-1, int(np.prod(tuple(y.shape)[1:]))])


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Return `x` where layers train, `alt` where not; functions are called."""
    if training is None:
        training = learning_phase()
    if isinstance(training, Operand):
        return switch(training, x, alt)
    chosen = x if training else alt
    return chosen() if callable(chosen) else chosen


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Return `alt` where layers train, `x` where not; functions are called."""
    return in_train_phase(alt, x, training)


def permute_dimensions(x: Any, pattern: Any) -> Any:
    """Return the tensor with its axes in the order of a pattern."""
    return arrays_2.transpose(x, pattern)


@operation
def repeat(x: Any, n: int) -> Any:
    """Return a matrix' rows n times each: of (batch, features), (batch, n, features)."""
    return tl.repeat(converted(x)[:, None, :], n, axis=1)


def random_normal(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    """Return normally distributed numbers, of the width `floatx` unless a dtype is given."""
    return draws.normal(shape, mean, stddev, dtype or floatx(), seed)


def random_uniform(
    shape: Any,
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    """Return numbers from minval to below maxval, equally likely."""
    return draws.uniform(shape, minval, maxval, dtype or floatx(), seed)


def truncated_normal(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = None,
    seed: Any = None,
) -> Any:
    """Return normally distributed numbers, at most two deviations from the mean."""
    return draws.truncated_normal(shape, mean, stddev, dtype or floatx(), seed)


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Return the entropy of predicted shares of classes, for true shares."""
    return losses.categorical_crossentropy(target, output, from_logits, axis=axis)


def sparse_categorical_crossentropy(
    target: Any,
    output: Any,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> Any:
    """Return the entropy of predicted shares of classes, for true numbers of classes.

    Where the true one is ignore_class it is 0.
    """
    return losses.sparse_categorical_crossentropy(
        target, output, from_logits, ignore_class, axis
    )


abs, exp, log, square = (
    elementwise.abs,
    elementwise.exp,
    elementwise.log,
    elementwise.square,
)
sqrt, sign, sin, cos = (
    elementwise.sqrt,
    elementwise.sign,
    elementwise.sin,
    elementwise.cos,
)
round, maximum, minimum = (
    elementwise.round,
    elementwise.maximum,
    elementwise.minimum,
)
equal, not_equal, greater, less = (
    elementwise.equal,
    elementwise.not_equal,
    elementwise.greater,
    elementwise.less,
)
greater_equal, less_equal, cast = (
    elementwise.greater_equal,
    elementwise.less_equal,
    elementwise.cast,
)
stack, identity = arrays.stack, arrays.identity
zeros, ones = arrays_2.zeros, arrays_2.ones
sigmoid, tanh, relu, softmax = (
    activations.sigmoid,
    activations.tanh,
    activations.relu,
    activations.softmax,
)
elu, hard_sigmoid = activations.elu, activations.hard_sigmoid_of_keras_2
l2_normalize = nn.l2_normalize
binary_crossentropy = neural.binary_crossentropy  # of each element, unlike the loss


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
