"""Resampling: elements are left out, or come twice, until their classes are as often as asked."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.data.elements import arguments, tensors
from tensorlite.data.functions import Preparing
from tensorlite.data.given import captured, value_of
from tensorlite.data.ordering import Draws
from tensorlite.data.recipes import Order

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")

_AT_ONCE = 32
"""After so many elements the shares of the classes are estimated anew."""
_BEFORE = 10
"""How many elements of each class are taken for seen before the first."""


class Rates(NamedTuple):
    """How elements are chosen so that classes with some shares get others."""

    accepted: np.ndarray[Any, Any]
    """For each class, which share of its elements the filter lets through."""
    unfiltered: float
    """Which share of the results is taken from elements that pass no filter."""


class Resampling(Preparing[T]):
    """What a Dataset offers to change how often elements of each class come."""

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: int | None = None,
    ) -> Dataset[Any]:
        """Return pairs of a class and an element, whose classes have the shares `target_dist`.

        `class_func` says the class of an element, a number. `initial_dist` are the shares that
        the classes have; they are estimated as elements come unless given.

        >>> numbers = tl.data.Dataset.range(1000)
        >>> pairs = numbers.rejection_resample(lambda x: x % 2, [0.9, 0.1], [0.5, 0.5], seed=1)
        >>> ones = [int(x) for x, _ in pairs]
        >>> sum(ones) < 0.2 * len(ones)
        True
        """
        ready = self._prepared(
            class_func, lambda: tuple(arguments(self.element_spec))
        )
        target = tensors(target_dist)
        first = None if initial_dist is None else tensors(initial_dist)
        draws = Draws(seed, Order.ANEW)

        def pairs() -> Iterator[tuple[Any, Any]]:
            for element in self.source():
                yield ready.call(*arguments(element)), element

        def rates() -> Iterator[Rates]:
            return _of_a_run((int(kind) for kind, _ in pairs()), target, first)

        def source() -> Iterator[Any]:
            words = draws.for_a_run()
            filtered = (
                pair
                for rate, pair in zip(rates(), pairs(), strict=False)
                if words.share() < rate.accepted[int(pair[0])]
            )
            return _either(pairs(), filtered, rates(), words.share)

        made: Dataset[Any] = self._made(
            source,
            spec=lambda: (ready.spec(), self.element_spec),
            captures=(*ready.captures, *captured(target), *captured(first)),
            chances=(draws,),
        )
        return made


def _of_a_run(kinds: Iterator[int], target: Any, first: Any) -> Iterator[Rates]:
    """Return the rates for each element, from the shares of classes that are given, or come."""
    wanted = _shares(target, "target_dist")
    if first is None:
        return _estimated(kinds, wanted)
    return itertools.repeat(_rates(_shares(first, "initial_dist"), wanted))


def _shares(given: Any, what: str) -> np.ndarray[Any, Any]:
    found = np.asarray(value_of(given).numpy(), np.float64)
    if found.ndim != 1 or (found < 0).any():
        raise InvalidArgumentError(
            f"rejection_resample: {what}={found}; allowed is a vector of shares of 0 or more"
        )
    return found


def _rates(had: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> Rates:
    """Return the rates that leave out as little as can be."""
    if had.shape != wanted.shape:
        raise InvalidArgumentError(
            f"rejection_resample: there are shares of {len(had)} classes, and {len(wanted)} of "
            "them in target_dist"
        )
    ratio = wanted / (had + np.finfo(np.float32).tiny)
    least, most = ratio.min(), ratio.max()
    if least == most:
        return Rates(np.ones_like(ratio), 1.0)
    return Rates((ratio - least) / (most - least), float(least))


def _estimated(kinds: Iterator[int], wanted: np.ndarray[Any, Any]) -> Iterator[Rates]:
    """Yield rates for each element, by the classes of those so far."""
    counts = np.full(len(wanted), _BEFORE)
    while some := list(itertools.islice(kinds, _AT_ONCE)):
        if not 0 <= min(some) <= max(some) < len(wanted):
            raise InvalidArgumentError(
                f"rejection_resample: classes {sorted(set(some))}; allowed are 0 to "
                f"{len(wanted) - 1}"
            )
        counts += np.bincount(some, minlength=len(wanted))
        yield from itertools.repeat(_rates(counts / counts.sum(), wanted), _AT_ONCE)


def _either(
    originals: Iterator[Any],
    filtered: Iterator[Any],
    rates: Iterator[Rates],
    draw: Callable[[], float],
) -> Iterator[Any]:
    """Yield elements of one or the other, by their rates, until the chosen one has none."""
    end = object()
    for rate in rates:
        element = next(originals if draw() < rate.unfiltered else filtered, end)
        if element is end:
            return
        yield element
