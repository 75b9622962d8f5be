"""Normal numbers between bounds: their operators, and how they are drawn, in host memory.

Each set of parameters has numbers that are drawn one after the other until they fit, in the order
of TensorFlow's kernels, so that equal keys and counters give the numbers that TensorFlow draws on
one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from tensorlite.core.dispatch import call, floating, to_tensor
from tensorlite.core.dtypes import float64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.shape import as_shape, astype
from tensorlite.ops.math.arithmetic import sum_to
from tensorlite.ops.math.compare import greater, isfinite, where
from tensorlite.ops.math.elementwise import exp, square
from tensorlite.ops.math.normal_functions import ndtr
from tensorlite.ops.random import draws, philox
from tensorlite.ops.random.generators import Seed, ShapeLike
from tensorlite.ops.random.stateful_draws import StatefulDraw
from tensorlite.ops.state.variable import VariableState

__all__ = ["stateless_parameterized_truncated_normal"]

_INSIDE = 1.3
"""How many deviations of the mean are inside where normal numbers are drawn and thrown away."""
_TRIES = 1000
"""How many numbers in a row may be thrown away."""
_TOGETHER = 100
"""How many numbers of one set of parameters TensorFlow 1 draws together."""


class _Part(NamedTuple):
    """Numbers to be drawn: how many, and their distribution's parameters."""

    size: int
    mean: Array
    deviation: Array
    low: Array
    high: Array


class _Words:
    """The random words that follow a counter, four at a time."""

    def __init__(self, key: Array, counter: Array) -> None:
        self._key, self._counter = key, counter
        self._used = 0

    def read(self, blocks: int) -> Array:
        """Return the next words, which are used once `use` says so."""
        steps = np.arange(self._used, self._used + blocks, dtype=np.uint64)
        return philox.blocks(np, self._key, self._counter, steps)

    def use(self, blocks: int) -> None:
        """Go on."""
        self._used += blocks


def _drawn(
    key: Array, counter: Array, parts: Iterator[_Part], dtype: np.dtype
) -> Iterator[Array]:
    """Return the numbers of each part; they are drawn one part after the other."""
    words = _Words(key, counter)
    wide = np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)
    for part in parts:
        mean, deviation, low, high = (x.astype(wide) for x in part[1:])
        if not (deviation > 0 and low < high and np.isfinite([low, high]).any()):
            raise InvalidArgumentError(
                "normal numbers between bounds: Invalid parameters: the deviation is "
                f"{deviation} and the bounds are {low} and {high}; allowed are a deviation above "
                "0, and bounds in order of which one is finite"
            )
        if low == -np.inf or high < mean:
            low, high, deviation = high, low, -deviation
        least, most = (low - mean) / deviation, (high - mean) / deviation
        tries = _tries(least, most, wide)
        numbers = _fitting(words, part.size, tries, wide)
        yield (numbers * deviation + mean).astype(dtype)


Tries = tuple[int, Callable[[Array], tuple[Array, Array]]]
"""How many blocks of words are looked at together, and what makes of them numbers and which fit."""


def _tries(least: Array, most: Array, wide: np.dtype) -> Tries:
    """Return how numbers between two normalised bounds are drawn."""
    root = np.sqrt(least * least + wide.type(4))
    half = wide.type(0.5)
    cutoff = 2 * np.exp(half + least * (least - root) / 4) / (least + root)
    width = most - least
    if (least < -_INSIDE and most >= 0) or (most > _INSIDE and least <= 0):
        return 1, lambda words: _of_normals(words, least, most, wide)
    if width < cutoff:
        return 2, lambda words: _of_uniforms(words, least, width, wide)
    return 1, lambda words: _of_exponentials(words, least, most, wide)


def _of_normals(
    words: Array, least: Array, most: Array, wide: np.dtype
) -> tuple[Array, Array]:
    numbers = philox.normals(words, wide)
    return numbers, (numbers >= least) & (numbers <= most)


