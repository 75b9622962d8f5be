"""tf.data: datasets as TensorFlow 2 has them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.datasets import data_experimental as experimental
from tensorlite.compat.shared.datasets.data_specs import DatasetSpec, IteratorSpec
from tensorlite.compat.shared.datasets.tf_data import FILES, Dataset, of_files
from tensorlite.data.background import AUTOTUNE
from tensorlite.data.base import (
    INFINITE as INFINITE_CARDINALITY,
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from tensorlite.data.iterators import DatasetIterator as Iterator
from tensorlite.data.options import Options, ThreadingOptions
from tensorlite.data.running import NumpyIterator

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]

TFRecordDataset: Any = of_files(FILES[0], Dataset)
TextLineDataset: Any = of_files(FILES[1], Dataset)
FixedLengthRecordDataset: Any = of_files(FILES[2], Dataset)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
