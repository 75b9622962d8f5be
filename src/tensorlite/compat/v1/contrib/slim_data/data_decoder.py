"""slim.data_decoder: what makes tensors, by name, of encoded pieces of data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any


class DataDecoder(ABC):
    """Makes items, which have names, of pieces of data: tfexample_decoder has a subclass."""

    @abstractmethod
    def decode(self, data: Any, items: Any) -> list[Any]:
        """Return a tensor for each of the named items."""

    @abstractmethod
    def list_items(self) -> Sequence[str]:
        """Return the names of all items that there are."""
