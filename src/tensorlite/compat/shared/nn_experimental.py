"""tf.nn.experimental: dropout by a seed, or by what a program draws with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.calling import converted, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.views import lifted
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.ops.arrays.shape import shape_of
from tensorlite.ops.random.generators import Seed

__all__ = ["general_dropout", "stateless_dropout"]


@named("stateless_dropout")
def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Return the tensor with elements set to 0 by a seed, the others divided by 1 - rate.

    `rng_alg` has no effect. noise_shape has 1 for axes along which all are dropped alike.
    """
    source = Seed(converted(seed))
    return _dropped(converted(x), rate, source.uniform, noise_shape)


@named("general_dropout")
def general_dropout(
    x: Any,
    rate: Any,
    uniform_sampler: Callable[..., Any],
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Return the tensor with elements set to 0 by numbers that a function draws.

    uniform_sampler(shape=..., dtype=...) returns numbers between 0 and 1; the rest are divided by
    1 - rate.
    """
    draw = lifted(uniform_sampler)

    def drawn(shape: Any, dtype: Any) -> Any:
        return draw(shape=shape, dtype=dtype)

    return _dropped(converted(x), rate, drawn, noise_shape)


def _dropped(x: Any, rate: Any, draw: Callable[..., Any], noise_shape: Any) -> Any:
    """Return a tensor with elements set to zero, the others raised, by numbers of [0, 1)."""
    if not x.dtype.is_floating:
        raise InvalidArgumentError(
            f"dropout takes floating-point numbers, not {x.spec}"
        )
    sizes = shape_of(x) if noise_shape is None else converted(noise_shape)
    if isinstance(rate, Operand):
        part = tl.astype(converted(rate), x.dtype)
        raised = x / (1 - part)
    else:
        if not 0 <= rate < 1:
            raise InvalidArgumentError(
                f"dropout: rate={rate}; allowed are 0 to below 1"
            )
        if rate == 0:
            return x
        part, raised = (
            converted(rate, x.dtype),
            x * converted(1 / (1 - rate), x.dtype),
        )
    return tl.where(draw(sizes, dtype=x.dtype) >= part, raised, 0)


__dir__ = listing("nn.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error("tensorlite.compat.v2.nn.experimental", name, __all__)
