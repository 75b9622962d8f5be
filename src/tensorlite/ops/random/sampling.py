"""Functions that draw random numbers: from the global generator, and from a seed of two integers.

What they share stands in generators.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import to_tensor
from tensorlite.core.dtypes import DTypeLike
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.random.generators import Seed, ShapeLike, global_generator

__all__ = [
    "bernoulli",
    "categorical",
    "gamma",
    "integers",
    "normal",
    "permutation",
    "shuffle",
    "stateless_bernoulli",
    "stateless_categorical",
    "stateless_fold_in",
    "stateless_gamma",
    "stateless_integers",
    "stateless_normal",
    "stateless_permutation",
    "stateless_shuffle",
    "stateless_split",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]


def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike = 1,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return numbers of [minval, maxval), each equally likely.

    Integer dtypes give integers.

    >>> tl.random.uniform((2, 3)).shape
    (2, 3)
    """
    return global_generator().uniform(shape, minval, maxval, dtype)


def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike = 1,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return numbers of [minval, maxval), each equally likely, from a seed of two integers.

    Integer dtypes give integers.

    >>> tl.random.stateless_uniform((2, 3), (1, 2)).shape
    (2, 3)
    """
    return Seed(seed).uniform(shape, minval, maxval, dtype)


def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return numbers of the normal distribution.

    >>> tl.random.normal((2, 3)).shape
    (2, 3)
    """
    return global_generator().normal(shape, mean, stddev, dtype)


def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return numbers of the normal distribution, from a seed of two integers.

    >>> tl.random.stateless_normal((2, 3), (1, 2)).shape
    (2, 3)
    """
    return Seed(seed).normal(shape, mean, stddev, dtype)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return normal numbers within two deviations of the mean.

    >>> print(tl.max(tl.abs(tl.random.truncated_normal((99,)))) < 2)
    True
    """
    return global_generator().truncated_normal(shape, mean, stddev, dtype)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """Return normal numbers within two deviations of the mean, from a seed.

    >>> print(tl.max(tl.abs(tl.random.stateless_truncated_normal((99,), (1, 2)))) < 2)
    True
    """
    return Seed(seed).truncated_normal(shape, mean, stddev, dtype)


def integers(
    shape: ShapeLike,
    minval: TensorLike,
    maxval: TensorLike,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """Return integers of [minval, maxval), each equally likely.

    >>> tl.random.integers((3,), 1, 7).dtype
    tl.int32
    """
    return global_generator().integers(shape, minval, maxval, dtype)


def stateless_integers(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike,
    maxval: TensorLike,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """Return integers of [minval, maxval), each equally likely, from a seed.

    >>> tl.random.stateless_integers((3,), (1, 2), 1, 7).dtype
    tl.int32
    """
    return Seed(seed).integers(shape, minval, maxval, dtype)


def bernoulli(
    shape: ShapeLike,
    p: TensorLike = 0.5,
) -> Tensor:
    """Return bools that are True with probability `p`.

    >>> print(tl.random.bernoulli((2,), 1.0))
    [ True  True]
    """
    return global_generator().bernoulli(shape, p)


def stateless_bernoulli(
    shape: ShapeLike,
    seed: TensorLike,
    p: TensorLike = 0.5,
) -> Tensor:
    """Return bools that are True with probability `p`, from a seed of two integers.

    >>> print(tl.random.stateless_bernoulli((2,), (1, 2), 1.0))
    [ True  True]
    """
    return Seed(seed).bernoulli(shape, p)


def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike = 1.0,
) -> Tensor:
    """Return numbers of the gamma distribution of shape `alpha` and rate `beta`.

    >>> tl.random.gamma((3,), 2.0).shape
    (3,)
    """
    return global_generator().gamma(shape, alpha, beta)


def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike = 1.0,
) -> Tensor:
    """Return numbers of the gamma distribution of shape `alpha` and rate `beta`.

    >>> tl.random.stateless_gamma((3,), (1, 2), 2.0).shape
    (3,)
    """
    return Seed(seed).gamma(shape, alpha, beta)


def shuffle(
    x: TensorLike,
) -> Tensor:
    """Return the rows of `x` in random order.

    >>> print(tl.sum(tl.random.shuffle([30, 10, 20])))
    60
    """
    return global_generator().shuffle(x)


def stateless_shuffle(
    x: TensorLike,
    seed: TensorLike,
) -> Tensor:
    """Return the rows of `x` in random order, from a seed of two integers.

    >>> print(tl.sum(tl.random.stateless_shuffle([30, 10, 20], (1, 2))))
    60
    """
    return Seed(seed).shuffle(x)


def permutation(
    count: TensorLike,
) -> Tensor:
    """Return the numbers from 0 up to `count` in random order.

    >>> print(tl.sum(tl.random.permutation(4)))
    6
    """
    return global_generator().permutation(count)


def stateless_permutation(
    count: TensorLike,
    seed: TensorLike,
) -> Tensor:
    """Return the numbers from 0 up to `count` in random order, from a seed.

    >>> print(tl.sum(tl.random.stateless_permutation(4, (1, 2))))
    6
    """
    return Seed(seed).permutation(count)


def categorical(
    logits: TensorLike,
    count: TensorLike = 1,
    dtype: DTypeLike = dtypes.int64,
) -> Tensor:
    """Return `count` classes for each row of `logits`, unnormalised log-probabilities.

    >>> print(tl.random.categorical([[0.0, -99.0]], 3))
    [[0 0 0]]
    """
    return global_generator().categorical(logits, count, dtype)


def stateless_categorical(
    logits: TensorLike,
    seed: TensorLike,
    count: TensorLike = 1,
    dtype: DTypeLike = dtypes.int64,
) -> Tensor:
    """Return `count` classes for each row of `logits`, unnormalised log-probabilities.

    >>> print(tl.random.stateless_categorical([[0.0, -99.0]], (1, 2), 3))
    [[0 0 0]]
    """
    return Seed(seed).categorical(logits, count, dtype)


def stateless_split(seed: TensorLike, count: int = 2) -> Tensor:
    """Return `count` new seeds made of one, as a tensor (count, 2) of int64.

    >>> tl.random.stateless_split((1, 2), 3).shape
    (3, 2)
    """
    return Seed(seed).bits((count, 2), dtypes.int64)


def stateless_fold_in(seed: TensorLike, data: TensorLike) -> Tensor:
    """Return a new seed made of a seed and an integer, such as the number of a step.

    >>> tl.random.stateless_fold_in((1, 2), 3).shape
    (2,)
    """
    mixed = Seed(seed).bits((2,), dtypes.int64)
    return Seed(stack([mixed[0], mixed[1] ^ to_tensor(data, dtypes.int64)])).bits(
        (2,), dtypes.int64
    )
