"""Random numbers by TensorFlow's seeds, which TensorFlow 1 and 2 draw alike."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.adopting import inner_named
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shared import checks
from tensorlite.compat.shared.arrays import (
    identity,
    shape as shape_of_tensor,
    zeros_like,
)
from tensorlite.compat.shared.cutting import slice
from tensorlite.compat.shared.elementwise import floormod
from tensorlite.compat.shared.reductions import reduce_all
from tensorlite.compat.shared.sizes import packed
from tensorlite.compat.views import plain, shown
from tensorlite.core.dtypes import as_dtype, float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.scope import scope
from tensorlite.core.shapes import AnyShape
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.streams import NodeStream, stream
from tensorlite.ops.arrays.pieces import sliced
from tensorlite.ops.arrays.shape import as_shape, shape_of
from tensorlite.ops.composite import composed
from tensorlite.ops.older_forms import Add
from tensorlite.ops.random.generators import Source


def sizes_of(shape: Any) -> Any:
    """Return a shape as a tensor."""
    if not isinstance(shape, (Operand, list, tuple, AnyShape, np.ndarray)):
        shape = [shape]
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    is_whole = isinstance(shape, (Operand, AnyShape))
    return as_shape(shape if is_whole else packed(shape))


@named("random_uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return numbers between minval and maxval, which is left out.

    maxval is 1 for floats; InvalidArgumentError if integers have none.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.random.uniform([2, 3], maxval=10, dtype=tf.int32).shape.as_list()
    [2, 3]
    """
    wanted, sizes = as_dtype(dtype), shape_tensor(shape)
    if wanted.is_integer and maxval is None:
        raise InvalidArgumentError(
            f"Must specify maxval for integer dtype {wanted.name}"
        )
    low = converted(minval, wanted, "min")
    top = converted(1 if maxval is None else maxval, wanted, "max")
    if wanted.is_integer:
        source = stream(seed, "RandomUniformInt")
        return source.integers(sizes, low, top, wanted)
    unit = stream(seed, "RandomUniform").uniform(sizes, 0, 1, wanted)
    room = inner_named(top - low, "sub")
    return composed(Add(), inner_named(unit * room, "mul"), low)


@named("random_normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return normally distributed numbers of a mean and a standard deviation.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.random.normal([2, 3], stddev=0.1).shape.as_list()
    [2, 3]
    """
    return _moved("RandomStandardNormal", "normal", shape, mean, stddev, dtype, seed)


@named("truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return normal numbers, drawn again beyond two standard deviations."""
    draw = "truncated_normal"
    return _moved("TruncatedNormal", draw, shape, mean, stddev, dtype, seed)


def _moved(
    kind: str,
    draw: str,
    shape: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    seed: int | None,
) -> Any:
    """Return numbers that a method of streams draws, moved and scaled."""
    wanted, sizes = as_dtype(dtype), shape_tensor(shape)
    middle = converted(mean, wanted, "mean")
    deviation = converted(stddev, wanted, "stddev")
    unit = getattr(stream(seed, kind), draw)(sizes, dtype=wanted)
    return composed(Add(), inner_named(unit * deviation, "mul"), middle)


def shape_tensor(shape: Any) -> Any:
    """Return a shape as a tensor, which bears TensorFlow's name where it is made here."""
    sizes = sizes_of(shape)
    return sizes if isinstance(shape, Operand) else inner_named(sizes, "shape")


@named("RandomShuffle")
def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """Return the slices of the first axis in an order drawn at random."""
    return stream(seed, "RandomShuffle").shuffle(converted(value, None, "value"))


@named("multinomial", "Multinomial")
def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return [batch, num_samples] classes drawn by the logits [batch, classes] of each.

    They are int64 unless a dtype is given.
    """
    wanted = int64 if dtype is None else as_dtype(dtype)
    source = stream(seed, "Multinomial")
    return source.categorical(converted(logits), num_samples, wanted)


@named("random_gamma", "Maximum")
def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return numbers of gamma distributions: [*shape, *shape of alpha and beta together].

    `alpha` is the shape, `beta` the rate, 1 unless given.
    """
    wanted = as_dtype(dtype)
    sizes = shape_tensor(shape)
    a = converted(alpha, wanted, "alpha")
    b = converted(1 if beta is None else beta, wanted, "beta")
    each = a + plain(zeros_like(b, None))
    drawn = stream(seed, "RandomGamma").gamma_for_each(sizes, each)
    return tl.maximum(np.finfo(wanted.numpy).tiny, drawn / b)


@named("random_poisson", "RandomPoissonV2")
def poisson(
    shape: Any,
    lam: Any,
    dtype: Any = float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return numbers of Poisson distributions: [*shape, *shape of lam]."""
    sizes, kind = shape_tensor(shape), as_dtype(dtype)
    source = stream(seed, "RandomPoissonV2")
    rate = converted(lam, None if isinstance(lam, Operand) else float32)
    if isinstance(source, NodeStream):
        return source.poisson_for_each(sizes, rate, kind)
    whole = tl.concat([sizes, shape_of(rate)])
    return tl.random.poisson(whole, tl.astype(rate, float32), kind, source)


@named("random_crop")
def random_crop(
    value: Any, size: Any, seed: int | None = None, name: str | None = None
) -> Any:
    """Return a part of a tensor, of a size, from a place drawn at random."""
    if active_graph() is not None:
        return _cropped_then(converted(value, None, "value"), size, seed)
    return cropped(value, size, stream(seed, "RandomUniformInt"))


def _cropped_then(x: Any, size: Any, seed: int | None) -> Any:
    """Return the part by TensorFlow's nodes, which ask as they run whether it fits."""
    wanted = shown(converted(size, int32, "size"))
    whole = shape_of_tensor(x)
    text = ["Need value.shape >= size, got ", whole, wanted]
    fits = checks.Assert(reduce_all(whole >= wanted), text, 1000)
    with tl.control_dependencies([plain(fits)]):
        room = identity(whole, name="control_dependency") - wanted + 1
    most = int(np.iinfo(np.int32).max)
    drawn = uniform(shape_of_tensor(whole), 0, most, int32, seed)
    place = floormod(drawn, room, name="mod")
    return slice(x, place, wanted, name=f"{scope.get().name}/")


def cropped(value: Any, size: Any, source: Source) -> Any:
    """Return a part of a tensor of a size, from the place that a source says."""
    x = converted(value)
    wanted = sizes_of(size)
    room = shape_of(x) - tl.astype(wanted, int32) + 1
    drawn = source.integers(shape_of(room), 0, int32.max, int32)
    return sliced(x, tl.remainder(drawn, room), tl.astype(wanted, int32))
