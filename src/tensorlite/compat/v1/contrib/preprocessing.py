"""tf.contrib.learn.preprocessing: documents as rows of the numbers of their words or bytes.

Files of vocabularies are JSON; TensorFlow's own, which are pickles of its classes, are not read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tensorlite.compat.v1 import gfile
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError

__all__ = [
    "ByteProcessor",
    "CategoricalVocabulary",
    "VocabularyProcessor",
    "tokenizer",
]

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+")

_UNKNOWN = "<UNK>"
Tokenizer = Callable[[Iterable[str]], Iterable[list[str]]]


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yield the words of each document."""
    for document in iterator:
        yield _WORDS.findall(document)


class CategoricalVocabulary:
    """Numbers of words in the order in which they are met; 0 is for those that are unknown."""

    def __init__(
        self, unknown_token: Any = _UNKNOWN, support_reverse: bool = True
    ) -> None:
        self._support_reverse = support_reverse
        self._words = [unknown_token]
        self._numbers: dict[Any, int] = {unknown_token: 0}
        self._counts: Counter[Any] = Counter()
        self._frozen = False

    def __len__(self) -> int:
        return len(self._numbers)

    def freeze(self, freeze: bool = True) -> None:
        """Let words that are not known stay so, or no longer."""
        self._frozen = freeze

    def get(self, category: Any) -> int:
        """Return a word's number, a new one for a new word unless the vocabulary is frozen."""
        if category not in self._numbers and not self._frozen:
            self._numbers[category] = len(self._words)
            self._words.append(category)
        return self._numbers.get(category, 0)

    def add(self, category: Any, count: int = 1) -> None:
        """Count a word."""
        if self.get(category) > 0:
            self._counts[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keep words that come more often than that (and less often), the most frequent first."""
        kept = [
            (category, count)
            for category, count in self._counts.items()
            if count > min_frequency and (max_frequency <= 0 or count < max_frequency)
        ]
        kept.sort(key=lambda one: (isinstance(one[0], str), one[0]))
        kept.sort(key=lambda one: one[1], reverse=True)
        self._counts = Counter(dict(kept))
        self._words = [self._words[0], *[category for category, _ in kept]]
        self._numbers = {word: number for number, word in enumerate(self._words)}

    def reverse(self, class_id: int) -> Any:
        """Return the word of a number."""
        if not self._support_reverse:
            raise InvalidArgumentError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._words[class_id]

    def state(self) -> dict[str, Any]:
        """Return what a file keeps of it."""
        counts = [self._counts[word] for word in self._words]
        return {"words": self._words, "counts": counts, "frozen": self._frozen}

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> CategoricalVocabulary:
        """Return the vocabulary that has a state."""
        made = cls(state["words"][0])
        for word, count in zip(state["words"][1:], state["counts"][1:], strict=True):
            made.add(word, count)
        made.freeze(state["frozen"])
        return made


class VocabularyProcessor:
    """Makes of each document a row of the numbers of its words, which it learns."""

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Tokenizer | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> Any:
        """Learn the words of the documents, and return the processor; unused_y has no effect.

        Words that come up min_frequency times or fewer are forgotten; no further ones are learnt
        later.
        """
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[Any]:
        """Learn the words of the documents, and yield a row of numbers for each."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Any]:
        """Yield for each document an int64 row of max_document_length words' numbers, 0 behind."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            known = [self.vocabulary_.get(word) for word in words[: len(row)]]
            row[: len(known)] = known
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yield for each row of numbers a document of their words, with spaces between."""
        for row in documents:
            yield " ".join([self.vocabulary_.reverse(number) for number in row])

    def save(self, filename: str) -> None:
        """Write what was learnt to a file, as JSON.

        A tokenizer_fn of one's own raises UnimplementedError.
        """
        if self._tokenizer is not tokenizer:
            raise UnimplementedError(
                f"VocabularyProcessor.save: the tokenizer_fn {self._tokenizer!r} cannot be stored; "
                "keep `vocabulary_`, and give both to a new VocabularyProcessor"
            )
        state = {
            "max_document_length": self.max_document_length,
            "min_frequency": self.min_frequency,
            "vocabulary": self.vocabulary_.state(),
        }
        with gfile.Open(filename, "w") as file:
            file.write(json.dumps(state))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Return what `save` has written."""
        with gfile.Open(filename, "r") as file:
            state = json.loads(file.read())
        vocabulary = CategoricalVocabulary.of_state(state.pop("vocabulary"))
        return cls(**state, vocabulary=vocabulary)


class ByteProcessor:
    """Makes of each document a row of its first bytes, and of rows documents."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """Learn nothing: bytes are known."""

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[Any]:
        """Yield what transform does: nothing is learnt."""
        return self.transform(x)

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """Yield for each row of bytes its text, "" where they are no UTF-8."""
        for row in x:
            text = np.trim_zeros(np.asarray(row).astype(np.uint8), trim="b").tobytes()
            try:
                yield text.decode()
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[str | bytes]) -> Iterator[Any]:
        """Yield for each document a uint8 row of its first max_document_length bytes, 0 behind."""
        for document in x:
            text = document.encode() if isinstance(document, str) else document
            row = np.frombuffer(text[: self.max_document_length], np.uint8)
            yield np.pad(row, (0, self.max_document_length - len(row)))
