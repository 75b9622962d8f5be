"""tf.data.experimental of TensorFlow 1: what gives datasets there gives those of version 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any

from tensorlite.compat.missing import attribute_error, known_names, listing
from tensorlite.compat.shared.datasets import data_experimental as shared
from tensorlite.compat.shared.datasets.data_experimental import *
from tensorlite.compat.shared.datasets.tf_data import of_files
from tensorlite.compat.v1.datasets import Dataset
from tensorlite.data.databases import SqlDataset as _SqlDataset
from tensorlite.data.files import CsvDataset as _CsvDataset

CsvDataset = of_files(_CsvDataset, Dataset)
SqlDataset = of_files(_SqlDataset, Dataset)


def _of_version_1(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that gives its datasets as version 1's, which sessions iterate over."""

    @wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        found = make(*args, **kwargs)
        return Dataset(*[getattr(found, field.name) for field in fields(Dataset)])

    return made


Counter = _of_version_1(shared.Counter)
RandomDataset = _of_version_1(shared.RandomDataset)
choose_from_datasets = _of_version_1(shared.choose_from_datasets)
from_variant = _of_version_1(shared.from_variant)
make_batched_features_dataset = _of_version_1(shared.make_batched_features_dataset)
make_csv_dataset = _of_version_1(shared.make_csv_dataset)
sample_from_datasets = _of_version_1(shared.sample_from_datasets)


__dir__ = listing("data.experimental", globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it; some are version 2's only."""
    title = "v1.data.experimental"
    title = title if name in known_names()[title] else title.replace("v1", "v2")
    raise attribute_error(f"tensorlite.compat.{title}", name, shared.__all__)
