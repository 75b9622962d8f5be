"""Runs that go on behind an error: one element that cannot be made does not end a dataset.

A generator is at its end when it raises. Here stands what steps are made of that are not: `map`,
`filter` and `takewhile` of Python go on by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Resumed(Generic[T, U]):
    """What a step makes of elements, begun anew with those that are left when it fails.

    What the step is to know of the elements before must not stand in its generator.
    """

    def __init__(
        self, step: Callable[[Iterator[T]], Iterator[U]], elements: Iterator[T]
    ) -> None:
        self._step = step
        self._elements = elements
        self._made = step(elements)

    def __iter__(self) -> Iterator[U]:
        """Return this iterator."""
        return self

    def __next__(self) -> U:
        """Return the next element."""
        try:
            return next(self._made)
        except StopIteration:
            # What nobody reads any more is let go: files close, threads end.
            self._elements, self._made = iter(()), iter(())
            raise
        except Exception:
            self._made = self._step(self._elements)
            raise


class Chained(Generic[T]):
    """The elements of several runs, one after the other; those behind an error, too."""

    def __init__(self, runs: Iterator[Iterator[T]]) -> None:
        self._runs = runs
        self._run: Iterator[T] = iter(())

    def __iter__(self) -> Iterator[T]:
        """Return this iterator."""
        return self

    def __next__(self) -> T:
        """Return the next element."""
        while True:
            try:
                return next(self._run)
            except StopIteration:
                self._run = iter(())
                self._run = next(self._runs)


class Zipped:
    """Rows of the elements of several runs; behind an error all go on with their next ones."""

    def __init__(self, runs: Sequence[Iterator[Any]]) -> None:
        self._runs = runs

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Return this iterator."""
        return self

    def __next__(self) -> tuple[Any, ...]:
        """Return the next row."""
        row: list[Any] = []
        try:
            for run in self._runs:
                row.append(next(run))  # noqa: PERF401  it is to be known how many there were
        except StopIteration:
            raise
        except Exception:
            for run in self._runs[len(row) + 1 :]:
                next(outcomes(run), None)
            raise
        return tuple(row)


class Watched(Generic[T]):
    """The elements of a run, which knows whether it gave any."""

    def __init__(self, elements: Iterator[T]) -> None:
        self._elements = elements
        self.is_empty = True

    def __iter__(self) -> Iterator[T]:
        """Return this iterator."""
        return self

    def __next__(self) -> T:
        """Return the next element."""
        element = next(self._elements)
        self.is_empty = False
        return element


class Outcome(NamedTuple):
    """An element, or what went wrong when it was made."""

    element: Any = None
    error: BaseException | None = None

    def value(self) -> Any:
        """Return the element; raise what went wrong."""
        if self.error is not None:
            raise self.error
        return self.element


def outcomes(elements: Iterator[Any]) -> Iterator[Outcome]:
    """Yield each element, or what went wrong with it."""
    while True:
        try:
            element = next(elements)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001  raised where the elements are read
            yield Outcome(error=error)
        else:
            yield Outcome(element)


def run_of(elements: Iterator[T], count: int) -> list[T]:
    """Return the next elements; where one cannot be made, raise that when all were asked for."""
    found: list[T] = []
    try:
        found.extend(islice(elements, count))
    except Exception:
        for _ in islice(outcomes(elements), count - len(found) - 1):
            pass
        raise
    return found


def without_errors(
    elements: Iterator[T], told: Callable[[BaseException], None]
) -> Iterator[T]:
    """Yield the elements that could be made; `told` is called with each error."""
    for element, error in outcomes(elements):
        if error is None:
            yield element
        else:
            told(error)
