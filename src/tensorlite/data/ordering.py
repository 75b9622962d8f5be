"""Steps that choose elements and their order: shuffle, repeat, take, skip, shard, concatenate."""

from __future__ import annotations

import builtins
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import interpreted_by
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.scope import device
from tensorlite.core.spec import all_known
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import to_host
from tensorlite.data.base import INFINITE, UNKNOWN, Pipeline, Recipe
from tensorlite.data.elements import joined
from tensorlite.data.given import (
    at_least,
    captured,
    known_number,
    number,
    number_now,
    value_of,
)
from tensorlite.data.recipes import Order, repeating, shuffling
from tensorlite.data.resuming import Chained, Resumed, Watched
from tensorlite.ops.random.generators import global_generator
from tensorlite.ops.random.words import Seeds, Words, seeds_of

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")


class Ordering(Pipeline[T]):
    """What a Dataset offers to choose elements and their order."""

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
    ) -> Dataset[T]:
        """Return the elements in an order drawn from a buffer of `buffer_size` of them.

        With a `seed` the order of the first run is always the same, of the second likewise, and
        that of TensorFlow, whose two seeds may be given as a tuple; without one the global
        generator gives it, which `tl.random.set_seed` starts.

        >>> print(sorted(int(x) for x in tl.data.Dataset.range(4).shuffle(2, seed=7)))
        [0, 1, 2, 3]
        """
        order = Order.SAME if reshuffle_each_iteration is False else Order.ANEW
        return self.shuffled(buffer_size, Draws(seed, order))

    def shuffled(self, buffer_size: Any, draws: Draws) -> Dataset[T]:
        """Return the elements in the order that `draws` chooses."""
        most = number(buffer_size, "shuffle: buffer_size")
        if isinstance(most, int):
            _room(most)

        def source() -> Iterator[T]:
            full = _room(number_now(most, "shuffle: buffer_size"))
            return mixed(self.source(), full, draws.for_a_run())

        made: Dataset[T] = self._made(
            lambda: _lazily(source),
            self.size,
            self._spec,
            captures=captured(most, draws.seed),
            chances=(draws,),
            recipe=lambda: shuffling(self, most, draws.given, draws.order),
        )
        return made

    def repeat(self, count: Any = None) -> Dataset[T]:
        """Return the elements `count` times over, without end if it is None or -1.

        >>> print([int(x) for x in tl.data.Dataset.range(2).repeat(2)])
        [0, 1, 0, 1]
        """
        times = number(-1 if count is None else count, "repeat: count")

        def source() -> Iterator[T]:
            turns = number_now(times, "repeat: count")
            if turns < 0:
                return Chained(_endlessly(self.source))
            return Chained(self.source() for _ in range(turns))

        size = _repeated(self.size, known_number(times))
        made: Dataset[T] = self._made(
            lambda: _lazily(source),
            size,
            self._spec,
            captures=captured(times),
            recipe=lambda: repeating(self, times),
        )
        return made

    def take(self, count: Any) -> Dataset[T]:
        """Return the first `count` elements; all of them if it is -1.

        >>> print(len(list(tl.data.Dataset.range(9).take(4))))
        4
        """
        most = number(count, "take: count")

        def source() -> Iterator[T]:
            left = number_now(most, "take: count")

            def taken(elements: Iterator[T]) -> Iterator[T]:
                nonlocal left
                while left > 0 and (found := list(itertools.islice(elements, 1))):
                    left -= 1
                    yield found[0]

            return self.source() if left < 0 else Resumed(taken, self.source())

        known, size = known_number(most), UNKNOWN
        if known is not None and self.size != UNKNOWN:
            size = self.size if known < 0 else min(known, self.size)
            size = known if self.size == INFINITE and known >= 0 else size
        made: Dataset[T] = self._made(
            lambda: _lazily(source),
            size,
            self._spec,
            captures=captured(most),
            recipe=lambda: Recipe("TakeDataset", (self,), numbers={"count": most}),
        )
        return made

    def skip(self, count: Any) -> Dataset[T]:
        """Return the elements behind the first `count`; none if it is -1.

        >>> print([int(x) for x in tl.data.Dataset.range(5).skip(3)])
        [3, 4]
        """
        left_out = number(count, "skip: count")

        def source() -> Iterator[T]:
            left = number_now(left_out, "skip: count")

            def behind(elements: Iterator[T]) -> Iterator[T]:
                nonlocal left
                for _ in itertools.islice(elements, left):
                    pass
                left = 0
                yield from elements

            return iter(()) if left < 0 else Resumed(behind, self.source())

        known = known_number(left_out)
        size = UNKNOWN if known is None else self.size
        if known is not None and known < 0:
            size = 0
        elif known is not None and self.size >= 0:
            size = max(self.size - known, 0)
        made: Dataset[T] = self._made(
            lambda: _lazily(source),
            size,
            self._spec,
            captures=captured(left_out),
            recipe=lambda: Recipe(
                "SkipDataset", (self,), numbers={"count": left_out}
            ),
        )
        return made

    def shard(self, num_shards: Any, index: Any) -> Dataset[T]:
        """Return every `num_shards`-th element, from the one at place `index` on.

        >>> print([int(x) for x in tl.data.Dataset.range(7).shard(3, 1)])
        [1, 4]
        """
        shards = number(num_shards, "shard: num_shards", 1)
        place = number(index, "shard: index", 0)
        known = known_number(shards), known_number(place)
        if all_known(known) and not 0 <= known[1] < known[0]:
            raise InvalidArgumentError(
                f"shard: index={place}; allowed are 0 to {shards - 1}, for {shards} shards"
            )

        def source() -> Iterator[T]:
            count = number_now(shards, "shard: num_shards", 1)
            mine = number_now(place, "shard")
            numbered = builtins.zip(self.source(), itertools.count())
            found = builtins.filter(lambda one: one[1] % count == mine, numbered)
            return builtins.map(itemgetter(0), found)

        size = self.size if self.size < 0 else UNKNOWN
        if self.size >= 0 and None not in known:
            size = len(range(place, self.size, shards))
        made: Dataset[T] = self._made(
            lambda: _lazily(source),
            size,
            self._spec,
            captures=captured(shards, place),
            recipe=lambda: Recipe(
                "ShardDataset",
                (self,),
                numbers={"num_shards": shards, "index": place},
            ),
        )
        return made

    def concatenate(self, dataset: Pipeline[T]) -> Dataset[T]:
        """Return the elements of this dataset and then those of another.

        >>> both = tl.data.Dataset.range(2).concatenate(tl.data.Dataset.range(5, 7))
        >>> print([int(x) for x in both])
        [0, 1, 5, 6]
        """

        def source() -> Iterator[T]:
            return Chained(one.source() for one in (self, dataset))

        sizes = {self.size, dataset.size}
        size = INFINITE if INFINITE in sizes else UNKNOWN
        if min(sizes) >= 0:
            size = self.size + dataset.size

        def spec() -> Any:
            return joined(self.element_spec, dataset.element_spec)

        made: Dataset[T] = self._made(
            source,
            size,
            spec,
            dataset,
            recipe=lambda: Recipe("ConcatenateDataset", (self, dataset)),
        )
        return made

    def unique(self) -> Dataset[T]:
        """Return the elements, each only when it comes for the first time.

        >>> print([int(x) for x in tl.data.Dataset.from_tensor_slices([1, 2, 1]).unique()])
        [1, 2]
        """

        def source() -> Iterator[T]:
            seen: set[Any] = set()

            def is_new(element: T) -> bool:
                key = tuple([_key(to_host(x.array)) for x in nest.flatten(element)])
                known = len(seen)
                seen.add(key)
                return len(seen) > known

            return builtins.filter(is_new, self.source())

        made: Dataset[T] = self._made(
            source,
            UNKNOWN,
            self._spec,
            recipe=lambda: Recipe("UniqueDataset", (self,)),
        )
        return made


