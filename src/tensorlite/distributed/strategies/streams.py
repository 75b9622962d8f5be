"""Streams of random numbers of replicas: each draws its own of a generator that all have."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call, constant
from tensorlite.core.tensor import Tensor
from tensorlite.distributed.strategies.copied import Copied
from tensorlite.distributed.strategies.turns import Turn, on_each_copy
from tensorlite.ops.random.draws import StatelessRandomUniformFullIntV2
from tensorlite.ops.state.variable import Variable
from tensorlite.train.replica import replica

Words: TypeAlias = tuple[Tensor, Tensor]
PHILOX = 1


def own_stream(state: Variable, words: Callable[[], Words]) -> Words:
    """Return the key and counter that `words` takes of a generator's state, of a replica its own.

    A state that has no copies is the same stream for all. As no replica all copies are advanced.
    """
    here = replica.get()
    if not isinstance(state, Copied):
        return words()
    if here is None:
        return on_each_copy([state], words)[0]
    key, counter = words()
    if not isinstance(here, Turn):
        return key, counter
    number = constant(np.asarray([here.index, 0], np.uint64))
    shape, kind = constant(np.asarray([1], np.int32)), np.asarray(PHILOX, np.int32)
    mixed = StatelessRandomUniformFullIntV2(dtypes.uint64)
    return call(mixed, shape, key, number, constant(kind)), counter
