"""Streams of random numbers by TensorFlow's seeds: the graph's, and that of each operator.

In a graph every drawing node has a stream of its own, which each session starts from the beginning.
The numbers are TensorFlow's. What draws from streams stands in ops/random/generators.py.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count as counting
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.containers import OF_A_RUN, current_container
from tensorlite.core.dispatch import (
    Interpreter,
    call,
    calls,
    constant,
    to_tensor,
    tracer,
)
from tensorlite.core.dtypes import DTypeLike, as_dtype
from tensorlite.core.errors import DTypeError
from tensorlite.core.op import Op
from tensorlite.core.scope import (
    asked_for,
    control_dependencies,
    placed_later,
    scope,
)
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph_mode.counting import alike, counted_again
from tensorlite.graph_mode.graph import Graph, active_graph
from tensorlite.ops.arrays.ranges import arange
from tensorlite.ops.arrays.shape import as_shape, astype
from tensorlite.ops.fetchable import effect
from tensorlite.ops.random import draws, philox, rejected_draws, stateful_draws
from tensorlite.ops.random.draws import (
    PHILOX,
    CountOf,
    FreshState,
    KeyAndCounter,
    RngReadAndSkip,
)
from tensorlite.ops.random.generators import ShapeLike, Source, global_generator
from tensorlite.ops.random.words import DEFAULT_SEED, Seeds
from tensorlite.ops.state.resource import AssignFirstValue, VarHandleOp

_LARGEST = 2**31 - 1


class GlobalSeed:
    """The seed of programs that run at once, and the streams that were begun since it was set."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.begun: dict[Hashable, int] = {}
        self._drawn = random.Random()  # noqa: S311  # as TensorFlow draws operators' seeds

    def set(self, seed: float | None) -> None:
        """Begin anew from a seed, or without one."""
        self.seed = None if seed is None else one_whole(seed)
        self.begun.clear()
        self._drawn = random.Random(seed)  # noqa: S311
        whole_seed = self.next() if seed is None else one_whole(seed)
        global_generator().reset_from_seed(whole_seed)

    def next(self) -> int:
        """Return a seed for an operator that has none."""
        return self._drawn.randint(0, _LARGEST)


global_seed = GlobalSeed()


def one_whole(seed: Any) -> int:
    """Return a seed of an operator; DTypeError for what is none, as a vector of two is.

    >>> one_whole(-3.2)  # fractions are cut off once the seed is none below zero
    2147483643
    """
    if getattr(seed, "shape", ()) != ():
        raise DTypeError(
            f"Expected int for argument 'seed' not {seed!r}; functions of tf.random.stateless_* "
            "take a vector of two"
        )
    if isinstance(seed, (bool, float, np.bool_, np.floating)):
        return int(seed % _LARGEST)
    return int(whole(seed, "seed"))


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """Return the two seeds of an operator, None for both where nobody has given one.

    >>> get_seed(5)
    (87654321, 5)
    """
    giver = _giver.get()
    if giver is not None:
        return giver()
    graph = active_graph()
    given = global_seed.seed if graph is None else graph.seed
    first = given if given is None else one_whole(given)
    second = op_seed if op_seed is None else one_whole(op_seed)
    if first is None and second is None:
        return None, None
    if first is None:
        first = DEFAULT_SEED
    elif second is None:
        second = _next(graph)
    assert second is not None
    pair = first % _LARGEST, second % _LARGEST
    return (0, _LARGEST) if pair == (0, 0) else pair


_giver: ContextVar[Callable[[], tuple[int, int]] | None] = ContextVar(
    "giver", default=None
)


@contextmanager
def seeds_from(giver: Callable[[], tuple[int, int]]) -> Iterator[None]:
    """Let operators have the two seeds that a function gives, whatever they were given.

    >>> with seeds_from(lambda: (1, 2)):
    ...     get_seed(5)
    (1, 2)
    """
    token = _giver.set(giver)
    try:
        yield
    finally:
        _giver.reset(token)


def seeds_of(seed: int | None) -> Seeds | None:
    """Return the two seeds of an operator, None where nobody has given one."""
    first, second = get_seed(seed)
    return None if first is None or second is None else (first, second)


def _next(graph: Graph | None) -> int:
    """Return the second seed of an operator that was given none."""
    if graph is not None:
        return counted_again(graph)
    traced = tracer()
    if traced is None:
        return global_seed.next()
    number = _unseeded.get(traced, 0)
    _unseeded[traced] = number + 1
    return number


_unseeded: WeakKeyDictionary[Interpreter, int] = WeakKeyDictionary()
"""How many operators a function being traced has that were given no seed."""

_STATEFUL: dict[type[Op], type[stateful_draws.StatefulDraw]] = {
    draws.StatelessRandomNormalV2: stateful_draws.RandomStandardNormal,
    draws.StatelessRandomUniformV2: stateful_draws.RandomUniform,
    draws.StatelessTruncatedNormalV2: stateful_draws.TruncatedNormal,
}
"""The operators that have a generator of their own, for those of the same numbers."""