def _endlessly(source: Callable[[], Iterator[T]]) -> Iterator[Iterator[T]]:
    """Yield one run after the other, until one gives nothing."""
    run = Watched(source())
    yield run
    while not run.is_empty:
        run = Watched(source())
        yield run


def _lazily(source: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Return what a source gives, which begins when the first element is asked for."""
    return Chained(begin() for begin in (source,))


def _key(array: np.ndarray[Any, Any]) -> Any:
    return array.shape, tuple(array.ravel().tolist())


def _repeated(size: int, times: int | None) -> int:
    if times is None:
        return UNKNOWN
    if size == 0 or times == 0:
        return 0
    if size < 0:
        return INFINITE if times < 0 else size
    return INFINITE if times < 0 else size * times


class Draws:
    """Random choices that are the same from run to run, or from the first run on again.

    A seed is one number, TensorFlow's two, or None: then the global generator gives one.
    """

    def __init__(self, seed: Any, order: Order) -> None:
        if isinstance(seed, Tensor) and captured(seed) == ():
            seed = int(seed)
        self.given = seed
        """What was given: None where nobody gave a seed."""
        self.seed: Any = seed
        """Two seeds, or a tensor of one that is not known before it runs."""
        if not isinstance(seed, Tensor):
            self.seed = (drawn_seed(), 0) if seed is None else seeds_of(seed)
        self.order = order
        self._words: Words | None = None
        self._runs = 0
        """How many runs there were."""

    def for_a_run(self) -> Words:
        """Return what draws for the next run."""
        self._runs += 1
        if self._words is None or self.order is Order.SAME:
            self._words = Words(self._seeds())
        return Words(self._words.seeds()) if self.order is Order.ANEW else self._words

    def rewind(self) -> None:
        """Let the next run be like the first."""
        self._words, self._runs = None, 0

    def place(self) -> tuple[int, int, int]:
        """Return the seeds and the number of the next run, -1 where one goes on in the other."""
        if self.order is Order.CONTINUED:
            return 0, 0, -1
        return *self._seeds(), self._runs

    def go_to(self, place: Sequence[int]) -> None:
        """Let the next run be that of a place."""
        *seeds, runs = place
        if runs < 0 or self.order is Order.CONTINUED:
            return
        if isinstance(self.seed, tuple):
            self.seed = tuple(seeds)
        self.rewind()
        for _ in range(runs):
            self.for_a_run()

    def _seeds(self) -> Seeds:
        if isinstance(self.seed, tuple):
            return self.seed
        return seeds_of(int(value_of(self.seed)))


def drawn_seed() -> int:
    """Return a seed that the global generator gives."""
    with interpreted_by(None), device(None):
        return int(global_generator().integers((), 0, 2**31 - 1))


def _room(size: int) -> int:
    """Return how many elements are mixed at a time, all of them for a size that is not known."""
    if size == UNKNOWN:
        return sys.maxsize
    return at_least(size, "shuffle: buffer_size", 1)


def mixed(elements: Iterator[T], count: int, words: Words) -> Iterator[T]:
    """Return elements in an order drawn from a buffer of `count`, as TensorFlow's kernel."""
    return Resumed(_Ring(count, words).mixed, elements)


class _Ring:
    """A buffer of elements; the chosen one changes places with the oldest, and goes."""

    def __init__(self, count: int, words: Words) -> None:
        self._count = count
        self._words = words
        self._held: list[Any] = []
        self._first = self._last = 0

    def mixed(self, elements: Iterator[Any]) -> Iterator[Any]:
        """Yield one of those held whenever there are enough, and at the end all of them."""
        for element in elements:
            self._hold(element)
            if self._last - self._first == self._count:
                yield self._chosen()
        while self._first < self._last:
            yield self._chosen()

    def _hold(self, element: Any) -> None:
        if self._last < self._count:
            self._held.append(element)
        else:
            self._held[self._last % self._count] = element
        self._last += 1

    def _chosen(self) -> Any:
        count, first = self._count, self._first
        oldest = first % count
        place = (first + self._words.below(self._last - first)) % count
        found = self._held[place]
        self._held[place], self._held[oldest] = self._held[oldest], None
        self._first += 1
        return found
