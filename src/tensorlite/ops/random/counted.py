"""Random numbers that count, Poisson's and binomial ones: their operators and functions.

How they are drawn is in rejection.py; TensorFlow 1's Poisson numbers are in rejected_draws.py.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant, floating, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Effect, Op
from tensorlite.core.spec import TensorSpec, broadcast
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.arrays.shape import as_shape, astype
from tensorlite.ops.random import draws, philox, rejection
from tensorlite.ops.random.generators import (
    Generator,
    Held,
    Seed,
    Source,
    global_generator,
)
from tensorlite.ops.state.variable import VariableState

__all__ = ["binomial", "poisson"]


class _Counted(Op, abstract=True):
    """Numbers of a distribution whose parameters broadcast to the shape, by a seed of two."""

    differentiable = False
    host = (0, 1, 2, 3)
    dtype: DType = dtypes.float32

    def infer(
        self, shape: TensorSpec, seed: TensorSpec, *parameters: TensorSpec
    ) -> TensorSpec:
        """Return the asked shape."""
        draws.check_seed(seed)
        return TensorSpec(shape.vector(), self.dtype)

    def kernel(self, xp: Xp, shape: Array, seed: Array, *parameters: Array) -> Array:
        """Return the numbers."""
        first, second = seed.tolist()
        key, counter = philox.mixed((first, second))
        found = self.drawn(key, counter, draws.sizes_of(shape), *parameters)
        return xp.asarray(found.astype(self.dtype.numpy))

    @abstractmethod
    def drawn(
        self, key: Array, counter: Array, shape: tuple[int, ...], *parameters: Array
    ) -> Any:
        """Return what is drawn by a key and a counter."""


class StatelessRandomPoisson(_Counted):
    """Numbers of Poisson distributions."""

    def drawn(
        self, key: Array, counter: Array, shape: tuple[int, ...], *parameters: Array
    ) -> Any:
        """Return what is drawn by rejection."""
        (mean,) = parameters
        return rejection.poisson(key, counter, shape, mean)


class StatelessRandomBinomial(_Counted):
    """Numbers of binomial distributions."""

    def drawn(
        self, key: Array, counter: Array, shape: tuple[int, ...], *parameters: Array
    ) -> Any:
        """Return what is drawn by rejection; NaN for a chance that is none, but 0 of no trials."""
        return _binomial(key, counter, shape, *parameters)


class PoissonByCounter(Op):
    """Numbers of Poisson distributions, by a generator's key and counter."""

    differentiable = False
    host = (0, 1, 2, 3)
    dtype: DType = dtypes.float32

    def infer(
        self,
        shape: TensorSpec,
        key: TensorSpec,
        counter: TensorSpec,
        mean: TensorSpec,
    ) -> TensorSpec:
        """Return the asked shape."""
        return TensorSpec(shape.vector(), self.dtype)

    def kernel(
        self, xp: Xp, shape: Array, key: Array, counter: Array, mean: Array
    ) -> Array:
        """Return the numbers."""
        found = rejection.poisson(to_host(key), counter, draws.sizes_of(shape), mean)
        return xp.asarray(found.astype(self.dtype.numpy))


class StatefulRandomBinomial(Op):
    """Numbers of binomial distributions, by the generator whose state the first input holds."""

    differentiable = False
    effect = Effect.WRITE
    host = (0, 1, 2, 3, 4)
    dtype: DType = dtypes.int64

    def infer(
        self,
        state: TensorSpec,
        algorithm: TensorSpec,
        shape: TensorSpec,
        counts: TensorSpec,
        probs: TensorSpec,
    ) -> TensorSpec:
        """Return the asked shape."""
        return TensorSpec(shape.vector(), self.dtype)

    def kernel(
        self,
        xp: Xp,
        state: VariableState,
        algorithm: Array,
        shape: Array,
        counts: Array,
        probs: Array,
    ) -> Array:
        """Return the numbers; the generator goes on as far as TensorFlow's does."""
        sizes = draws.sizes_of(shape)
        each = np.broadcast_shapes(counts.shape, probs.shape)
        batches, times = prod(each), prod(sizes[: len(sizes) - len(each)])
        with state.lock:
            before = to_host(state.value())
            words = before.view(np.uint64)
            after = before.copy()
            steps = batches * 2 * 100 * (times + 3) // 4
            after[:2] = philox.advanced(words[:2], rejection.EACH * steps).view(
                np.int64
            )
            state.array = after
        found = _binomial(words[2:], words[:2], sizes, counts, probs)
        return xp.asarray(found.astype(self.dtype.numpy))


def _binomial(
    key: Array, counter: Array, shape: tuple[int, ...], counts: Array, chances: Array
) -> Array:
    own = np.broadcast_shapes(counts.shape, chances.shape)
    if broadcast(shape, own) != shape:
        raise InvalidArgumentError(
            f"binomial: counts and probs are of shape {own}, which does not broadcast to {shape}"
        )
    return rejection.binomial(key, counter, shape, counts, chances)


def poisson(
    shape: TensorLike | Sequence[TensorLike],
    lam: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    generator: Source | None = None,
) -> Tensor:
    """Return numbers of the Poisson distribution of mean `lam`, which broadcasts to `shape`.

    >>> tl.random.poisson((3, 2), [1.0, 5.0]).shape
    (3, 2)
    """
    kind, sizes, mean = as_dtype(dtype), as_shape(shape), floating(to_tensor(lam))
    source = generator or global_generator()
    if isinstance(source, Seed):
        return call(StatelessRandomPoisson(kind), sizes, source.seed, mean)
    key, counter = source.key_and_counter(sizes)
    return call(PoissonByCounter(kind), sizes, key, counter, mean)


def binomial(
    shape: TensorLike | Sequence[TensorLike],
    counts: TensorLike,
    probs: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    generator: Source | None = None,
) -> Tensor:
    """Return how often something of probability `probs` happens in `counts` trials.

    >>> print(tl.random.binomial((2,), 7, 1.0))
    [7 7]
    """
    kind, sizes, chances = (
        as_dtype(dtype),
        as_shape(shape),
        floating(to_tensor(probs)),
    )
    trials = astype(to_tensor(counts), chances.dtype)
    source = generator or global_generator()
    if isinstance(source, Seed):
        op = StatelessRandomBinomial(kind)
        return call(op, sizes, source.seed, trials, chances)
    held = source.state.handle if isinstance(source, Generator) else None
    handle = source.handle if isinstance(source, Held) else held
    if handle is None:
        raise InvalidArgumentError(f"binomial: {source} is no generator and no seed")
    algorithm = constant(np.asarray(draws.PHILOX, np.int64))
    return call(
        StatefulRandomBinomial(kind), handle, algorithm, sizes, trials, chances
    )
