"""slim.data_provider: what gives tensors by the names of items."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping
from typing import Any

from tensorlite.core.errors import InvalidArgumentError


class DataProvider(ABC):  # noqa: B024  (TensorFlow's has nothing abstract, either)
    """Gives tensors by the names of items: dataset_data_provider has a subclass."""

    def __init__(
        self, items_to_tensors: Mapping[str, Any], num_samples: int | None
    ) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> list[Any]:
        """Return a tensor for each item; InvalidArgumentError for one that is not there."""
        self._validate_items(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Iterable[str]:
        """Return the names of the items that there are."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> int | None:
        """Return how many samples the data have."""
        return self._num_samples

    def _validate_items(self, items: Any) -> None:
        if not isinstance(items, (list, tuple)):
            raise InvalidArgumentError("items must be a list or tuple")
        have = list(self.list_items())
        for item in items:
            if item not in have:
                raise InvalidArgumentError(
                    f"Item [{item}] is invalid. Valid entries include: {have}"
                )
