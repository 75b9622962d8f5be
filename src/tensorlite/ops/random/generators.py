"""Random numbers as people ask for them: generators with a state, and seeds without.

The operators are in draws.py.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import call, calls, constant, interpreted_by, to_tensor
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.scope import device
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import CPU
from tensorlite.ops.arrays.gather import gather
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import as_shape, astype, shape_of
from tensorlite.ops.random import draws, philox
from tensorlite.ops.state.variable import Variable

ShapeLike = TensorLike | Sequence[TensorLike]


class Source(ABC):
    """Something that numbers can be drawn from: a generator or a seed."""

    @abstractmethod
    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return the key and counter for a tensor of `shape`, which are used for it alone."""

    def drawn_by(
        self, op: Op, numbers: int, *inputs: TensorLike
    ) -> tuple[Tensor, ...]:
        """Return what an operator draws from the key and counter for so many numbers."""
        key, counter = self.key_and_counter(constant(np.asarray([numbers], np.int64)))
        return calls(op, *inputs, key, counter)

    def _drawn(self, op: Op, shape: Tensor, *others: Tensor) -> Tensor:
        key, counter = self.key_and_counter(shape)
        return call(op, shape, key, counter, _algorithm(), *others)

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike = 0,
        maxval: TensorLike = 1,
        dtype: DTypeLike = dtypes.float32,
    ) -> Tensor:
        """Return numbers of [minval, maxval), each equally likely; integers for an integer dtype.

        >>> print(tl.random.Generator.from_seed(1).uniform((3,), 10, 20, tl.int32).shape)
        (3,)
        """
        kind = as_dtype(dtype)
        if kind.is_integer:
            return self.integers(shape, minval, maxval, kind)
        unit = self._drawn(draws.StatelessRandomUniformV2(kind), as_shape(shape))
        if _is(minval, 0) and _is(maxval, 1):
            return unit
        low = to_tensor(minval, kind)
        return unit * (to_tensor(maxval, kind) - low) + low

    def integers(
        self,
        shape: ShapeLike,
        minval: TensorLike,
        maxval: TensorLike,
        dtype: DTypeLike = dtypes.int32,
    ) -> Tensor:
        """Return integers of [minval, maxval), each equally likely.

        They are remainders of 32 random bits (64 for int64), which favours the lower of them by
        less than (maxval - minval) / 2**32.

        >>> dice = tl.random.Generator.from_seed(1).integers((1000,), 1, 7)
        >>> print(tl.min(dice), tl.max(dice))
        1 6
        """
        kind = as_dtype(dtype)
        low, high = to_tensor(minval, kind), to_tensor(maxval, kind)
        if isinstance(minval, int) and isinstance(maxval, int) and minval >= maxval:
            raise InvalidArgumentError(
                f"integers of [{minval}, {maxval}): the range is empty"
            )
        return self._drawn(
            draws.StatelessRandomUniformIntV2(), as_shape(shape), low, high
        )

    def bits(self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint32) -> Tensor:
        """Return integers of the whole range of `dtype`, of 32 or 64 bits.

        >>> tl.random.Generator.from_seed(1).bits((2,), tl.uint64).dtype
        tl.uint64
        """
        op = draws.StatelessRandomUniformFullIntV2(as_dtype(dtype))
        return self._drawn(op, as_shape(shape))

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
    ) -> Tensor:
        """Return numbers of the normal distribution.

        >>> x = tl.random.Generator.from_seed(1).normal((1000,), mean=5.0)
        >>> print(f"{float(tl.mean(x)):.0f}")
        5
        """
        op = draws.StatelessRandomNormalV2(as_dtype(dtype))
        return _moved(self._drawn(op, as_shape(shape)), mean, stddev)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
    ) -> Tensor:
        """Return numbers of the normal distribution, none beyond two deviations of the mean.

        >>> x = tl.random.Generator.from_seed(1).truncated_normal((1000,))
        >>> print(tl.max(tl.abs(x)) < 2)
        True
        """
        op = draws.StatelessTruncatedNormalV2(as_dtype(dtype))
        return _moved(self._drawn(op, as_shape(shape)), mean, stddev)

    def bernoulli(self, shape: ShapeLike, p: TensorLike = 0.5) -> Tensor:
        """Return bools that are True with probability `p`.

        >>> print(tl.random.Generator.from_seed(1).bernoulli((3,), 1.0))
        [ True  True  True]
        """
        return self.uniform(shape) < p

    def gamma(
        self, shape: ShapeLike, alpha: TensorLike, beta: TensorLike = 1.0
    ) -> Tensor:
        """Return numbers of the gamma distribution of shape `alpha` and rate `beta`.

        `alpha` broadcasts to `shape`, and its dtype is the result's.

        >>> x = tl.random.Generator.from_seed(1).gamma((1000,), 9.0, 3.0)
        >>> print(f"{float(tl.mean(x)):.0f}")
        3
        """
        unit = self._drawn(
            draws.StatelessRandomGammaV3(), as_shape(shape), to_tensor(alpha)
        )
        return unit if _is(beta, 1) else unit / beta

    def gamma_for_each(self, shape: ShapeLike, alpha: TensorLike) -> Tensor:
        """Return numbers of a shape for each of the distributions, whose axes come last.

        >>> tl.random.Generator.from_seed(1).gamma_for_each((3,), [1.0, 9.0]).shape
        (3, 2)
        """
        each = to_tensor(alpha)
        return self.gamma(concat([as_shape(shape), shape_of(each)]), each)

    def permutation(self, count: TensorLike) -> Tensor:
        """Return the numbers from 0 up to `count` in random order.

        >>> print(tl.sort(tl.random.Generator.from_seed(1).permutation(4)))
        [0 1 2 3]
        """
        order = arange(count)
        key, counter = self.key_and_counter(shape_of(order))
        return call(draws.StatelessShuffle(), order, key, counter, _algorithm())

    def shuffle(self, x: TensorLike) -> Tensor:
        """Return the rows of `x` in random order; gradients flow back to their rows.

        >>> print(tl.sort(tl.random.Generator.from_seed(1).shuffle([30, 10, 20])))
        [10 20 30]
        """
        tensor = to_tensor(x)
        if tensor.spec.rank == 0:
            raise ShapeError("a 0-d tensor has no rows to shuffle")
        rows = gather(shape_of(tensor), 0)
        return gather(tensor, self.permutation(rows))

    def categorical(
        self,
        logits: TensorLike,
        count: TensorLike = 1,
        dtype: DTypeLike = dtypes.int64,
    ) -> Tensor:
        """Return `count` classes for each row of `logits`, unnormalised log-probabilities.

        >>> print(tl.random.Generator.from_seed(1).categorical([[0.0, -99.0]], 3))
        [[0 0 0]]
        """
        tensor, number = to_tensor(logits), astype(to_tensor(count), dtypes.int64)
        key, counter = self.key_and_counter(_samples_shape(tensor, number))
        op = draws.StatelessCategorical(as_dtype(dtype))
        return call(op, tensor, number, key, counter, _algorithm())


