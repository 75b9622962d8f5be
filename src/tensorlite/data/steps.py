"""Operators that make datasets of datasets, by TensorFlow's names: map, batch, shuffle and so on.

What they do stands in the modules of the Dataset's methods, which they call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.core import nest
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array, Xp
from tensorlite.data.base import Pipeline
from tensorlite.data.dataset import Dataset
from tensorlite.data.ordering import Draws
from tensorlite.data.recipes import Order
from tensorlite.data.variants import DatasetOp, Held, changed, function_of
from tensorlite.function.compile import Compiled
from tensorlite.ops.random.words import Seeds

Source = Dataset[Any]
FUSED = "shuffle_and_repeat_fusion"


class MapDataset(DatasetOp):
    """What a function makes of elements."""

    f: Compiled

    def made(self, source: Source, *captured: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.map(function_of(self.f, captured), self.specs)


class ParallelMapDataset(DatasetOp):
    """What a function makes of elements, several at a time."""

    f: Compiled
    deterministic: bool = True

    def made(self, source: Source, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        *captured, calls = given
        return source.map(
            function_of(self.f, captured),
            self.specs,
            num_parallel_calls=int(calls),
            deterministic=self.deterministic,
        )


class FilterDataset(DatasetOp):
    """The elements of which a function holds."""

    predicate: Compiled

    def made(self, source: Source, *captured: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.filter(_first_of(self.predicate, captured))


class TakeWhileDataset(DatasetOp):
    """The elements up to the first of which a function does not hold."""

    predicate: Compiled

    def made(self, source: Source, *captured: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.take_while(_first_of(self.predicate, captured))


class FlatMapDataset(DatasetOp):
    """The elements of the datasets that a function makes of elements."""

    f: Compiled

    def made(self, source: Source, *captured: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.flat_map(_first_of(self.f, captured))


class InterleaveDataset(DatasetOp):
    """Elements of several of the datasets that a function makes, in turns."""

    f: Compiled

    def made(self, source: Source, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        *captured, cycle, block = given
        made = _first_of(self.f, captured)
        return source.interleave(made, int(cycle), int(block))


class ParallelInterleaveDatasetV2(DatasetOp):
    """Elements of several of the datasets that a function makes, in turns, which threads read."""

    f: Compiled
    sloppy: bool = False

    def made(self, source: Source, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        *captured, cycle, block, calls = given
        made = _first_of(self.f, captured)
        return source.interleave(made, int(cycle), int(block), int(calls))


class ParallelInterleaveDataset(DatasetOp):
    """Elements of several of the datasets that a function makes, in turns, read ahead."""

    f: Compiled

    def made(self, source: Source, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        *captured, cycle, block, _, _, _ = given
        made = _first_of(self.f, captured)
        return source.interleave(made, int(cycle), int(block))


class MapAndBatchDataset(DatasetOp):
    """What a function makes of elements, several at a time, stacked."""

    f: Compiled
    preserve_cardinality: bool = False

    def made(self, source: Source, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        *captured, rows, _, drop = given
        function = function_of(self.f, captured)
        mapped = source.map(function, self.f.graph.output_specs)
        return mapped.batch(int(rows), bool(drop))


class ScanDataset(DatasetOp):
    """What a function makes of a state and each element, beside the next state."""

    f: Compiled
    states: int
    """How many tensors a state has."""

    def made(self, source: Source, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        count = self.states
        state = tuple([EagerTensor(x) for x in given[:count]])
        step = function_of(self.f, given[count:])

        def both(state: Any, element: Any) -> Any:
            found = step(*nest.flatten(state), *nest.flatten(element))
            return found[:count], found[count:]

        return source.scan(state, both)


class BatchDatasetV2(DatasetOp):
    """Runs of elements, stacked."""

    def made(self, source: Source, rows: Array, drop: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.batch(int(rows), bool(drop))


class PaddedBatchDatasetV2(DatasetOp):
    """Runs of elements, filled up and stacked."""

    number: int
    """How many tensors an element has."""

    def made(self, source: Source, rows: Array, *given: Array) -> Pipeline[Any]:
        """Return the dataset."""
        *given_shapes, drop = given
        shapes = tuple([x.tolist() for x in given_shapes[: self.number]])
        values = tuple([EagerTensor(x) for x in given_shapes[self.number :]])
        tupled = changed(source, lambda element: tuple(nest.flatten(element)))
        made: Pipeline[Any] = tupled.padded_batch(
            int(rows), shapes, values, drop_remainder=bool(drop)
        )
        return made


class UnbatchDataset(DatasetOp):
    """The rows of elements."""

    def made(self, source: Source) -> Pipeline[Any]:
        """Return the dataset."""
        return source.unbatch()


class WindowDataset(DatasetOp):
    """Datasets of runs of elements."""

    def made(
        self, source: Source, size: Array, shift: Array, stride: Array, drop: Array
    ) -> Pipeline[Any]:
        """Return the dataset."""
        return source.window(int(size), int(shift), int(stride), bool(drop))


class GroupByWindowDataset(DatasetOp):
    """What a function makes of groups of elements of one key."""

    key_func: Compiled
    reduce_func: Compiled
    window_size_func: Compiled

    def made(self, source: Source, *captured: Array) -> Pipeline[Any]:
        """Return the dataset."""
        given = list(captured)
        keyed, reduced, sized = [
            _first_of(one, [given.pop(0) for _ in range(one.captured)])
            for one in (self.key_func, self.reduce_func, self.window_size_func)
        ]
        return source.group_by_window(keyed, reduced, window_size_func=sized)


class ShuffleDataset(DatasetOp):
    """Elements in a random order, each time another if asked; by seeds, unless both are zero."""

    reshuffle_each_iteration: bool = True

    def made(
        self, source: Source, buffer_size: Array, seed: Array, seed2: Array
    ) -> Pipeline[Any]:
        """Return the dataset."""
        order = Order.ANEW if self.reshuffle_each_iteration else Order.SAME
        return source.shuffled(int(buffer_size), Draws(_seeds(seed, seed2), order))


class ShuffleAndRepeatDataset(DatasetOp):
    """Elements over and over, in an order that goes on with its random words."""

    def made(
        self,
        source: Source,
        buffer_size: Array,
        seed: Array,
        seed2: Array,
        count: Array,
    ) -> Pipeline[Any]:
        """Return the dataset."""
        draws = Draws(_seeds(seed, seed2), Order.CONTINUED)
        return source.shuffled(int(buffer_size), draws).repeat(int(count))


class RebatchDatasetV2(DatasetOp):
    """The rows of batches in batches of other sizes, which come in turn."""

    def made(self, source: Source, sizes: Array, drop: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.rebatch(sizes.tolist(), bool(drop))


class DirectedInterleaveDataset(DatasetOp):
    """Elements of several datasets, of which the first dataset says whose is next."""

    N: int
    stop_on_empty_dataset: bool = False

    def made(self, choices: Source, *sources: Source) -> Pipeline[Any]:
        """Return the dataset."""
        return Dataset.choose_from_datasets(
            sources, choices, self.stop_on_empty_dataset
        )


class AssertCardinalityDataset(DatasetOp):
    """The same elements, of which there are as many as is said."""

    def made(self, source: Source, cardinality: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.assert_cardinality(int(cardinality))


class RepeatDataset(DatasetOp):
    """Elements over and over."""

    def made(self, source: Source, count: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.repeat(int(count))

    def made_jointly(self, source: Source, count: Array) -> Pipeline[Any]:
        """Return the dataset; what is shuffled anew each time goes on with its random words."""
        before = source.recipe()
        if before is None or before.kind != "ShuffleDataset":
            return self.made(source, count)
        chance = source.chances[-1]
        if not isinstance(chance, Draws) or chance.order is not Order.ANEW:
            return self.made(source, count)
        draws = Draws(chance.given, Order.CONTINUED)
        most, shuffled = before.numbers["buffer_size"], before.made_of[0]
        assert isinstance(shuffled, Dataset)
        return shuffled.shuffled(most, draws).repeat(int(count))


class TakeDataset(DatasetOp):
    """The first elements."""

    def made(self, source: Source, count: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.take(int(count))


class SkipDataset(DatasetOp):
    """The elements behind the first ones."""

    def made(self, source: Source, count: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.skip(int(count))


class ShardDataset(DatasetOp):
    """Every n-th element."""

    def made(self, source: Source, num_shards: Array, index: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.shard(int(num_shards), int(index))


class ConcatenateDataset(DatasetOp):
    """The elements of one dataset and then those of another."""

    def made(self, source: Source, other: Source) -> Pipeline[Any]:
        """Return the dataset."""
        return source.concatenate(other)


class ZipDataset(DatasetOp):
    """The elements of several datasets beside each other."""

    def made(self, *sources: Source) -> Pipeline[Any]:
        """Return the dataset."""
        joined = Dataset.zip(*sources)
        made: Pipeline[Any] = changed(joined, lambda x: tuple(nest.flatten(x)))
        return made


class UniqueDataset(DatasetOp):
    """Elements, each only when it comes for the first time."""

    def made(self, source: Source) -> Pipeline[Any]:
        """Return the dataset."""
        return source.unique()


class IgnoreErrorsDataset(DatasetOp):
    """The elements that can be made."""

    log_warning: bool = False

    def made(self, source: Source) -> Pipeline[Any]:
        """Return the dataset."""
        return source.ignore_errors(self.log_warning)


class OptimizeDataset(DatasetOp):
    """A dataset that TensorFlow is told how to rewrite: shuffles and repeats may be one step."""

    def made(self, source: Source, optimizations: Array) -> Pipeline[Any]:
        """Return the dataset as it is: no other way to join its steps changes what it gives."""
        return source

    def kernel(self, xp: Xp, *given: Array) -> Held:
        """Return the dataset; that of joined steps if asked to."""
        source, optimizations = given
        assert isinstance(source, Held)
        asked = np.asarray(optimizations).astype(str).ravel().tolist()
        return Held(source.joined()) if FUSED in asked else source


class ModelDataset(DatasetOp):
    """A dataset whose threads and buffers TensorFlow chooses while it runs."""

    def made(self, source: Source) -> Pipeline[Any]:
        """Return the dataset."""
        return source


class PrefetchDataset(DatasetOp):
    """Elements that are made ahead."""

    def made(self, source: Source, buffer_size: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.prefetch(int(buffer_size))


class CacheDataset(DatasetOp):
    """Elements that are kept when they were made once."""

    def made(self, source: Source, filename: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return source.cache(np.asarray(filename).item())


def _first_of(compiled: Compiled, captured: Any) -> Callable[..., Any]:
    """Return a function that returns the one thing that a graph computes."""
    called = function_of(compiled, captured)
    return lambda *leaves: called(*leaves)[0]


def _seeds(first: Array, second: Array) -> Seeds | None:
    seeds = int(first), int(second)
    return None if seeds == (0, 0) else seeds
