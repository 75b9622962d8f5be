"""tf.data.experimental: steps that datasets are `apply`-ed, and what else is left of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tensorlite.compat.missing import attribute_error, known_names, listing
from tensorlite.compat.shared.datasets.data_reading import (
    make_batched_features_dataset,
    make_csv_dataset,
    parse_example_dataset,
)
from tensorlite.compat.shared.datasets.dataset_tables import (
    DatasetInitializer,
    index_table_from_dataset,
    table_from_dataset,
)
from tensorlite.compat.shared.datasets.tf_data import Dataset, of_files, seeds_given
from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.views import plain
from tensorlite.core import nest
from tensorlite.core.check import a_path
from tensorlite.core.dispatch import tracer
from tensorlite.core.dtypes import int64, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor
from tensorlite.data.access import element_at
from tensorlite.data.background import AUTOTUNE
from tensorlite.data.base import (
    INFINITE as INFINITE_CARDINALITY,
    UNKNOWN as UNKNOWN_CARDINALITY,
    assembled,
)
from tensorlite.data.databases import SqlDataset as _SqlDataset
from tensorlite.data.files import CsvDataset as _CsvDataset
from tensorlite.data.inside import mapped_to_batches, read_in_turns, shuffled_again
from tensorlite.data.iterators import DatasetIterator
from tensorlite.data.optionals import Optional
from tensorlite.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    MapVectorizationOptions,
    OptimizationOptions,
    ServiceOptions,
    StatsOptions,
    ThreadingOptions,
)
from tensorlite.data.variants import as_tensor, held, leaf_of, of_tensor, structured
from tensorlite.graph_mode.graph import mode
from tensorlite.ops.arrays.create import zeros
from tensorlite.ops.records.records import TFRecordWriter as _Records

__all__ = [
    "RandomDataset",
    "AUTOTUNE",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "DistributeOptions",
    "ExternalStatePolicy",
    "MapVectorizationOptions",
    "OptimizationOptions",
    "ServiceOptions",
    "StatsOptions",
    "ThreadingOptions",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "CsvDataset",
    "SqlDataset",
    "DatasetInitializer",
    "Optional",
    "TFRecordWriter",
    "SHARD_HINT",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "Counter",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "index_table_from_dataset",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "parse_example_dataset",
    "Reducer",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "map_and_batch",
    "map_and_batch_with_legacy_function",
    "pad_to_cardinality",
    "parallel_interleave",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "to_variant",
    "take_while",
    "unbatch",
    "unique",
]

Step = Callable[[Any], Any]
CsvDataset: Any = of_files(_CsvDataset, Dataset)
SqlDataset: Any = of_files(_SqlDataset, Dataset)


SHARD_HINT = -1
"""Says of `shard` that the number of workers decides."""


class TFRecordWriter:
    """Writes a dataset of strings to a file."""

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        name = filename.numpy() if isinstance(filename, EagerTensor) else filename
        self._given = a_path(name, "filename"), compression_type or ""

    def write(self, dataset: Any) -> None:
        """Write each element, a string, of a dataset as a record; returns None."""
        if not hasattr(dataset, "as_numpy_iterator"):
            raise DTypeError(
                f"Invalid `dataset`. Expected a dataset, got {dataset!r}."
            )
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or (spec.dtype, spec.rank) != (string, 0):
            raise DTypeError(
                f"Invalid `dataset`. Expected one of texts, each of shape (); this has {spec}."
            )
        with _Records(*self._given) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)


def unbatch() -> Step:
    """Return a step that takes batches apart into their rows."""
    return lambda dataset: dataset.unbatch()


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: bool = False, row_splits_dtype: Any = int64
) -> Step:
    """Return a step that joins elements of different shapes to ragged batches."""
    return lambda dataset: dataset.ragged_batch(
        batch_size, drop_remainder, row_splits_dtype
    )


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Step:
    """Return a step that joins elements to sparse batches, of rows of one shape."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def assert_cardinality(expected_cardinality: Any) -> Step:
    """Return a step that raises when there are more or fewer elements than said."""
    return lambda dataset: dataset.assert_cardinality(plain(expected_cardinality))


def from_list(elements: Any, name: str | None = None) -> Any:
    """Return a dataset of the elements of a list."""
    return Dataset.from_list(elements)


