"""Several datasets: as one value, which is what they are in a batch, and drawn from at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import repeat
from typing import Any, ClassVar

import numpy as np

from tensorlite.core import nest
from tensorlite.core.dispatch import call, constant, interpreted_by, to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.data.base import Pipeline
from tensorlite.data.given import captured, value_of
from tensorlite.ops.arrays.arrange import squeeze
from tensorlite.ops.random.seeded import StatelessMultinomial
from tensorlite.ops.random.words import Words


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


class Odds:
    """How likely each of several datasets is drawn from: always alike, or by a dataset of that."""

    def __init__(self, weights: Any, count: int) -> None:
        if not count:
            raise InvalidArgumentError(
                "sample_from_datasets: Invalid `datasets`. `datasets` should not be empty."
            )
        self._weights: Any = [1.0] * count if weights is None else weights
        self._count = count
        if not isinstance(self._weights, Pipeline):
            known = not any(isinstance(x, Operand) for x in nest.flatten(weights))
            with interpreted_by(None) if known else nullcontext():
                self._weights = to_tensor(self._weights)
            _check_odds(self._weights.spec.shape, count)

    @property
    def captures(self) -> tuple[Tensor, ...]:
        """The tensors of a graph that they hang on."""
        return () if self.datasets else captured(self._weights)

    @property
    def datasets(self) -> tuple[Pipeline[Any], ...]:
        """The dataset of weights, if there is one."""
        weights = self._weights
        return (weights,) if isinstance(weights, Pipeline) else ()

    def for_a_run(self) -> Iterator[list[float]]:
        """Return the odds of each draw."""
        if not isinstance(self._weights, Pipeline):
            return repeat(self._now(value_of(self._weights)))
        return map(self._now, self._weights.source())

    def drawing(self) -> Callable[[Any], Any] | None:
        """Return what draws by two seeds; None if odds are not the same, or of no draw at all."""
        if isinstance(self._weights, Pipeline) or self.captures:
            return None
        odds = np.ravel(self._weights.numpy())
        if not (odds > 0).all():
            return None
        logits = np.log(odds)[np.newaxis]

        def draw(seeds: Tensor) -> Tensor:
            op = StatelessMultinomial()
            return squeeze(
                call(op, to_tensor(logits), constant(1, int32), seeds), (0, 1)
            )

        return draw

    def _now(self, weights: Any) -> list[float]:
        found = np.ravel(weights.numpy())
        _check_odds(found.shape, self._count)
        odds: list[float] = found.tolist()
        return odds


def _check_odds(shape: tuple[int | None, ...] | None, count: int) -> None:
    if shape is not None and shape not in ((count,), (None,)):
        raise InvalidArgumentError(
            "sample_from_datasets: Invalid `weights`. `weights` should have the same length as "
            f"`datasets`: their shape is {shape}, and there are {count} datasets"
        )


def drawn(
    words: Words,
    readers: Sequence[Iterator[Any]],
    odds: Iterator[list[float]],
    stop: bool,
) -> Iterator[Any]:
    """Yield elements of readers, each drawn by its odds, until there are none left."""
    left = set(range(len(readers)))
    end = object()
    stays = isinstance(odds, repeat)
    for each in odds:
        if not left or (stays and not any(each[place] > 0 for place in left)):
            return
        ends = np.cumsum(each) / sum(each)
        place = int(np.searchsorted(ends, words.share(), "right"))
        if place not in left:
            continue
        element = next(readers[place], end)
        if element is not end:
            yield element
        elif stop:
            return
        else:
            left.remove(place)
