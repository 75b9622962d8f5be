"""slim.parallel_reader: records that several readers put into one queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorlite.compat.shared.elementwise import add_n, cast
from tensorlite.compat.v1 import gfile
from tensorlite.compat.v1.graphs.framework import name_scope
from tensorlite.compat.v1.pipelines.input import (
    QueueRunner,
    add_queue_runner,
    string_input_producer,
)
from tensorlite.compat.v1.pipelines.queues import FIFOQueue, RandomShuffleQueue
from tensorlite.compat.v1.pipelines.readers import ReaderBase
from tensorlite.compat.v1.summary import scalar
from tensorlite.core.dtypes import float32, string
from tensorlite.core.errors import DTypeError, InvalidArgumentError


class ParallelReader(ReaderBase):
    """Several readers of reader_class(**reader_kwargs), whose records common_queue gathers.

    It has two components of strings, keys and values; where it shuffles, records are shuffled.
    """

    def __init__(
        self,
        reader_class: Callable[..., Any],
        common_queue: Any,
        num_readers: int = 4,
        reader_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if [x.base_dtype for x in common_queue.dtypes] != [string, string]:
            raise DTypeError("common_queue.dtypes must be [tf.string, tf.string]")
        self._readers = [
            reader_class(**reader_kwargs or {}) for _ in range(num_readers)
        ]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """How many readers there are."""
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        """The queue of records."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Return (key, value) of the next record; readers take files' names from queue."""
        self._fill(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(
        self, queue: Any, num_records: Any, name: str | None = None
    ) -> Any:
        """Return (keys, values) of at most num_records next records."""
        self._fill(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill(self, queue: Any) -> None:
        """Add a runner that puts what the readers read into the queue of records."""
        common = self._common_queue
        puts = [common.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(common, puts))

    def num_records_produced(self, name: str | None = None) -> Any:
        """Return how many records the readers have read, an int64 scalar."""
        return add_n([x.num_records_produced() for x in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Return how many files the readers have read to their ends, an int64 scalar."""
        return add_n([x.num_work_units_completed() for x in self._readers], name=name)


def parallel_read(
    data_sources: Any,
    reader_class: Callable[..., Any],
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Mapping[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """Return (key, value) of records of files that several readers read, num_epochs times.

    data_sources are names or patterns of files. With shuffle the files come in a new order each
    time, and records are drawn among at least min_after_dequeue.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "parallel_read"):
        names = string_input_producer(
            files, num_epochs, shuffle, seed, name="filenames"
        )
        kinds = dtypes or [string, string]
        if shuffle:
            common: Any = RandomShuffleQueue(
                capacity, min_after_dequeue, kinds, seed=seed, name="common_queue"
            )
        else:
            common = FIFOQueue(capacity, kinds, name="common_queue")
        share = cast(common.size(), float32) * (1.0 / capacity)
        scalar(f"fraction_of_{capacity}_full", share)
        reader = ParallelReader(reader_class, common, num_readers, reader_kwargs)
        return reader.read(names)


def single_pass_read(
    data_sources: Any,
    reader_class: Callable[..., Any],
    reader_kwargs: Mapping[str, Any] | None = None,
    scope: str | None = None,
) -> Any:
    """Return (key, value) of the records of files, each once and in order."""
    files = get_data_files(data_sources)
    with name_scope(scope, "single_pass_read"):
        names = string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**reader_kwargs or {}).read(names)


def get_data_files(data_sources: Any) -> list[str]:
    """Return the names of files that names and patterns say; InvalidArgumentError if none match."""
    if isinstance(data_sources, (list, tuple)):
        found = [name for source in data_sources for name in get_data_files(source)]
    elif any(mark in data_sources for mark in "*?["):
        found = gfile.Glob(data_sources)
    else:
        found = [data_sources]
    if not found:
        raise InvalidArgumentError(f"No data files found in {data_sources}")
    return found
