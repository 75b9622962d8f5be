"""Operators that make datasets of tensors, and the files that these name.

What makes datasets of datasets is in steps.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tensorlite.core.errors import OutOfRangeError
from tensorlite.core.tensor import EagerTensor
from tensorlite.core.xp import Array
from tensorlite.data.base import Pipeline, assembled
from tensorlite.data.composites import leaves
from tensorlite.data.dataset import Dataset
from tensorlite.data.files import (
    FixedLengthRecordDataset as Pieces,
    TextLineDataset as Lines,
    TFRecordDataset as Records,
)
from tensorlite.data.variants import (
    DatasetOp,
    bound,
    function_of,
    held,
    is_dataset,
    leaf_of,
)
from tensorlite.function.compile import Compiled


def _tuple(arrays: tuple[Array, ...]) -> Any:
    return tuple([leaf_of(x) for x in arrays])


class PythonDataset(DatasetOp):
    """A dataset for which there is no operator: one that Python's functions make."""

    by_dtype = True
    dataset: Any
    keys: tuple[int, ...] = ()

    def made(self, *given: Array) -> Pipeline[Any]:
        """Return the dataset; the given values are those of the tensors it was made with.

        It has the methods of the library, not those of the class that a program knows it by, since
        the operators of further steps call them.
        """
        values = [held(x) if is_dataset(x) else EagerTensor(x) for x in given]
        known = dict(zip(self.keys, values, strict=True))
        dataset = bound(self.dataset, known) if known else self.dataset
        made: Pipeline[Any] = assembled(
            Dataset,
            lambda: map(_flat, dataset.source()),  # goes on behind an error
            dataset.size,
            self.specs,
            dataset,
        )
        return made


def _flat(element: Any) -> tuple[Any, ...]:
    return tuple(leaves(element))


class TensorDataset(DatasetOp):
    """One element: the tensors as they are."""

    def made(self, *components: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return Dataset.from_tensors(_tuple(components))


class TensorSliceDataset(DatasetOp):
    """The rows of tensors."""

    def made(self, *components: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return Dataset.from_tensor_slices(_tuple(components))


class RangeDataset(DatasetOp):
    """Numbers from one to before another."""

    def made(self, start: Array, stop: Array, step: Array) -> Pipeline[Any]:
        """Return the dataset."""
        bounds = [int(x) for x in (start, stop, step)]
        kind = self.specs[0].dtype
        return Dataset.range(*bounds, output_type=kind)


class RandomDataset(DatasetOp):
    """Random numbers without end; by seeds, unless both are zero."""

    def made(self, seed: Array, seed2: Array) -> Pipeline[Any]:
        """Return the dataset."""
        seeds: Any = int(seed), int(seed2)
        return Dataset.random(None if seeds == (0, 0) else seeds)


class GeneratorDataset(DatasetOp):
    """What a function gives of a state that another makes, until it says that it is at its end."""

    init_func: Compiled
    next_func: Compiled
    finalize_func: Compiled

    def made(self, *captured: Array) -> Pipeline[Any]:
        """Return the dataset."""
        given = list(captured)
        begin, following, finish = [
            function_of(one, [given.pop(0) for _ in range(one.captured)])
            for one in (self.init_func, self.next_func, self.finalize_func)
        ]

        def elements() -> Iterator[Any]:
            state = begin()
            try:
                while True:
                    yield following(*state)
            except OutOfRangeError:
                return
            finally:
                finish(*state)

        return Dataset.from_generator(elements, output_signature=self.specs)


class TextLineDataset(DatasetOp):
    """The lines of text files."""

    def made(self, filenames: Array, compression: Array, _: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return Lines(leaf_of(filenames), _text(compression))


class TFRecordDataset(DatasetOp):
    """The records of files."""

    def made(self, filenames: Array, compression: Array, _: Array) -> Pipeline[Any]:
        """Return the dataset."""
        return Records(leaf_of(filenames), _text(compression))


class FixedLengthRecordDatasetV2(DatasetOp):
    """Pieces of files."""

    def made(
        self,
        filenames: Array,
        header: Array,
        length: Array,
        footer: Array,
        _: Array,
        compression: Array,
    ) -> Pipeline[Any]:
        """Return the dataset."""
        sizes = int(length), int(header), int(footer)
        kind = _text(compression)
        return Pieces(leaf_of(filenames), *sizes, compression_type=kind)


def _text(x: Array) -> str:
    found = np.asarray(x).item()
    return found.decode() if isinstance(found, bytes) else str(found)
