"""Where an index lies in a shuffled range, without the range: the cipher that TensorFlow uses.

It is Simon (Beaulieu et al. 2013) on blocks just large enough for the greatest index; what comes
out beyond that is encrypted again, until it is within.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensorlite.core.dispatch import call
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp

__all__ = ["index_shuffle"]

_CONSTANT, _SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5
_LEAST = 16
"""How many bits a block has at least."""


class RandomIndexShuffle(Op):
    """Places of indices in ranges up to max_index that are shuffled by a seed of three numbers."""

    differentiable = False
    host = (0, 1, 2)
    rounds: int = 4

    def infer(
        self, index: TensorSpec, seed: TensorSpec, max_index: TensorSpec
    ) -> TensorSpec:
        """Return a vector's spec if any operand has a row for each place, else a scalar's."""
        ranks = (index.rank, seed.rank, max_index.rank)
        for rank, least, what in zip(
            ranks, (0, 1, 0), ("index", "seed", "max_index"), strict=True
        ):
            if rank is not None and not least <= rank <= least + 1:
                raise ShapeError(f"{self.name}: {what} has {rank} axes")
        if None in ranks:
            return index.with_shape(None)
        if ranks == (0, 1, 0):
            return index.with_shape(())
        sizes = [
            x.dims[0]
            for x, least in ((index, 0), (seed, 1), (max_index, 0))
            if (x.rank or 0) > least
        ]
        return index.with_shape((next((n for n in sizes if n is not None), None),))

    def kernel(self, xp: Xp, index: Array, seed: Array, max_index: Array) -> Array:
        """Return the places."""
        count = np.broadcast_shapes(index.shape, seed.shape[:-1], max_index.shape)
        rows = [
            np.broadcast_to(index, count).ravel().tolist(),
            np.broadcast_to(seed, (*count, seed.shape[-1])).reshape(-1, 3).tolist(),
            np.broadcast_to(max_index, count).ravel().tolist(),
        ]
        found = [
            shuffled(i, key, most, self.rounds)
            for i, key, most in zip(*rows, strict=True)
        ]
        return xp.asarray(np.asarray(found, index.dtype).reshape(count))


def shuffled(index: int, key: Sequence[int], most: int, rounds: int) -> int:
    """Return where an index is among the numbers up to `most`; InvalidArgumentError beyond them."""
    if index < 0 or most < 0:
        what, value = ("index", index) if index < 0 else ("max_index", most)
        raise InvalidArgumentError(f"{what} must be >= 0 but was {value}")
    if index > most:
        raise InvalidArgumentError(
            f"max_index must be >= index, but {most} < {index}"
        )
    if not most:
        return 0
    bits = (most - 1).bit_length()
    half = max(bits + bits % 2, _LEAST) // 2
    keys = _round_keys(key, rounds, half)
    while True:
        index = _encrypted(index, keys, half)
        if index <= most:
            return index


def _round_keys(key: Sequence[int], rounds: int, half: int) -> list[int]:
    every = (1 << half) - 1
    keys = [x & every for x in key]
    for i in range(3, rounds):
        turned = _left(keys[-1], half - 3, half) ^ _left(keys[-1], half - 4, half)
        bit = _SEQUENCE >> (i - 3) & 1
        keys.append((_CONSTANT ^ bit ^ keys[i - 3] ^ turned) & every)
    return keys[: max(rounds, 3)]


def _left(x: int, by: int, half: int) -> int:
    return (x << by | x >> (half - by)) & ((1 << half) - 1)


def _mixed(x: int, half: int) -> int:
    by = 8 % half
    return _left(x, 1, half) & _left(x, by, half) ^ _left(x, 2, half)


def _encrypted(value: int, keys: Sequence[int], half: int) -> int:
    every = (1 << half) - 1
    left, right = value >> half & every, value & every
    for i, key in enumerate(keys):
        if i % 2:
            right ^= _mixed(left, half) ^ key
        else:
            left ^= _mixed(right, half) ^ key
    return left << half | right


def index_shuffle(
    index: TensorLike, seed: TensorLike, max_index: TensorLike, rounds: int = 4
) -> Tensor:
    """Return where indices are in the range up to `max_index`, shuffled by three numbers.

    >>> from tensorlite.ops.random.index_shuffle import index_shuffle
    >>> print(index_shuffle([0, 1, 2], [498247692, 5, 9], 10))
    [ 8  0 10]
    """
    return call(RandomIndexShuffle(rounds), index, seed, max_index)