def save(
    dataset: Any,
    path: Any,
    compression: Any = None,
    shard_func: Any = None,
    checkpoint_args: Any = None,
) -> Any:
    """Write a dataset to a folder, from which `load` reads it.

    `shard_func` says into which file an element goes.
    """
    return dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any,
    element_spec: Any = None,
    compression: Any = None,
    reader_func: Any = None,
) -> Any:
    """Return the dataset that `save` wrote to a folder.

    `reader_func` makes a dataset out of a dataset of the files' datasets.
    """
    return Dataset.load(path, element_spec, compression, reader_func)


def snapshot(
    path: Any,
    compression: Any = "AUTO",
    reader_func: Any = None,
    shard_func: Any = None,
) -> Step:
    """Return a step that writes its elements to a folder at first and reads them later."""
    return lambda dataset: dataset.snapshot(
        path, compression, reader_func, shard_func
    )


def rejection_resample(
    class_func: Any, target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Step:
    """Return a step that drops elements until classes are as often as wanted.

    `class_func` tells an element's class; elements come as pairs (class, element).
    """
    return lambda dataset: dataset.rejection_resample(
        class_func, target_dist, initial_dist, seed
    )


def unique() -> Step:
    """Return a step that drops elements which came before."""
    return lambda dataset: dataset.unique()


def ignore_errors(log_warning: bool = False) -> Step:
    """Return a step that leaves out elements whose making raises."""
    return lambda dataset: dataset.ignore_errors(log_warning)


class Reducer(NamedTuple):
    """What makes one value of all elements of a key, beginning with one of the key."""

    init_func: Callable[[Any], Any]
    reduce_func: Callable[[Any, Any], Any]
    finalize_func: Callable[..., Any]


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Step:
    """Return a step that makes one element of all those of a key."""
    return lambda dataset: dataset.group_by_reducer(key_func, *reducer)


def enumerate_dataset(start: int = 0) -> Step:
    """Return a step that makes pairs (number, element), counted from `start`."""
    return lambda dataset: dataset.enumerate(start)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Step:
    """Return a step that shuffles anew in each of `count` rounds, endless if None."""
    if mode.is_second():
        return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)
    most, seeds = plain(buffer_size), seeds_given(seed)
    return lambda dataset: shuffled_again(dataset, most, plain(count), seeds)


def map_and_batch(
    map_func: Any,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Step:
    """Return a step that calls a function of each element and joins results to batches.

    How many calls go on at a time has no effect on what comes out.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise InvalidArgumentError(
            "The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive."
        )
    calls = batch_size if num_parallel_calls is None else num_parallel_calls
    if num_parallel_batches is not None:
        calls = batch_size * num_parallel_batches
    return lambda dataset: mapped_to_batches(
        dataset, map_func, batch_size, plain(calls), drop_remainder
    )


map_and_batch_with_legacy_function = map_and_batch
"""The same: functions of both kinds are called alike here."""


def parallel_interleave(
    map_func: Any,
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Step:
    """Return a step that takes elements by turns from datasets made of elements.

    `cycle_length` datasets are open at a time, each giving `block_length` elements; arguments
    behind these have no effect.
    """
    ahead = plain(buffer_output_elements), plain(prefetch_input_elements)
    numbers = plain(cycle_length), plain(block_length), plain(sloppy)
    return lambda dataset: read_in_turns(dataset, map_func, numbers, ahead)


def scan(initial_state: Any, scan_func: Any) -> Step:
    """Return a step that maps elements with a state.

    scan_func(state, element) returns the next state and what becomes of the element.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Any) -> Step:
    """Return a step that ends at the first element that does not satisfy a predicate."""
    return lambda dataset: dataset.take_while(predicate)


