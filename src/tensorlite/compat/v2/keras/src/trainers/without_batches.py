"""Data that have no batch: what fit, evaluate and predict say of it, as the Keras of a program."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from types import GeneratorType
from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.errors import InvalidArgumentError

RAN_OUT = (
    "Your input ran out of data; interrupting training. Make sure that your dataset or generator "
    "can generate at least `steps_per_epoch * epochs` batches. You may need to use the `.repeat()` "
    "function when building your dataset."
)
_NOTHING = object()


def noticed(batches: Iterable[Any], step: str, warns: bool = True) -> Iterator[Any]:
    """Return batches; if there are none Keras 3 warns, and others raise InvalidArgumentError.

    step is "train", "test" or "predict".
    """
    rest = iter(batches)
    first = next(rest, _NOTHING)
    if first is not _NOTHING:
        return chain([first], rest)
    if naming.is_version_1():
        raise InvalidArgumentError(
            f"Empty training data. No batch is given to {step}."
        )
    if not naming.is_keras_3():
        raise InvalidArgumentError(
            f"Unexpected result of `{step}_function` (Empty Logs): no batch is given. Give data "
            "that have rows"
        )
    if warns:
        warnings.warn(RAN_OUT, stacklevel=2)
    return rest


def peeked(source: Any) -> Any:
    """Return a generator that has a batch; InvalidArgumentError is raised by Keras 3 for others."""
    if not isinstance(source, GeneratorType) or not naming.is_keras_3():
        return source
    first = next(source, _NOTHING)
    if first is _NOTHING:
        raise InvalidArgumentError(
            "When passing a Python generator to a Keras model, the generator must yield at least "
            "one batch. Received an empty generator."
        )
    return chain([first], source)


def check_length(size: int | None) -> None:
    """Refuse what has batches by number, and has none; Keras 3 does."""
    if size == 0 and naming.is_keras_3():
        raise InvalidArgumentError(
            "The PyDataset has length 0: it is to have a batch at least"
        )


def check_split(rows: int, cut: int, share: float) -> None:
    """Refuse to divide rows where one part would have none, unless Keras is TensorFlow 1's."""
    if cut in {0, rows} and not naming.is_version_1():
        raise InvalidArgumentError(
            f"Training data contains {rows} samples, which is not sufficient to split it into a "
            f"validation and training set as specified by `validation_split={share}`. Either "
            "provide more data, or a different value for the `validation_split` argument."
        )
