"""Steps that make elements of elements: map, filter, interleave, scan and their kin."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import calls, constant, tracer
from tensorlite.core.errors import DTypeError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.background import AUTOTUNE, in_parallel
from tensorlite.data.base import INFINITE, UNKNOWN, Pipeline, Recipe, assembled
from tensorlite.data.composites import leaves
from tensorlite.data.elements import arguments, returned, state_spec_of, tensors
from tensorlite.data.functions import Prepared, Preparing, settled
from tensorlite.data.given import (
    Number,
    captured,
    known_number,
    number,
    number_now,
    value_of,
)
from tensorlite.data.recipes import MOST, interleaving, mapping, ranging
from tensorlite.data.reducing import DatasetReduction, Reduction, folded
from tensorlite.data.resuming import Chained, Resumed
from tensorlite.data.variants import made_as_called

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")
U = TypeVar("U")

CYCLE = 4
"""How many datasets `interleave` has open at a time if nobody says."""


class Transforming(Preparing[T]):
    """What a Dataset offers to make other elements of its elements."""

    def _ready(self, fn: Callable[..., Any]) -> Prepared:
        return self._prepared(fn, lambda: tuple(arguments(self.element_spec)))

    def map(
        self,
        fn: Callable[..., U],
        element_spec: Any = None,
        *,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> Dataset[U]:
        """Return the results of `fn` of each element; a tuple's members are its arguments.

        `element_spec` says what `fn` returns, where that cannot be found out by tracing it. With
        `num_parallel_calls` so many threads call it; the order stays, unless `deterministic` is
        False.

        >>> print([int(x) for x in tl.data.Dataset.range(3).map(lambda x: x + 10)])
        [10, 11, 12]
        """
        ready = self._ready(fn)

        def one(element: T) -> Any:
            return ready.call(*arguments(element))

        def source() -> Iterator[Any]:
            if num_parallel_calls is None:
                return builtins.map(one, self.source())
            ordered = self._ordered(deterministic)
            return in_parallel(one, self.source(), num_parallel_calls, ordered)

        known = ready.spec if element_spec is None else element_spec
        made: Dataset[U] = self._made(
            source,
            self.size,
            known,
            captures=ready.captures,
            recipe=lambda: mapping(
                self, ready, num_parallel_calls, self._ordered(deterministic)
            ),
        )
        return made

    def _ordered(self, deterministic: bool | None) -> bool:
        asked = (
            self.settings.deterministic if deterministic is None else deterministic
        )
        return asked is not False

    def filter(self, predicate: Callable[..., Any]) -> Dataset[T]:
        """Return the elements of which `predicate` holds.

        >>> print([int(x) for x in tl.data.Dataset.range(5).filter(lambda x: x % 2 == 0)])
        [0, 2, 4]
        """
        ready = self._ready(predicate)

        def holds(element: T) -> bool:
            return bool(ready.call(*arguments(element)))

        made: Dataset[T] = self._made(
            lambda: builtins.filter(holds, self.source()),
            UNKNOWN,
            self._spec,
            captures=ready.captures,
            recipe=lambda: Recipe(
                "FilterDataset", (self,), functions={"predicate": ready}
            ),
        )
        return made

    def take_while(self, predicate: Callable[..., Any]) -> Dataset[T]:
        """Return the elements up to the first of which `predicate` does not hold.

        >>> print([int(x) for x in tl.data.Dataset.range(9).take_while(lambda x: x < 3)])
        [0, 1, 2]
        """
        ready = self._ready(predicate)

        def holds(element: T) -> bool:
            return bool(ready.call(*arguments(element)))

        made: Dataset[T] = self._made(
            lambda: itertools.takewhile(holds, self.source()),
            UNKNOWN,
            self._spec,
            captures=ready.captures,
            recipe=lambda: Recipe(
                "TakeWhileDataset", (self,), functions={"predicate": ready}
            ),
        )
        return made

    def flat_map(self, fn: Callable[..., Any]) -> Dataset[Any]:
        """Return the elements of the datasets that `fn` makes of each element, one by one.

        >>> count_up = lambda x: tl.data.Dataset.range(x)
        >>> print([int(x) for x in tl.data.Dataset.range(4).flat_map(count_up)])
        [0, 0, 1, 0, 1, 2]
        """
        ready = self._ready(fn)

        def run(element: T) -> Iterator[Any]:
            return _dataset(ready.call(*arguments(element)), "flat_map").source()

        made: Dataset[Any] = self._made(
            lambda: Chained(builtins.map(run, self.source())),
            UNKNOWN,
            _inner_spec(ready),
            captures=ready.captures,
            recipe=lambda: Recipe("FlatMapDataset", (self,), functions={"f": ready}),
        )
        return made

    def interleave(
        self,
        fn: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = 1,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> Dataset[Any]:
        """Return elements of `cycle_length` of the datasets that `fn` makes, in turns.

        Each in its turn gives `block_length` elements; 4 take turns if nobody says how many.

        >>> twice = lambda x: tl.data.Dataset.from_tensors(x).repeat(2)
        >>> print([int(x) for x in tl.data.Dataset.range(3).interleave(twice, 2)])
        [0, 1, 0, 1, 2, 2]
        """
        ready = self._ready(fn)

        def run(element: T) -> Iterator[Any]:
            return _dataset(ready.call(*arguments(element)), "interleave").source()

        cycle = number(
            CYCLE if cycle_length in (None, AUTOTUNE) else cycle_length,
            "cycle_length",
        )
        block = number(block_length, "interleave: block_length")

        def source() -> Iterator[Any]:
            return in_turns(
                builtins.map(run, self.source()),
                number_now(cycle, "interleave: cycle_length", 1),
                number_now(block, "interleave: block_length", 1),
            )

        made: Dataset[Any] = self._made(
            source,
            UNKNOWN,
            _inner_spec(ready),
            captures=ready.captures,
            recipe=lambda: interleaving(
                self, ready, cycle, block, num_parallel_calls
            ),
        )
        return made

    def scan(
        self, initial_state: Any, scan_func: Callable[[Any, Any], Any]
    ) -> Dataset[Any]:
        """Return what `scan_func(state, element)` gives beside the next state, for each element.

        >>> add = lambda total, x: (total + x, total + x)
        >>> print([int(x) for x in tl.data.Dataset.range(1, 5).scan(0, add)])
        [1, 3, 6, 10]
        """
        first = tensors(initial_state)
        known, following = state_spec_of(first), itemgetter(0)

        def prepare(state: Any) -> Prepared:
            return self._prepared(scan_func, lambda: (state, self.element_spec))

        def spec() -> Any:
            return settled(prepare, known, following)[0].spec()[1]

        ready = prepare(known)
        if ready.compiled is not None:
            ready, _ = settled(prepare, known, following)

        def source() -> Iterator[Any]:
            state = nest.map_structure(value_of, first)

            def output(element: T) -> Any:
                nonlocal state
                state, found = ready.call(state, element)
                return found

            return builtins.map(output, self.source())

        made: Dataset[Any] = self._made(
            source,
            self.size,
            spec if ready.compiled is None else lambda: ready.spec()[1],
            captures=(*ready.captures, *captured(first)),
            recipe=lambda: Recipe(
                "ScanDataset",
                (self,),
                tuple(leaves(first)),
                functions={"f": ready},
                settings={"states": len(leaves(first))},
            ),
        )
        return made

    def reduce(
        self, initial_state: Any, reduce_func: Callable[[Any, Any], Any]
    ) -> Any:
        """Return the state after `reduce_func(state, element)` of all elements, the first first.

        >>> print(tl.data.Dataset.range(5).reduce(0, lambda total, x: total + x))
        10
        """
        state = tensors(initial_state)
        if tracer() is not None:
            return self._reduced_later(state, reduce_func)
        for element in self:
            state = returned(reduce_func(state, element))
        return state

    def _reduced_later(
        self, state: Any, reduce_func: Callable[[Any, Any], Any]
    ) -> Any:
        """Return what a graph computes of the elements when it runs."""

        def prepare(specs: Any) -> Prepared:
            return self._prepared(reduce_func, lambda: (specs, self.element_spec))

        ready, specs = settled(prepare, state_spec_of(state), lambda found: found)
        if made_as_called() and ready.compiled is not None:
            return folded(self, ready, state, specs)
        given = (*self.captures, *ready.captures)
        op = DatasetReduction(
            Reduction(self, ready, state),
            tuple([id(x) for x in given]),
            tuple(nest.flatten(specs)),
        )
        return nest.pack_like(state, list(calls(op, *given, *nest.flatten(state))))

    def enumerate(self, start: int = 0) -> Dataset[tuple[Tensor, T]]:
        """Return pairs of a number, a 0-d int64 tensor, and an element.

        >>> print([(int(i), int(x)) for i, x in tl.data.Dataset.range(5, 7).enumerate()])
        [(0, 5), (1, 6)]
        """
        first: Number = number(start, "enumerate: start")

        def source() -> Iterator[tuple[Tensor, T]]:
            at = number_now(first, "enumerate: start")
            numbers = (constant(i, dtypes.int64) for i in itertools.count(at))
            return builtins.zip(numbers, self.source(), strict=False)

        def recipe() -> Recipe:
            numbers = assembled(
                self._steps(),
                lambda: itertools.count(number_now(first, "enumerate: start")),
                INFINITE,
                TensorSpec((), dtypes.int64),
                recipe=lambda: ranging(first, MOST, 1),
            )
            return Recipe("ZipDataset", (numbers, self))

        made: Dataset[tuple[Tensor, T]] = self._made(
            source,
            self.size if known_number(first) is not None else UNKNOWN,
            lambda: (TensorSpec((), dtypes.int64), self.element_spec),
            recipe=recipe,
        )
        return made

    def apply(self, transformation: Callable[[Any], Any]) -> Any:
        """Return what a function makes of this dataset as a whole.

        >>> tl.data.Dataset.range(5).apply(lambda dataset: dataset.take(2)).cardinality()
        2
        """
        made = transformation(self)
        return _dataset(made, "apply")


def _dataset(made: Any, what: str) -> Pipeline[Any]:
    if not isinstance(made, Pipeline):
        raise DTypeError(
            f"{what}: the function returned {made!r}; allowed is a Dataset"
        )
    return made


def _inner_spec(ready: Prepared) -> Callable[[], Any]:
    """Return what finds the specs of the elements of the datasets that a function makes."""
    return lambda: _dataset(ready.spec(), "the function given").element_spec


def in_turns(runs: Iterator[Iterator[T]], cycle: int, block: int) -> Iterator[T]:
    """Return elements of `cycle` runs in turns; a place that is free is filled in its turn."""
    return Resumed(_Turns(cycle, block).taken, runs)


class _Turns:
    """Runs through datasets, each of which gives so many elements in its turn."""

    def __init__(self, cycle: int, block: int) -> None:
        self._places: list[Iterator[Any] | None] = [None] * cycle
        self._block = block
        self._at = self._given = self._open = 0

    def taken(self, runs: Iterator[Iterator[Any]]) -> Iterator[Any]:
        """Yield elements in turns, of these runs when others are at their ends."""
        more, end = True, object()
        while more or self._open:
            if more and self._places[self._at] is None:
                more = self._fill(next(runs, None))
            reader = self._places[self._at]
            element = end if reader is None else next(reader, end)
            if element is not end:
                self._given += 1
                yield element
            elif reader is not None:
                self._places[self._at] = None
                self._open -= 1
            if element is end or self._given == self._block:
                self._pass_on()

    def _fill(self, run: Iterator[Any] | None) -> bool:
        self._places[self._at] = run
        self._open += run is not None
        return run is not None

    def _pass_on(self) -> None:
        self._at = (self._at + 1) % len(self._places)
        self._given = 0
