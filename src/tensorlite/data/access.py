"""Elements of datasets by their numbers, in any order: those that were read are kept."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from tensorlite.core.dispatch import tracer
from tensorlite.core.errors import OutOfRangeError
from tensorlite.data.base import Pipeline
from tensorlite.data.iterators import DatasetIterator, IteratorState


class _Read:
    """What was read of a dataset so far, in its order, and what is to be read of it."""

    def __init__(self, dataset: Pipeline[Any]) -> None:
        run = IteratorState()  # which knows no dataset, so that this may be forgotten
        run.begin(dataset)
        self._elements: list[Any] = []
        self._rest: Iterator[Any] = iter(run)
        self._lock = Lock()

    def element(self, index: int) -> Any:
        """Return the element of a number; OutOfRangeError where there are fewer."""
        with self._lock:
            while len(self._elements) <= index:
                try:
                    self._elements.append(next(self._rest))
                except StopIteration:
                    raise _outside(index, len(self._elements)) from None
            return self._elements[index]


_read: WeakKeyDictionary[Pipeline[Any], _Read] = WeakKeyDictionary()
_lock = Lock()


def element_at(dataset: Any, index: Any) -> Any:
    """Return a dataset's element by its number, from 0; OutOfRangeError where there is none.

    Eagerly all elements of a dataset are of one run, so shuffled ones have an order that stays.
    What was read is kept as long as the dataset is. In a graph it is read when that runs.

    >>> from tensorlite.data.access import element_at
    >>> numbers = tl.data.Dataset.range(5).map(lambda x: x * x)
    >>> print(element_at(numbers, 3), element_at(numbers, 1))
    9 1
    """
    if tracer() is not None:
        return DatasetIterator(dataset.skip(index).take(1)).get_next()
    place = int(index)
    if place < 0:
        raise _outside(place, dataset.size)
    with _lock:
        found = _read.get(dataset)
        if found is None:
            found = _read[dataset] = _Read(dataset)
    return found.element(place)


def _outside(index: int, size: int) -> OutOfRangeError:
    return OutOfRangeError(
        f"Index out of range: there is no element {index} of a dataset of "
        f"{size if size >= 0 else 'unknown size'}; the first is 0"
    )
