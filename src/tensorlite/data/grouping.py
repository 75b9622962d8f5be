"""Steps that put elements together and take them apart: batches and windows.

Groups of elements that have something in common are in keyed.py.
"""

from __future__ import annotations

import builtins
import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dtypes import DType, DTypeLike, as_dtype, int64
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.data.base import INFINITE, UNKNOWN, Pipeline, Recipe, assembled
from tensorlite.data.composites import (
    batch_spec,
    each,
    leaves,
    packed,
    ragged_column,
    sparse_rows,
    sparse_rows_spec,
)
from tensorlite.data.elements import (
    filled,
    no_rows,
    padded_spec,
    row_readers,
    rows_known,
    rows_of,
    shape_from,
    spec_of,
    stacked,
    stacking,
    with_axis,
    without_axis,
)
from tensorlite.data.given import (
    captured,
    known_number,
    number,
    number_now,
)
from tensorlite.data.recipes import batching, in_sparse_rows, padding, windowing
from tensorlite.data.resuming import Chained, Resumed, run_of
from tensorlite.ops.ragged.base import RaggedParts

if TYPE_CHECKING:
    from tensorlite.data.dataset import Dataset

T = TypeVar("T")


def _bounded(x: Any, dtype: DType) -> Any:
    return x.with_row_splits_dtype(dtype) if isinstance(x, RaggedParts) else x


