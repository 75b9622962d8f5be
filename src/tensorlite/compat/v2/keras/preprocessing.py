"""tf.keras.preprocessing: sequences brought to one length, texts as numbers of words."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np

from tensorlite.compat.missing import listing
from tensorlite.compat.v2.keras.folders import (
    image_dataset_from_directory as image_dataset_from_directory,
    text_dataset_from_directory as text_dataset_from_directory,
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from tensorlite.compat.v2.keras.image_batches import (
    DataFrameIterator,
    DirectoryIterator,
    Iterator,
    NumpyArrayIterator,
)
from tensorlite.compat.v2.keras.image_changes import (
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
from tensorlite.compat.v2.keras.image_generators import ImageDataGenerator
from tensorlite.compat.v2.keras.ops.imaging import resize
from tensorlite.compat.v2.keras.pictures import (
    array_to_img,
    img_to_array,
    load_img,
    save_img,
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


_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(
    input_text: str, filters: str = _FILTERS, lower: bool = True, split: str = " "
) -> list[str]:
    """Return the words of a text, without the characters in filters."""
    text = input_text.lower() if lower else input_text
    parted = text.translate({ord(x): split for x in filters})
    return [word for word in parted.split(split) if word]


class Tokenizer:
    """Numbers words by how often they are."""

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.num_words, self.filters, self.lower, self.split = (
            num_words,
            filters,
            lower,
            split,
        )
        self.char_level, self.oov_token = char_level, oov_token
        self.word_counts: Counter[str] = Counter()
        self.word_docs: Counter[str] = Counter()
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}
        self.document_count = 0

    def _words(self, text: Any) -> list[str]:
        if not isinstance(text, str):
            return list(text)
        if self.char_level:
            return list(text.lower() if self.lower else text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Any) -> None:
        """Count the words of texts and number them, the most frequent first."""
        for text in texts:
            words = self._words(text)
            self.document_count += 1
            self.word_counts.update(words)
            self.word_docs.update(set(words))
        # As Keras: by how often, then by which came first.
        ranked = sorted(self.word_counts.items(), key=lambda pair: -pair[1])
        first = [] if self.oov_token is None else [self.oov_token]
        listed = [*first, *[word for word, _ in ranked]]
        self.word_index = {word: i for i, word in enumerate(listed, 1)}
        self.index_word = {i: word for word, i in self.word_index.items()}

    def texts_to_sequences(self, texts: Any) -> list[list[int]]:
        """Return the numbers of the words of each text."""
        return [self._numbers(self._words(text)) for text in texts]

    def _numbers(self, words: list[str]) -> list[int]:
        other = self.word_index.get(self.oov_token or "")
        found = []
        for word in words:
            number = self.word_index.get(word)
            if number is None or (self.num_words and number >= self.num_words):
                number = other
            if number is not None:
                found.append(number)
        return found

    def sequences_to_texts(self, sequences: Any) -> list[str]:
        """Return the words of numbers, joined by blanks."""
        return [
            " ".join(self.index_word[i] for i in row if i in self.index_word)
            for row in sequences
        ]

    def texts_to_matrix(self, texts: Any, mode: str = "binary") -> Any:
        """Return a row per text with what mode says of each number, as sequences_to_matrix does."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> Any:
        """Return a row per sequence with an element for each number.

        mode is "binary" (whether it occurs), "count", "freq" (its share) or "tfidf", which weighs
        rare words by more; others raise InvalidArgumentError.
        """
        if mode not in {"binary", "count", "freq"}:
            raise InvalidArgumentError(f"mode={mode!r}; it is binary, count or freq")
        made = np.zeros((len(sequences), self.num_words or len(self.word_index) + 1))
        for i, row in enumerate(sequences):
            for number, count in Counter(row).items():
                shares = {"binary": 1.0, "count": count, "freq": count / len(row)}
                made[i, number] = shares[mode]
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


def one_hot(
    input_text: str,
    n: int,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """Return numbers below n for the words of a text, by Python's hash."""
    return hashing_trick(input_text, n, hash, filters, lower, split)


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """Return numbers from 1 to below n for the words of a text, by a hash function.

    "md5" gives the same numbers in each process; None, Python's hash, does not. Two words may share
    a number.
    """

    def digest(word: str) -> int:
        return int(hashlib.md5(word.encode()).hexdigest(), 16)  # noqa: S324  Keras' hash

    number = {None: hash, "md5": digest}.get(hash_function, hash_function)
    words = text_to_word_sequence(text, filters, lower, split)
    return [int(number(word) % (n - 1) + 1) for word in words]


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
