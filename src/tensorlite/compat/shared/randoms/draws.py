"""Random numbers with the arguments of TensorFlow 2."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.calling import converted
from tensorlite.compat.shared.randoms import random
from tensorlite.compat.shared.randoms.seeds import stateless_uniform
from tensorlite.core.check import integers_of
from tensorlite.core.dtypes import as_dtype, float32, int32, int64, uint64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.distributed.strategies.streams import own_stream
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.streams import global_seed
from tensorlite.ops.random.generators import Generator as Stream, global_generator

__all__ = ["Generator"]


def set_seed(seed: Any) -> None:
    """Set the seed that random operators, of the graph or eager ones, derive theirs from.

    Between a seed and the next one eager operators draw the same numbers each time. None takes the
    seed away.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.random.set_seed(1)
    >>> first = tf.random.uniform([2]); tf.random.set_seed(1)
    >>> bool(tf.reduce_all(first == tf.random.uniform([2])))
    True
    """
    graph = active_graph()
    if graph is not None:
        graph.seed = seed
        return
    global_seed.set(seed)


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Return [batch, num_samples] classes drawn by the logits [batch, classes] of each.

    They are int64 unless a dtype is given.
    """
    title = name or "categorical"
    return random.categorical(logits, num_samples, dtype, seed, title)


class Generator(Stream):
    """A stream of random numbers, with TensorFlow's arguments."""

    def __init__(
        self, copy_from: Any = None, state: Any = None, alg: Any = None
    ) -> None:
        _check_algorithm(alg)
        if isinstance(copy_from, Stream):
            super().__init__(state=copy_from.state.__tensor__())
        else:
            super().__init__(copy_from, None if state is None else _as_state(state))

    def key_and_counter(self, shape: Any) -> Any:
        """Return the key and counter of now, of a strategy's replica its own, and advance."""
        return own_stream(self.state, lambda: Stream.key_and_counter(self, shape))

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Return a generator whose state begins with a seed.

        `alg` is 'philox' or 'auto_select'; others are an InvalidArgumentError.
        """
        _check_algorithm(alg)
        return cls(state=create_rng_state(seed))

    def reset_from_seed(self, seed: Any) -> None:
        """Set the state to what `from_seed` begins with."""
        self.state.assign(create_rng_state(seed))

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Return a generator of a state that nobody knows before."""
        return cls(alg=alg)

    @classmethod
    def from_state(cls, state: Any, alg: Any = None) -> Generator:
        """Return a generator of a state, a vector of three integers."""
        return cls(None, state, alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """Return a generator of a key and a counter, two integers."""
        return cls(None, [*converted(counter).tolist(), converted(key).item()], alg)

    def saved_members(self) -> dict[str, Any]:
        """Return what checkpoints hold, by TensorFlow's names."""
        return {"_state_var": self.state}

    @property
    def algorithm(self) -> int:
        """Number of the algorithm: 1, which is Philox."""
        return 1

    @property
    def key(self) -> Any:
        """Key of the algorithm, the last number of the state."""
        return self.state[-1]

    def reset(self, state: Any) -> None:
        """Set the state, a vector of three integers."""
        self.state.assign(_as_state(state))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Set the state to a counter, two integers, and a key."""
        self.reset([*converted(counter).tolist(), converted(key).item()])

    def make_seeds(self, count: int = 1) -> Any:
        """Return seeds for stateless functions, [2, count] of int64."""
        keys = self.bits((count,), int64)
        return tl.stack([keys, tl.zeros_like(keys)])

    def split(self, count: int = 1) -> Any:
        """Return a list of generators whose numbers are independent of each other."""
        return [_adopted(one) for one in super().split(count)]

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Return numbers between minval and maxval, which is left out.

        maxval is 1 for floats; ValueError if integers have none, unless minval is None: then they
        are from the whole range of their dtype.
        """
        kind = as_dtype(dtype)
        if kind.is_integer and minval is maxval is None:
            return self.uniform_full_int(shape, kind, name)
        if kind.is_integer and maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {kind.name!r}")
        with tl.name_scope(name or "stateful_uniform"):
            return super().uniform(
                shape, minval, 1 if maxval is None else maxval, kind
            )

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Return normally distributed numbers."""
        with tl.name_scope(name or "stateful_normal"):
            return super().normal(shape, mean, stddev, as_dtype(dtype))

    def binomial(
        self,
        shape: Any,
        counts: Any,
        probs: Any,
        dtype: Any = int32,
        name: str | None = None,
    ) -> Any:
        """Return how often `counts` trials of probability `probs` succeed."""
        given = converted(counts), converted(probs)
        with tl.name_scope(name or "binomial"):
            return tl.random.binomial(
                random.sizes_of(shape), *given, as_dtype(dtype), self
            )

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Return normal numbers, drawn again beyond two standard deviations."""
        with tl.name_scope(name or "truncated_normal"):
            return super().truncated_normal(shape, mean, stddev, as_dtype(dtype))

    def uniform_full_int(
        self, shape: Any, dtype: Any = uint64, name: str | None = None
    ) -> Any:
        """Return integers from the whole range of their dtype."""
        with tl.name_scope(name or "stateful_uniform_full_int"):
            return self.bits(shape, as_dtype(dtype))


def _check_algorithm(alg: Any) -> None:
    chosen = (Algorithm.PHILOX, Algorithm.AUTO_SELECT)
    names = [name for one in chosen for name in (one, one.value, one.name.lower())]
    if alg is not None and alg not in names:
        raise InvalidArgumentError(f"alg is {alg!r}; allowed here is 'philox'")


def _as_state(state: Any) -> Any:
    if isinstance(state, (list, tuple, np.ndarray)):
        return np.asarray(state).astype(np.uint64).view(np.int64)
    return state


def _adopted(stream: Stream) -> Generator:
    """Return a stream as one with TensorFlow's arguments; its state is the same variable."""
    made = object.__new__(Generator)
    made.state = stream.state
    return made


class Algorithm(Enum):
    """The ways in which random numbers are made."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_replaced: list[Any] = []


def get_global_generator() -> Any:
    """Return the generator of eager functions' random numbers."""
    return _replaced[-1] if _replaced else _adopted(global_generator())


def set_global_generator(generator: Any) -> None:
    """Put a generator in the place of the global one."""
    _replaced[:] = [generator]


def create_rng_state(seed: Any, alg: Any = None) -> Any:
    """Return the state that a seed begins with, three numbers of int64."""
    _check_algorithm(alg)
    value = seed.__tensor__().numpy() if isinstance(seed, Operand) else seed
    given = np.asarray(integers_of(value, "seed"), np.int64)
    return converted(np.concatenate([given, np.zeros(3, np.int64)])[:3])


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """Return a seed made of another one and a number, such as that of a step."""
    number = converted(data)
    drawn = stateless_uniform((), seed, None, None, number.dtype)
    return tl.stack([drawn, number])


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Any:
    """Return `num` seeds, [num, 2], made of one."""
    given = converted(seed)
    return stateless_uniform((num, 2), given, None, None, given.dtype)
