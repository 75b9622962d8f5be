"""tf.train's batches of tensors, which runners gather in queues. Producers are in input.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.v1.functions import control_flow
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.pipelines.input import pipelined
from tensorlite.compat.v1.summary import scalar
from tensorlite.compat.views import plain, shown
from tensorlite.graph_mode import input_producers as inputs
from tensorlite.graph_mode.input_producers import Batching
from tensorlite.graph_mode.streams import seeds_of

__all__ = [
    "batch",
    "batch_join",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "shuffle_batch",
    "shuffle_batch_join",
]


def _shapes(shapes: Any) -> Any:
    return None if shapes is None else [plain(TensorShape(x)) for x in shapes]


def _if_kept(kept: Any, put: Callable[[], Any]) -> Any:
    """Return what puts an element where it is to be kept, and else does nothing."""
    return plain(control_flow.cond(shown(kept), put, framework.no_op))


def _fifo(padded: bool) -> Callable[..., Any]:
    return lambda how, specs: how.fifo(specs, padded)


def _shuffled(least: int, seed: int | None) -> Callable[..., Any]:
    return lambda how, specs: how.shuffled(specs, least, seeds_of(seed))


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of tensors, [batch_size, ...], which runners gather in a queue.

    With enqueue_many the tensors are rows already. dynamic_pad fills with zeros up to the longest;
    otherwise shapes are to be known. The last batch is left out unless allow_smaller_final_batch.
    """
    return maybe_batch(
        tensors,
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of those tensors for which keep_input is true, as tf.train.batch does."""
    smaller, keep = allow_smaller_final_batch, plain(keep_input)
    known = _shapes(shapes)
    last = (smaller, shared_name, keep, scalar, _if_kept)
    how = Batching(plain(batch_size), capacity, enqueue_many, known, *last)
    return pipelined(
        lambda: inputs.batched(
            [plain(tensors)], how, _fifo(dynamic_pad), num_threads
        ),
        "batch",
        name,
    )


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of tensors in random order, [batch_size, ...].

    Elements are drawn among at least min_after_dequeue that wait; at most capacity do. With
    enqueue_many the tensors are rows already.
    """
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches of those tensors for which keep_input is true."""
    smaller, keep = allow_smaller_final_batch, plain(keep_input)
    known = _shapes(shapes)
    last = (smaller, shared_name, keep, scalar, _if_kept)
    how = Batching(plain(batch_size), capacity, enqueue_many, known, *last)
    queue = _shuffled(min_after_dequeue, seed)
    return pipelined(
        lambda: inputs.batched([plain(tensors)], how, queue, num_threads),
        "shuffle_batch",
        name,
    )


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches of tensors that several threads gather, one for each of tensors_list."""
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return batches, gathered by several threads, of tensors for which keep_input is true."""
    smaller, keep = allow_smaller_final_batch, plain(keep_input)
    known = _shapes(shapes)
    last = (smaller, shared_name, keep, scalar, _if_kept)
    how = Batching(plain(batch_size), capacity, enqueue_many, known, *last)
    given = plain(list(tensors_list))
    return pipelined(
        lambda: inputs.batched(given, how, _fifo(dynamic_pad)), "batch_join", name
    )


def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches that several threads gather, one for each of tensors_list."""
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return shuffled batches, by several threads, of tensors for which keep_input is true."""
    smaller, keep = allow_smaller_final_batch, plain(keep_input)
    known = _shapes(shapes)
    last = (smaller, shared_name, keep, scalar, _if_kept)
    how = Batching(plain(batch_size), capacity, enqueue_many, known, *last)
    given, queue = plain(list(tensors_list)), _shuffled(min_after_dequeue, seed)
    return pipelined(
        lambda: inputs.batched(given, how, queue), "shuffle_batch_join", name
    )
