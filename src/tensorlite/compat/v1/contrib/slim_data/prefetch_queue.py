"""slim.prefetch_queue: batches that are made before they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorlite.compat.shared.elementwise import cast
from tensorlite.compat.v1.graphs.framework import name_scope
from tensorlite.compat.v1.pipelines.input import QueueRunner, add_queue_runner
from tensorlite.compat.v1.pipelines.queues import FIFOQueue, PaddingFIFOQueue
from tensorlite.compat.v1.summary import scalar
from tensorlite.core.dtypes import float32


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return a queue whose elements are what the tensors, a list or a dict, are when they are run.

    A runner fills it with num_threads threads: start it. Of a dict, elements are dicts.
    """
    names = sorted(tensors) if isinstance(tensors, Mapping) else None
    listed = tensors if names is None else [tensors[key] for key in names]
    with name_scope(name, "prefetch_queue"):
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue = kind(
            capacity,
            [x.dtype for x in listed],
            [x.get_shape() for x in listed],
            names=names,
            shared_name=shared_name,
        )
        put = queue.enqueue(tensors)
        add_queue_runner(QueueRunner(queue, [put] * num_threads))
        share = cast(queue.size(), float32) * (1.0 / capacity)
        scalar(f"fraction_of_{capacity}_full", share)
    return queue
