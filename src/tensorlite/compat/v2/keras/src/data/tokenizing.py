"""tf.keras.preprocessing.text: words of texts, their numbers by counts and by hashes."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorlite.core.errors import InvalidArgumentError

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
_COUNTED = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
"""What a description has as JSON of its own."""
_BY_NUMBER = ("index_docs", "index_word")
"""What of that is by numbers, which JSON has as texts."""


def text_to_word_sequence(
    input_text: str, filters: str = FILTERS, lower: bool = True, split: str = " "
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
        filters: str = FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        analyzer: Callable[[str], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.num_words = kwargs.pop("nb_words", num_words)
        self.document_count: int = kwargs.pop("document_count", 0)
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.filters, self.lower, self.split = filters, lower, split
        self.char_level, self.oov_token = char_level, oov_token
        self.analyzer = analyzer
        self.word_counts: Counter[str] = Counter()
        self.word_docs: Counter[str] = Counter()
        self.index_docs: Counter[int] = Counter()
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def _words(self, text: Any) -> list[str]:
        if isinstance(text, list) or self.char_level:
            return [x.lower() for x in text] if self.lower else list(text)
        if self.analyzer is not None:
            return list(self.analyzer(text))
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts: Any) -> None:
        """Count the words of texts and number them, the most frequent first.

        A text may be a list of its words.
        """
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
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Any) -> None:
        """Count in how many sequences each number is, which mode "tfidf" goes by."""
        self.document_count += len(sequences)
        for row in sequences:
            self.index_docs.update(set(row))

    def texts_to_sequences(self, texts: Any) -> list[list[int]]:
        """Return the numbers of the words of each text.

        Words beyond num_words and unknown ones are left out, or have the number of oov_token.
        """
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Any) -> Iterator[list[int]]:
        """Yield the numbers of the words of each text."""
        for text in texts:
            numbers = [self.word_index.get(word) for word in self._words(text)]
            yield self._kept(numbers)

    def _kept(self, numbers: list[int | None]) -> list[int]:
        """Return numbers of words, those of words that do not count replaced or left out."""
        other = None if self.oov_token is None else self.word_index[self.oov_token]
        most = self.num_words or math.inf
        found = [other if n is None or n >= most else n for n in numbers]
        return [n for n in found if n is not None]

    def sequences_to_texts(self, sequences: Any) -> list[str]:
        """Return the words of numbers, joined by blanks."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Any) -> Iterator[str]:
        """Yield the words of numbers, joined by blanks."""
        for row in sequences:
            known = [n if n in self.index_word else None for n in row]
            yield " ".join(self.index_word[n] for n in self._kept(known))

    def texts_to_matrix(self, texts: Any, mode: str = "binary") -> Any:
        """Return a row per text with an element for each number, as sequences_to_matrix does."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> Any:
        """Return a row per sequence with an element for each number.

        mode is "binary" (whether it occurs), "count", "freq" (its share) or "tfidf", which weighs
        words of few texts by more; others raise InvalidArgumentError, as it is where nothing was
        counted. Numbers beyond num_words are left out.
        """
        if not self.num_words and not self.word_index:
            raise InvalidArgumentError(
                "Specify a dimension (`num_words` argument), or fit on some text data first."
            )
        if mode == "tfidf" and not self.document_count:
            raise InvalidArgumentError(
                "Fit the Tokenizer on some data before using tfidf mode."
            )
        made = np.zeros((len(sequences), self.num_words or len(self.word_index) + 1))
        for i, row in enumerate(sequences):
            for number, count in Counter(row).items():
                if number < made.shape[1]:
                    made[i, number] = self._told(mode, number, count, len(row))
        return made

    def _told(self, mode: str, number: int, count: int, length: int) -> float:
        if mode == "tfidf":
            rare = self.document_count / (1 + self.index_docs.get(number, 0))
            return (1 + math.log(count)) * math.log(1 + rare)
        known = {"binary": 1.0, "count": count, "freq": count / length}
        if mode not in known:
            raise InvalidArgumentError(
                f"Unknown vectorization mode: {mode!r}; it is binary, count, freq or tfidf"
            )
        return known[mode]

    def get_config(self) -> dict[str, Any]:
        """Return what it was made with, and what it counted as JSON."""
        given = ("num_words", "filters", "lower", "split", "char_level", "oov_token")
        own = {key: getattr(self, key) for key in (*given, "document_count")}
        return own | {key: json.dumps(getattr(self, key)) for key in _COUNTED}

    def to_json(self, **kwargs: Any) -> str:
        """Return its description as JSON, from which tokenizer_from_json makes it again."""
        told = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(told, **kwargs)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """Return the tokenizer of a description that its method `to_json` made."""
    config = json.loads(json_string)["config"]
    counted = {key: json.loads(config.pop(key)) for key in _COUNTED}
    made = Tokenizer(**config)
    for key, value in counted.items():
        held = {int(n): x for n, x in value.items()} if key in _BY_NUMBER else value
        setattr(made, key, type(getattr(made, key))(held))
    return made


def one_hot(
    input_text: str,
    n: int,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], Any] | None = None,
) -> list[int]:
    """Return numbers below n for the words of a text, by Python's hash."""
    return hashing_trick(input_text, n, hash, filters, lower, split, analyzer)


def hashing_trick(
    text: str,
    n: int,
    hash_function: Any = None,
    filters: str = FILTERS,
    lower: bool = True,
    split: str = " ",
    analyzer: Callable[[str], Any] | None = None,
) -> list[int]:
    """Return numbers from 1 to below n for the words of a text, by a hash function.

    "md5" gives the same numbers in each process; None, Python's hash, does not. Two words may
    share a number. analyzer, where one is given, parts the text in words.
    """

    def digest(word: str) -> int:
        return int(hashlib.md5(word.encode()).hexdigest(), 16)  # noqa: S324  as Keras does

    number = {None: hash, "md5": digest}.get(hash_function, hash_function)
    words: Any = text_to_word_sequence(text, filters, lower, split)
    if analyzer is not None:
        words = analyzer(text)
    return [int(number(word) % (n - 1) + 1) for word in words]
