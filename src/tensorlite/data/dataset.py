"""Dataset: elements that can be iterated over again and again, made step by step.

In a traced function a `for` over a dataset is one loop in the graph; how that reads it is in
iterators.py.
"""

from __future__ import annotations

import builtins
import itertools
import random
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import constant, interpreted_by, to_tensor, tracer
from tensorlite.core.errors import InvalidArgumentError, TensorliteError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.iterators import Elements
from tensorlite.function.function import function
from tensorlite.function.loops import stage_stream
from tensorlite.ops.stack import stack

T = TypeVar("T")
U = TypeVar("U")

INFINITE = -1
UNKNOWN = -2


@dataclass(frozen=True, eq=False)
class Dataset(Generic[T]):
    """Elements, each a tensor or a structure of tensors, in an order that can be run through again.

    >>> numbers = tl.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> for batch in numbers:
    ...     print(batch)
    [0 1]
    [4 9]
    [16]
    """

    source: Callable[[], Iterator[T]]
    """Starts a run through the elements."""
    size: int = UNKNOWN
    """The number of elements, INFINITE or UNKNOWN."""
    spec: Any = None
    """The specs of an element's tensors, in its structure, or a function that finds them."""
    rewinds: tuple[Callable[[], None], ...] = ()
    """What lets the next run be like the first: of every shuffle that it goes through."""

    @staticmethod
    def from_tensor_slices(tensors: U) -> Dataset[U]:
        """Return the rows of a tensor, or of all tensors in a structure, row by row.

        Raises InvalidArgumentError when the tensors have different numbers of rows.

        >>> x, y = next(iter(tl.data.Dataset.from_tensor_slices(([1.0, 2.0], np.asarray([3, 4])))))
        >>> print(x, y)
        1.0 3
        """
        whole = _tensors(tensors)
        leaves = nest.flatten(whole)
        sizes = sorted({leaf.shape[0] if leaf.shape else 0 for leaf in leaves})
        if len(sizes) != 1 or not all(leaf.shape for leaf in leaves):
            raise InvalidArgumentError(
                f"from_tensor_slices: the tensors have {sizes} rows; allowed is one number"
            )
        spec = nest.map_structure(lambda x: TensorSpec(x.shape[1:], x.dtype), whole)

        def source() -> Iterator[U]:
            for i in builtins.range(sizes[0]):
                yield nest.pack_like(whole, [leaf[i] for leaf in leaves])

        return Dataset(source, sizes[0], spec)

    @staticmethod
    def range(*bounds: int) -> Dataset[Tensor]:
        """Return the numbers of Python's `range`, as 0-d int64 tensors.

        >>> print([int(i) for i in tl.data.Dataset.range(1, 7, 2)])
        [1, 3, 5]
        """
        numbers = builtins.range(*bounds)

        def source() -> Iterator[Tensor]:
            return (constant(i, dtypes.int64) for i in numbers)

        return Dataset(source, len(numbers), TensorSpec((), dtypes.int64))

    @staticmethod
    def from_generator(
        generator: Callable[[], Iterator[Any]], element_spec: Any = None
    ) -> Dataset[Any]:
        """Return what `generator` yields, called anew for each run; values become tensors.

        `element_spec` is needed only to loop over the dataset in a traced function.

        >>> words = tl.data.Dataset.from_generator(lambda: iter([1.0, 2.0]))
        >>> print([float(x) for x in words])
        [1.0, 2.0]
        """

        def source() -> Iterator[Any]:
            return (_tensors(value) for value in generator())

        return Dataset(source, UNKNOWN, element_spec)

    @staticmethod
    def zip(*datasets: Dataset[Any]) -> Dataset[tuple[Any, ...]]:
        """Return tuples of the elements of several datasets, up to the shortest.

        >>> both = tl.data.Dataset.zip(tl.data.Dataset.range(2), tl.data.Dataset.range(5, 9))
        >>> print([(int(a), int(b)) for a, b in both])
        [(0, 5), (1, 6)]
        """
        finite = [d.size for d in datasets if d.size != INFINITE]
        size = UNKNOWN if UNKNOWN in finite else min(finite, default=INFINITE)
        return Dataset(
            lambda: builtins.zip(*datasets, strict=False),
            size,
            lambda: tuple([d.element_spec for d in datasets]),
            tuple([rewind for d in datasets for rewind in d.rewinds]),
        )

    def map(self, fn: Callable[..., U], element_spec: Any = None) -> Dataset[U]:
        """Return the results of `fn` of each element; a tuple's members are its arguments.

        `element_spec` says what `fn` returns, where that cannot be found out by tracing it.

        >>> print([int(x) for x in tl.data.Dataset.range(3).map(lambda x: x + 10)])
        [10, 11, 12]
        """

        def source() -> Iterator[U]:
            return (fn(*_arguments(element)) for element in self)

        def spec() -> Any:
            traced = function(fn).get_concrete_function(
                *_arguments(self.element_spec)
            )
            return traced.structured_outputs

        known = spec if element_spec is None else element_spec
        return Dataset(source, self.size, known, self.rewinds)

    def filter(self, predicate: Callable[..., Any]) -> Dataset[T]:
        """Return the elements of which `predicate` holds.

        >>> print([int(x) for x in tl.data.Dataset.range(5).filter(lambda x: x % 2 == 0)])
        [0, 2, 4]
        """

        def source() -> Iterator[T]:
            return (
                element for element in self if bool(predicate(*_arguments(element)))
            )

        return Dataset(source, UNKNOWN, self._spec, self.rewinds)

    def batch(self, batch_size: int, drop_remainder: bool = False) -> Dataset[T]:
        """Return runs of `batch_size` elements, each run stacked; the last one may be shorter.

        >>> print([b.shape for b in tl.data.Dataset.range(5).batch(2)])
        [(2,), (2,), (1,)]
        """
        if batch_size < 1:
            raise InvalidArgumentError(
                f"batch: batch_size is {batch_size}; allowed is 1 or more"
            )

        def source() -> Iterator[T]:
            elements = iter(self)
            while group := list(itertools.islice(elements, batch_size)):
                if len(group) == batch_size or not drop_remainder:
                    yield _stacked(group)

        size = self.size
        if size >= 0:
            size = size // batch_size if drop_remainder else -(-size // batch_size)
        rows = batch_size if drop_remainder else None

        def spec() -> Any:
            return _batched(self.element_spec, rows)

        return Dataset(source, size, spec, self.rewinds)

    def shuffle(
        self,
        buffer_size: int,
        seed: int | None = None,
        reshuffle_each_iteration: bool = True,
    ) -> Dataset[T]:
        """Return the elements in an order drawn from a buffer of `buffer_size` of them.

        With a `seed` the order of the first run is always the same, of the second likewise.

        >>> print(sorted(int(x) for x in tl.data.Dataset.range(4).shuffle(2, seed=7)))
        [0, 1, 2, 3]
        """
        if buffer_size < 1:
            raise InvalidArgumentError(
                f"shuffle: buffer_size is {buffer_size}; allowed is 1 or more"
            )
        first = secrets.randbits(64) if seed is None else seed
        draws = random.Random(first)  # noqa: S311  nothing secret is drawn

        def source() -> Iterator[T]:
            chosen = draws if reshuffle_each_iteration else random.Random(first)  # noqa: S311
            buffer: list[T] = []
            for element in self:
                buffer.append(element)
                if len(buffer) == buffer_size:
                    yield buffer.pop(chosen.randrange(buffer_size))
            chosen.shuffle(buffer)
            yield from buffer

        rewind: Callable[[], None] = partial(draws.seed, first)
        return replace(self, source=source, rewinds=(*self.rewinds, rewind))

    def repeat(self, count: int | None = None) -> Dataset[T]:
        """Return the elements `count` times over, without end if it is None.

        >>> print([int(x) for x in tl.data.Dataset.range(2).repeat(2)])
        [0, 1, 0, 1]
        """

        def source() -> Iterator[T]:
            turns = itertools.count() if count is None else builtins.range(count)
            return itertools.chain.from_iterable(self for _ in turns)

        size = self.size if self.size < 0 else INFINITE
        if count is not None and self.size >= 0:
            size = self.size * count
        return replace(self, source=source, size=size)

    def take(self, count: int) -> Dataset[T]:
        """Return the first `count` elements.

        >>> print(len(list(tl.data.Dataset.range(9).take(4))))
        4
        """
        size = count if self.size == INFINITE else min(count, self.size)
        return replace(
            self, source=lambda: itertools.islice(iter(self), count), size=size
        )

    def skip(self, count: int) -> Dataset[T]:
        """Return the elements behind the first `count`.

        >>> print([int(x) for x in tl.data.Dataset.range(5).skip(3)])
        [3, 4]
        """
        size = max(self.size - count, 0) if self.size >= 0 else self.size
        return replace(
            self, source=lambda: itertools.islice(iter(self), count, None), size=size
        )

    def enumerate(self, start: int = 0) -> Dataset[tuple[Tensor, T]]:
        """Return pairs of a number, a 0-d int64 tensor, and an element.

        >>> print([(int(i), int(x)) for i, x in tl.data.Dataset.range(5, 7).enumerate()])
        [(0, 5), (1, 6)]
        """

        def source() -> Iterator[tuple[Tensor, T]]:
            return (
                (constant(i, dtypes.int64), x)
                for i, x in builtins.enumerate(self, start)
            )

        return Dataset(
            source,
            self.size,
            lambda: (TensorSpec((), dtypes.int64), self.element_spec),
            self.rewinds,
        )

    def rewind(self) -> None:
        """Let the next run be like the very first: shuffles draw their orders from the beginning.

        So a run can be taken up again in the middle: rewind, and skip what was there already.

        >>> numbers = tl.data.Dataset.range(9).shuffle(9)
        >>> first = [int(x) for x in numbers]
        >>> numbers.rewind()
        >>> first == [int(x) for x in numbers]
        True
        """
        for rewind in self.rewinds:
            rewind()

    def cardinality(self) -> int:
        """Return the number of elements, tl.data.INFINITE or tl.data.UNKNOWN.

        >>> tl.data.Dataset.range(10).batch(4).cardinality()
        3
        """
        return self.size

    @property
    def element_spec(self) -> Any:
        """The specs of an element's tensors; InvalidArgumentError when they are not known."""
        found = self._spec()
        if found is None:
            raise InvalidArgumentError(
                "the specs of this dataset's elements are not known: give element_spec= to "
                "from_generator or map"
            )
        return found

    def _spec(self) -> Any:
        return self.spec() if callable(self.spec) else self.spec

    def __iter__(self) -> Iterator[T]:
        with interpreted_by(None):
            source = self.source()
        while True:
            with interpreted_by(None):
                try:
                    element = next(source)
                except StopIteration:
                    return
            yield element

    def __len__(self) -> int:
        if self.size < 0:
            raise InvalidArgumentError(
                "len() of a dataset whose size is infinite or unknown"
            )
        return self.size

    def __tl_for__(self, *loop: Any) -> bool:
        """Stage a `for` over this dataset, if it stands in a trace; return whether it does."""
        if tracer() is None:
            return False
        stage_stream(Elements(self), *loop)
        return True

    def __repr__(self) -> str:
        size = {INFINITE: "infinite", UNKNOWN: "unknown"}.get(self.size, self.size)
        return f"Dataset(size={size})"


def _tensors(value: Any) -> Any:
    """Return a structure with tensors for leaves; a list of numbers is one tensor."""
    if isinstance(value, list):
        return to_tensor(value)
    if nest.is_nested(value):
        return nest.rebuild(
            value, [_tensors(member) for member in nest.children(value)]
        )
    return to_tensor(value)


def _arguments(element: Any) -> Sequence[Any]:
    plain = isinstance(element, tuple) and not hasattr(element, "_fields")
    return element if plain else (element,)


def _stacked(group: list[Any]) -> Any:
    columns = builtins.zip(*map(nest.flatten, group), strict=True)
    try:
        return nest.pack_like(group[0], [stack(list(column)) for column in columns])
    except TensorliteError as error:
        error.add_note(
            "while batching elements of a dataset, which must be of one shape"
        )
        raise


def _batched(spec: Any, rows: int | None) -> Any:
    def deeper(leaf: TensorSpec) -> TensorSpec:
        shape = None if leaf.shape is None else (rows, *leaf.shape)
        return leaf.with_shape(shape)

    return nest.map_structure(deeper, spec)
