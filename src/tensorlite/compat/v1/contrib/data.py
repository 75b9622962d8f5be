"""tf.contrib.data: datasets as TensorFlow 1.2 and 1.3 had them, and steps that others apply."""

from __future__ import annotations

from typing import Any, TypeVar

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared.data_experimental import (
    AUTOTUNE,
    CsvDataset,
    RandomDataset,
    Step,
    bucket_by_sequence_length,
    choose_from_datasets,
    enumerate_dataset,
    get_single_element,
    group_by_window,
    map_and_batch,
    parallel_interleave,
    prefetch_to_device,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    unbatch,
    unique,
)
from tensorlite.compat.shared.tf_data import FILES, of_files
from tensorlite.compat.v1 import data

__all__ = [
    "AUTOTUNE",
    "CsvDataset",
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "RandomDataset",
    "TFRecordDataset",
    "TextLineDataset",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "enumerate_dataset",
    "get_single_element",
    "group_by_window",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "prefetch_to_device",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
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
        calls = num_parallel_calls if num_threads is None else num_threads
        made = super().map(map_func, num_parallel_calls=calls)
        return (
            made if output_buffer_size is None else made.prefetch(output_buffer_size)
        )


class Iterator(data.Iterator):
    """An iterator of a graph, made of a dataset by its class."""

    @staticmethod
    def from_dataset(dataset: Any, shared_name: str | None = None) -> Any:
        return data.make_initializable_iterator(dataset, shared_name)


TFRecordDataset: Any = of_files(FILES[0], Dataset)
TextLineDataset: Any = of_files(FILES[1], Dataset)
FixedLengthRecordDataset: Any = of_files(FILES[2], Dataset)


def batch_and_drop_remainder(batch_size: Any) -> Step:
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Step:
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sloppy_interleave(
    map_func: Any, cycle_length: Any, block_length: Any = 1
) -> Step:
    return parallel_interleave(map_func, cycle_length, block_length)


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
