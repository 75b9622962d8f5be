"""tf.keras.preprocessing: sequences brought to one length; gathers texts and images."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np

from tensorlite.compat.missing import listing
from tensorlite.compat.v2.keras.ops.imaging import resize
from tensorlite.compat.v2.keras.src.data.folders import (
    image_dataset_from_directory as image_dataset_from_directory,
    text_dataset_from_directory as text_dataset_from_directory,
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from tensorlite.compat.v2.keras.src.data.image_batches import (
    DataFrameIterator,
    DirectoryIterator,
    Iterator,
    NumpyArrayIterator,
)
from tensorlite.compat.v2.keras.src.data.image_changes import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    random_brightness,
    random_channel_shift,
    random_rotation,
    random_shear,
    random_shift,
    random_zoom,
)
from tensorlite.compat.v2.keras.src.data.image_generators import ImageDataGenerator
from tensorlite.compat.v2.keras.src.data.pictures import (
    array_to_img,
    img_to_array,
    load_img,
    save_img,
)
from tensorlite.compat.v2.keras.src.data.tokenizing import (
    Tokenizer,
    hashing_trick,
    one_hot,
    text_to_word_sequence,
    tokenizer_from_json,
)
from tensorlite.core.errors import InvalidArgumentError


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Any:
    """Return sequences as rows of one length, filled up and cut at "pre" or "post".

    The length is maxlen, or that of the longest. InvalidArgumentError is raised for other places.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.preprocessing.sequence.pad_sequences([[1, 2], [3]], 2).tolist()
    [[1, 2], [0, 3]]
    """
    for name, given in (("padding", padding), ("truncating", truncating)):
        if given not in {"pre", "post"}:
            raise InvalidArgumentError(f"{name}={given!r}; it is 'pre' or 'post'")
    rows = [np.asarray(row) for row in sequences]
    length = max(map(len, rows), default=0) if maxlen is None else maxlen
    inner = next((row.shape[1:] for row in rows if len(row)), ())
    made = np.full((len(rows), length, *inner), value, dtype=dtype)
    for i, row in enumerate(rows):
        if not len(row):
            continue
        kept = row[-length:] if truncating == "pre" else row[:length]
        if padding == "post":
            made[i, : len(kept)] = kept
        else:
            made[i, length - len(kept) :] = kept
    return made


class TimeseriesGenerator:
    """Batches of windows of a series, with what comes after each, by number."""

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise InvalidArgumentError(
                f"data and targets are of one length; they have {len(data)} and {len(targets)}"
            )
        self.data, self.targets, self.length = data, targets, length
        self.sampling_rate, self.stride = sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise InvalidArgumentError(
                f"no window of length {length} ends between {start_index} and {self.end_index}"
            )

    def __len__(self) -> int:
        count = self.end_index - self.start_index + self.batch_size * self.stride
        return count // (self.batch_size * self.stride)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if self.shuffle:
            rows = np.random.randint(
                self.start_index, self.end_index + 1, size=self.batch_size
            )
        else:
            first = self.start_index + self.batch_size * self.stride * index
            last = min(first + self.batch_size * self.stride, self.end_index + 1)
            rows = np.arange(first, last, self.stride)
        windows = [
            self.data[row - self.length : row : self.sampling_rate] for row in rows
        ]
        samples = np.array(windows)
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1] if self.reverse else samples), targets

    def on_epoch_end(self) -> None:
        """Do nothing."""


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> Any:
    """Return how likely each word, by its rank, is taken as a sample."""
    rank = np.arange(size)
    rank[0] = 1
    counted = rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    share = sampling_factor * counted
    return np.minimum(1.0, share / np.sqrt(share))


def skipgrams(
    sequence: Any,
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[Any], list[Any]]:
    """Return pairs of words, and whether the second stands near the first."""
    pairs = []
    for i, word in enumerate(sequence):
        rare = sampling_table is None or sampling_table[word] >= random.random()  # noqa: S311
        if not word or not rare:
            continue
        near = range(max(0, i - window_size), min(len(sequence), i + window_size + 1))
        pairs += [[word, sequence[j]] for j in near if j != i and sequence[j]]
    labels: list[Any] = [[0, 1] if categorical else 1 for _ in pairs]
    words = [pair[0] for pair in pairs]
    random.shuffle(words)
    for i in range(int(len(labels) * negative_samples)):
        other = random.randint(1, vocabulary_size - 1)  # noqa: S311  nothing secret
        pairs.append([words[i % len(words)], other])
        labels.append([1, 0] if categorical else 0)
    if shuffle:
        given = random.randint(0, int(10e6)) if seed is None else seed  # noqa: S311
        for mixed in (pairs, labels):
            random.Random(given).shuffle(mixed)  # noqa: S311  nothing secret
    return pairs, labels


def smart_resize(
    x: Any,
    size: Any,
    interpolation: str = "bilinear",
    data_format: str | None = None,
    backend_module: Any = None,
) -> Any:
    """Return images in another size, cut to its form first; arrays for arrays."""
    made = resize(
        x,
        size,
        interpolation,
        crop_to_aspect_ratio=True,
        data_format=data_format,
    )
    return np.array(made.numpy()) if isinstance(x, np.ndarray) else made


sequence = SimpleNamespace(
    TimeseriesGenerator=TimeseriesGenerator,
    make_sampling_table=make_sampling_table,
    pad_sequences=pad_sequences,
    skipgrams=skipgrams,
)
text = SimpleNamespace(
    Tokenizer=Tokenizer,
    hashing_trick=hashing_trick,
    one_hot=one_hot,
    text_to_word_sequence=text_to_word_sequence,
    tokenizer_from_json=tokenizer_from_json,
)
image = SimpleNamespace(
    DataFrameIterator=DataFrameIterator,
    DirectoryIterator=DirectoryIterator,
    ImageDataGenerator=ImageDataGenerator,
    Iterator=Iterator,
    NumpyArrayIterator=NumpyArrayIterator,
    apply_affine_transform=apply_affine_transform,
    apply_brightness_shift=apply_brightness_shift,
    apply_channel_shift=apply_channel_shift,
    array_to_img=array_to_img,
    img_to_array=img_to_array,
    load_img=load_img,
    random_brightness=random_brightness,
    random_channel_shift=random_channel_shift,
    random_rotation=random_rotation,
    random_shear=random_shear,
    random_shift=random_shift,
    random_zoom=random_zoom,
    save_img=save_img,
    smart_resize=smart_resize,
)


__dir__ = listing(__name__, globals())
