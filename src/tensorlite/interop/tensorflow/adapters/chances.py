"""Operators that draw random numbers of distributions with parameters, with seeds and without.

Uniform and normal numbers are read in containers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tensorlite.core.dtypes import DType, int64
from tensorlite.core.errors import GraphDefError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.containers import drawn, generator_of
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.control.dataflow import NoOp
from tensorlite.ops.nn.learned_candidates import (
    LearnedUnigramCandidateSampler,
    ThreadUnsafeUnigramCandidateSampler,
)
from tensorlite.ops.random import bounded
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


def _skipped(given: Given) -> Values:
    given.check_attributes()
    skipped = given.helper(RngReadAndSkip(), *given.tensors, control=given.control)
    given.node(NoOp(), control=[skipped])
    return ()


def _learned(kind: type[LearnedUnigramCandidateSampler], given: Given) -> Values:
    """Draw with a state of this node's own: a generator's, and how often classes were labels."""
    numbers = {name: given.typed(name, int) for name in _OF_SAMPLERS}
    op = kind(unique=given.typed("unique", bool), **numbers)
    if not 0 < op.range_max <= MOST_CLASSES:
        raise GraphDefError(
            f"{given.record}: range_max is {op.range_max}; allowed are 1 to {MOST_CLASSES}"
        )
    given.check_attributes()
    state = TensorSpec((3 + op.range_max,), int64)
    return given.node(op, generator_of(given, state), *given.tensors).outputs


_OF_SAMPLERS = ("num_true", "num_sampled", "range_max", "seed", "seed2")
MOST_CLASSES = 2**31 - 2
"""How many classes there may be, as in TensorFlow."""

CHANCES: dict[str, Adapter] = {
    "LearnedUnigramCandidateSampler": partial(
        _learned, LearnedUnigramCandidateSampler
    ),
    "ThreadUnsafeUnigramCandidateSampler": partial(
        _learned, ThreadUnsafeUnigramCandidateSampler
    ),
    "ParameterizedTruncatedNormal": partial(
        drawn, bounded.ParameterizedTruncatedNormal, ""
    ),
    "RandomGamma": partial(drawn, RandomGamma, ""),
    "RandomPoisson": partial(drawn, RandomPoissonV2, "dtype"),
    "RandomPoissonV2": partial(drawn, RandomPoissonV2, "dtype"),
    "RngSkip": _skipped,
    "StatefulStandardNormal": partial(_held, _normal),
    "StatefulStandardNormalV2": partial(_held, _normal),
    "StatefulTruncatedNormal": partial(_held, _truncated),
    "StatefulUniform": partial(_held, _uniform),
    "StatefulUniformFullInt": partial(_held, Source.bits),
    "StatefulUniformInt": partial(_held, _integers),
    "StatelessRandomGammaV2": _seeded(_gamma),
}
