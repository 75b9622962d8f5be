"""tf.keras.datasets that lie in Keras' folder, or are fetched into it: images, texts, tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tensorlite.compat.shared.images import image_sets
from tensorlite.compat.v2.keras import checking
from tensorlite.compat.v2.keras.src.data.files_fetched import get_file
from tensorlite.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)
from tensorlite.data.mnist import FILES as mnist_files, read_idx
from tensorlite.data.pickled_arrays import read_npz, unpickled

Array = np.ndarray[Any, Any]
Pairs = tuple[tuple[Array, Array], tuple[Array, Array]]

_HOME = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
_CLOTHES = "datasets/fashion-mnist"
_IMAGES = "https://www.cs.toronto.edu/~kriz/"


def fetched(name: str, address: str, **given: Any) -> Path:
    """Return where a file or folder is, after it was fetched if it was not there."""
    try:
        return Path(get_file(name, address, **given))
    except (OSError, UnavailableError) as error:
        raise NotFoundError(
            f"keras.datasets: {name} is not among Keras' datasets in its folder, and was not "
            f"fetched ({error}); put it there"
        ) from error


def _arrays(path: str, name: str) -> dict[str, Any]:
    return read_npz(fetched(path, _HOME + name))


def _batch(path: Path, labels: str) -> tuple[Array, list[int]]:
    held = unpickled(path.read_bytes())
    images = np.asarray(held[b"data"], np.uint8).reshape(-1, 3, 32, 32)
    return images.transpose(0, 2, 3, 1), list(held[labels.encode()])


def load_mnist(path: str = "mnist.npz") -> Pairs:
    """Return images of digits: from the files that are named for it, or from Keras' folder."""
    try:
        return image_sets.load_mnist(path)
    except NotFoundError as missing:
        try:
            held = _arrays(path, "mnist.npz")
        except NotFoundError as error:
            raise NotFoundError(f"{missing}; {error}") from error
    x, test = (held["x_train"], held["y_train"]), (held["x_test"], held["y_test"])
    return x, test


def load_fashion_mnist() -> Pairs:
    """Return images of clothes: from the files that are named for them, or from Keras' folder."""
    try:
        return image_sets.load_fashion_mnist()
    except NotFoundError as missing:
        try:
            files = [
                fetched(f"{x}.gz", f"{_HOME}{x}.gz", cache_subdir=_CLOTHES)
                for x in mnist_files
            ]
        except NotFoundError as error:
            raise NotFoundError(f"{missing}; {error}") from error
    x, y, test, labels = map(read_idx, files)
    return (x, y), (test, labels)


def load_cifar10() -> Pairs:
    """Return 50000 images of 32 x 32 with their classes, of ten, and 10000 to test with."""
    folder = fetched(
        "cifar-10-batches-py-target",
        f"{_IMAGES}cifar-10-python.tar.gz",
        extract=True,
    )
    folder = folder / "cifar-10-batches-py"
    parts = [_batch(folder / f"data_batch_{i}", "labels") for i in range(1, 6)]
    x = np.concatenate([images for images, _ in parts])
    y = np.concatenate([np.asarray(labels, np.uint8) for _, labels in parts])
    test, classes = _batch(folder / "test_batch", "labels")
    return (x, y[:, None]), (test, np.asarray(classes, np.uint8)[:, None])


def load_cifar100(label_mode: str = "fine") -> Pairs:
    """Return images of 32 x 32 with their classes: of a hundred, or of twenty coarse ones."""
    checking.among("label_mode", label_mode, ("fine", "coarse"))
    folder = fetched(
        "cifar-100-python-target", f"{_IMAGES}cifar-100-python.tar.gz", extract=True
    )
    found = [
        _batch(folder / "cifar-100-python" / part, f"{label_mode}_labels")
        for part in ("train", "test")
    ]
    (x, y), (test, classes) = ((x, np.asarray(y)[:, None]) for x, y in found)
    return (x, y), (test, classes)


def _mixed(x: Any, y: Any, seed: int) -> tuple[Any, Any]:
    """Return rows in the order that Keras mixes them in."""
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)
    return x[order], y[order]


def _divided(x: Any, y: Any, test_split: float) -> Pairs:
    cut = int(len(x) * (1 - test_split))
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])


def _table(name: str) -> Callable[..., Pairs]:
    def load_data(
        path: str = f"{name}.npz", test_split: float = 0.2, seed: int = 113
    ) -> Pairs:
        held = _arrays(path, f"{name}.npz")
        return _divided(*_mixed(held["x"], held["y"], seed), test_split)

    return load_data


