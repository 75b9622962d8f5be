"""Steps that change how a dataset runs, not what it gives: prefetch, cache, options, NumPy."""

from __future__ import annotations

import builtins
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tensorlite.core.dispatch import constant, tracer
from tensorlite.core.dtypes import int64
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import shown, to_host
from tensorlite.data.background import AUTOTUNE, ahead
from tensorlite.data.base import INFINITE, UNKNOWN, Pipeline, Recipe
from tensorlite.data.caching import FileCache
from tensorlite.data.composites import each
from tensorlite.data.given import captured, number, number_now
from tensorlite.data.iterators import DatasetIterator, only, single_element
from tensorlite.data.options import Options
from tensorlite.data.resuming import Resumed, without_errors
from tensorlite.ops.ragged.base import RaggedParts
from tensorlite.ops.sparse.dense import to_dense
from tensorlite.ops.sparse.tensor import SparseTensor

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")

log = logging.getLogger("tensorlite.data")

PREFETCHED = 2
"""How many elements are made ahead if nobody says."""


class Running(Pipeline[T]):
    """What a Dataset offers to run in another way."""

    def prefetch(self, buffer_size: Any = AUTOTUNE) -> Dataset[T]:
        """Return the same elements, of which a thread makes up to `buffer_size` ahead.

        The thread begins with the first element that is asked for, and ends with the iterator.

        >>> print([int(x) for x in tl.data.Dataset.range(3).prefetch(1)])
        [0, 1, 2]
        """
        asked = AUTOTUNE if buffer_size is None else buffer_size
        most = number(asked, "prefetch: buffer_size", -1)

        def source() -> Iterator[T]:
            here = number_now(most, "prefetch: buffer_size", -1)
            if here == 0:
                return self.source()
            return ahead(self.source, PREFETCHED if here < 0 else here)

        made: Dataset[T] = self._made(
            source,
            self.size,
            self._spec,
            captures=captured(most),
            recipe=lambda: Recipe(
                "PrefetchDataset", (self,), numbers={"buffer_size": most}
            ),
        )
        return made

    def cache(self, filename: Any = "") -> Dataset[T]:
        """Return the same elements, kept in memory or in a file from the first whole run on.

        Later runs, and with a file later programs, read what is kept: what stands before the
        cache is not run again.

        >>> calls = []
        >>> dataset = tl.data.Dataset.range(2).map(lambda x: calls.append(1) or x).cache()
        >>> print(len(list(dataset)), len(list(dataset)), len(calls))
        2 2 2
        """
        name = filename.item() if isinstance(filename, Tensor) else filename

        def recipe() -> Recipe:
            return Recipe("CacheDataset", (self,), numbers={"filename": name})

        if name:
            kept = FileCache(name.decode() if isinstance(name, bytes) else str(name))

            def from_file() -> Iterator[T]:
                return kept.run(self.source, self._spec)

            filed: Dataset[T] = self._made(
                from_file, self.size, self._spec, recipe=recipe
            )
            return filed
        whole: list[list[T]] = []

        def source() -> Iterator[T]:
            if whole:
                return iter(whole[0])
            kept: list[T] = []

            def keeping(elements: Iterator[T]) -> Iterator[T]:
                for element in elements:
                    kept.append(element)
                    if len(kept) == self.size:  # nobody needs to ask for more
                        whole.append(kept)
                    yield element
                if not whole:
                    whole.append(kept)

            return Resumed(keeping, self.source())

        made: Dataset[T] = self._made(source, self.size, self._spec, recipe=recipe)
        return made

    def ignore_errors(self, log_warning: bool = False) -> Dataset[T]:
        """Return the elements that can be made; those that raise an error are left out.

        With `log_warning`, the errors are told to the logger `tensorlite.data`.

        >>> words = tl.data.Dataset.from_tensor_slices(["1", "one", "2"])
        >>> numbers = words.map(tl.strings.to_number)
        >>> print([float(x) for x in numbers.ignore_errors()])
        [1.0, 2.0]
        """

        def told(error: BaseException) -> None:
            if log_warning:
                log.warning("an element is left out: %s", error)

        made: Dataset[T] = self._made(
            lambda: without_errors(self.source(), told),
            UNKNOWN,
            self._spec,
            recipe=lambda: Recipe(
                "IgnoreErrorsDataset", (self,), settings={"log_warning": log_warning}
            ),
        )
        return made

    def with_options(self, options: Options) -> Dataset[T]:
        """Return the same dataset with options, which the steps after this one have, too."""
        if not isinstance(options, Options):
            raise InvalidArgumentError(
                f"with_options: {options!r}; allowed are tl.data.Options"
            )
        made: Dataset[T] = self._altered(settings=self.settings.merge(options))
        return made

    def options(self) -> Options:
        """Return the options that this dataset runs with."""
        return self.settings

    def assert_cardinality(self, expected_cardinality: Any) -> Dataset[T]:
        """Return the same elements, of which there are so many: FailedPreconditionError if not.

        >>> words = tl.data.Dataset.from_generator(lambda: iter(["a", "b"]))
        >>> len(words.assert_cardinality(2))
        2
        """
        expected = number(expected_cardinality, "assert_cardinality", UNKNOWN)

        def source() -> Iterator[T]:
            count = 0
            for count, element in builtins.enumerate(self.source(), 1):
                if 0 <= expected < count:
                    raise _miscounted(expected, f"at least {count}")
                yield element
            if expected not in (count, UNKNOWN):
                raise _miscounted(expected, f"only {count}")

        made: Dataset[T] = self._made(
            source,
            expected,
            self._spec,
            recipe=lambda: Recipe(
                "AssertCardinalityDataset",
                (self,),
                numbers={"cardinality": expected},
            ),
        )
        return made

    def as_numpy_iterator(self) -> NumpyIterator:
        """Return an iterator over the elements as NumPy arrays, numbers and bytes.

        >>> print(list(tl.data.Dataset.range(3).as_numpy_iterator()))
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        return NumpyIterator(iter(self))

    def get_single_element(self) -> T:
        """Return the element of a dataset that has one; InvalidArgumentError if it has others.

        >>> print(tl.data.Dataset.range(5).batch(5).get_single_element())
        [0 1 2 3 4]
        """
        if tracer() is not None:
            found: T = single_element(self)
            return found
        return only(self)


class NumpyIterator:
    """The elements of a dataset, with arrays for tensors; `next` gives one, as a method, too."""

    def __init__(self, elements: DatasetIterator[Any]) -> None:
        self._elements = elements

    def __iter__(self) -> NumpyIterator:
        """Return this iterator."""
        return self

    def __next__(self) -> Any:
        """Return the next element; StopIteration at the end."""
        return each(numpy_value, next(self._elements))

    next = __next__

    @property
    def place(self) -> tuple[int, ...]:
        """How many elements it has given, and what is to be known of random choices."""
        return self._elements.place

    def go_to(self, place: Sequence[int]) -> None:
        """Go to where it, or one over such a dataset, was when it had this `place`."""
        self._elements.go_to(place)

    def save(self) -> Tensor:
        """Return what `restore` is given to go on from here.

        >>> numbers = tl.data.Dataset.range(9).as_numpy_iterator()
        >>> _ = next(numbers), next(numbers)
        >>> state = numbers.save()
        >>> _ = next(numbers)
        >>> numbers.restore(state)
        >>> print(next(numbers))
        2
        """
        return constant(self.place, int64)

    def restore(self, state: Any) -> None:
        """Go to where it was when `save` returned `state`."""
        self.go_to(np.asarray(state).ravel().tolist())


def _miscounted(expected: int, found: str) -> FailedPreconditionError:
    wanted = "an infinite number of" if expected == INFINITE else str(expected)
    return FailedPreconditionError(
        f"Input dataset was expected to contain {wanted} elements but contained {found} elements."
    )


def numpy_value(leaf: Any) -> Any:
    """Return a tensor as a NumPy array, a number or bytes; a dataset as an iterator of these.

    Sparse tensors are arrays with zeros, ragged ones arrays of arrays.
    """
    if isinstance(leaf, Running):
        return leaf.as_numpy_iterator()
    if isinstance(leaf, SparseTensor):
        leaf = to_dense(leaf)
    if isinstance(leaf, RaggedParts):
        return leaf.numpy()
    if not isinstance(leaf, Tensor):
        return leaf
    array = shown(to_host(leaf.array)).view()
    array.flags.writeable = False
    if array.dtype == object:
        array = _as_bytes(array)
    return array[()]


def _as_bytes(array: Any) -> Any:
    made = array.copy()
    for place, text in builtins.enumerate(made.flat):
        made.flat[place] = text.encode() if isinstance(text, str) else text
    return made
