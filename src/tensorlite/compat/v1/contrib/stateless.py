"""tf.contrib.stateless: draws that seeds alone say."""

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.random import (
    stateless_categorical,
    stateless_normal as stateless_random_normal,
    stateless_truncated_normal,
    stateless_uniform as stateless_random_uniform,
)
from tensorlite.core.dtypes import int64

__all__ = [
    "stateless_multinomial",
    "stateless_random_normal",
    "stateless_random_uniform",
    "stateless_truncated_normal",
]


def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: Any = int64,
    name: str | None = None,
) -> Any:
    """Return num_samples classes drawn for each row of logits, by a seed of two numbers."""
    return stateless_categorical(logits, num_samples, seed, output_dtype, name)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
