"""Operators that draw random numbers of distributions with parameters, with seeds and without.

Uniform and normal numbers are read in containers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.containers import drawn
from tensorlite.interop.tensorflow.given import Given, Values
from tensorlite.interop.tensorflow.plain import Adapter
from tensorlite.ops import host_draws, sampling
from tensorlite.ops.generators import Seed
from tensorlite.ops.rejected_draws import RandomGamma, RandomPoissonV2


def _seeded(function: Callable[..., Any]) -> Adapter:
    """Return what draws from a seed, the second input, numbers of the dtype that is asked for."""

    def adapter(given: Given) -> Values:
        dtype = given.dtype("dtype")

        def numbers(shape: Tensor, seed: Tensor, *parameters: Tensor) -> Tensor:
            made: Tensor = function(shape, *parameters, dtype, Seed(seed))
            return made

        return given.composed(numbers, *given.tensors)

    return adapter


def _classes(given: Given) -> Values:
    dtype = given.dtype("output_dtype")

    def numbers(logits: Tensor, count: Tensor, seed: Tensor) -> Tensor:
        return sampling.stateless_categorical(logits, seed, count, dtype)

    return given.composed(numbers, *given.tensors)


def _gamma(shape: Tensor, alpha: Tensor, _: Any, source: Seed) -> Tensor:
    return source.gamma(shape, alpha)


CHANCES: dict[str, Adapter] = {
    "RandomGamma": partial(drawn, RandomGamma, ""),
    "RandomPoisson": partial(drawn, RandomPoissonV2, "dtype"),
    "RandomPoissonV2": partial(drawn, RandomPoissonV2, "dtype"),
    "StatelessMultinomial": _classes,
    "StatelessRandomBinomial": _seeded(host_draws.binomial),
    "StatelessRandomGammaV2": _seeded(_gamma),
    "StatelessRandomPoisson": _seeded(host_draws.poisson),
}
