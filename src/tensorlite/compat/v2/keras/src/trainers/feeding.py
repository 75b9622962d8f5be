"""Batches for fit, evaluate and predict: of arrays, datasets, generators and Sequences."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any

import numpy as np

from tensorlite.compat.shared import nests
from tensorlite.compat.v2.keras import seeding
from tensorlite.compat.v2.keras.defaults import width
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.models import in_sessions
from tensorlite.compat.v2.keras.src.trainers import without_batches
from tensorlite.compat.v2.keras.src.trainers.fitting import filled as filled
from tensorlite.compat.views import GraphTensor
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import INFINITE
from tensorlite.data.dataset import Dataset
from tensorlite.ops.ragged import arrange as ragged
from tensorlite.ops.ragged.base import RaggedParts


def unpacked(data: Any) -> tuple[Any, Any, Any]:
    """Return inputs, true values and weights of a batch."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) > 3:
        raise InvalidArgumentError(
            f"a batch is (x), (x, y) or (x, y, sample_weight), not {len(data)} things"
        )
    return (*data, None, None)[:3]


def packed(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Return data as datasets have them: inputs alone, or with targets and weights."""
    if y is None:
        return (x,) if isinstance(x, (list, tuple)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def as_array(x: Any) -> Any:
    """Return data as an array; fractions of double width become single, as Keras has it."""
    array = np.asarray(x.__tensor__().numpy() if isinstance(x, Operand) else x)
    if hasattr(x, "to_numpy"):
        array = np.asarray(x.to_numpy())
        array = array[:, None] if array.ndim == 1 else array  # a column of a table
    return array.astype(width().numpy) if array.dtype == np.float64 else array


def _leaves(data: Any) -> Any:
    """Return a structure with arrays; a list of numbers is one array."""
    if isinstance(data, RaggedParts):
        return data
    if isinstance(data, list) and data and not _is_data(data[0]):
        return as_array(data)
    if isinstance(data, (list, tuple)):
        made = [_leaves(x) for x in data]
        return type(data)(*made) if hasattr(data, "_fields") else type(data)(made)
    if isinstance(data, dict):
        return {key: _leaves(x) for key, x in data.items()}
    return None if data is None else as_array(data)


def _is_data(x: Any) -> bool:
    if isinstance(x, (dict, RaggedParts)):
        return True
    return isinstance(x, (np.ndarray, Operand)) and len(getattr(x, "shape", ())) > 0


def _count_of(rows: Any) -> int:
    return int(rows.nrows()) if isinstance(rows, RaggedParts) else len(rows)


def _some(rows: Any, which: Any) -> Any:
    """Return rows of data by their numbers, or a slice of them."""
    if isinstance(rows, RaggedParts) and not isinstance(which, slice):
        return ragged.gather(rows, which)
    return rows[which]


class Arrays:
    """Batches of arrays, whose rows are mixed anew in each epoch."""

    def __init__(
        self, x: Any, y: Any, weights: Any, batch_size: Any, shuffle: bool
    ) -> None:
        self.parts = [_leaves(x), _leaves(y), _leaves(weights)]
        arrays = [a for a in nests.flatten(self.parts) if a is not None]
        counts = {_count_of(a) for a in arrays}
        if len(counts) != 1:
            raise InvalidArgumentError(
                "Data cardinality is ambiguous. Make sure all arrays contain the same number of "
                f"samples; there are {sorted(counts)}"
            )
        self.rows = counts.pop()
        self.batch_size = int(batch_size or 32)
        self.shuffle = bool(shuffle)

    @property
    def steps(self) -> int:
        """How many batches an epoch has, the last one included if it is smaller."""
        return math.ceil(self.rows / self.batch_size)

    def taken(self, which: Any) -> Any:
        """Return the rows which are asked for, of each part."""
        return [
            nests.map_structure(
                lambda a: None if a is None else _some(a, which), part
            )
            for part in self.parts
        ]

    def epoch(self) -> Iterator[Any]:
        """Yield the batches, in a new order if rows are shuffled."""
        order = seeding.permutation(self.rows) if self.shuffle else None
        for start in range(0, self.rows, self.batch_size):
            part = slice(start, start + self.batch_size)
            yield packed(*self.taken(part if order is None else order[part]))

    def divided(self, share: float) -> tuple[Arrays, Arrays]:
        """Return the first rows and the last ones, which are that share."""
        cut = math.floor(self.rows * (1.0 - share))
        without_batches.check_split(self.rows, cut, share)
        made = []
        for part in (slice(None, cut), slice(cut, None)):
            x, y, weights = self.taken(part)
            made.append(Arrays(x, y, weights, self.batch_size, False))
        first, last = made
        first.shuffle = self.shuffle
        return first, last


def divided(source: Any, share: float) -> tuple[Arrays, Arrays]:
    """Return the first rows of arrays and the last ones, which are that share.

    InvalidArgumentError is raised for what gives batches of other things.
    """
    if not isinstance(source, Arrays):
        raise InvalidArgumentError(
            "Argument `validation_split` is only supported for tensors or NumPy arrays; keep part "
            "of the batches apart, and give them as validation_data"
        )
    return source.divided(share)


class Stream:
    """Batches of something that is iterated over: a dataset, a generator, a function of them."""

    def __init__(self, source: Any) -> None:
        self.source = source = without_batches.peeked(source)
        size = getattr(source, "size", None) if isinstance(source, Dataset) else None
        self.steps = size if isinstance(size, int) and size >= 0 else None
        self.is_endless = size == INFINITE
        self._one = hasattr(source, "__next__")

    def epoch(self) -> Iterator[Any]:
        """Return what gives the batches of an epoch."""
        return self.source if self._one else iter(self.source)


class OfTensors:
    """Batches that tensors of a graph are, each time that Keras' session runs them."""

    steps = None
    is_endless = True

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors

    def epoch(self) -> Iterator[Any]:
        """Yield what the tensors are, without end."""
        first = nests.flatten(self._tensors)[0]
        while True:
            yield in_sessions.session_of(first.graph).run(self._tensors)


class Sequence:
    """Batches by number, for `fit`; they are made one after the other."""

    def __init__(
        self,
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
    ) -> None:
        self.workers, self.use_multiprocessing = workers, use_multiprocessing
        self.max_queue_size = max_queue_size

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError("a Sequence has __getitem__(index) and __len__()")

    def __len__(self) -> int:
        raise NotImplementedError("a Sequence has __getitem__(index) and __len__()")

    @property
    def num_batches(self) -> int | None:
        """How many batches an epoch has; a program may say None, for no end."""
        return len(self)

    def on_epoch_end(self) -> None:
        """Do nothing."""

    def __iter__(self) -> Iterator[Any]:
        size = self.num_batches
        yield from (self[i] for i in (count() if size is None else range(size)))


class Indexed:
    """Batches of a keras.utils.Sequence."""

    def __init__(self, source: Any, shuffle: bool) -> None:
        self.source, self.shuffle = source, shuffle
        without_batches.check_length(self.steps)

    @property
    def steps(self) -> int | None:
        """How many batches there are, None for no end."""
        found: Any = getattr(self.source, "num_batches", _NO_MORE)
        return len(self.source) if found is _NO_MORE else found

    def epoch(self) -> Iterator[Any]:
        """Yield the batches, in a new order if shuffled, then tell the source of the end."""
        size = self.steps
        order: Any = count() if size is None else list(range(size))
        if self.shuffle and size is not None:
            random.shuffle(order)  # Python's own seed counts here, as for Keras
        for i in order:
            yield self.source[i]
        end: Callable[[], None] | None = getattr(self.source, "on_epoch_end", None)
        if end is not None:
            end()


def source_of(
    x: Any, y: Any, weights: Any, batch_size: Any, shuffle: bool = False
) -> Any:
    """Return what gives the batches of an epoch.

    InvalidArgumentError is raised by Keras 2 for a batch_size where batches are given.
    """
    made = _source_of(x, y, weights, batch_size, shuffle)
    if batch_size and not (naming.is_keras_3() or isinstance(made, Arrays)):
        raise InvalidArgumentError(
            f"The `batch_size` argument must not be specified for the given input type. Received "
            f"input: {x}, batch_size: {batch_size}"
        )
    return made


def _source_of(x: Any, y: Any, weights: Any, batch_size: Any, shuffle: bool) -> Any:
    if isinstance(x, Dataset):
        return Stream(x)
    if any(isinstance(part, GraphTensor) for part in nests.flatten(x)):
        return OfTensors(packed(x, y, weights))
    if isinstance(x, RaggedParts):
        return Arrays(x, y, weights, batch_size, shuffle)
    x = filled(x)
    if hasattr(x, "__getitem__") and hasattr(x, "__len__") and _is_sequence(x):
        return Indexed(x, shuffle)
    if hasattr(x, "__next__") or (
        hasattr(x, "__iter__")
        and not isinstance(x, (list, tuple, dict, Operand))
        and not hasattr(x, "__array__")
    ):
        return Stream(x)
    return Arrays(x, y, weights, batch_size, shuffle)


def _is_sequence(x: Any) -> bool:
    return not isinstance(x, (list, tuple, dict, str, Operand)) and not hasattr(
        x, "__array__"
    )


def with_class_weights(data: Any, class_weight: Any) -> Any:
    """Return a batch whose rows count as their classes do."""
    if class_weight is None:
        return data
    x, y, weights = unpacked(data)
    if isinstance(y, (list, tuple)):
        shares = list(class_weight) if isinstance(class_weight, (list, tuple)) else []
        shares = shares or [class_weight] * len(y)
        given = [None] * len(y) if weights is None else weights
        rows = zip(y, shares, given, strict=True)
        return x, y, [_weights_of(*row) for row in rows]
    return x, y, _weights_of(y, class_weight, weights)


def _weights_of(y: Any, class_weight: Any, weights: Any) -> Any:
    """Return how much the rows of one output count."""
    if class_weight is None:
        return weights
    labels = np.asarray(y)
    if labels.ndim > 1:
        many = labels.shape[-1] > 1
        labels = labels.argmax(-1) if many else labels[..., 0]
    own = [class_weight.get(int(k), 1.0) for k in labels.reshape(-1)]
    counts = np.asarray(own, np.float32).reshape(labels.shape)
    return counts if weights is None else counts * np.asarray(weights)


def in_columns(batch: Any) -> Any:
    """Return a batch of which no input or label has one axis only, as Keras 2 takes them."""
    x, y, weights = unpacked(batch)
    x, y = nest.map_structure(column, x), nest.map_structure(column, y)
    return packed(x, y, weights)


def column(value: Any) -> Any:
    """Return a tensor of one axis as a column, others as they are."""
    is_row = isinstance(value, Tensor) and len(value.spec.shape or ()) == 1
    return value[:, None] if is_row else value


def portions(source: Any, steps: int | None) -> Any:
    """Return what gives the batches of epochs: all of a source, or `steps` of them each."""
    check_end(source, steps, "steps_per_epoch")
    return Portions(source, steps) if steps else source


def some(source: Any, steps: int | None) -> Iterator[Any]:
    """Return the batches of a source, or the first of them."""
    check_end(source, steps, "steps")
    return islice(source.epoch(), steps)


def check_end(source: Any, steps: int | None, argument: str) -> None:
    """Refuse datasets that never end, of which Keras 2 must be told how many batches to take."""
    if getattr(source, "is_endless", False) and not (steps or naming.is_keras_3()):
        raise InvalidArgumentError(
            f"When passing an infinitely repeating dataset, you must specify the `{argument}` "
            "argument."
        )


class Portions:
    """The batches of epochs of some steps each, which go on where the one before has stopped.

    Where there are no more, Keras 3 ends the epoch early and begins anew in the next one; Keras 2
    ends training where a dataset ends, and goes on from the first of other batches.
    """

    are_over = False
    """Whether training ends with the epoch."""

    def __init__(self, source: Any, steps: int) -> None:
        self._source, self._steps = source, steps
        self._known: int | None = source.steps
        self._now: Iterator[Any] | None = None
        self._seen = 0

    def epoch(self) -> Iterator[Any]:
        """Yield the batches of one epoch."""
        if not naming.is_keras_3():
            yield from islice(self._endless(), self._steps)
            return
        for _ in range(self._steps):
            if self._now is None:
                self._begin()
            data = self._next()
            if data is _NO_MORE:
                warnings.warn(without_batches.RAN_OUT, stacklevel=2)
                break
            yield data
        if self._known is not None and self._seen >= self._known:
            self._now = None

    def _begin(self) -> None:
        self._now, self._seen = iter(self._source.epoch()), 0

    def _next(self) -> Any:
        """Return the next batch; what says that there is none ends what is iterated over."""
        if self._known is not None and self._seen >= self._known:
            return _NO_MORE
        data = next(self._now or iter(()), _NO_MORE)
        if data is _NO_MORE:
            self._now = None
        self._seen += 1
        return data

    def _endless(self) -> Iterator[Any]:
        while True:
            if self._now is None:
                self._begin()
            data = next(self._now or iter(()), _NO_MORE)
            if data is _NO_MORE:
                if not self._seen:
                    return
                self._now = None
                if isinstance(getattr(self._source, "source", None), Dataset):
                    warnings.warn(without_batches.RAN_OUT, stacklevel=2)
                    self.are_over = True
                    return
                continue
            self._seen += 1
            yield data


_NO_MORE = object()
