"""Queues of TensorFlow 1: each session has its own, and their operations bear names."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shapes import TensorShape, as_shape
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.shapes import AnyShape
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph
from tensorlite.graph_mode.queues import node_name, of_sessions
from tensorlite.graph_mode.streams import seeds_of
from tensorlite.ops.queues import base, queues

__all__ = [
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
]


class QueueBase(base.QueueBase):
    """What all queues have, with names for what they add to a graph."""

    @staticmethod
    def from_list(index: Any, queues: Any) -> Any:
        """Return the queue at a place of several, which a tensor may say as it runs."""
        found = in_graph(
            lambda: base.QueueBase.from_list(plain(index), queues), None, inner=None
        )
        if not isinstance(found, base.SelectedQueue):
            return found
        selected: Any = object.__new__(_Selected)
        selected.__dict__.update(found.__dict__)
        selected.name = "GatherV2"  # as TensorFlow has it, which gathers handles
        return selected

    def _begin(self, begin: Any, *args: Any, **kwargs: Any) -> None:
        """Make the queue, whose operations are called by its node from then on."""
        with of_sessions():
            begin(self, *args, **kwargs)
        if active_graph() is not None:
            self.name = node_name(self)

    @property
    def _last_name(self) -> str:
        """What the queue is called in its scope, and its operations in theirs."""
        return self.name.rpartition("/")[2]

    @property
    def queue_ref(self) -> Tensor:
        found: Tensor = shown(self.handle)
        return found

    @property
    def shapes(self) -> list[Any]:
        return [as_shape(spec.shape) for spec in self._components]

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        put = super().enqueue
        return in_graph(lambda: put(plain(vals)), f"{self._last_name}_enqueue", name)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        put = super().enqueue_many
        return in_graph(
            lambda: put(plain(vals)), f"{self._last_name}_EnqueueMany", name
        )

    def dequeue(self, name: str | None = None) -> Any:
        return in_graph(super().dequeue, f"{self._last_name}_Dequeue", name)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        take = super().dequeue_many
        return in_graph(
            lambda: take(plain(n)), f"{self._last_name}_DequeueMany", name
        )

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        take = super().dequeue_up_to
        return in_graph(
            lambda: take(plain(n)), f"{self._last_name}_DequeueUpTo", name
        )

    def close(  # type: ignore[override]  # an error is nothing that a graph holds
        self, cancel_pending_enqueues: bool = False, name: str | None = None
    ) -> Any:
        close = super().close
        return in_graph(
            lambda: close(cancel_pending_enqueues), f"{self._last_name}_Close", name
        )

    def size(self, name: str | None = None) -> Any:
        return in_graph(super().size, f"{self._last_name}_Size", name)

    def is_closed(self, name: str | None = None) -> Any:
        return in_graph(super().is_closed, f"{self._last_name}_Is_Closed", name)


class _Selected(QueueBase, base.SelectedQueue):
    """One of several queues, which one each operation finds out when it runs."""


def named(queue: base.QueueBase) -> Any:
    """Return a queue as programs of TensorFlow 1 have it."""
    kinds = {
        queues.FIFOQueue: FIFOQueue,
        queues.RandomShuffleQueue: RandomShuffleQueue,
    }
    found: Any = object.__new__(kinds[type(queue)])
    found.__dict__.update(queue.__dict__)
    found.name = node_name(queue)
    return found


def component_shapes(shapes: Any) -> Any:
    """Return a shape for each component, None where none are given; a single one may stand bare."""
    if shapes is None:
        return None
    several = isinstance(shapes, (list, tuple)) and not isinstance(shapes, AnyShape)
    listed = list(shapes) if several else [shapes]
    if all(isinstance(size, int) for size in listed):
        return [listed]
    return [plain(TensorShape(x)) for x in listed]


def component_names(names: Any) -> Any:
    """Return the names of components, of which one may stand bare."""
    return [names] if isinstance(names, str) else names


class FIFOQueue(QueueBase, queues.FIFOQueue):
    """A queue whose elements come out in the order in which they went in."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        self._begin(
            queues.FIFOQueue.__init__,
            capacity,
            dtypes,
            component_shapes(shapes),
            component_names(names),
            name,
            shared_name,
        )


class RandomShuffleQueue(QueueBase, queues.RandomShuffleQueue):
    """A queue whose elements come out in random order."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        self._begin(
            queues.RandomShuffleQueue.__init__,
            capacity,
            min_after_dequeue,
            dtypes,
            component_shapes(shapes),
            component_names(names),
            seeds_of(seed),
            name,
            shared_name,
        )


class PaddingFIFOQueue(QueueBase, queues.PaddingFIFOQueue):
    """A FIFOQueue of elements whose sizes differ, which batches fill up."""

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        self._begin(
            queues.PaddingFIFOQueue.__init__,
            capacity,
            dtypes,
            component_shapes(shapes),
            component_names(names),
            name,
            shared_name,
        )


class PriorityQueue(QueueBase, queues.PriorityQueue):
    """A queue whose elements come out by priority, the lowest first."""

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        self._begin(
            queues.PriorityQueue.__init__,
            capacity,
            types,
            component_shapes(shapes),
            component_names(names),
            name,
            shared_name,
        )
