"""tf.estimator.inputs: functions that feed arrays in memory to an estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1 import data
from tensorlite.core.errors import InvalidArgumentError

__all__ = ["numpy_input_fn"]


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """Return a function that makes batches of arrays, of features and of labels if given."""
    if not isinstance(shuffle, bool):
        raise InvalidArgumentError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )
    given = [x if isinstance(x, dict) else np.asarray(x)]
    if y is not None:
        given.append(y if isinstance(y, dict) else np.asarray(y))
    sizes = {len(a) for part in given for a in _arrays(part)}
    if len(sizes) != 1:
        raise InvalidArgumentError(
            f"Length of tensors in x and y is mismatched: {sorted(sizes)}"
        )

    def input_fn() -> Any:
        whole = tuple(given) if y is not None else given[0]
        rows = data.Dataset.from_tensor_slices(whole)
        if shuffle:
            rows = rows.shuffle(queue_capacity)
        batches = rows.repeat(num_epochs).batch(batch_size)
        return data.make_one_shot_iterator(batches).get_next()

    return input_fn


def _arrays(part: Any) -> list[Any]:
    return list(part.values()) if isinstance(part, dict) else [part]


__dir__ = listing("v1.estimator.inputs", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("v1.estimator.inputs", name, __all__)
