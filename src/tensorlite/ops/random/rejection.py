"""Gamma, Poisson and binomial numbers, drawn until they fit; in host memory.

The operators are in draws.py and counted.py, normal numbers between bounds in bounded.py.

Every number has 256 counters of its own, from which it takes as many as it needs, in the order of
TensorFlow's kernels: equal keys and counters give TensorFlow's numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma, log, pi, prod

import numpy as np

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.xp import Array
from tensorlite.ops.random import philox

EACH = 256
"""Counters that a number has."""
_FEW = 10
"""Means from which on steps are not counted any more."""
_log_factorial = np.vectorize(lambda k: lgamma(k + 1), otypes=[float])


class _Lanes:
    """The counters of each number, as far as they are used."""

    def __init__(
        self, key: Array, counter: Array, count: int, each: int = EACH
    ) -> None:
        self._key, self._counter, self._each = key, counter, np.uint64(each)
        self._used = np.zeros(count, np.uint64)

    def words(self, lanes: Array) -> Array:
        """Return the next four words of some, which are in order."""
        steps = lanes.astype(np.uint64) * self._each + self._used[lanes]
        self._used[lanes] += np.uint64(1)
        return philox.blocks(np, self._key, self._counter, steps)


class _Numbers:
    """Numbers for each, two from a counter, of which the second is taken first."""

    def __init__(
        self, lanes: _Lanes, count: int, finish: Callable[[Array], Array]
    ) -> None:
        self._lanes, self._finish = lanes, finish
        self._left = np.zeros(count, np.int64)
        self._pairs = np.empty((count, 2))

    def take(self, lanes: Array) -> Array:
        """Return the next number of some, which are in order."""
        empty = lanes[self._left[lanes] == 0]
        if empty.size:
            self._pairs[empty] = self._finish(self._lanes.words(empty))
            self._left[empty] = 2
        self._left[lanes] -= 1
        return self._pairs[lanes, self._left[lanes]]


def gamma(key: Array, counter: Array, shape: tuple[int, ...], alpha: Array) -> Array:
    """Return gamma numbers of scale 1 (Marsaglia and Tsang 2000); `alpha` broadcasts to `shape`."""
    if np.any(alpha < 0):
        raise InvalidArgumentError("gamma: every alpha must be >= 0")
    each, laid_out = _parameters(shape, alpha)
    count = each.size
    lanes = _Lanes(key, counter, count)
    uniform = _Numbers(lanes, count, philox.uniforms)
    normal = _Numbers(lanes, count, philox.normals)
    result = np.empty(count)
    exponential = np.flatnonzero(each == 1)
    result[exponential] = -np.log1p(-uniform.take(exponential))
    small = each < 1
    d = each + np.where(small, 2 / 3, -1 / 3)
    c = 1 / 3 / np.sqrt(d)
    left = np.flatnonzero(each != 1)
    while left.size:
        x = normal.take(left)
        v = 1 + c[left] * x
        accepted = v > 0
        tried, x, v = left[accepted], x[accepted], v[accepted] ** 3
        u, wide = uniform.take(tried), x * x
        fits = u < 1 - 0.0331 * wide * wide
        fits |= np.log(u) < 0.5 * wide + d[tried] * (1 - v + np.log(v))
        result[tried[fits]] = (d[tried] * v)[fits]
        accepted[accepted] = fits
        low = left[accepted & small[left]]
        with np.errstate(divide="ignore"):
            result[low] *= uniform.take(low) ** (1 / each[low])
        left = left[~accepted]
    return laid_out(result)


def poisson(key: Array, counter: Array, shape: tuple[int, ...], mean: Array) -> Array:
    """Return Poisson numbers as float64; `mean` broadcasts to `shape`.

    Of small means steps of a process are counted (Knuth), of large ones numbers are transformed
    and rejected (Hörmann 1993).
    """
    if not np.all(mean >= 0):
        raise InvalidArgumentError("poisson: every mean must be >= 0")
    each, laid_out = _parameters(shape, mean)
    lanes = _Lanes(key, counter, each.size)
    uniform = _Numbers(lanes, each.size, philox.uniforms)
    result = np.empty(each.size)
    _count_steps(result, each, np.flatnonzero(each < _FEW), uniform)
    large = (each >= _FEW) & np.isfinite(each)
    _transform(result, each, np.flatnonzero(large), uniform)
    result[np.isinf(each)] = np.inf
    return laid_out(result)


def _count_steps(result: Array, mean: Array, left: Array, uniform: _Numbers) -> None:
    """Count how often uniform numbers can be multiplied before they are below exp(-mean)."""
    product, least, steps = np.ones(len(mean)), np.exp(-mean), 0
    while left.size:
        product[left] *= uniform.take(left)
        done = product[left] <= least[left]
        result[left[done]] = steps
        left, steps = left[~done], steps + 1


def _transform(result: Array, mean: Array, left: Array, uniform: _Numbers) -> None:
    """Draw from a distribution that lies above Poisson's, until the number is below that."""
    while left.size:
        rate = mean[left]
        b = 0.931 + 2.53 * np.sqrt(rate)
        a = -0.059 + 0.02483 * b
        u = uniform.take(left) - 0.5
        v = uniform.take(left)
        inner = 0.5 - np.abs(u)
        k = np.floor((2 * a / inner + b) * u + rate + 0.43)
        fits = (inner >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        open_still = ~fits & (k >= 0) & ~((inner < 0.013) & (v > inner))
        scale = (1.1239 + 1.1328 / (b - 3.4)) / (a / (inner * inner) + b)
        density = rate * -1 + k * np.log(rate) - _log_factorial(np.maximum(k, 0))
        fits |= open_still & (np.log(v * scale) <= density)
        result[left[fits]] = k[fits]
        left = left[~fits]


def binomial(
    key: Array, counter: Array, shape: tuple[int, ...], counts: Array, chances: Array
) -> Array:
    """Return binomial numbers as float64; the parameters together broadcast to `shape`.

    Where few successes are expected the trials between them are drawn, elsewhere numbers are
    transformed and rejected (Hörmann 1993). NaN is drawn for a chance that is none.
    """
    trials, odds = np.broadcast_arrays(counts, chances)
    each, laid_out = _parameters(shape, trials)
    chance, _ = _parameters(shape, odds)
    narrow = chances.dtype
    often = chance > 0.5
    rare = np.where(often, (1 - chance.astype(narrow)).astype(np.float64), chance)
    few = each.astype(narrow) * rare.astype(narrow) < _FEW
    result = np.where(np.isnan(each) | np.isnan(chance), np.nan, 0.0)
    result[(each > 0) & (chance >= 1)] = each[(each > 0) & (chance >= 1)]
    result[each <= 0] = 0
    drawn = (each > 0) & (rare > 0) & (chance < 1)
    spaced = _Lanes(key, counter, each.size, _SPACED)
    uniform = _Numbers(spaced, each.size, philox.uniforms)
    _count_spaces(result, each, rare, np.flatnonzero(drawn & few), uniform)
    uniform = _Numbers(_Lanes(key, counter, each.size), each.size, philox.uniforms)
    _transform_trials(result, each, rare, np.flatnonzero(drawn & ~few), uniform)
    turned = drawn & often
    result[turned] = each[turned] - result[turned]
    return laid_out(result)


_SPACED = 42
"""Counters that a number has whose trials between successes are drawn."""


def _count_spaces(
    result: Array, trials: Array, chance: Array, left: Array, uniform: _Numbers
) -> None:
    """Count how many successes there are before the trials are used up."""
    used, steps = np.zeros(len(trials)), 0
    scale = np.log1p(-chance, where=chance < 1, out=np.ones(len(chance)))
    while left.size:
        with np.errstate(divide="ignore"):
            used[left] += np.ceil(np.log(uniform.take(left)) / scale[left])
        done = used[left] > trials[left]
        result[left[done]] = steps
        left, steps = left[~done], steps + 1


def _transform_trials(
    result: Array, trials: Array, chance: Array, left: Array, uniform: _Numbers
) -> None:
    """Draw from a distribution that lies above the binomial one, until the number is below that."""
    while left.size:
        n, p = trials[left], chance[left]
        deviation = np.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * p
        u = uniform.take(left) - 0.5
        v = uniform.take(left)
        inner = 0.5 - np.abs(u)
        k = np.floor((2 * a / inner + b) * u + n * p + 0.5)
        fits = (inner >= 0.07) & (v <= 0.92 - 4.2 / b)
        open_still = ~fits & (k >= 0) & (k <= n)
        height = (2.83 + 5.1 / b) * deviation / (a / (inner * inner) + b)
        with np.errstate(divide="ignore"):
            low = np.log(v * height) <= _log_share(n, p, np.clip(k, 0, n))
        fits |= open_still & low
        result[left[fits]] = k[fits]
        left = left[~fits]


def _log_share(n: Array, p: Array, k: Array) -> Array:
    """Return the logarithm of how likely k successes are, for the likeliest number of them."""
    mode, odds = np.floor((n + 1) * p), p / (1 - p)
    tails = _stirling_rest(mode) + _stirling_rest(n - mode)
    return np.asarray(
        (mode + 0.5) * np.log((mode + 1) / (odds * (n - mode + 1)))
        + (n + 1) * np.log((n - mode + 1) / (n - k + 1))
        + (k + 0.5) * np.log(odds * (n - k + 1) / (k + 1))
        + (tails - _stirling_rest(k) - _stirling_rest(n - k))
    )


def _stirling_rest(k: Array) -> Array:
    """Return what Stirling's formula lacks of log(k!)."""
    square = (k + 1) * (k + 1)
    rest = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, _SMALL_RESTS[np.minimum(k, 9).astype(int)], rest)


_SMALL_RESTS = np.array(
    [
        lgamma(k + 1) - (k + 0.5) * log(k + 1) + (k + 1) - log(2 * pi) / 2
        for k in range(10)
    ]
)


def _parameters(
    shape: tuple[int, ...], given: Array
) -> tuple[Array, Callable[[Array], Array]]:
    """Return each number's parameter, and what lays the numbers out.

    Numbers of one parameter follow each other; in the result the parameters' axes come last.
    """
    wide = given.astype(np.float64)
    if shape[len(shape) - wide.ndim :] != wide.shape:
        wide = np.broadcast_to(wide, shape)
    count = wide.size
    times = prod(shape) // count if count else 0

    def laid_out(numbers: Array) -> Array:
        return numbers.reshape(count, times).T.reshape(shape)

    return np.repeat(wide.ravel(), times), laid_out