def _algorithm() -> Tensor:
    return constant(np.asarray(draws.PHILOX, np.int32))


def _is(value: TensorLike, number: int) -> bool:
    return isinstance(value, (int, float)) and value == number


def _moved(x: Tensor, mean: TensorLike, stddev: TensorLike) -> Tensor:
    scaled = x if _is(stddev, 1) else x * stddev
    return scaled if _is(mean, 0) else scaled + mean


def _samples_shape(logits: Tensor, count: Tensor) -> Tensor:
    return gather(shape_of(logits, dtypes.int64), constant([0])) * count


class Seed(Source):
    """Two integers from which the same numbers are drawn every time.

    >>> seed = tl.random.Seed((1, 2))
    >>> print(seed.uniform((2,)), seed.uniform((2,)))
    [0.84406 0.192045] [0.84406 0.192045]
    """

    def __init__(self, seed: TensorLike) -> None:
        self.seed = to_tensor((seed, 0) if isinstance(seed, int) else seed)

    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return the key and counter that the seed is mixed to."""
        key, counter = calls(draws.StatelessRandomGetKeyCounter(), self.seed)
        return key, counter


class Held(Source):
    """The state of a generator, behind a handle."""

    def __init__(self, handle: Tensor) -> None:
        self.handle = handle

    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return the key and counter of now, and advance the state."""
        count = call(draws.CountOf(), shape)
        state = call(draws.RngReadAndSkip(), self.handle, _algorithm(), count)
        key, counter = calls(draws.KeyAndCounter(), state)
        return key, counter


