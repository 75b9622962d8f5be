"""Steps that gather elements that have something in common: a key, or about the same length.

Batches and windows of elements that follow each other are in grouping.py.
"""

from __future__ import annotations

import bisect
import builtins
import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import INFINITE, UNKNOWN, Pipeline, Recipe, assembled
from tensorlite.data.elements import (
    arguments,
    filled,
    is_shape,
    padded_spec,
    shape_from,
    spread,
    stacked,
    with_axis,
)
from tensorlite.data.functions import Prepared, Preparing, settled
from tensorlite.data.recipes import keying, reducing_by_key
from tensorlite.data.resuming import Chained, Resumed
from tensorlite.ops.arrays.gather import gather
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.math.arithmetic import sum as total

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")


class Keyed(Preparing[T]):
    """What a Dataset offers to gather elements that have something in common."""

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Any, Any], Any],
        window_size: Any = None,
        window_size_func: Callable[[Any], Any] | None = None,
    ) -> Dataset[Any]:
        """Return the elements of `reduce_func(key, window)` for groups of elements of one key.

        A window has `window_size` elements, or as many as `window_size_func` says of its key;
        what is left at the end makes smaller ones.

        >>> odd = lambda x: x % 2
        >>> pairs = tl.data.Dataset.range(5).group_by_window(odd, lambda k, w: w.batch(2), 2)
        >>> print([batch.tolist() for batch in pairs])
        [[0, 2], [1, 3], [4]]
        """
        size_of = _size_of_windows(window_size, window_size_func)
        key_spec = TensorSpec((), dtypes.int64)
        keyed = self._by_element(lambda *element: _whole(key_func(*element)))
        sized = self._prepared(lambda key: _whole(size_of(key)), lambda: (key_spec,))

        def window(group: list[Any]) -> Pipeline[Any]:
            made: Pipeline[Any] = assembled(
                self._steps(), lambda: iter(group), len(group), self._spec
            )
            return made

        reduced = self._prepared(reduce_func, lambda: (key_spec, window([])))

        def source() -> Iterator[Any]:
            groups = partial(_groups, groups={}, key=keyed.call, size=sized.call)

            def run(found: tuple[int, list[Any]]) -> Iterator[Any]:
                key, group = found
                made = reduced.call(constant(key, dtypes.int64), window(group))
                elements: Iterator[Any] = made.source()
                return elements

            return Chained(builtins.map(run, Resumed(groups, self.source())))

        made: Dataset[Any] = self._made(
            source,
            INFINITE if self.size == INFINITE else UNKNOWN,
            lambda: reduced.spec().element_spec,
            captures=(*keyed.captures, *sized.captures, *reduced.captures),
            recipe=lambda: keying(self, keyed, reduced, sized),
        )
        return made

    def group_by_reducer(
        self,
        key_func: Callable[..., Any],
        init_func: Callable[[Any], Any],
        reduce_func: Callable[[Any, Any], Any],
        finalize_func: Callable[..., Any],
    ) -> Dataset[Any]:
        """Return one element for each key, in the keys' order: `finalize_func` of its last state.

        The first state is `init_func(key)`, the next ones are `reduce_func(state, element)`. A
        state that is a tuple comes to `finalize_func` as so many arguments.

        >>> odd, add = lambda x: x % 2, lambda total, x: total + x
        >>> sums = tl.data.Dataset.range(5).group_by_reducer(odd, lambda _: 0, add, lambda x: x)
        >>> print([int(x) for x in sums])
        [6, 4]
        """
        keyed = self._by_element(lambda *element: _whole(key_func(*element)))
        key_spec = TensorSpec((), dtypes.int64)
        first = self._prepared(init_func, lambda: (key_spec,))

        def reducing(state: Any) -> Prepared:
            return self._prepared(reduce_func, lambda: (state, self.element_spec))

        step = self._prepared(reduce_func, lambda: (first.spec(), self.element_spec))
        if first.compiled is not None:
            step, _ = settled(reducing, first.spec(), lambda found: found)
        last = self._prepared(finalize_func, lambda: tuple(arguments(step.spec())))

        def source() -> Iterator[Any]:
            states: dict[int, Any] = {}
            for element in self.source():
                key = int(keyed.call(*arguments(element)))
                if key not in states:
                    states[key] = first.call(constant(key, dtypes.int64))
                states[key] = step.call(states[key], element)
            return (last.call(*arguments(states[key])) for key in sorted(states))

        prepared = keyed, first, step, last
        made: Dataset[Any] = self._made(
            source,
            UNKNOWN,
            last.spec,
            captures=tuple([x for one in prepared for x in one.captures]),
            recipe=lambda: reducing_by_key(self, prepared),
        )
        return made

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset[Any]:
        """Return batches of elements of similar lengths, filled up to the longest.

        Bucket i has elements shorter than `bucket_boundaries[i]`, the last one all others, and
        gives batches of `bucket_batch_sizes[i]`. With `pad_to_bucket_boundary` they are filled up
        to one less than the boundary.

        >>> ragged = tl.data.Dataset.range(1, 6).map(lambda n: tl.arange(n))
        >>> batches = ragged.bucket_by_sequence_length(len, [3], [2, 2])
        >>> print([batch.shape for batch in batches])
        [(2, 2), (2, 4), (1, 5)]
        """
        _check_buckets(bucket_boundaries, bucket_batch_sizes)
        ready = self._by_element(element_length_func)
        ends = bucket_boundaries if pad_to_bucket_boundary else None
        filling = _Filling(padded_shapes, padding_values, ends, no_padding)
        buckets_asked = _Asked(
            [*bucket_boundaries], [*bucket_batch_sizes], drop_remainder
        )

        def with_length(element: T) -> tuple[int, T]:
            return int(ready.call(*arguments(element))), element

        def source() -> Iterator[Any]:
            buckets = partial(
                _buckets,
                groups={},
                boundaries=bucket_boundaries,
                sizes=bucket_batch_sizes,
                whole=drop_remainder,
            )
            lengths = builtins.map(with_length, self.source())
            return itertools.starmap(filling.batch, Resumed(buckets, lengths))

        made: Dataset[Any] = self._made(
            source,
            INFINITE if self.size == INFINITE else UNKNOWN,
            lambda: filling.spec(self.element_spec),
            captures=ready.captures,
            recipe=lambda: self._bucketed(
                element_length_func, buckets_asked, filling
            ),
        )
        return made

    def _bucketed(
        self, length: Callable[..., Any], asked: _Asked, filling: _Filling
    ) -> Recipe | None:
        """Return the recipe of batches of buckets as what becomes of groups by their numbers."""
        if filling.boundaries is not None:
            return None

        def number_of(*element: Any) -> Tensor:
            passed = _whole(length(*element)) >= constant(
                asked.boundaries, dtypes.int64
            )
            return total(astype(passed, dtypes.int64))

        def size_of(key: Tensor) -> Tensor:
            return gather(constant(asked.sizes, dtypes.int64), key)

        def batch(key: Tensor, group: Any) -> Any:
            if filling.is_off:
                return group.batch(size_of(key), asked.whole)
            return group.padded_batch(
                size_of(key), filling.shapes, filling.values, asked.whole
            )

        grouped = self.group_by_window(number_of, batch, None, size_of)
        return grouped.recipe()

    def _by_element(self, function: Callable[..., Any]) -> Prepared:
        """Return a function made ready for the elements."""
        return self._prepared(function, lambda: tuple(arguments(self.element_spec)))


