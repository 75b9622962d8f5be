"""tf.keras.preprocessing: sequences brought to one length, texts as numbers of words."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np

from tensorlite.core.errors import InvalidArgumentError


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Any:
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
        return [
            " ".join(self.index_word[i] for i in row if i in self.index_word)
            for row in sequences
        ]

    def texts_to_matrix(self, texts: Any, mode: str = "binary") -> Any:
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> Any:
        if mode not in {"binary", "count", "freq"}:
            raise InvalidArgumentError(f"mode={mode!r}; it is binary, count or freq")
        made = np.zeros((len(sequences), self.num_words or len(self.word_index) + 1))
        for i, row in enumerate(sequences):
            for number, count in Counter(row).items():
                shares = {"binary": 1.0, "count": count, "freq": count / len(row)}
                made[i, number] = shares[mode]
        return made


def _refused(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise InvalidArgumentError(
            f"{name} is not served; read files with tl.data, and change images with tf.image"
        )

    return refuse


sequence = SimpleNamespace(pad_sequences=pad_sequences)
text = SimpleNamespace(
    Tokenizer=Tokenizer, text_to_word_sequence=text_to_word_sequence
)
image = SimpleNamespace(
    **{
        name: _refused(f"keras.preprocessing.image.{name}")
        for name in ("ImageDataGenerator", "load_img", "img_to_array", "array_to_img")
    }
)
image_dataset_from_directory = _refused("image_dataset_from_directory")
text_dataset_from_directory = _refused("text_dataset_from_directory")
