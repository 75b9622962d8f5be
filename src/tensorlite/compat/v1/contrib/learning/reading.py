"""Examples of files in batches, by queues: read_batch_examples and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays, gfile
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.pipelines.batching import (
    batch_join,
    shuffle_batch_join,
)
from tensorlite.compat.v1.pipelines.input import string_input_producer
from tensorlite.compat.v1.pipelines.parsing import parse_example
from tensorlite.compat.v1.pipelines.readers import TFRecordReader
from tensorlite.core.errors import InvalidArgumentError


def _file_names(pattern: Any, randomize: bool) -> list[str]:
    listed = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    if not listed:
        raise InvalidArgumentError(f"No files given to dequeue_examples: {pattern}.")
    names = [name for one in listed for name in gfile.glob_v2(one)]
    if not names:
        raise InvalidArgumentError(f"No files match {pattern}.")
    return names if randomize else sorted(names)


def _check_sizes(batch_size: Any, capacity: Any, read_batch_size: Any) -> None:
    if batch_size is None or batch_size <= 0:
        raise InvalidArgumentError(f"Invalid batch_size {batch_size}.")
    if capacity is None or capacity <= batch_size:
        raise InvalidArgumentError(
            f"Invalid queue_capacity {capacity}; it is above the batch_size."
        )
    if read_batch_size is None or read_batch_size <= 0:
        raise InvalidArgumentError(f"Invalid read_batch_size {read_batch_size}.")


def read_keyed_batch_examples(
    file_pattern: Any,
    batch_size: int,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Any, Any]:
    """Return the keys and the examples of the next batch of files, by queues.

    read_batch_size has no effect: records are read one by one.
    """
    _check_sizes(batch_size, queue_capacity, read_batch_size)
    names = _file_names(file_pattern, randomize_input)
    with framework.name_scope(name, "read_batch_examples"):
        queue = string_input_producer(
            names,
            num_epochs=num_epochs,
            shuffle=randomize_input,
            seed=seed,
            name="file_name_queue",
        )
        pairs = [_read(reader, queue, parse_fn) for _ in range(max(num_threads, 1))]
        each, parsed = [_listed(*pair) for pair in pairs], pairs[0][1]
        smaller = num_epochs is not None
        if not randomize_input:
            found = batch_join(
                each, batch_size, queue_capacity, allow_smaller_final_batch=smaller
            )
        else:
            least = min(queue_capacity - 1, max(batch_size, queue_capacity // 2))
            found = shuffle_batch_join(
                each,
                batch_size,
                queue_capacity,
                least,
                seed=seed,
                allow_smaller_final_batch=smaller,
            )
        keys, *values = found
        if not isinstance(parsed, dict):
            return keys, values[0]
        return keys, dict(zip(parsed, values, strict=True))


def _read(reader: Callable[[], Any], queue: Any, parse_fn: Any) -> tuple[Any, Any]:
    key, value = reader().read(queue)
    return key, value if parse_fn is None else parse_fn(value)


def _listed(key: Any, value: Any) -> list[Any]:
    return [key, *value.values()] if isinstance(value, dict) else [key, value]


def read_batch_examples(
    file_pattern: Any,
    batch_size: int,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    num_threads: int = 1,
    read_batch_size: int = 1,
    parse_fn: Any = None,
    name: str | None = None,
    seed: int | None = None,
) -> Any:
    """Return the examples of the next batch of files, by queues."""
    _, found = read_keyed_batch_examples(
        file_pattern,
        batch_size,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        num_threads,
        read_batch_size,
        parse_fn,
        name,
        seed,
    )
    return found


def read_keyed_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    feature_queue_capacity: int = 100,
    num_enqueue_threads: int = 2,
    parse_fn: Any = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> tuple[Any, Any]:
    """Return the keys and the features of the next batch of files' examples.

    feature_queue_capacity and num_enqueue_threads have no effect: batches are parsed as they are
    asked for.
    """
    with framework.name_scope(name, "read_batch_features"):
        keys, examples = read_keyed_batch_examples(
            file_pattern,
            batch_size,
            reader,
            randomize_input,
            num_epochs,
            queue_capacity,
            reader_num_threads,
            read_batch_size or batch_size,
            parse_fn,
        )
        return keys, parse_example(arrays.identity(examples), features)


def read_batch_features(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Callable[[], Any],
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    feature_queue_capacity: int = 100,
    reader_num_threads: int = 1,
    num_enqueue_threads: int = 2,
    parse_fn: Any = None,
    name: str | None = None,
    read_batch_size: int | None = None,
) -> Any:
    """Return the features of the next batch of files' examples."""
    _, found = read_keyed_batch_features(
        file_pattern,
        batch_size,
        features,
        reader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads,
        feature_queue_capacity,
        num_enqueue_threads,
        parse_fn,
        name,
        read_batch_size,
    )
    return found


def read_batch_record_features(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    queue_capacity: int = 10000,
    reader_num_threads: int = 1,
    name: str | None = "dequeue_record_examples",
) -> Any:
    """Return the features of the next batch of examples of TFRecord files."""
    return read_batch_features(
        file_pattern,
        batch_size,
        features,
        TFRecordReader,
        randomize_input,
        num_epochs,
        queue_capacity,
        reader_num_threads=reader_num_threads,
        name=name,
    )
