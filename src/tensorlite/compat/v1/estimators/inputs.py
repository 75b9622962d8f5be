"""tf.estimator.inputs: functions that feed arrays and tables in memory to an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.pipelines.input import pipelined
from tensorlite.compat.v1.pipelines.queues import named
from tensorlite.compat.v1.summary import scalar
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.feeding import Feeding, fed_queue

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
    features = _sorted(x, "x")
    labels = {} if y is None else _sorted(y, "y")
    sizes = {len(a) for part in (features, labels) for a in part.values()}
    if len(sizes) != 1:
        raise InvalidArgumentError(
            f"Length of tensors in x and y is mismatched: {sorted(sizes)}"
        )
    both = set(features) & set(labels) if isinstance(x, dict) else set()
    if both:
        raise InvalidArgumentError(
            f"{len(both)} duplicate keys are found in both x and y: {both}"
        )
    room = 4 * sizes.pop() if queue_capacity is None else queue_capacity
    how = _feeding(batch_size, num_epochs, shuffle, room, num_threads)
    return lambda: _fed((features, x), (labels, y), how)


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
    rows = len(x.index)
    room = (
        (4 * rows if shuffle else rows) if queue_capacity is None else queue_capacity
    )
    how = _feeding(batch_size, num_epochs, shuffle, room, num_threads)
    if y is None:
        return lambda: _fed((features, {}), ({}, None), how)
    if target_column in features:
        raise InvalidArgumentError(
            f"Cannot use name {target_column} for target column: DataFrame already has a column "
            f"with that name: {list(features)}"
        )
    if not np.array_equal(x.index, y.index):
        raise InvalidArgumentError(
            f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n"
        )
    several = hasattr(y, "columns")
    labels = _columns(y) if several else {target_column: np.asarray(y)}
    form = {} if several else labels[target_column]
    return lambda: _fed((features, {}), (labels, form), how)


def _columns(frame: Any) -> dict[str, Any]:
    return {name: np.asarray(frame[name]) for name in frame.columns}


def _sorted(given: Any, what: str) -> dict[str, Any]:
    """Return arrays by their keys, in order; a single one by none."""
    listed = given if isinstance(given, dict) else {"": given}
    if not listed or np.size(listed.get("", 1)) == 0:
        raise InvalidArgumentError(f"{what} cannot be an empty dict or array")
    return {key: np.asarray(listed[key]) for key in sorted(listed)}


def _feeding(
    batch_size: int,
    num_epochs: int | None,
    shuffle: bool | None,
    capacity: int,
    threads: int,
) -> Feeding:
    """Return how rows are fed; InvalidArgumentError where nobody says in which order."""
    if not isinstance(shuffle, bool):
        raise InvalidArgumentError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )
    least = capacity // 4 if shuffle else 0
    return Feeding(batch_size, num_epochs, shuffle, capacity, threads, least)


def _fed(features: Any, labels: Any, how: Feeding) -> Any:
    """Return batches of features, and of labels if there are any, as what was given for them."""
    arrays = [x for columns, _ in (features, labels) for x in columns.values()]
    queue = named(
        pipelined(lambda: fed_queue(arrays, how, scalar), "enqueue_input", None)
    )
    take = queue.dequeue_many if how.epochs is None else queue.dequeue_up_to
    batch = take(how.rows)[1:]
    count = len(features[0])
    found = _formed(features, batch[:count])
    return found if labels[1] is None else (found, _formed(labels, batch[count:]))


def _formed(given: Any, batch: Any) -> Any:
    """Return tensors of columns: a dict where one was given."""
    columns, form = given
    return (
        dict(zip(columns, batch, strict=True)) if isinstance(form, dict) else batch[0]
    )


__dir__ = listing("v1.estimator.inputs", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("v1.estimator.inputs", name, __all__)
