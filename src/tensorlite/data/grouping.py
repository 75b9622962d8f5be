"""Steps that put elements together and take them apart: batches, windows, groups by key."""

from __future__ import annotations

import bisect
import builtins
import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tensorlite.core import dtypes, nest
from tensorlite.core.dispatch import constant, to_tensor
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import EagerTensor, Tensor
from tensorlite.data.base import UNKNOWN, Pipeline, Recipe, assembled
from tensorlite.data.composites import batch_spec, each, leaves, packed, ragged_column
from tensorlite.data.elements import (
    arguments,
    filled,
    is_shape,
    padded_spec,
    row_readers,
    rows_of,
    shape_from,
    spread,
    stacked,
    with_axis,
    without_axis,
)
from tensorlite.data.functions import Preparing
from tensorlite.data.given import (
    captured,
    known_number,
    number,
    number_now,
)
from tensorlite.data.recipes import batching, keying, padding, windowing
from tensorlite.ops.ragged_base import RaggedParts
from tensorlite.ops.shape import astype

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")


def _bounded(x: Any, dtype: DType) -> Any:
    return x.with_row_splits_dtype(dtype) if isinstance(x, RaggedParts) else x


class Grouping(Preparing[T]):
    """What a Dataset offers to put elements together."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> Dataset[T]:
        """Return runs of `batch_size` elements, each run stacked; the last one may be shorter.

        Stacking is no work worth several threads; what is said of them changes nothing.

        >>> print([b.shape for b in tl.data.Dataset.range(5).batch(2)])
        [(2,), (2,), (1,)]
        """
        made: Dataset[T] = self._batched(
            batch_size, bool(drop_remainder), stacked, "batch"
        )
        return made

    def _batched(
        self,
        batch_size: Any,
        drop_remainder: bool,
        joined: Callable[[list[Any]], Any],
        what: str,
        spec_of: Callable[[Any, int | None], Any] = with_axis,
        recipe: Callable[[Any, Any, bool], Recipe | None] = batching,
    ) -> Any:
        rows = number(batch_size, f"{what}: batch_size", 1)

        def source() -> Iterator[T]:
            count = number_now(rows, f"{what}: batch_size", 1)
            elements = self.source()
            while group := list(itertools.islice(elements, count)):
                if len(group) == count or not drop_remainder:
                    yield joined(group)

        def spec() -> Any:
            return spec_of(
                self.element_spec, known_number(rows) if drop_remainder else None
            )

        size = self._batches(known_number(rows), drop_remainder)
        return self._made(
            source,
            size,
            spec,
            captures=captured(rows),
            recipe=lambda: recipe(self, rows, drop_remainder),
        )

    def _batches(self, rows: int | None, drop_remainder: bool) -> int:
        if self.size < 0 or rows is None:
            return self.size if self.size < 0 else UNKNOWN
        return self.size // rows if drop_remainder else -(-self.size // rows)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
    ) -> Dataset[T]:
        """Return runs of `batch_size` elements, filled up to one shape and stacked.

        `padded_shapes` has a shape for each tensor of an element, or one for all; sizes that are
        None or -1, and all if it is None, are the largest in the batch. `padding_values` are
        zeros, or empty strings, unless given.

        >>> ranges = tl.data.Dataset.range(1, 4).map(lambda n: tl.arange(n))
        >>> print(next(iter(ranges.padded_batch(3, padding_values=-1))))
        [[ 0 -1 -1]
         [ 0  1 -1]
         [ 0  1  2]]
        """

        def joined(group: list[Any]) -> Any:
            return filled(group, padded_shapes, padding_values)

        def spec_of(spec: Any, rows: int | None) -> Any:
            return padded_spec(spec, padded_shapes, rows)

        def recipe(of: Any, rows: Any, drop: bool) -> Recipe | None:
            return padding(of, rows, padded_shapes, padding_values, drop)

        made: Dataset[T] = self._batched(
            batch_size, bool(drop_remainder), joined, "padded_batch", spec_of, recipe
        )
        return made

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        row_splits_dtype: DTypeLike = int64,
    ) -> Dataset[T]:
        """Return runs of `batch_size` elements, whose tensors may differ in size: ragged ones.

        Tensors whose shapes are known are stacked.

        >>> ranges = tl.data.Dataset.range(1, 4).map(lambda n: tl.arange(n))
        >>> print(next(iter(ranges.ragged_batch(3))))
        <tf.RaggedTensor [[0], [0, 1], [0, 1, 2]]>
        """
        kind = as_dtype(row_splits_dtype)

        def is_dense(spec: Any) -> bool:
            sizes = getattr(spec, "shape", ())
            return sizes is not None and None not in sizes

        def joined(group: list[Any]) -> Any:
            specs = leaves(self.element_spec)
            columns = zip(*map(leaves, group), strict=True)
            made = [
                stacked(list(column))
                if is_dense(spec)
                else ragged_column(list(column))
                for spec, column in zip(specs, columns, strict=True)
            ]
            return packed(group[0], [_bounded(x, kind) for x in made])

        def spec_of(spec: Any, rows: int | None) -> Any:
            return each(
                lambda x: (
                    with_axis(x, rows) if is_dense(x) else batch_spec(x, rows, kind)
                ),
                spec,
            )

        made: Dataset[T] = self._batched(
            batch_size,
            bool(drop_remainder),
            joined,
            "ragged_batch",
            spec_of,
            lambda *_: None,
        )
        return made

    def unbatch(self) -> Dataset[T]:
        """Return the rows of the elements, one by one.

        >>> print([int(x) for x in tl.data.Dataset.range(4).batch(3).unbatch()])
        [0, 1, 2, 3]
        """

        def source() -> Iterator[T]:
            for element in self.source():
                readers = row_readers(element)
                for i in range(rows_of(element, "unbatch")):
                    yield packed(element, [read(i) for read in readers])

        made: Dataset[T] = self._made(
            source,
            UNKNOWN,
            lambda: without_axis(self.element_spec),
            recipe=lambda: Recipe("UnbatchDataset", (self,)),
        )
        return made

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: bool = False,
    ) -> Dataset[Any]:
        """Return datasets of `size` elements each, which begin `shift` elements apart.

        In a window, every `stride`-th element is taken. Elements that are structures become
        structures of datasets.

        >>> windows = tl.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
        >>> print([[int(x) for x in window] for window in windows])
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        numbers = [
            number(value, f"window: {what}", 1)
            for what, value in (
                ("size", size),
                ("shift", size if shift is None else shift),
                ("stride", stride),
            )
        ]

        def source() -> Iterator[Any]:
            length, step, apart = [number_now(n, "window", 1) for n in numbers]
            for group in _windows(self.source(), length, step, apart):
                if len(group) == length or not drop_remainder:
                    yield _as_datasets(self._steps(), group)

        def spec() -> Any:
            inner = self.element_spec
            return nest.map_structure(
                lambda leaf: assembled(
                    self._steps(), lambda: iter(()), UNKNOWN, leaf
                ),
                inner,
            )

        known = [n for n in map(known_number, numbers) if n is not None]
        count = UNKNOWN
        if self.size >= 0 and len(known) == len(numbers):
            count = _number_of_windows(self.size, known, bool(drop_remainder))
        made: Dataset[Any] = self._made(
            source,
            count,
            spec,
            captures=captured(*numbers),
            recipe=lambda: windowing(self, numbers, bool(drop_remainder)),
        )
        return made

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
        if (window_size is None) == (window_size_func is None):
            raise InvalidArgumentError(
                "group_by_window: give either window_size or window_size_func"
            )
        key_spec = TensorSpec((), dtypes.int64)
        keyed = self._prepared(
            lambda *element: _whole(key_func(*element)),
            lambda: tuple(arguments(self.element_spec)),
        )
        sized = self._prepared(
            lambda key: _whole(
                window_size_func(key) if window_size_func else window_size
            ),
            lambda: (key_spec,),
        )

        def window(group: list[Any]) -> Pipeline[Any]:
            made: Pipeline[Any] = assembled(
                self._steps(), lambda: iter(group), len(group), self._spec
            )
            return made

        reduced = self._prepared(reduce_func, lambda: (key_spec, window([])))

        def source() -> Iterator[Any]:
            for key, group in _groups(self.source(), keyed.call, sized.call):
                made = reduced.call(constant(key, dtypes.int64), window(group))
                yield from made.source()

        made: Dataset[Any] = self._made(
            source,
            UNKNOWN,
            lambda: reduced.spec().element_spec,
            captures=(*keyed.captures, *sized.captures, *reduced.captures),
            recipe=lambda: keying(self, keyed, reduced, sized),
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
        ready = self._prepared(
            element_length_func, lambda: tuple(arguments(self.element_spec))
        )

        filling = _Filling(
            padded_shapes,
            padding_values,
            bucket_boundaries if pad_to_bucket_boundary else None,
            no_padding,
        )

        def source() -> Iterator[Any]:
            lengths = ((int(ready.call(*arguments(x))), x) for x in self.source())
            buckets = bucket_boundaries, bucket_batch_sizes
            for group, key in _buckets(lengths, *buckets, drop_remainder):
                yield filling.batch(group, key)

        made: Dataset[Any] = self._made(
            source,
            UNKNOWN,
            lambda: filling.spec(self.element_spec),
            captures=ready.captures,
        )
        return made


def _groups(
    elements: Iterator[Any], key: Callable[..., Any], size: Callable[[Any], Any]
) -> Iterator[tuple[int, list[Any]]]:
    """Yield groups of elements of one key, as they are full; then what is left."""
    groups: dict[int, list[Any]] = {}
    for element in elements:
        number = int(key(*arguments(element)))
        group = groups.setdefault(number, [])
        group.append(element)
        if len(group) >= int(size(constant(number, dtypes.int64))):
            yield number, groups.pop(number)
    for number in sorted(groups):
        yield number, groups[number]


def _whole(number: Any) -> Tensor:
    """Return a number that a function gives as a tensor of dtype int64."""
    return astype(to_tensor(number), dtypes.int64)


def _check_buckets(boundaries: Sequence[int], sizes: Sequence[int]) -> None:
    if len(sizes) != len(boundaries) + 1:
        raise InvalidArgumentError(
            f"bucket_by_sequence_length: {len(boundaries)} boundaries and {len(sizes)} batch "
            "sizes; allowed is one more batch size"
        )


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
    boundaries: Sequence[int],
    sizes: Sequence[int],
    whole: bool,
) -> Iterator[tuple[list[Any], int]]:
    """Yield groups of elements that are in one bucket by their lengths, with its number."""
    groups: dict[int, list[Any]] = {}
    for length, element in elements:
        key = bisect.bisect_right(boundaries, length)
        group = groups.setdefault(key, [])
        group.append(element)
        if len(group) >= sizes[key]:
            yield groups.pop(key), key
    for key in [] if whole else sorted(groups):
        yield groups[key], key


