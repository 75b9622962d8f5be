"""Dropout: elements set to zero at random, the others raised so that the mean stays."""

from __future__ import annotations

from tensorlite.core.dispatch import floating, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.identity import apart
from tensorlite.ops.arrays.shape import as_shape, shape_of
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.compare import greater_equal, where
from tensorlite.ops.random.generators import Seed, ShapeLike, Source, global_generator

__all__ = ["dropout"]


def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: ShapeLike | None = None,
    seed: TensorLike | None = None,
    generator: Source | None = None,
) -> Tensor:
    """Return `x` with elements zeroed with probability `rate`, the others over 1 - rate.

    Drawn from `seed` (two integers), from `generator`, or else from the global generator.
    `noise_shape`, which broadcasts to that of `x`, makes elements share their lot. Raises
    InvalidArgumentError when `rate` is not of [0, 1] (Srivastava et al. 2014).

    >>> print(tl.nn.dropout([1.0, 2.0, 3.0, 4.0], 0.5, seed=(1, 2)))
    [2. 0. 6. 0.]
    """
    tensor = floating(to_tensor(x))
    if isinstance(rate, (int, float)):
        if not 0 <= rate <= 1:
            raise InvalidArgumentError(
                f"dropout: rate={rate}; allowed is 0 (keep all) to 1"
            )
        if rate == 0:
            return apart(tensor, x)
        if rate == 1:
            return zeros_like(tensor)
    source = _source(seed, generator)
    noise = source.uniform(
        shape_of(tensor) if noise_shape is None else as_shape(noise_shape)
    )
    keep = greater_equal(noise, rate)
    if isinstance(rate, (int, float)):
        return where(keep, tensor * (1.0 / (1.0 - rate)), 0)
    # A rate of one keeps nothing; the bound spares its gradient a division by zero.
    made = where(keep, tensor / maximum(1.0 - to_tensor(rate), 1e-7), 0)
    made.set_shape(tensor.get_shape())  # which a rate of unknown rank hides
    return made


def _source(seed: TensorLike | None, generator: Source | None) -> Source:
    if seed is not None and generator is not None:
        raise InvalidArgumentError("dropout: give a seed or a generator, not both")
    if seed is not None:
        return Seed(seed)
    return global_generator() if generator is None else generator
