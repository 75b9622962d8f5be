"""Arrays that are fed in batches: what x and y become that estimators are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from tensorlite.compat.v1.graphs import framework
from tensorlite.core.dtypes import as_dtype, int32
from tensorlite.core.errors import InvalidArgumentError, OutOfRangeError
from tensorlite.graph_mode.hooks import SessionRunArgs, SessionRunHook

_NUMBERS = "biuf"


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and hasattr(data, "values")


def _numbers_only(data: Any, what: str) -> Any:
    bad = [
        f"{column!r} type={data[column].dtype.name!r}"
        for column in data.columns
        if data[column].dtype.kind not in _NUMBERS
    ]
    if bad:
        raise InvalidArgumentError(
            f"Data types for extracting {what} must be int, float, or bool. Found: "
            f"{', '.join(bad)}"
        )
    return data.values


def extract_pandas_data(data: Any) -> Any:
    """Return a data frame as an array of floats; anything else as it is."""
    return (
        _numbers_only(data, "pandas data").astype(float) if _is_frame(data) else data
    )


def extract_pandas_matrix(data: Any) -> Any:
    """Return a data frame as an array; anything else as it is."""
    return data.values if _is_frame(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """Return a data frame of one column as an array; anything else as it is."""
    if not _is_frame(labels):
        return labels
    if len(labels.columns) > 1:
        raise InvalidArgumentError("Only one column for labels is allowed.")
    return _numbers_only(labels, "labels")


def _array(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: np.asarray(value) for key, value in data.items()}
    return None if data is None else np.asarray(data)


def _each(data: Any, function: Callable[..., Any], *more: Any) -> Any:
    if not isinstance(data, dict):
        return function(data, *more)
    return {key: function(data[key], *(x[key] for x in more)) for key in data}


def _flat_label(shape: tuple[int, ...]) -> list[int]:
    """Return the shape of a label, an axis of size 1 left out."""
    inner = list(shape[1:])
    return inner[1:] if inner and inner[0] == 1 else inner


class DataFeeder:
    """Feeds rows of arrays, in batches, in order or not, so many times."""

    def __init__(
        self,
        x: Any,
        y: Any,
        n_classes: Any = None,
        batch_size: int | None = None,
        shuffle: bool = True,
        random_state: Any = None,
        epochs: int | None = None,
    ) -> None:
        self.x, self.y, self.n_classes = _array(x), _array(y), n_classes
        first = next(iter(self.x.values())) if isinstance(self.x, dict) else self.x
        self._count = len(first)
        self.batch_size = self._count if batch_size is None else batch_size
        if self.batch_size <= 0:
            raise InvalidArgumentError(f"Invalid batch_size {batch_size}.")
        self.shuffle, self.max_epochs = shuffle, epochs
        self.random_state = random_state or np.random.RandomState(42)
        self.indices = self._order()
        self.offset = self.epoch = 0
        self._placeholders: tuple[Any, Any] = (None, None)
        self._epoch_placeholder: Any = None

    def _order(self) -> Any:
        if self.shuffle:
            return self.random_state.permutation(self._count)
        return np.arange(self._count)

    @property
    def input_dtype(self) -> Any:
        """The dtype of the features."""
        return _each(self.x, lambda data: data.dtype)

    @property
    def output_dtype(self) -> Any:
        """The dtype of the labels."""
        return (
            np.float32 if self.y is None else _each(self.y, lambda data: data.dtype)
        )

    @property
    def input_shape(self) -> Any:
        """The shape of a batch of features, which have two axes at least."""
        return _each(self.x, lambda x: [self.batch_size, *(x.shape[1:] or [1])])

    @property
    def output_shape(self) -> Any:
        """The shape of a batch of labels."""
        if self.y is None:
            return None
        if isinstance(self.y, dict):
            known = self.n_classes or {}
            return {k: self._shape(v, known.get(k)) for k, v in self.y.items()}
        return self._shape(self.y, self.n_classes)

    def _shape(self, y: Any, classes: int | None) -> list[int]:
        inner = _flat_label(y.shape)
        if classes is not None and classes > 1:
            inner.append(classes)
        return [self.batch_size, *inner]

    def input_builder(self) -> tuple[Any, Any]:
        """Return placeholders for features and labels."""
        x = _placed("input", self.input_shape, self.input_dtype)
        y = _placed("output", self.output_shape, self.output_dtype)
        self._placeholders = (x, y)
        return x, y

    def set_placeholders(
        self, input_placeholder: Any, output_placeholder: Any
    ) -> None:
        """Feed these placeholders."""
        self._placeholders = (input_placeholder, output_placeholder)

    def make_epoch_variable(self) -> Any:
        """Return a placeholder that is fed with how many times all rows were fed."""
        self._epoch_placeholder = framework.placeholder(int32, [1], "epoch")
        return self._epoch_placeholder

    def get_feed_params(self) -> dict[str, int]:
        """Return how far it is."""
        return {
            "epoch": self.epoch,
            "offset": self.offset,
            "batch_size": self.batch_size,
        }

    def get_feed_dict_fn(self) -> Callable[[], dict[Any, Any]]:
        """Return a function that gives the next batch; StopIteration behind the last."""
        return self._next

    def _next(self) -> dict[Any, Any]:
        if self.max_epochs is not None and self.epoch >= self.max_epochs:
            raise StopIteration
        told = {}
        if self._epoch_placeholder is not None:
            told[self._epoch_placeholder.name] = [self.epoch]
        chosen = self.indices[self.offset : self.offset + self.batch_size]
        self.offset += self.batch_size
        if self.offset >= self._count:
            self.indices, self.offset = self._order(), 0
            self.epoch += 1
        rows = _each(
            self.x, lambda x: x[chosen].reshape(len(chosen), *(x.shape[1:] or [1]))
        )
        labels = None if self.y is None else self._labels(chosen)
        return {**told, **_fed(self._placeholders, rows, labels)}

    def _labels(self, chosen: Any) -> Any:
        if isinstance(self.y, dict):
            known = self.n_classes or {}
            return {k: _marked(v[chosen], known.get(k)) for k, v in self.y.items()}
        return _marked(self.y[chosen], self.n_classes)


def _marked(labels: Any, classes: int | None) -> Any:
    """Return labels without an axis of size 1, or with 1 in the places of classes."""
    flat = labels.reshape(len(labels), *_flat_label(labels.shape))
    if classes is None or classes <= 1:
        return flat
    return np.eye(classes, dtype=np.float32)[flat.astype(np.int64)]


def _placed(name: str, shape: Any, dtype: Any) -> Any:
    if shape is None:
        return None
    if isinstance(shape, dict):
        return {k: _placed(f"{name}_{k}", shape[k], dtype[k]) for k in shape}
    return framework.placeholder(as_dtype(dtype), [None, *shape[1:]], name)


def _fed(placeholders: tuple[Any, Any], *values: Any) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for place, value in zip(placeholders, values, strict=True):
        if isinstance(place, dict):
            found.update({place[key].name: value[key] for key in place})
        elif place is not None:
            found[place.name] = value
    return found


class StreamingDataFeeder(DataFeeder):
    """Feeds rows that iterators give, in batches."""

    def __init__(
        self, x: Iterator[Any], y: Any, n_classes: Any, batch_size: int | None
    ) -> None:
        size = 1 if batch_size is None else batch_size
        first, self._rows = _peeked(x)
        labels, of_rows = (None, None) if y is None else _peeked(y)
        self._labels_of_rows: Iterator[Any] | None = of_rows
        super().__init__(
            _each(first, lambda row: np.asarray(row)[None]),
            None
            if labels is None
            else _each(labels, lambda row: np.asarray(row)[None]),
            n_classes,
            size,
            shuffle=False,
        )

    def get_feed_params(self) -> dict[str, int]:
        """Return how large batches are."""
        return {"batch_size": self.batch_size}

    def _next(self) -> dict[Any, Any]:
        rows = list(islice(self._rows, self.batch_size))
        if not rows:
            raise StopIteration
        shape = self.input_shape
        batch = (
            _each(_stacked(rows), lambda x, s: x.reshape(-1, *s[1:]), shape)
            if isinstance(rows[0], dict)
            else _stacked(rows).reshape(-1, *shape[1:])
        )
        if self._labels_of_rows is None:
            return _fed(self._placeholders, batch, None)
        labels = _stacked(list(islice(self._labels_of_rows, len(rows))))
        known = self.n_classes
        if isinstance(labels, dict):
            made = {k: _marked(v, (known or {}).get(k)) for k, v in labels.items()}
        else:
            made = _marked(labels, known)
        return _fed(self._placeholders, batch, made)


def _peeked(rows: Iterator[Any]) -> tuple[Any, Iterator[Any]]:
    first = next(rows)
    return first, chain([first], rows)


def _stacked(rows: list[Any]) -> Any:
    if isinstance(rows[0], dict):
        return {key: np.stack([row[key] for row in rows]) for key in rows[0]}
    return np.stack([np.asarray(row) for row in rows])


def setup_train_data_feeder(
    x: Any,
    y: Any,
    n_classes: Any,
    batch_size: int | None = None,
    shuffle: bool = True,
    epochs: int | None = None,
) -> DataFeeder:
    """Return what feeds arrays, data frames, or what iterators give."""
    data, labels = extract_pandas_data(x), extract_pandas_labels(y)
    if hasattr(data, "__next__"):
        if labels is not None and not hasattr(labels, "__next__"):
            raise InvalidArgumentError(
                "Both x and y should be iterators for streaming learning to work."
            )
        return StreamingDataFeeder(data, labels, n_classes, batch_size)
    return DataFeeder(data, labels, n_classes, batch_size, shuffle, None, epochs)


def _in_batches(rows: Iterator[Any], batch_size: int | None) -> Iterator[Any]:
    """Yield what an iterator gives in batches, or all at once."""
    while batch := list(islice(rows, batch_size)):
        yield _stacked(batch)


def setup_predict_data_feeder(x: Any, batch_size: int | None = None) -> Any:
    """Return the rows of an array, or what an iterator gives, in batches."""
    if hasattr(x, "__next__"):
        return _in_batches(x, batch_size)
    rows = np.asarray(extract_pandas_data(x))
    if rows.ndim == 1:
        rows = rows.reshape(-1, 1)
    if batch_size is None:
        return [rows]
    if batch_size <= 0:
        raise InvalidArgumentError(f"Invalid batch_size {batch_size}.")
    return [rows[i : i + batch_size] for i in range(0, len(rows), batch_size)]


class FeedingHook(SessionRunHook):
    """Feeds each run with what a function gives, until it raises StopIteration."""

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self._next = feed_fn

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Return the batch; OutOfRangeError, which ends sessions, behind the last."""
        try:
            batch = self._next()
        except StopIteration:
            raise OutOfRangeError("all rows have been fed") from None
        return SessionRunArgs(None, feed_dict=batch)