class NodeStream(Source):
    """The stream of one node of a graph."""

    def __init__(self, seeds: tuple[int, int] | None) -> None:
        self.seeds = seeds
        """None: each session draws other numbers."""

    def _drawn(self, op: Op, shape: Tensor, *others: Tensor) -> Tensor:
        if isinstance(op, draws.StatelessRandomUniformIntV2):
            return self._draw(stateful_draws.RandomUniformInt, shape, *others)
        kind = _STATEFUL.get(type(op))
        if kind is None:
            return super()._drawn(op, shape, *others)
        return self._draw(kind, shape, dtype=op.attributes()["dtype"])

    def _draw(
        self, kind: type[stateful_draws.StatefulDraw], *inputs: Tensor, **types: Any
    ) -> Tensor:
        """Return what an operator draws from its own generator."""
        return self.made_by(kind, *inputs, **types)[0]

    def drawn_by(
        self, op: Op, numbers: int, *inputs: TensorLike
    ) -> tuple[Tensor, ...]:
        """Return what an operator draws from a generator that is its own."""
        first, second = self.seeds or (0, 0)
        made = stateful_draws.FromCounter(op, numbers, seed=first, seed2=second)
        with alike(0):
            generator = _handle(made, stateful_draws.STATE)
        return calls(made, generator, *inputs)

    def made_by(
        self,
        kind: type[stateful_draws.StatefulDraw],
        *inputs: TensorLike,
        **options: Any,
    ) -> tuple[Tensor, ...]:
        """Return all that an operator of a kind makes, which draws from its own generator."""
        first, second = self.seeds or (0, 0)
        op = kind(seed=first, seed2=second, **options)
        with alike(0):
            generator = _handle(op, stateful_draws.STATE)
        return calls(op, generator, *inputs)

    def gamma_for_each(self, shape: ShapeLike, alpha: TensorLike) -> Tensor:
        """Return numbers of a shape for each of the distributions, whose axes come last."""
        return self._draw(
            rejected_draws.RandomGamma, as_shape(shape), to_tensor(alpha)
        )

    def poisson_for_each(
        self, shape: ShapeLike, mean: TensorLike, dtype: DTypeLike
    ) -> Tensor:
        """Return whole numbers of a shape for each of the distributions, whose axes come last."""
        kind, given = rejected_draws.RandomPoissonV2, to_tensor(mean)
        return self._draw(kind, as_shape(shape), given, dtype=as_dtype(dtype))

    def permutation(self, count: TensorLike) -> Tensor:
        """Return the numbers from 0 up to `count` in random order."""
        return self._draw(stateful_draws.RandomShuffle, arange(count))

    def shuffle(self, x: TensorLike) -> Tensor:
        """Return the rows of `x` in random order; no gradients flow back, as in TensorFlow."""
        return self._draw(stateful_draws.RandomShuffle, to_tensor(x))

    def categorical(
        self,
        logits: TensorLike,
        count: TensorLike = 1,
        dtype: DTypeLike = dtypes.int64,
    ) -> Tensor:
        """Return `count` classes for each row of `logits`, unnormalised log-probabilities."""
        number = astype(to_tensor(count), dtypes.int32)
        kind, given = stateful_draws.Multinomial, to_tensor(logits)
        return self._draw(kind, given, number, output_dtype=as_dtype(dtype))

    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return key and counter for the next numbers of a run."""
        with alike(0):
            begun = self._begun()
            handle = _handle(RngReadAndSkip(), TensorSpec((3,), dtypes.int64))
            written = effect(AssignFirstValue(), handle, begun)
            algorithm = constant(np.asarray(PHILOX, np.int32))
            with control_dependencies([] if written is None else [written]):
                count = call(CountOf(), shape)
                state = call(RngReadAndSkip(), handle, algorithm, count)
            key, counter = calls(KeyAndCounter(), state)
        return key, counter

    def _begun(self) -> Tensor:
        if self.seeds is None:
            return call(FreshState())
        return constant(np.array([0, self.seeds[1], self.seeds[0]], np.int64))


def _handle(op: Op, spec: TensorSpec) -> Tensor:
    """Return the handle of a generator that nothing but `op` draws from, and is where that is."""
    name = f"{scope.get().name}/generator{_number()}"
    place = asked_for(op)
    with placed_later(None), placed_later(place):
        op = VarHandleOp(
            spec, debug_name="generator", shared_name=name, container=OF_A_RUN
        )
        return call(op)


_numbers = counting(secrets.randbits(60))


def _number() -> int:
    """Return a number that no other stream has, of programs that share a server either."""
    return next(_numbers)


class EagerStream(Source):
    """The stream of all calls with the same seeds, for programs that run at once.

    In functions of datasets it begins anew with each run through the elements.
    """

    def __init__(self, seeds: tuple[int, int], kind: str) -> None:
        self.seeds = seeds
        self.kind = kind

    def key_and_counter(self, shape: Tensor) -> tuple[Tensor, Tensor]:
        """Return key and counter, and go on past the numbers."""
        place = (self.kind, self.seeds)
        of_a_run = current_container.get().drawn
        begun = global_seed.begun if of_a_run is None else of_a_run
        drawn = begun.get(place, 0)
        count = int(call(CountOf(), shape).numpy())
        used = (count + 2) // 4 if self.kind == "RandomShuffle" else 256 * count
        begun[place] = drawn + used
        first = np.array([0, self.seeds[1]], np.uint64)
        counter = philox.advanced(first, drawn)
        return constant(np.array([self.seeds[0]], np.uint64)), constant(counter)


def stream(seed: int | None, kind: str) -> Source:
    """Return what an operator of a kind draws from, given its seed or None.

    >>> from tensorlite.graph_mode.graph import Graph
    >>> from tensorlite.graph_mode.sessions import Session
    >>> with Graph().as_default() as graph:
    ...     x = stream(7, "RandomUniform").uniform((2,))
    >>> first, second = Session(graph=graph), Session(graph=graph)
    >>> bool((first.run(x) == second.run(x)).all()), bool((first.run(x) == second.run(x)).all())
    (True, True)
    """
    given = seeds_of(seed)
    if active_graph() is not None:
        return NodeStream(given)
    if given is None:
        return global_generator()
    return EagerStream(given, kind) if tracer() is None else NodeStream(given)
