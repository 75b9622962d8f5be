"""What sessions of estimators are asked for, and what they give: batches, rows."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from tensorlite.compat.v1.graphs import framework
from tensorlite.core.errors import InvalidArgumentError, OutOfRangeError


def measured(given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return what updates metrics, None if nothing does, and their values."""
    values, updates = {}, []
    for name, metric in given.items():
        if isinstance(metric, (list, tuple)) and len(metric) == 2:
            values[name] = metric[0]
            updates.append(metric[1])
        else:
            values[name] = metric
    return framework.group(*updates) if updates else None, values


def asked_of(predictions: Any, outputs: Any) -> Any:
    """Return the predictions that are asked for."""
    if not outputs:
        return predictions
    if not isinstance(predictions, dict):
        raise InvalidArgumentError(
            "outputs argument is not valid in case of non-dict predictions."
        )
    found = {key: x for key, x in predictions.items() if key in outputs}
    if not found:
        raise InvalidArgumentError(
            f"Expected to run at least one output from {list(predictions)}, provided {outputs}."
        )
    return found


def batches_of(
    session: Any, asked: Any, feed_fn: Any, once: bool
) -> Generator[Any, None, None]:
    """Yield what batches give, one only if there is nothing that ends."""
    try:
        while not session.should_stop():
            try:
                batch = None if feed_fn is None else feed_fn()
                found = session.run(asked, batch)
            except (OutOfRangeError, StopIteration):
                return
            yield found
            if once:
                return
    finally:
        session.close()


def rows_of(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the rows of batches."""
    for batch in batches:
        if not isinstance(batch, dict):
            yield from batch
            continue
        first = next(iter(batch.values()))
        shape = getattr(first, "dense_shape", np.shape(first))
        for i in range(int(shape[0])):
            yield {key: value[i] for key, value in batch.items()}
