"""The kinds of queues: in which order elements come out, how many become a batch, what makes them.

What all have in common, the lines of those who wait, is in contents.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any, ClassVar

import numpy as np

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.queues.contents import Element, QueueState
from tensorlite.ops.random.words import Seeds, Words
from tensorlite.ops.state.making import Making


class FIFOState(QueueState):
    """Elements come out in the order in which they went in."""

    def __init__(
        self, components: tuple[TensorSpec, ...], capacity: int, name: str
    ) -> None:
        super().__init__(components, capacity, name)
        self._elements: deque[Element] = deque()

    def size(self) -> int:
        """Return the number of elements that are in."""
        return len(self._elements)

    def put(self, element: Element) -> None:
        """Take an element in, behind the others."""
        self._elements.append(element)

    def take(self) -> Element:
        """Give out the element that came first."""
        return self._elements.popleft()

    def put_back(self, elements: Sequence[Element]) -> None:
        """Take elements in again, before the others."""
        self._elements.extendleft(reversed(elements))


class PaddingFIFOState(FIFOState):
    """Elements whose sizes differ; in a batch the smaller are filled up with zeros."""

    kind: ClassVar[str] = "PaddingFIFOQueue"

    def batch(self, elements: Sequence[Element]) -> tuple[Array, ...]:
        """Return elements as one array for each component, as large as the largest."""
        return tuple(
            [
                _padded([x[i] for x in elements], spec)
                for i, spec in enumerate(self.components)
            ]
        )


def _padded(rows: Sequence[Array], spec: TensorSpec) -> Array:
    shape = [
        max((row.shape[axis] for row in rows), default=0) if size is None else size
        for axis, size in enumerate(spec.dims)
    ]
    nothing = "" if spec.dtype.kind == "S" else 0
    result = np.full((len(rows), *shape), nothing, spec.dtype.numpy)
    for i, row in enumerate(rows):
        place: tuple[int | slice, ...] = (i, *map(slice, row.shape))
        result[place] = row
    return result


class RandomShuffleState(QueueState):
    """Elements come out in random order; while the queue is open some are left, to mix well."""

    kind: ClassVar[str] = "RandomShuffleQueue"

    def __init__(
        self,
        components: tuple[TensorSpec, ...],
        capacity: int,
        name: str,
        min_after_dequeue: int,
        seeds: Seeds,
    ) -> None:
        super().__init__(components, capacity, name)
        self.min_after_dequeue = min_after_dequeue
        self._draws = Words(seeds)
        self._elements: list[Element] = []

    def size(self) -> int:
        """Return the number of elements that are in."""
        return len(self._elements)

    def put(self, element: Element) -> None:
        """Take an element in."""
        self._elements.append(element)

    def take(self) -> Element:
        """Give out any element, each as likely as the others."""
        elements = self._elements
        chosen = self._draws.below(len(elements))
        elements[chosen], elements[-1] = elements[-1], elements[chosen]
        return elements.pop()

    def put_back(self, elements: Sequence[Element]) -> None:
        """Take elements in again."""
        self._elements.extend(elements)

    def available(self, wanted: int) -> int:
        """Return how many elements may be given out now."""
        return len(self._elements) - (0 if self.closed else self.min_after_dequeue)


class PriorityState(QueueState):
    """Elements come out by their first component, the lowest first; equal ones as they came."""

    kind: ClassVar[str] = "PriorityQueue"

    def __init__(
        self, components: tuple[TensorSpec, ...], capacity: int, name: str
    ) -> None:
        super().__init__(components, capacity, name)
        self._heap: list[tuple[int, int, Element]] = []
        self._turn = count()

    def size(self) -> int:
        """Return the number of elements that are in."""
        return len(self._heap)

    def put(self, element: Element) -> None:
        """Take an element in."""
        heappush(self._heap, (int(element[0]), next(self._turn), element))

    def take(self) -> Element:
        """Give out the element whose first component is lowest."""
        return heappop(self._heap)[2]

    def put_back(self, elements: Sequence[Element]) -> None:
        """Take elements in again; never any, since batches are taken at a time."""
        for element in elements:
            self.put(element)

    def available(self, wanted: int) -> int:
        """Return how many elements may be given out: a batch is the lowest of those it needs."""
        size = len(self._heap)
        return size if size >= wanted else 0

    def check_number(self, number: int) -> None:
        """Raise InvalidArgumentError for more elements than can be in at a time."""
        if 0 <= self.capacity < number:
            raise InvalidArgumentError(
                f"{self.title}: {number} elements are asked for, and no more than its capacity of "
                f"{self.capacity} are ever in it; a batch of a priority queue is taken at a time, "
                "so that it is sorted"
            )


class _MakesQueue(Making, abstract=True):
    """Makes a queue of elements of some components; a capacity below 0 is any number."""

    components: tuple[TensorSpec, ...]
    capacity: int = -1
    made: ClassVar[type[Any]]

    def inner(self) -> tuple[TensorSpec, ...]:
        """Return the components' specs."""
        return self.components

    def fresh(self, xp: Xp) -> QueueState:
        """Return a new queue."""
        state: QueueState = self.made(self.components, self.capacity, self.label)
        return state


class FIFOQueueV2(_MakesQueue):
    """Makes a queue whose elements come out in the order in which they went in."""

    made = FIFOState


class PaddingFIFOQueueV2(_MakesQueue):
    """Makes a queue of elements whose sizes differ."""

    made = PaddingFIFOState


class PriorityQueueV2(_MakesQueue):
    """Makes a queue whose elements come out by their first component."""

    made = PriorityState


class RandomShuffleQueueV2(_MakesQueue):
    """Makes a queue whose elements come out in random order."""

    free = (*Making.free, "seed", "seed2")
    min_after_dequeue: int = 0
    seed: int = 0
    seed2: int = 0

    def fresh(self, xp: Xp) -> QueueState:
        """Return a new queue."""
        return RandomShuffleState(
            self.components,
            self.capacity,
            self.label,
            self.min_after_dequeue,
            (self.seed, self.seed2),
        )
