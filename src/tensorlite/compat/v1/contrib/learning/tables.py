"""Data sets of tf.contrib.learn: tables in files, and points of curves."""

from __future__ import annotations

import csv
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import numpy as np

from tensorlite.compat.shared.gfile import GFile
from tensorlite.compat.v1.examples.tutorials.mnist import input_data
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError


class Dataset(NamedTuple):
    """Rows and what is to be found of them."""

    data: Any
    target: Any


class Datasets(NamedTuple):
    """What is trained on, and what is judged by."""

    train: Any
    validation: Any
    test: Any


def _rows(filename: str) -> list[list[str]]:
    with GFile(filename) as file:
        return [row for row in csv.reader(file.read().splitlines()) if row]


def _parted(
    rows: list[list[str]], target_dtype: Any, features_dtype: Any, column: int
) -> Dataset:
    target = [row.pop(column) for row in rows]
    return Dataset(
        np.asarray(rows, dtype=features_dtype), np.asarray(target, dtype=target_dtype)
    )


def load_csv_with_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Return the table of a file whose first line says how many rows and features it has."""
    header, *rows = _rows(filename)
    count, width = int(header[0]), int(header[1])
    if len(rows) > count:
        raise InvalidArgumentError(
            f"{filename} says that it has {count} rows, and has {len(rows)}"
        )
    found = _parted(rows, target_dtype, features_dtype, target_column)
    if found.data.size and found.data.shape[1] != width:
        raise InvalidArgumentError(
            f"{filename} says that rows have {width} features, not {found.data.shape[1]}"
        )
    data = np.zeros((count, width), found.data.dtype)
    target = np.zeros(count, found.target.dtype)
    data[: len(rows)], target[: len(rows)] = found
    return Dataset(data, target)


def load_csv_without_header(
    filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """Return the table of a file."""
    return _parted(_rows(filename), target_dtype, features_dtype, target_column)


def shrink_csv(filename: str, ratio: int) -> None:
    """Write each ratio-th line of a file to one with _small in its name."""
    lines = Path(filename).read_text(encoding="utf-8").splitlines()[::ratio]
    small = filename.replace(".", "_small.")
    Path(small).write_text("".join(f"{x}\n" for x in lines), encoding="utf-8")


def load_iris(data_path: str | None = None) -> Dataset:
    """Return Fisher's irises: those of a file, else scikit-learn's, where that is installed."""
    if data_path is not None:
        return load_csv_with_header(data_path, np.int64, np.float64)
    try:
        found = import_module("sklearn.datasets").load_iris()
    except ImportError:
        raise UnimplementedError(
            "load_iris takes the irises from scikit-learn, which is not installed: install it, or "
            "give a data_path"
        ) from None
    return Dataset(np.asarray(found.data), np.asarray(found.target))


def load_boston(data_path: str | None = None) -> Dataset:
    """Return the houses of a file; UnimplementedError without one."""
    if data_path is None:
        raise UnimplementedError(
            "load_boston has no data of its own: give a data_path, a CSV file with a header"
        )
    return load_csv_with_header(data_path, np.float64, np.float64)


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """Return the path of a file in a folder, where it is fetched to unless it is there."""
    path = Path(work_directory) / filename
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        part = path.with_name(f"{path.name}.part")
        with urlopen(source_url) as source, part.open("wb") as target:  # noqa: S310  the program says where
            shutil.copyfileobj(source, target)
        part.rename(path)
    return str(path)


def _beside(
    points: Any, count: int, extra: Any, noise: float | None, draws: Any
) -> Dataset:
    """Return points by classes, with more at chance, in an order of chance."""
    data = np.vstack([*points, extra])
    each = [np.full(len(one), label, np.int32) for label, one in enumerate(points)]
    target = np.hstack([*each, np.zeros(len(extra), np.int32)])
    order = draws.permutation(range(count))
    if noise is not None:
        data = data + draws.normal(scale=noise, size=data.shape)
    return Dataset(data[order], target[order])


def circles(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    factor: float = 0.8,
    n_classes: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Return points of circles, of which each is a class."""
    draws = np.random.RandomState(seed)
    turn = np.linspace(0, 2 * np.pi, n_samples // n_classes)
    whole = np.stack([np.cos(turn), np.sin(turn)], 1)
    points = [whole * factor**label for label in range(n_classes)]
    left = n_samples % n_classes
    across = np.cos(draws.rand(left) * 2 * np.pi)
    extra = np.stack([across, np.sin(draws.rand(left) * 2 * np.pi)], 1)
    return _beside(points, n_samples, extra, noise, draws)


def _spiral(mode: str, turn: Any, offset: float, scale: float) -> Any:
    far = {"archimedes": turn, "bernoulli": np.exp(scale * turn)}
    radius = far.get(mode, np.sqrt(turn))
    found = np.stack(
        [radius * np.cos(turn + offset), radius * np.sin(turn + offset)], 1
    )
    return found / np.abs(found).max(0)


def spirals(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    mode: str = "archimedes",
    n_loops: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Return points of two spirals."""
    if mode not in ("archimedes", "bernoulli", "fermat"):
        raise InvalidArgumentError(f"Cannot generate spiral with mode {mode}")
    draws = np.random.RandomState(seed)
    scale = kwargs.get("exp_scale", 0.1)
    turn = np.linspace(0, 2 * n_loops * np.pi, n_samples // 2)
    points = [_spiral(mode, turn, label * np.pi, scale) for label in range(2)]
    extra = np.zeros((0, 2))
    if n_samples % 2:
        extra = _spiral(mode, draws.rand(1) * 2 * np.pi, 0.0, scale)
    return _beside(points, n_samples, extra, noise, draws)


def load_dataset(
    name: str, size: str = "small", test_with_fake_data: bool = False
) -> Any:
    """Return a data set by its name: "iris", "boston"; others are refused."""
    if name not in ("iris", "boston", "mnist", "dbpedia"):
        raise InvalidArgumentError(f"Name of dataset is not found: {name}")
    if name == "dbpedia":
        raise UnimplementedError("the data set dbpedia is not served")
    if name == "mnist":
        return input_data.load_mnist()
    return load_iris() if name == "iris" else load_boston()


def make_dataset(
    name: str,
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = 42,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Return points of "circles" or "spirals"."""
    known: dict[str, Any] = {"circles": circles, "spirals": spirals}
    if name not in known:
        raise InvalidArgumentError(
            f"Synthetic dataset not found or not implemeted: {name}"
        )
    made: Dataset = known[name](n_samples, noise, seed, *args, **kwargs)
    return made
