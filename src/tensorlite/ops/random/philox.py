"""Philox4x32-10, the counter-based generator of random bits, over arrays; no operator is here.

Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Bits become
numbers as in TensorFlow, so that equal keys and counters give TensorFlow's numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from tensorlite.core.xp import Array, Xp

_ROUNDS = 10
_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_KEY_STEPS = np.array([[0x9E3779B9], [0xBB67AE85]], np.uint64)
_LOW = 0xFFFFFFFF
_HOST_BLOCK = 1 << 14
"""Counters worked on at a time on a CPU: what its cache holds."""


def bits(
    xp: Xp,
    key: Array,
    counter: Array,
    count: int,
    finish: Callable[[Xp, Array], None] | None = None,
) -> Array:
    """Return `count` words of 32 random bits (uint32).

    `key` is one uint64, `counter` two, the lower first. Four words come from each counter, and
    counters follow each other; words are laid out in this order whatever the device. `finish`
    works on each block of words, in place, while the cache holds it.
    """
    blocks = -(-count // 4)
    keys = _keys(xp, xp.asarray(key))
    out = xp.empty((blocks, 4), xp.uint32)
    step = _HOST_BLOCK if xp is np else max(blocks, 1)
    start = int(counter[0]) | int(counter[1]) << 64
    for first in range(0, blocks, step):
        part = out[first : first + step]
        _fill(xp, part, start + first, keys)
        if finish is not None:
            finish(xp, part)
    return out.reshape(-1)[:count]


def _keys(xp: Xp, key: Array) -> Array:
    """Return the two halves of the key of each round, the second first."""
    halves = xp.stack([key.reshape(()) & _LOW, key.reshape(()) >> 32]).reshape(2, 1)
    rounds = xp.arange(_ROUNDS, dtype=xp.uint64).reshape(_ROUNDS, 1, 1)
    return (halves + rounds * xp.asarray(_KEY_STEPS)) & _LOW


def _fill(
    xp: Xp, out: Array, start: int, keys: Array, steps: Array | None = None
) -> None:
    """Write the four words of each counter from `start` on, or so many steps on from there.

    Words 0 and 2 of the state are one array of two rows, words 1 and 3 another: every step of a
    round is then a single operation on arrays.
    """
    if steps is None:
        steps = xp.arange(len(out), dtype=xp.uint64)
    even, odd = _counters(xp, start, steps)
    product = xp.empty_like(even)
    multipliers = xp.asarray(_MULTIPLIERS)
    for key in keys:
        xp.multiply(even, multipliers, out=product)
        xp.right_shift(product, 32, out=even)
        xp.bitwise_xor(even[::-1], odd, out=odd)
        xp.bitwise_xor(odd, key, out=odd)
        xp.bitwise_and(product, _LOW, out=even)
        even, odd = odd, even[::-1]
    out[:, 0], out[:, 2] = even
    out[:, 1], out[:, 3] = odd


def _counters(xp: Xp, start: int, steps: Array) -> tuple[Array, Array]:
    """Return 128-bit counters as rows of words 0 and 2, and of words 1 and 3.

    Counters are `start` and so many steps on, which never decrease.
    """
    count = len(steps)
    low, high = start & (1 << 64) - 1, start >> 64 & (1 << 64) - 1
    lows = steps + xp.asarray(low, xp.uint64)
    even, odd = xp.empty((2, count), xp.uint64), xp.empty((2, count), xp.uint64)
    even[0], odd[0] = lows & _LOW, lows >> 32
    even[1], odd[1] = high & _LOW, high >> 32
    if count and low + int(steps[-1]) >= 1 << 64:
        carried = (high + 1) & (1 << 64) - 1
        wrapped = lows < xp.asarray(low, xp.uint64)
        even[1, wrapped], odd[1, wrapped] = carried & _LOW, carried >> 32
    return even, odd


def blocks(xp: Xp, key: Array, counter: Array, steps: Array) -> Array:
    """Return the four words of each counter that is so many steps on; these never decrease."""
    out = xp.empty((len(steps), 4), xp.uint32)
    start = int(counter[0]) | int(counter[1]) << 64
    _fill(xp, out, start, _keys(xp, xp.asarray(key)), steps)
    return out


def words64(xp: Xp, key: Array, counter: Array, count: int) -> Array:
    """Return `count` words of 64 random bits (uint64), each made of two words of 32."""
    pairs = bits(xp, key, counter, 2 * count).reshape(-1, 2).astype(xp.uint64)
    return pairs[:, 0] | pairs[:, 1] << 32


def uniform(
    xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: Array
) -> Array:
    """Return numbers of [0, 1) with as many random bits as the dtype's fraction has.

    The bits become the fraction of a number of [1, 2), of which 1 is taken.
    """
    count = prod(shape)
    if dtype.itemsize == 8:
        return (
            bits(xp, key, counter, 2 * count, _to_float64)
            .view(xp.float64)
            .reshape(shape)
        )
    if dtype.itemsize == 4:
        return (
            bits(xp, key, counter, count, _to_float32).view(xp.float32).reshape(shape)
        )
    words = bits(xp, key, counter, count)
    fraction = 10 if dtype.str[1:] == "f2" else 7
    words &= (1 << fraction) - 1
    return (words * 2.0**-fraction).astype(dtype).reshape(shape)


def _to_float32(xp: Xp, words: Array) -> None:
    """Make each word the number of [0, 1) whose fraction its low bits are."""
    words &= 0x7FFFFF
    words |= 0x3F800000
    numbers = words.view(xp.float32)
    numbers -= 1


def _to_float64(xp: Xp, words: Array) -> None:
    """Make each pair of words a number of [0, 1); the first word is the high one.

    Processors that NumPy and CuPy run on here keep the low word first.
    """
    pairs = words.reshape(-1, 2)
    high = pairs[:, 0] & 0xFFFFF
    pairs[:, 0] = pairs[:, 1]
    pairs[:, 1] = high | 0x3FF00000
    numbers = pairs.view(xp.float64)
    numbers -= 1


def normal(
    xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: Array
) -> Array:
    """Return standard normal numbers, two from each pair of uniform ones (Box and Muller 1958)."""
    wide = xp.dtype(xp.float64 if dtype.itemsize == 8 else xp.float32)
    count = prod(shape)
    pairs = uniform(xp, key, counter, (-(-count // 2), 2), wide)
    _box_muller(xp, pairs)
    return pairs.reshape(-1)[:count].reshape(shape).astype(dtype, copy=False)


def _box_muller(xp: Xp, pairs: Array) -> None:
    """Make normal numbers of pairs of uniform ones, in place."""
    wide = pairs.dtype
    radius = xp.sqrt(-2 * xp.log(xp.maximum(pairs[:, 0], wide.type(1e-7))))
    angle = pairs[:, 1] * wide.type(2 * np.pi)
    pairs[:, 0] = xp.sin(angle) * radius
    pairs[:, 1] = xp.cos(angle) * radius


def truncated_normal(
    xp: Xp, key: Array, counter: Array, shape: tuple[int, ...], dtype: Array
) -> Array:
    """Return standard normal numbers within two standard deviations.

    Numbers are drawn and thrown away until they fit. Four at a time, or two of 64 bits, have
    counters of their own, so that each group has as many to draw from as it needs.
    """
    size = 2 if dtype.itemsize == 8 else 4
    count, start = prod(shape), int(counter[0]) | int(counter[1]) << 64
    made = xp.empty((-(-count // size), size), xp.dtype(f"f{16 // size}"))
    left, blocks = xp.arange(len(made), dtype=xp.uint64), 2
    keys = _keys(xp, xp.asarray(key))
    while len(left):
        steps = (
            left[:, None] * (64 * size) + xp.arange(blocks, dtype=xp.uint64)
        ).ravel()
        words = xp.empty((len(steps), 4), xp.uint32)
        _fill(xp, words, start, keys, steps)
        numbers = _normal(xp, words, made.dtype).reshape(len(left), -1)
        fits = xp.abs(numbers) < 2
        order = xp.argsort(~fits, axis=1, kind="stable")[:, :size]
        full = fits.sum(axis=1) >= size
        made[left[full]] = xp.take_along_axis(numbers, order, axis=1)[full]
        left, blocks = left[~full], 4 * blocks
    return made.reshape(-1)[:count].reshape(shape).astype(dtype, copy=False)


def _normal(xp: Xp, words: Array, wide: Array) -> Array:
    """Return normal numbers, two for each pair of uniform ones that words become."""
    (_to_float64 if wide.itemsize == 8 else _to_float32)(xp, words)
    pairs = words.view(wide).reshape(-1, 2)
    _box_muller(xp, pairs)
    return pairs


def permutation(xp: Xp, key: Array, counter: Array, count: int) -> Array:
    """Return the numbers below `count` in random order: each is swapped with one not before it."""
    order = np.arange(count)
    words = bits(np, key, counter, max(count - 1, 0))
    others = np.arange(count - 1) + words % np.arange(count, 1, -1, dtype=np.uint32)
    places = order.tolist()
    for i, other in enumerate(others.astype(np.int64).tolist()):
        places[i], places[other] = places[other], places[i]
    return xp.asarray(places, xp.int64)


def doubles(xp: Xp, key: Array, counter: Array, count: int) -> Array:
    """Return numbers of [0, 1) with 52 random bits."""
    return uniform(xp, key, counter, (count,), xp.dtype(xp.float64))


_WIDE = np.dtype(np.float64)


def uniforms(words: Array, wide: Array = _WIDE) -> Array:
    """Return two numbers of [0, 1) for each row of four words, or four narrow ones.

    The words are used up.
    """
    (_to_float64 if wide.itemsize == 8 else _to_float32)(np, words)
    return words.view(wide)


def normals(words: Array, wide: Array = _WIDE) -> Array:
    """Return two standard normal numbers for each row of four words, or four narrow ones.

    The words are used up.
    """
    return _normal(np, words, wide).reshape(len(words), -1)


def integers(
    xp: Xp,
    key: Array,
    counter: Array,
    shape: tuple[int, ...],
    low: Array,
    high: Array,
) -> Array:
    """Return integers of [low, high), remainders of 32 or, for wide dtypes, of 64 random bits."""
    count, dtype = prod(shape), low.dtype
    unsigned = xp.uint64 if dtype.itemsize == 8 else xp.uint32
    draw = words64 if dtype.itemsize == 8 else bits
    words = draw(xp, key, counter, count)
    span = high.astype(unsigned) - low.astype(unsigned)
    return (words.reshape(shape) % span + low.astype(unsigned)).astype(dtype)


def mixed(seed: tuple[int, int]) -> tuple[Array, Array]:
    """Return the key (one uint64) and counter (two) for a seed of two, as TensorFlow mixes them."""
    mask = (1 << 64) - 1
    counter = np.array([seed[0] & mask, seed[1] & mask], np.uint64)
    words = bits(np, np.uint64(0x02461E293EC8F720), counter, 4).astype(np.uint64)
    low, high = words[0::2] | words[1::2] << np.uint64(32)
    return np.array([low], np.uint64), np.array([0, high], np.uint64)


def advanced(counter: Array, steps: int) -> Array:
    """Return a counter (two uint64 in host memory, the lower first) some steps on."""
    whole = (int(counter[0]) | int(counter[1]) << 64) + steps
    mask = (1 << 64) - 1
    return np.array([whole & mask, whole >> 64 & mask], np.uint64)
