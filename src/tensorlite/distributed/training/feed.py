"""Feed: the batches of a training run, with a position that it can be taken up at again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

from tensorlite.core.errors import (
    DTypeError,
    FailedPreconditionError,
    OutOfRangeError,
)
from tensorlite.data.dataset import Dataset

Data: TypeAlias = Iterable[Any] | Callable[[], Iterable[Any]]
"""A dataset or any other iterable, or a function that returns one."""


class Feed:
    """Batches in their order, from any position on; the position counts batches.

    Datasets and other iterables are begun anew, functions called again, and what was there
    already is passed over. An iterator, which cannot be begun anew, is read once; its batches
    are kept from the last `mark` on.

    >>> from tensorlite.distributed.training.feed import Feed
    >>> feed = Feed([10, 20, 30])
    >>> next(feed), next(feed)
    (10, 20)
    >>> feed.go_to(1)
    >>> next(feed), feed.position
    (20, 2)
    """

    def __init__(self, data: Data) -> None:
        if not (isinstance(data, Iterable) or callable(data)):
            raise DTypeError(
                f"data={data!r}; allowed are a tl.data.Dataset, any other iterable of batches, "
                "and a function that returns one"
            )
        self.data = data
        self.position = 0
        self._kept = _Kept(data) if isinstance(data, Iterator) else None
        self._batches: Iterator[Any] | None = self._kept

    def __iter__(self) -> Feed:
        """Return this feed."""
        return self

    def __next__(self) -> Any:
        """Return the next batch; StopIteration when there is none."""
        if self._batches is None:
            self._batches = self._begun()
        batch = next(self._batches)
        self.position += 1
        return batch

    def mark(self) -> None:
        """Note that no position before this one will be gone to."""
        if self._kept is not None:
            self._kept.forget(self.position)

    def go_to(self, position: int) -> None:
        """Let the batch at a position be next.

        Raises OutOfRangeError when the data ends before it, FailedPreconditionError for an
        iterator whose batches from there on were not kept.
        """
        if self._kept is not None:
            self._kept.go_to(position)
        elif position < self.position or self._batches is None:
            self._batches = self._begun()
            _pass_over(self._batches, position, position)
        else:
            _pass_over(self._batches, position - self.position, position)
        self.position = position

    def renew(self) -> None:
        """Begin the data anew at the next move, if it can be: it may be another now."""
        if self._kept is None:
            self._batches = None

    def _begun(self) -> Iterator[Any]:
        if isinstance(self.data, Dataset):
            self.data.rewind()
        return iter(self.data if isinstance(self.data, Iterable) else self.data())


def _pass_over(batches: Iterator[Any], count: int, position: int) -> None:
    passed = sum(1 for _ in islice(batches, count))
    if passed < count:
        raise OutOfRangeError(
            f"the data ends before batch {position}, where training is to go on: it has "
            f"{position - count + passed} batches now"
        )


class _Kept:
    """The batches of an iterator, of which those since the last mark can be had again."""

    def __init__(self, source: Iterator[Any]) -> None:
        self.source = source
        self.batches: deque[Any] = deque()
        self.first = 0
        """The position of the first batch that is kept."""
        self.next = 0

    def __iter__(self) -> _Kept:
        return self

    def __next__(self) -> Any:
        if self.next == self.first + len(self.batches):
            self.batches.append(next(self.source))
        self.next += 1
        return self.batches[self.next - 1 - self.first]

    def forget(self, position: int) -> None:
        while self.batches and self.first < position:
            self.batches.popleft()
            self.first += 1

    def go_to(self, position: int) -> None:
        if position < self.first:
            raise FailedPreconditionError(
                f"data: an iterator was read beyond batch {position} and cannot go back there; "
                "give an iterable, such as a tl.data.Dataset, or a function that returns one"
            )
        self.forget(position)
        if position > self.first:
            _pass_over(self.source, position - self.first, position)
            self.first = position
        self.next = position