def load_california_housing(
    version: str = "large",
    path: str = "california_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
) -> Pairs:
    """Return rows of eight numbers of blocks of houses, with what these cost."""
    checking.among("version", version, ("small", "large"))
    held = _arrays(path, "california_housing.npz")
    count = 600 if version == "small" else None
    rows = _mixed(held["x"][:count], held["y"][:count], seed)
    return _divided(*rows, test_split)


class _Numbering:
    """How words are numbered: from where, and what stands for the start and for rare ones."""

    def __init__(self, **given: Any) -> None:
        self.num_words, self.skip_top = given["num_words"], given["skip_top"]
        self.maxlen, self.start = given["maxlen"], given["start_char"]
        self.oov, self.first = given["oov_char"], given["index_from"]

    def begun(self, texts: Any) -> list[list[int]]:
        before = [] if self.start is None else [self.start]
        return [[*before, *(int(w) + (self.first or 0) for w in x)] for x in texts]

    def short(self, texts: list[list[int]], labels: Any) -> tuple[Any, Any]:
        """Return the texts that are shorter than is allowed, all if nothing is said."""
        if not self.maxlen:
            return texts, labels
        pairs = zip(texts, labels, strict=True)
        kept = [(x, y) for x, y in pairs if len(x) < self.maxlen]
        if not kept:
            raise InvalidArgumentError(
                f"After filtering for sequences shorter than maxlen={self.maxlen}, no sequence was "
                "kept. Increase maxlen."
            )
        return [x for x, _ in kept], np.asarray([y for _, y in kept])

    def limited(self, texts: list[list[int]]) -> Array:
        """Return texts without words that are too rare or too frequent, as an array of lists."""
        most = self.num_words or max(max(x) for x in texts if x)
        made = np.empty(len(texts), object)
        for i, text in enumerate(texts):
            known = [self.skip_top <= word < most for word in text]
            pairs = zip(text, known, strict=True)
            made[i] = (
                [word for word, is_known in pairs if is_known]
                if self.oov is None
                else [word if is_known else self.oov for word, is_known in pairs]
            )
        return made


def load_imdb(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Pairs:
    """Return reviews of films as numbers of words, with whether they praise."""
    held = _arrays(path, "imdb.npz")
    numbering = _Numbering(
        num_words=num_words,
        skip_top=skip_top,
        maxlen=maxlen,
        start_char=start_char,
        oov_char=oov_char,
        index_from=index_from,
    )
    order = np.random.RandomState(seed)
    parts = []
    for part in ("train", "test"):
        places = np.arange(len(held[f"x_{part}"]))
        order.shuffle(places)
        x, y = (held[f"{which}_{part}"][places] for which in "xy")
        parts.append(numbering.short(numbering.begun(x), y))
    (x, y), (test, labels) = parts
    every = numbering.limited([*x, *test])
    return (every[: len(x)], np.asarray(y)), (every[len(x) :], np.asarray(labels))


def load_reuters(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> Pairs:
    """Return messages of an agency as numbers of words, with their topics, of 46."""
    held = _arrays(path, "reuters.npz")
    numbering = _Numbering(
        num_words=num_words,
        skip_top=skip_top,
        maxlen=maxlen,
        start_char=start_char,
        oov_char=oov_char,
        index_from=index_from,
    )
    x, y = _mixed(held["x"], held["y"], seed)
    texts, labels = numbering.short(numbering.begun(x), y)
    return _divided(numbering.limited(texts), np.asarray(labels), test_split)


def _words(name: str) -> Callable[..., dict[str, int]]:
    def get_word_index(path: str = f"{name}_word_index.json") -> dict[str, int]:
        file = fetched(path, f"{_HOME}{name}_word_index.json")
        found: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))
        return found

    return get_word_index


_TOPICS = (
    "cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves "
    "ship cotton carcass crude nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin "
    "strategic-metal livestock retail ipi iron-steel rubber heat jobs lei bop zinc orange pet-chem "
    "dlr gas silver wpi hog lead"
)


def get_label_names() -> tuple[str, ...]:
    """Return the names of the 46 topics of Reuters' messages."""
    return tuple(_TOPICS.split())


mnist = SimpleNamespace(load_data=load_mnist)
fashion_mnist = SimpleNamespace(load_data=load_fashion_mnist)
cifar10 = SimpleNamespace(load_data=load_cifar10)
cifar100 = SimpleNamespace(load_data=load_cifar100)
boston_housing = SimpleNamespace(load_data=_table("boston_housing"))
california_housing = SimpleNamespace(load_data=load_california_housing)
imdb = SimpleNamespace(load_data=load_imdb, get_word_index=_words("imdb"))
reuters = SimpleNamespace(
    load_data=load_reuters,
    get_word_index=_words("reuters"),
    get_label_names=get_label_names,
)
