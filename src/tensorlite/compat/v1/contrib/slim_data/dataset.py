"""slim.dataset: where data are, and how they are read and decoded."""

from __future__ import annotations

from typing import Any


class Dataset:
    """Tells of data: its attributes are the arguments, and any others that are given."""

    def __init__(
        self,
        data_sources: Any,
        reader: Any,
        decoder: Any,
        num_samples: int | None,
        items_to_descriptions: Any,
        **kwargs: Any,
    ) -> None:
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        vars(self).update(kwargs)