def _of_uniforms(
    words: Array, least: Array, width: Array, wide: np.dtype
) -> tuple[Array, Array]:
    """Draw evenly; a second block says which to take."""
    both = philox.uniforms(words, wide).reshape(len(words) // 2, 2, -1)
    numbers = both[:, 0] * width + least
    highest = least * least if least >= 0 else wide.type(0)
    return numbers, both[:, 1] <= np.exp((highest - numbers * numbers) / 2)


def _of_exponentials(
    words: Array, least: Array, most: Array, wide: np.dtype
) -> tuple[Array, Array]:
    """Draw distances from the nearer bound; every second number says which to take."""
    pairs = philox.uniforms(words, wide).reshape(len(words), -1, 2)
    rate = (least + np.sqrt(least * least + wide.type(4))) / 2
    with np.errstate(divide="ignore"):
        numbers = -np.log(pairs[..., 0]) / rate + least
    away = rate - numbers if least < rate else least - rate
    fits = pairs[..., 1] <= np.exp(-away * away / 2)
    return numbers, fits & (numbers < most)


def _fitting(words: _Words, count: int, tries: Tries, wide: np.dtype) -> Array:
    """Return so many numbers that fit; all words up to the last one's block are used."""
    together, made = tries
    found = [np.empty(0, wide)]
    missing, idle = count, 0
    while missing:
        blocks = together * (missing + 8)
        numbers, fits = made(words.read(blocks))
        places = np.flatnonzero(fits)[:missing]
        found.append(numbers.ravel()[places])
        missing -= len(places)
        idle = 0 if len(places) else idle + numbers.size
        if idle > _TRIES:
            raise InvalidArgumentError(
                f"normal numbers between bounds: none of {idle} tries fits"
            )
        last = blocks if missing else together * (places[-1] // numbers.shape[1] + 1)
        words.use(int(last))
    return np.concatenate(found)


class StatelessParameterizedTruncatedNormal(Op):
    """Normal numbers between bounds, by a seed; the parameters broadcast to the shape."""

    host = (0, 1, 2, 3, 4, 5)

    def infer(
        self, shape: TensorSpec, seed: TensorSpec, *parameters: TensorSpec
    ) -> TensorSpec:
        """Return the asked shape, of the parameters' dtype."""
        draws.check_seed(seed)
        return draws.drawn(shape, parameters[0].dtype)

    def kernel(self, xp: Xp, shape: Array, seed: Array, *parameters: Array) -> Array:
        """Return the numbers; those of one set of parameters are drawn together."""
        sizes = draws.sizes_of(shape)
        own = np.broadcast_shapes(*[x.shape for x in parameters])
        if len(own) > len(sizes) or sizes[len(sizes) - len(own) :] != own:
            raise InvalidArgumentError(
                "stateless_parameterized_truncated_normal: Shape passed in must end with "
                f"broadcasted shape: {sizes} does not end with {own}"
            )
        dtype = parameters[0].dtype
        first, second = seed.tolist()
        key, counter = philox.mixed((first, second))
        batches = prod(own)
        times = prod(sizes) // batches if batches else 0
        each = [np.broadcast_to(x, own).ravel() for x in parameters]
        parts = (_Part(times, *one) for one in zip(*each, strict=True))
        found = list(_drawn(key, counter, parts, dtype))
        rows = np.array(found, dtype).reshape(batches, times)
        return xp.asarray(rows.T.reshape(sizes))

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return how numbers move with their distributions, whose chances stay.

        As in TensorFlow, mean and deviation do not move where the bounds lie among the others.
        """
        given, (x,) = call.inputs[2:], call.outputs
        wide = [astype(one, float64) for one in (x, *given, dy)]
        slopes = _moved(*wide[:-1])
        grads = [
            sum_to(astype(wide[-1] * slope, one.dtype), one)
            for slope, one in zip(slopes, given, strict=True)
        ]
        return None, None, *grads


def _moved(
    x: Tensor, mean: Tensor, deviation: Tensor, low: Tensor, high: Tensor
) -> Sequence[Tensor]:
    """Return the derivatives of numbers by the parameters, where their chances stay."""
    z, first, last = [(one - mean) / deviation for one in (x, low, high)]
    above = greater(first, 0.0)  # small chances are exact, those near 1 are not
    begin, end = where(above, ndtr(-first), ndtr(first)), ndtr(last)
    end, here = where(above, ndtr(-last), end), where(above, ndtr(-z), ndtr(z))
    share = (here - begin) / (end - begin)
    by_first = _bounded(first, exp((square(z) - square(first)) / 2) * (1 - share))
    by_last = _bounded(last, exp((square(z) - square(last)) / 2) * share)
    return ones_like(z), z, by_first, by_last


def _bounded(bound: Tensor, slope: Tensor) -> Tensor:
    return where(isfinite(bound), slope, zeros_like(slope))


class ParameterizedTruncatedNormal(StatefulDraw):
    """Normal numbers between bounds, a row for each set of parameters."""

    host = (1, 2, 3, 4, 5)

    def infer(
        self, handle: TensorSpec, shape: TensorSpec, *parameters: TensorSpec
    ) -> TensorSpec:
        """Return the asked shape, of the parameters' dtype."""
        return draws.drawn(shape, parameters[0].dtype)

    def kernel(
        self, xp: Xp, handle: VariableState, shape: Array, *parameters: Array
    ) -> Array:
        """Return the numbers; of one set for all, a hundred are drawn together."""
        sizes = draws.sizes_of(shape)
        count, rows = prod(sizes), sizes[0] if sizes else 0
        if not sizes or any(x.size not in (1, rows) for x in parameters):
            raise InvalidArgumentError(
                f"parameterized_truncated_normal: parameters of {[x.shape for x in parameters]} "
                f"for a shape of {sizes}; allowed are one, and one for each of {rows} rows"
            )
        is_one = all(x.size == 1 for x in parameters) and not any(
            x.ndim for x in parameters[2:]
        )
        batches = -(-count // _TOGETHER) if is_one else rows
        each = _TOGETHER if is_one else count // rows if rows else 0
        steps = batches * 2 * _TRIES * (each + 3) // 4
        key, counter = self.begin(handle, steps)
        flat = [np.broadcast_to(x.ravel(), batches) for x in parameters]
        parts = (
            _Part(min(each, count - i * each), *one)
            for i, one in enumerate(zip(*flat, strict=True))
        )
        found = [np.empty(0), *_drawn(key, counter, parts, parameters[0].dtype)]
        numbers = np.concatenate(found).astype(parameters[0].dtype)
        return xp.asarray(numbers.reshape(sizes))


def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
) -> Tensor:
    """Return normal numbers between bounds, from a seed; the parameters broadcast to `shape`.

    They have gradients, which are TensorFlow's: numbers move with the bounds, the mean and the
    deviation.

    >>> x = tl.random.stateless_parameterized_truncated_normal((99,), (1, 2), 5.0, 2.0, 4.0, 9.0)
    >>> print(tl.min(x) >= 4, tl.max(x) <= 9)
    True True
    """
    first = floating(to_tensor(means))
    others = [to_tensor(x, first.dtype) for x in (stddevs, minvals, maxvals)]
    op = StatelessParameterizedTruncatedNormal()
    return call(op, as_shape(shape), Seed(seed).seed, first, *others)
