"""Operators that draw random numbers of distributions with parameters, with seeds and without.

Uniform and normal numbers are read in containers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorlite.core.dtypes import DType
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.containers import drawn
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.random import host_draws, sampling
from tensorlite.ops.random.draws import RngReadAndSkip
from tensorlite.ops.random.generators import Held, Seed, Source
from tensorlite.ops.random.rejected_draws import RandomGamma, RandomPoissonV2


def _seeded(function: Callable[..., Any]) -> Adapter:
    """Return what draws from a seed, the second input, numbers of the dtype that is asked for."""

    def adapter(given: Given) -> Values:
        dtype = given.dtype("dtype")

        def numbers(shape: Tensor, seed: Tensor, *parameters: Tensor) -> Tensor:
            made: Tensor = function(shape, *parameters, dtype, Seed(seed))
            return made

        return given.composed(numbers, *given.tensors)

    return adapter


def _gamma(shape: Tensor, alpha: Tensor, _: Any, source: Seed) -> Tensor:
    return source.gamma(shape, alpha)


def _held(function: Callable[..., Tensor], given: Given) -> Values:
    """Draw from the generator whose state the first input holds, by Philox, its algorithm."""
    name = "dtype" if "dtype" in given.record.attributes else ""
    kinds = [given.dtype(name)] if name else []
    has_algorithm = given.record.op != "StatefulStandardNormal"

    def numbers(state: Tensor, *inputs: Tensor) -> Tensor:
        shape, *rest = inputs[1:] if has_algorithm else inputs
        return function(Held(state), shape, *rest, *kinds)

    return given.composed(numbers, *given.tensors)


def _normal(source: Source, shape: Tensor, dtype: DType) -> Tensor:
    return source.normal(shape, dtype=dtype)


def _truncated(source: Source, shape: Tensor, dtype: DType) -> Tensor:
    return source.truncated_normal(shape, dtype=dtype)


def _uniform(source: Source, shape: Tensor, dtype: DType) -> Tensor:
    return source.uniform(shape, dtype=dtype)


def _integers(
    source: Source, shape: Tensor, low: Tensor, high: Tensor, dtype: DType
) -> Tensor:
    return source.integers(shape, low, high, dtype)


def _binomial(
    source: Source, shape: Tensor, counts: Tensor, chance: Tensor, dtype: DType
) -> Tensor:
    return host_draws.binomial(shape, counts, chance, dtype, source)


def _between(given: Given) -> Values:
    given.dtype("dtype")
    return given.composed(
        sampling.stateless_parameterized_truncated_normal, *given.tensors
    )


def _skipped(given: Given) -> Values:
    given.check_attributes()
    skipped = given.helper(RngReadAndSkip(), *given.tensors, control=given.control)
    given.node(NoOp(), control=[skipped])
    return ()


CHANCES: dict[str, Adapter] = {
    "RandomGamma": partial(drawn, RandomGamma, ""),
    "RandomPoisson": partial(drawn, RandomPoissonV2, "dtype"),
    "RandomPoissonV2": partial(drawn, RandomPoissonV2, "dtype"),
    "RngSkip": _skipped,
    "StatefulRandomBinomial": partial(_held, _binomial),
    "StatefulStandardNormal": partial(_held, _normal),
    "StatefulStandardNormalV2": partial(_held, _normal),
    "StatefulTruncatedNormal": partial(_held, _truncated),
    "StatefulUniform": partial(_held, _uniform),
    "StatefulUniformFullInt": partial(_held, Source.bits),
    "StatefulUniformInt": partial(_held, _integers),
    "StatelessParameterizedTruncatedNormal": _between,
    "StatelessRandomBinomial": _seeded(host_draws.binomial),
    "StatelessRandomGammaV2": _seeded(_gamma),
    "StatelessRandomPoisson": _seeded(host_draws.poisson),
}