def group_by_window(
    key_func: Any,
    reduce_func: Any,
    window_size: Any = None,
    window_size_func: Any = None,
) -> Step:
    """Return a step that collects elements of a key into windows and reduces each.

    Give window_size or window_size_func, a function of the key.
    """
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def bucket_by_sequence_length(*args: Any, **kwargs: Any) -> Step:
    """Return a step that joins elements of similar lengths to batches.

    Arguments are those of `Dataset.bucket_by_sequence_length`.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(*args, **kwargs)


def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Step:
    """Return a step that leaves elements as they are: operators bring them to their devices."""
    return lambda dataset: dataset


def prefetch_to_device(device: Any, buffer_size: Any = None) -> Step:
    """Return a step that prepares elements ahead; the device has no effect."""
    return lambda dataset: dataset.prefetch(buffer_size or AUTOTUNE)


def sample_from_datasets(
    datasets: Any,
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> Any:
    """Return a dataset that draws from others at random, by their weights."""
    return Dataset.sample_from_datasets(
        datasets, weights, seed, stop_on_empty_dataset
    )


def RandomDataset(seed: Any = None) -> Any:
    """Return an endless dataset of random numbers of int64."""
    return Dataset.random(seed)


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """Return a dataset that takes from others in the order of a dataset of numbers."""
    return Dataset.choose_from_datasets(
        datasets, choice_dataset, stop_on_empty_dataset
    )


def cardinality(dataset: Any) -> Any:
    """Return how many elements a dataset has, or INFINITE_ or UNKNOWN_CARDINALITY."""
    return dataset.cardinality()


def at(dataset: Any, index: Any) -> Any:
    """Return a dataset's element by its number; OutOfRangeError where there is none.

    What was read of a dataset is kept as long as it is, so all of them can be asked.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.data.experimental.at(tf.data.Dataset.range(5, 9), 2).numpy().item()
    7
    """
    return element_at(dataset, index)


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Step:
    """Return a step that adds elements of zeros until there are as many as wanted.

    Elements are dicts, and get an entry `mask_key`: True in those that were there. ValueError is
    raised where they are no dicts, or there are more of them, or nobody knows how many.

    >>> from tensorlite.compat import v2 as tf
    >>> numbers = tf.data.Dataset.from_tensor_slices({"x": [5]})
    >>> padded = numbers.apply(tf.data.experimental.pad_to_cardinality(2))
    >>> [(int(e["x"]), bool(e["valid"])) for e in padded.as_numpy_iterator()]
    [(5, True), (0, False)]
    """

    def step(dataset: Any) -> Any:
        spec, size = dataset.element_spec, int(dataset.cardinality())
        if not isinstance(spec, Mapping) or not 0 <= size <= int(cardinality):
            raise InvalidArgumentError(
                f"pad_to_cardinality({int(cardinality)}): allowed is a dataset whose elements are "
                f"dicts, with a known cardinality that is no larger; this one has {size} of {spec}"
            )
        blank = nest.map_structure(
            lambda x: zeros(x.shape, dtype=x.dtype), dict(spec)
        )
        filler = Dataset.from_tensors({**blank, mask_key: False})
        masked = dataset.map(lambda element: {**element, mask_key: True})
        return masked.concatenate(filler.repeat(int(cardinality) - size))

    return step


def enable_debug_mode() -> None:
    """Do nothing: functions of datasets that are made eagerly run as Python already."""


def get_single_element(dataset: Any) -> Any:
    """Return the one element of a dataset; raises if there are none or several."""
    return dataset.get_single_element()


def to_variant(dataset: Any) -> Any:
    """Return a dataset as one tensor of dtype variant."""
    return held(dataset) if tracer() is None else as_tensor(dataset)


def from_variant(variant: Any, structure: Any) -> Any:
    """Return the dataset that a tensor of dtype variant holds, whose elements have a spec."""
    given = plain(variant)
    if tracer() is None:
        return structured(leaf_of(given.array), structure)
    like = assembled(Dataset, lambda: iter(()), UNKNOWN_CARDINALITY, structure)
    return of_tensor(given, like)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = int64) -> Any:
    """Return an endless dataset of numbers from start, in steps of step."""
    numbers = Dataset.counter(start, step)
    return numbers.map(lambda x: cast(x, dtype))


def get_structure(dataset_or_iterator: Any) -> Any:
    """Return the specification of the elements of a dataset or an iterator."""
    return dataset_or_iterator.element_spec


def get_next_as_optional(iterator: DatasetIterator[Any]) -> Optional:
    """Return the next element of an iterator as an Optional, empty at the end."""
    return iterator.get_next_as_optional()


__dir__ = listing("data.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it; some were TensorFlow 1's only."""
    title = "v2.data.experimental"
    title = title if name in known_names()[title] else title.replace("v2", "v1")
    raise attribute_error(f"tensorlite.compat.{title}", name, __all__)
