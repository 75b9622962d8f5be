"""Several datasets as one value: what elements that are datasets are in a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.data.base import Pipeline


class Datasets:
    """Datasets as the rows of one value, which is a leaf of structures."""

    is_leaf: ClassVar[bool] = True

    def __init__(self, rows: Sequence[Pipeline[Any]]) -> None:
        self.rows = tuple(rows)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many there are, as the shape of a tensor of them."""
        return (len(self.rows),)

    def __getitem__(self, place: int) -> Pipeline[Any]:
        return self.rows[place]

    def __repr__(self) -> str:
        return f"Datasets({list(self.rows)})"


def all_datasets(value: Any) -> bool:
    """Return whether a value is a list of datasets."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, Pipeline) for one in value)
    )


def check_choices(datasets: Sequence[Any], choices: Any) -> None:
    """Raise an error where there is nothing to choose of, or what says the places is no number."""
    if not datasets:
        raise InvalidArgumentError(
            "choose_from_datasets: Invalid `datasets`. `datasets` should not be empty."
        )
    spec = None if callable(choices.spec) else choices.spec
    if isinstance(spec, TensorSpec) and not (
        spec.dtype.is_integer and spec.rank in {0, None}
    ):
        raise DTypeError(
            "choose_from_datasets: elements of `choice_dataset` must be scalar `tf.int64` tensors; "
            f"these are {spec}"
        )
