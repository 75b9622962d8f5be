"""tf.contrib.data: datasets as TensorFlow 1.2 and 1.3 had them, and steps that others apply."""

from __future__ import annotations

from typing import Any, TypeVar

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.datasets.data_experimental import Step
from tensorlite.compat.shared.datasets.tf_data import FILES, of_files
from tensorlite.compat.v1 import data
from tensorlite.compat.v1.data_experimental import (
    AUTOTUNE,
    Counter,
    CsvDataset,
    Optional,
    RandomDataset,
    Reducer,
    SqlDataset,
    TFRecordWriter,
    bucket_by_sequence_length,
    choose_from_datasets,
    dense_to_sparse_batch,
    enumerate_dataset,
    get_next_as_optional,
    get_single_element,
    group_by_reducer,
    group_by_window,
    ignore_errors,
    make_batched_features_dataset,
    make_csv_dataset,
    map_and_batch,
    parallel_interleave,
    parse_example_dataset,
    prefetch_to_device,
    rejection_resample,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    unbatch,
    unique,
)
from tensorlite.compat.v1.graphs.framework import constant
from tensorlite.core.dtypes import int64

__all__ = [
    "AUTOTUNE",
    "Counter",
    "CsvDataset",
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "Optional",
    "RandomDataset",
    "Reducer",
    "SqlDataset",
    "TFRecordDataset",
    "TFRecordWriter",
    "TextLineDataset",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "reduce_dataset",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "sliding_window_batch",
    "sloppy_interleave",
    "unbatch",
    "unique",
]

T = TypeVar("T")


class Dataset(data.Dataset[T]):
    """A dataset that is mapped with the arguments of TensorFlow 1.2."""

    def map(  # type: ignore[override]  # TensorFlow 1.2 had other arguments
        self,
        map_func: Any,
        num_threads: Any = None,
        output_buffer_size: Any = None,
        num_parallel_calls: Any = None,
    ) -> Any:
        """Return the dataset of map_func's results, with arguments as in TensorFlow 1.2.

        num_threads goes before num_parallel_calls; with output_buffer_size the results are
        prefetched.
        """
        calls = num_parallel_calls if num_threads is None else num_threads
        made = super().map(map_func, num_parallel_calls=calls)
        return (
            made if output_buffer_size is None else made.prefetch(output_buffer_size)
        )


class Iterator(data.Iterator):
    """An iterator of a graph, made of a dataset by its class."""

    @staticmethod
    def from_dataset(dataset: Any, shared_name: str | None = None) -> Any:
        """Return an iterator over the dataset whose initializer is to be run first."""
        return data.make_initializable_iterator(dataset, shared_name)


TFRecordDataset: Any = of_files(FILES[0], Dataset)
TextLineDataset: Any = of_files(FILES[1], Dataset)
FixedLengthRecordDataset: Any = of_files(FILES[2], Dataset)


def batch_and_drop_remainder(batch_size: Any) -> Step:
    """Return a function for Dataset.apply that makes batches, leaving out a last short one."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Step:
    """Return a function for Dataset.apply: padded batches, without a last short one."""
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sloppy_interleave(
    map_func: Any, cycle_length: Any, block_length: Any = 1
) -> Step:
    """Return a function for Dataset.apply that interleaves the datasets of map_func's results."""
    return parallel_interleave(map_func, cycle_length, block_length)


def reduce_dataset(dataset: Any, reducer: Reducer) -> Any:
    """Return what a reducer makes of a dataset."""
    begun = reducer.init_func(constant(0, int64))
    return reducer.finalize_func(dataset.reduce(begun, reducer.reduce_func))


def sliding_window_batch(
    window_size: Any,
    stride: Any = None,
    window_shift: Any = None,
    window_stride: Any = 1,
) -> Step:
    """Return a step to batches of elements beside each other, each one beginning a little later."""
    shift = window_shift if stride is None else stride
    steps = 1 if shift is None else shift

    def step(dataset: Any) -> Any:
        windows = dataset.window(window_size, steps, window_stride, True)
        return windows.flat_map(lambda *parts: _batches(parts, window_size))

    return step


def _batches(parts: tuple[Any, ...], size: Any) -> Any:
    """Return the windows of each component as one dataset of batches."""
    found = parts[0] if len(parts) == 1 else data.Dataset.zip(parts)
    return found.batch(size)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
