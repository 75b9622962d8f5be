"""Input pipelines: datasets that are iterated over eagerly, and in traced functions."""

from __future__ import annotations

from tensorlite.data import beginnings, steps
from tensorlite.data.background import (
    AUTOTUNE as AUTOTUNE,
)
from tensorlite.data.base import (
    INFINITE as INFINITE,
    UNKNOWN as UNKNOWN,
)
from tensorlite.data.databases import SqlDataset as SqlDataset
from tensorlite.data.dataset import (
    Dataset as Dataset,
)
from tensorlite.data.files import (
    CsvDataset as CsvDataset,
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from tensorlite.data.iterators import (
    DatasetIterator as DatasetIterator,
)
from tensorlite.data.options import (
    Options as Options,
)
from tensorlite.ops.records.records import (
    TFRecordWriter as TFRecordWriter,
)

assert beginnings is not None  # it registers operators
assert steps is not None

__all__ = [
    "AUTOTUNE",
    "CsvDataset",
    "Dataset",
    "DatasetIterator",
    "FixedLengthRecordDataset",
    "INFINITE",
    "Options",
    "SqlDataset",
    "TFRecordDataset",
    "TFRecordWriter",
    "TextLineDataset",
    "UNKNOWN",
]


def __dir__() -> list[str]:
    return __all__