def _size_of_windows(
    size: Any, function: Callable[[Any], Any] | None
) -> Callable[[Any], Any]:
    """Return what says how many elements the windows of a key have."""
    if (size is None) == (function is None):
        raise InvalidArgumentError(
            "group_by_window: give either window_size or window_size_func"
        )
    return function or (lambda _: size)


def _groups(
    elements: Iterator[Any],
    groups: dict[int, list[Any]],
    key: Callable[..., Any],
    size: Callable[[Any], Any],
) -> Iterator[tuple[int, list[Any]]]:
    """Yield groups of elements of one key, as they are full; then what is left."""
    for element in elements:
        number = int(key(*arguments(element)))
        group = groups.setdefault(number, [])
        group.append(element)
        if len(group) >= int(size(constant(number, dtypes.int64))):
            yield number, groups.pop(number)
    for number in sorted(groups):
        yield number, groups.pop(number)


def _whole(number: Any) -> Tensor:
    """Return a number that a function gives as a tensor of dtype int64."""
    return astype(to_tensor(number), dtypes.int64)


def _check_buckets(boundaries: Sequence[int], sizes: Sequence[int]) -> None:
    if len(sizes) != len(boundaries) + 1:
        raise InvalidArgumentError(
            f"bucket_by_sequence_length: {len(boundaries)} boundaries and {len(sizes)} batch "
            "sizes; allowed is one more batch size"
        )


class _Asked(NamedTuple):
    """Between which lengths buckets are, of how many elements their batches."""

    boundaries: list[int]
    sizes: list[int]
    whole: bool
    """Whether what is left at the end is left out."""


class _Filling(NamedTuple):
    """How the elements of a bucket become a batch."""

    shapes: Any
    values: Any
    boundaries: Sequence[int] | None
    """The boundaries up to which they are filled, if it is so far."""
    is_off: bool

    def batch(self, group: list[Any], key: int) -> Any:
        if self.is_off:
            return stacked(group)
        shapes = self.shapes
        if self.boundaries is not None:
            shapes = _to_boundary(shapes, group[0], self.boundaries, key)
        return filled(group, shapes, self.values)

    def spec(self, element: Any) -> Any:
        """Return the spec of batches of elements."""
        if self.is_off:
            return with_axis(element, None)
        return padded_spec(element, self.shapes, None)


def _buckets(
    elements: Iterator[tuple[int, Any]],
    groups: dict[int, list[Any]],
    boundaries: Sequence[int],
    sizes: Sequence[int],
    whole: bool,
) -> Iterator[tuple[list[Any], int]]:
    """Yield groups of elements that are in one bucket by their lengths, with its number."""
    for length, element in elements:
        key = bisect.bisect_right(boundaries, length)
        group = groups.setdefault(key, [])
        group.append(element)
        if len(group) >= sizes[key]:
            yield groups.pop(key), key
    for key in [] if whole else sorted(groups):
        yield groups.pop(key), key


def _to_boundary(
    shapes: Any, element: Any, boundaries: Sequence[int], key: int
) -> Any:
    """Return padded shapes whose unknown sizes are one less than the bucket's boundary."""
    if key == len(boundaries):
        raise InvalidArgumentError(
            "bucket_by_sequence_length: when pad_to_bucket_boundary=True, elements must have "
            f"length < max(bucket_boundaries), {boundaries[-1]}; this one is longer"
        )
    leaves = nest.flatten(element)
    given = [shape_from(x) for x in spread(shapes, element, is_shape)]
    known = [
        (None,) * leaf.ndim if x is None else x
        for leaf, x in builtins.zip(leaves, given, strict=True)
    ]
    full = [[boundaries[key] - 1 if n is None else n for n in x] for x in known]
    return full[0] if len(full) == 1 else nest.pack_like(element, full)