class Grouping(Pipeline[T]):
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
            batch_size, bool(drop_remainder), stacking(self), "batch"
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
        taken: Callable[[Iterator[Any], int], list[Any]] = run_of,
    ) -> Any:
        rows = number(batch_size, f"{what}: batch_size", 1)

        def source() -> Iterator[T]:
            count = number_now(rows, f"{what}: batch_size", 1)

            def batches(elements: Iterator[Any]) -> Iterator[Any]:
                while group := taken(elements, count):
                    if len(group) == count or not drop_remainder:
                        yield joined(group)

            return Resumed(batches, self.source())

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
            batch_size,
            bool(drop_remainder),
            joined,
            "padded_batch",
            spec_of,
            recipe,
            _up_to_an_error,
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
                else ragged_column(list(column), spec)
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

    def sparse_batch(self, batch_size: Any, row_shape: Any) -> Dataset[Any]:
        """Return runs of `batch_size` tensors, which may differ in size, as sparse tensors.

        Their rows have `row_shape`; sizes of it that are None or -1 are the largest in the batch.

        >>> ranges = tl.data.Dataset.range(1, 3).map(lambda n: tl.arange(n))
        >>> print(tl.sparse.to_dense(next(iter(ranges.sparse_batch(2, [3])))))
        [[0 0 0]
         [0 1 0]]
        """
        sizes = shape_from(row_shape)
        if sizes is None:
            raise InvalidArgumentError(
                "sparse_batch: row_shape is None; allowed are shapes, with None for open sizes"
            )
        made: Dataset[Any] = self._batched(
            batch_size,
            False,
            lambda group: sparse_rows(group, sizes),
            "sparse_batch",
            lambda spec, _: sparse_rows_spec(spec, sizes),
            lambda of, rows, _: in_sparse_rows(of, rows, sizes),
        )
        return made

    def rebatch(
        self, batch_size: int | Sequence[int], drop_remainder: bool = False
    ) -> Dataset[T]:
        """Return the rows of batches in batches of another size, or of several sizes in turn.

        >>> batches = tl.data.Dataset.range(7).batch(4)
        >>> print([x.tolist() for x in batches.rebatch([2, 3])])
        [[0, 1], [2, 3, 4], [5, 6]]
        """
        sizes = [
            int(number(size, "rebatch: batch_size", 0))
            for size in np.ravel(np.asarray(batch_size))
        ]
        if not any(sizes):
            raise InvalidArgumentError(
                f"rebatch: batch_size is {sizes}; allowed are sizes, one of them at least above 0"
            )
        rows, whole = self.unbatch(), bool(drop_remainder)
        joined = stacking(rows)

        def batch_of(group: list[T]) -> Any:
            return joined(group) if group else no_rows(rows.element_spec)

        def source() -> Iterator[T]:
            counts = itertools.cycle(sizes)
            groups = partial(_groups_in_turn, counts=counts, whole=whole)
            return builtins.map(batch_of, Resumed(groups, rows.source()))

        def spec() -> Any:
            before = self.element_spec
            even = len({*sizes}) == 1 and (whole or _divides(sizes[0], before))
            return with_axis(rows.element_spec, sizes[0] if even else None)

        made: Dataset[T] = self._made(
            source,
            UNKNOWN,
            spec,
            recipe=lambda: Recipe(
                "RebatchDatasetV2",
                (self,),
                numbers={
                    "batch_sizes": np.asarray(sizes, np.int64),
                    "drop_remainder": whole,
                },
            ),
        )
        return made

    def unbatch(self) -> Dataset[T]:
        """Return the rows of the elements, one by one.

        >>> print([int(x) for x in tl.data.Dataset.range(4).batch(3).unbatch()])
        [0, 1, 2, 3]
        """

        def source() -> Iterator[T]:
            return Chained(builtins.map(_rows, self.source()))

        known = None if callable(self.spec) else self.spec
        rows = None if known is None else rows_known(known, "unbatch()")
        made: Dataset[T] = self._made(
            source,
            _rows_of_batches(self.size, rows),
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
        numbers = _window_numbers(size, size if shift is None else shift, stride)
        whole = bool(drop_remainder)

        def source() -> Iterator[Any]:
            length, step, apart = [number_now(n, "window", 1) for n in numbers]
            held: deque[Any] = deque()

            def windows(elements: Iterator[T]) -> Iterator[Any]:
                for group in _windows(elements, held, length, step, apart):
                    if len(group) == length or not whole:
                        yield _as_datasets(self, group)

            return Resumed(windows, self.source())

        def column(leaf: Any) -> Any:
            return assembled(self._steps(), lambda: iter(()), UNKNOWN, leaf)

        made: Dataset[Any] = self._made(
            source,
            _number_of_windows(self.size, numbers, whole),
            lambda: each(column, self.element_spec),
            captures=captured(*numbers),
            recipe=lambda: windowing(self, numbers, whole),
        )
        return made


def _groups_in_turn(
    elements: Iterator[T], counts: Iterator[int], whole: bool
) -> Iterator[list[T]]:
    """Yield as many elements as each count says; of the last group only a whole one if asked."""
    for count in counts:
        group = list(itertools.islice(elements, count))
        if count and (not group or (whole and len(group) < count)):
            return
        yield group


def _rows_of_batches(size: int, rows: int | None) -> int:
    if size == INFINITE:
        return INFINITE
    return UNKNOWN if rows is None or size == UNKNOWN else size * rows


def _up_to_an_error(elements: Iterator[T], count: int) -> list[T]:
    return list(itertools.islice(elements, count))


def _rows(element: Any) -> Iterator[Any]:
    readers = row_readers(element)
    for i in range(rows_of(element, "unbatch")):
        yield packed(element, [read(i) for read in readers])


def _divides(rows: int, batches: Any) -> bool:
    """Return whether batches of these specs are so many times as long."""
    sizes = [spec.shape[0] if spec.shape else None for spec in nest.flatten(batches)]
    return all(size is not None and size % rows == 0 for size in sizes)


def _window_numbers(*given: Any) -> list[Any]:
    """Return size, shift and stride of windows, checked."""
    return [
        number(value, f"window: {what}", 1)
        for what, value in zip(("size", "shift", "stride"), given, strict=True)
    ]


def _number_of_windows(count: int, numbers: Sequence[Any], whole: bool) -> int:
    """Return how many windows `count` elements make, UNKNOWN if some number is not known."""
    known = [n for n in map(known_number, numbers) if n is not None]
    if count < 0 or len(known) < len(numbers):
        return UNKNOWN
    size, shift, stride = known
    if not whole:
        return -(-count // shift)
    reach = (size - 1) * stride + 1
    return max((count - reach) // shift + 1, 0)


def _windows(
    elements: Iterator[Any], held: deque[Any], size: int, shift: int, stride: int
) -> Iterator[list[Any]]:
    """Yield windows while there are elements to begin one with."""
    reach = (size - 1) * stride + 1
    while True:
        held.extend(run_of(elements, max(reach - len(held), 0)))
        if not held:
            return
        yield list(itertools.islice(held, 0, reach, stride))
        dropped = min(shift, len(held))
        for _ in range(dropped):
            held.popleft()
        for _ in itertools.islice(elements, shift - dropped):
            pass


def _as_datasets(of: Pipeline[Any], group: list[Any]) -> Any:
    """Return the elements of a window, a dataset for every tensor that they have."""
    columns = builtins.zip(*map(leaves, group), strict=True)
    made = [_column(of, i, list(column)) for i, column in builtins.enumerate(columns)]
    return packed(group[0], made)


def _column(of: Pipeline[Any], place: int, column: list[Any]) -> Any:
    def spec() -> Any:
        if of.from_ragged or isinstance(column[0], Pipeline):
            return leaves(of.element_spec)[place]
        return spec_of(column[0])

    return assembled(
        of._steps(),  # noqa: SLF001  a kin
        lambda: iter(column),
        len(column),
        spec,
        from_ragged=of.from_ragged,
    )
