"""MNIST and its like from files on this machine, or scikit-learn's digits in their format.

Nothing is downloaded. Files are those of MNIST's authors, compressed or not.
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tensorlite.core.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
)

Array = np.ndarray[Any, Any]

DIGITS = "digits"
VARIABLE = "TENSORLITE_MNIST"
"""The environment variable that names the folder of the files, or asks for the digits."""
FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_UNSIGNED_BYTES = 0x08


class Images(NamedTuple):
    """Images of 28 x 28 bytes and their labels, to learn from and to test with."""

    train_images: Array
    train_labels: Array
    test_images: Array
    test_labels: Array


def read_idx(path: Path) -> Array:
    """Return the bytes of an IDX file; DataLossError for one that is damaged or cut off."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise DataLossError(f"{path}: {error}") from None
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] != _UNSIGNED_BYTES:
        raise DataLossError(f"{path}: this is no IDX file of bytes")
    head = 4 + 4 * data[3]
    sizes = np.frombuffer(data[4:head], ">u4").astype(np.int64).tolist()
    count = int(np.prod(sizes, dtype=object)) if sizes else 0
    if len(sizes) != data[3] or len(data) - head != count:
        raise DataLossError(
            f"{path}: {len(data) - head} bytes behind its head; {sizes} need {count}"
        )
    return np.frombuffer(data, np.uint8, count, head).reshape(sizes)


def mnist(folder: str | None, kind: str = "mnist") -> Images:
    """Return what the files in a folder hold, or the digits if that is what it is called.

    Where the folder has no such files, or none is given, the environment variable TENSORLITE_MNIST
    says which. NotFoundError when the files are not there either.
    """
    asked = [folder, os.environ.get(VARIABLE) or None]
    places = [place for place in asked if place is not None]
    for place in places:
        found = _files(Path(place), kind)
        if found is not None:
            return Images(*map(read_idx, found))
    if DIGITS in places:
        return digits()
    named = " or ".join(map(repr, places)) or "a folder that is named"
    raise NotFoundError(
        f"{kind}: {FILES[0]}.gz and its kin are not in {named}, and "
        f"nothing is downloaded. Put them there, or name their folder in ${VARIABLE}; with "
        f"{VARIABLE}=digits, or 'digits' for the folder, scikit-learn's digits take their place"
    )


def _files(folder: Path, kind: str) -> list[Path] | None:
    """Return the four files, from the folder or one in it that bears the name of the kind."""
    for place in (folder, folder / kind):
        found = [_file(place, name) for name in FILES]
        if all(found):
            return [path for path in found if path is not None]
    return None


def _file(folder: Path, name: str) -> Path | None:
    for ending in (".gz", ""):
        path = folder / f"{name}{ending}"
        if path.exists():
            return path
    return None


def digits() -> Images:
    """Return scikit-learn's 1797 digits as MNIST has its images, and say that it is these."""
    try:
        found = import_module("sklearn.datasets").load_digits()
    except ImportError as error:
        raise ImportError(
            f"the digits are scikit-learn's: pip install 'tensorlite[examples]' ({error})"
        ) from error
    print(  # noqa: T201  whoever asks for MNIST is told that this is not it
        "tensorlite: these are not MNIST's images but scikit-learn's 1797 digits of 8 x 8, "
        "enlarged to 28 x 28: 1500 to learn from, 297 to test with",
        file=sys.stderr,
    )
    large = np.kron(found.images / 16.0 * 255.0, np.ones((1, 3, 3)))
    images = np.pad(np.rint(large), ((0, 0), (2, 2), (2, 2))).astype(np.uint8)
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order], found.target[order].astype(np.uint8)
    return Images(images[:1500], labels[:1500], images[1500:], labels[1500:])


class Examples:
    """Images and labels that are given out in batches, each once before any comes again."""

    def __init__(
        self, images: Array, labels: Array, seed: int | None = None, fake: Any = None
    ) -> None:
        if fake is None and len(images) != len(labels):
            raise InvalidArgumentError(
                f"{len(images)} images and {len(labels)} labels; allowed is one label an image"
            )
        self._images, self._labels = images, labels
        self._fake = fake
        # Without a seed of its own it draws what the program has seeded NumPy for.
        drawing: Any = np.random if seed is None else np.random.RandomState(seed)
        self._permutation = drawing.permutation
        self._at = 0
        self._epochs = 0

    @property
    def images(self) -> Array:
        """The images, in the order in which they are given out."""
        return self._images

    @property
    def labels(self) -> Array:
        """Their labels."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many there are."""
        return 10000 if self._fake is not None else len(self._images)

    @property
    def epochs_completed(self) -> int:
        """How often all of them were given out."""
        return self._epochs

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """Return the next images and labels; at the end, the rest and first ones of a new order."""
        if fake_data or self._fake is not None:
            image, label = self._fake or ([1] * 784, 0)
            return [image] * batch_size, [label] * batch_size
        if shuffle and self._at == 0 and self._epochs == 0:
            self._shuffle()
        parts = []
        wanted = batch_size
        while wanted > 0:
            if self._at == self.num_examples:
                self._epochs += 1
                self._at = 0
                if shuffle:
                    self._shuffle()
            end = min(self._at + wanted, self.num_examples)
            parts.append((self._images[self._at : end], self._labels[self._at : end]))
            wanted -= end - self._at
            self._at = end
        images, labels = zip(*parts, strict=True)
        return np.concatenate(images), np.concatenate(labels)

    def _shuffle(self) -> None:
        order = self._permutation(self.num_examples)
        self._images, self._labels = self._images[order], self._labels[order]
