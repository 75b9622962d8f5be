"""tf.estimator.inputs: functions that feed arrays and tables in memory to an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1 import data
from tensorlite.core.errors import DTypeError, InvalidArgumentError

__all__ = ["numpy_input_fn", "pandas_input_fn"]


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Return a function that makes batches of arrays, of features and of labels if given."""
    given = [x if isinstance(x, dict) else np.asarray(x)]
    if y is not None:
        given.append(y if isinstance(y, dict) else np.asarray(y))
    sizes = {len(a) for part in given for a in _arrays(part)}
    if len(sizes) != 1:
        raise InvalidArgumentError(
            f"Length of tensors in x and y is mismatched: {sorted(sizes)}"
        )
    whole = tuple(given) if y is not None else given[0]
    return _feeding(whole, batch_size, num_epochs, shuffle, queue_capacity)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """Return a function that makes batches of a DataFrame's columns, a dict, and of labels.

    y is a Series, or a DataFrame, whose columns become a dict; its index has to be that of x. The
    name target_column must not be one of x.
    """
    if not hasattr(x, "columns"):
        raise DTypeError(
            f"x is a {type(x).__name__}; allowed is a DataFrame of pandas"
        )
    if not isinstance(target_column, str):
        raise DTypeError(
            f"target_column must be a string type, not {target_column!r}"
        )
    features = _columns(x)
    if y is None:
        return _feeding(features, batch_size, num_epochs, shuffle, queue_capacity)
    if target_column in features:
        raise InvalidArgumentError(
            f"Cannot use name {target_column} for target column: DataFrame already has a column "
            f"with that name: {list(features)}"
        )
    if not np.array_equal(x.index, y.index):
        raise InvalidArgumentError(
            f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n"
        )
    labels = _columns(y) if hasattr(y, "columns") else np.asarray(y)
    whole = features, labels
    return _feeding(whole, batch_size, num_epochs, shuffle, queue_capacity)


def _columns(frame: Any) -> dict[str, Any]:
    return {name: np.asarray(frame[name]) for name in frame.columns}


def _feeding(
    whole: Any,
    batch_size: int,
    num_epochs: int | None,
    shuffle: bool | None,
    capacity: int | None,
) -> Callable[[], Any]:
    """Return a function that makes batches of arrays, rows in their order or another."""
    if not isinstance(shuffle, bool):
        raise InvalidArgumentError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )

    def input_fn() -> Any:
        rows = data.Dataset.from_tensor_slices(whole)
        if shuffle:
            parts = whole if isinstance(whole, tuple) else (whole,)
            rows = rows.shuffle(capacity or len(_arrays(parts[0])[0]))
        batches = rows.repeat(num_epochs).batch(batch_size)
        return data.make_one_shot_iterator(batches).get_next()

    return input_fn


def _arrays(part: Any) -> list[Any]:
    return list(part.values()) if isinstance(part, dict) else [part]


__dir__ = listing("v1.estimator.inputs", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("v1.estimator.inputs", name, __all__)