class Generator(Source):
    """A stream of random numbers: a key, and a counter that every drawing advances.

    The state is a variable, so that traced functions advance it and checkpoints hold it. Streams
    of different seeds have different keys.

    >>> generator = tl.random.Generator.from_seed(7)
    >>> print(generator.normal((2,)))
    [...]
    """

    def __init__(
        self, seed: int | None = None, state: TensorLike | None = None
    ) -> None:
        begin = _state(seed) if state is None else state
        # Where it is read and advanced, whatever the scope of the first use.
        with device(CPU):
            self.state = Variable(begin, trainable=False, name="generator")

    @classmethod
    def from_seed(cls, seed: int) -> Generator:
        """Return a generator that gives the same numbers whenever it starts from `seed`."""
        return cls(seed)

    @classmethod
    def from_non_deterministic_state(cls) -> Generator:
        """Return a generator whose seed the operating system's entropy gives."""
        return cls(None)

    @classmethod
    def from_state(cls, state: TensorLike) -> Generator:
        """Return a generator in a state (TensorFlow's: two int64 of counter and the key)."""
        return cls(state=state)

    def reset_from_seed(self, seed: int) -> None:
        """Start again from `seed`."""
        self.state.assign(_state(seed))

    def skip(self, count: TensorLike) -> None:
        """Advance as drawing `count` numbers would.

        >>> a, b = tl.random.Generator.from_seed(7), tl.random.Generator.from_seed(7)
        >>> a.skip(3)
        >>> b.normal((3,)).shape
        (3,)
        >>> print(tl.all(a.normal((2,)) == b.normal((2,))))
        True
        """
        call(
            draws.RngReadAndSkip(),
            self.state.handle,
            _algorithm(),
            astype(count, dtypes.int64),
        )

    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return the key and counter of now, and advance the state."""
        return Held(self.state.handle).key_and_counter(shape)

    def named_variables(self) -> dict[str, Variable]:
        """Return the state, for checkpoints."""
        return {"state": self.state}

    def split(self, count: int = 1) -> list[Generator]:
        """Return new generators with keys drawn from this one, made now even in a trace.

        >>> first, second = tl.random.Generator.from_seed(7).split(2)
        >>> print(tl.all(first.uniform((4,)) == second.uniform((4,))))
        False
        """
        with interpreted_by(None):
            keys = self.bits((count,), dtypes.int64).numpy()
            return [
                Generator.from_state(np.array([0, 0, key], np.int64)) for key in keys
            ]

    def __repr__(self) -> str:
        return f"Generator(state={self.state.numpy().tolist()})"


def _state(seed: int | None) -> np.ndarray[Any, Any]:
    key, counter = philox.mixed((secrets.randbits(64) if seed is None else seed, 0))
    return np.concatenate([counter, key]).view(np.int64)


@cache
def global_generator() -> Generator:
    """Return the generator that the functions of tl.random draw from.

    >>> tl.random.global_generator() is tl.random.global_generator()
    True
    """
    return Generator()


def set_seed(seed: int) -> None:
    """Start the global generator from `seed`.

    >>> tl.random.set_seed(1)
    >>> first = tl.random.uniform((2,))
    >>> tl.random.set_seed(1)
    >>> print(tl.all(tl.random.uniform((2,)) == first))
    True
    """
    global_generator().reset_from_seed(whole(seed, "set_seed: seed"))