def _to_boundary(
    shapes: Any, element: Any, boundaries: Sequence[int], key: int
) -> Any:
    """Return padded shapes whose unknown sizes are one less than the bucket's boundary."""
    if key == len(boundaries):
        raise InvalidArgumentError(
            "bucket_by_sequence_length: an element is longer than the last boundary, "
            f"{boundaries[-1]}, up to which pad_to_bucket_boundary fills up"
        )
    leaves = nest.flatten(element)
    given = [shape_from(x) for x in spread(shapes, element, is_shape)]
    known = [
        (None,) * leaf.ndim if x is None else x
        for leaf, x in builtins.zip(leaves, given, strict=True)
    ]
    full = [[boundaries[key] - 1 if n is None else n for n in x] for x in known]
    return full[0] if len(full) == 1 else nest.pack_like(element, full)


def _number_of_windows(count: int, numbers: Sequence[int], whole: bool) -> int:
    size, shift, stride = numbers
    if not whole:
        return -(-count // shift)
    reach = (size - 1) * stride + 1
    return max((count - reach) // shift + 1, 0)


def _windows(
    elements: Iterator[Any], size: int, shift: int, stride: int
) -> Iterator[list[Any]]:
    """Yield windows while there are elements to begin one with."""
    reach = (size - 1) * stride + 1
    held: deque[Any] = deque()
    while True:
        held.extend(itertools.islice(elements, max(reach - len(held), 0)))
        if not held:
            return
        yield list(itertools.islice(held, 0, reach, stride))
        dropped = min(shift, len(held))
        for _ in range(dropped):
            held.popleft()
        for _ in itertools.islice(elements, shift - dropped):
            pass


def _as_datasets(kind: Any, group: list[Any]) -> Any:
    """Return a window: a dataset, or for elements that are structures a structure of datasets."""
    columns = builtins.zip(*map(nest.flatten, group), strict=True)
    made = [_column(kind, list(column)) for column in columns]
    return nest.pack_like(group[0], made)


def _column(kind: Any, leaves: list[Any]) -> Any:
    first: Tensor = leaves[0]
    spec = first.spec.without_value() if isinstance(first, EagerTensor) else None
    return assembled(kind, lambda: iter(leaves), len(leaves), spec)
