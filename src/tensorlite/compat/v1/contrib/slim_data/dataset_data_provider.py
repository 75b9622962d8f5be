"""slim.dataset_data_provider: the items of a dataset, as a queue gives them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v1.contrib.slim_data.data_provider import DataProvider
from tensorlite.compat.v1.contrib.slim_data.parallel_reader import parallel_read
from tensorlite.core.errors import InvalidArgumentError


class DatasetDataProvider(DataProvider):
    """Gives tensors of a slim.dataset.Dataset's items, and of the record's key by record_key.

    Runners fill a queue of records: start them, and run tf.local_variables_initializer() where
    num_epochs is given. shuffle is of the files and of the records.
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: Any = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        found = dict(zip(items, dataset.decoder.decode(data, items), strict=True))
        if record_key in found:
            raise InvalidArgumentError(
                "The item name used for `record_key` cannot also be used for a dataset item: "
                f"{record_key}"
            )
        super().__init__({**found, record_key: key}, dataset.num_samples)
