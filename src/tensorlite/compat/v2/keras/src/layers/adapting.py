"""Keras' layers that learn from data what they do before training: scales, words, categories.

`adapt` reads arrays, lists or datasets. Words are numbered in the order of how often they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared.tables.lookups import (
    KeyValueTensorInitializer,
    StaticHashTable,
)
from tensorlite.compat.v2 import strings
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.categories import batches, counted
from tensorlite.core.dispatch import constant, interpreted_by
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.shapes import TensorShape
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.ragged.tensor import RaggedTensor

_PUNCTUATION = r"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"


class Normalization(Layer):
    """Takes off a mean and divides by a spread, which are given or learnt from data."""

    rows_taken = "elements"
    supports_masking = True

    def __init__(
        self,
        axis: Any = -1,
        mean: Any = None,
        variance: Any = None,
        invert: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis, self.invert = axis, invert
        self.input_mean, self.input_variance = mean, variance
        self.mean: Any = None
        self.variance: Any = None
        if (mean is None) != (variance is None):
            raise InvalidArgumentError(
                "Normalization: mean and variance are given both or not at all"
            )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "mean": np.array(self.input_mean).tolist(),
            "variance": np.array(self.input_variance).tolist(),
        }

    def _kept(self, rank: int) -> tuple[int, ...]:
        if self.axis is None:
            return ()
        axes = self.axis if isinstance(self.axis, (list, tuple)) else (self.axis,)
        return tuple(sorted(int(x) % rank for x in axes))

    def build(self, input_shape: Any) -> None:
        kept = self._kept(len(input_shape))
        sizes = [int(input_shape[i]) for i in kept]
        self._form = [x if i in kept else 1 for i, x in enumerate(input_shape)]
        if self.input_mean is not None:
            self._set(self.input_mean, self.input_variance)
        else:
            self.adapt_mean = self.add_weight(
                "mean", sizes, initializer="zeros", trainable=False
            )
            self.adapt_variance = self.add_weight(
                "variance", sizes, initializer="ones", trainable=False
            )
            self.count = self.add_weight(
                "count", (), dtype="int64", initializer="zeros", trainable=False
            )
            self._set(self.adapt_mean, self.adapt_variance)
        self.built = True

    def _set(self, mean: Any, variance: Any) -> None:
        def formed(x: Any) -> Any:
            made = tl.asarray(
                x.value() if hasattr(x, "value") else x, dtype=tl.float32
            )
            whole = self.axis is None and naming.is_keras_3()
            return tl.reshape(made, self._form) if made.ndim or whole else made

        self.mean, self.variance = formed(mean), formed(variance)

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Learn mean and variance from data."""
        parts = [np.asarray(x.numpy(), np.float64) for x in batches(data, steps)]
        if not parts:
            raise InvalidArgumentError(
                "adapt() was given an empty iterable: there are no batches to learn from"
            )
        if parts[0].ndim == 1:
            parts = [x[:, None] for x in parts]
        if not self.built:
            self.build_with(TensorShape((None, *parts[0].shape[1:])))
        rows = np.concatenate(parts)
        axes = tuple(i for i in range(rows.ndim) if i not in self._kept(rows.ndim))
        self.adapt_mean.assign(rows.mean(axes).astype(np.float32))
        self.adapt_variance.assign(rows.var(axes).astype(np.float32))
        self._set(self.adapt_mean, self.adapt_variance)

    def call(self, inputs: Any) -> Any:
        x = astype(inputs, tl.float32)
        kept = self.input_mean is not None
        mean = self.mean if kept else tl.reshape(self.adapt_mean, self._form)
        spread = (
            self.variance if kept else tl.reshape(self.adapt_variance, self._form)
        )
        spread = tl.maximum(tl.sqrt(spread), 1e-7)
        return mean + x * spread if self.invert else (x - mean) / spread


class _Lookup(Layer):
    """Numbers of things that are in a vocabulary; what is in none has numbers of its own."""

    key_dtype: Any = tl.string

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary: Any,
        idf_weights: Any,
        invert: bool,
        output_mode: str,
        pad_to_max_tokens: bool,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("vocabulary_dtype", None)
        super().__init__(**kwargs)
        self.max_tokens, self.num_oov_indices = max_tokens, num_oov_indices
        self.mask_token, self.oov_token, self.invert = mask_token, oov_token, invert
        self.output_mode, self.pad_to_max_tokens = output_mode, pad_to_max_tokens
        self.built = True
        self.tokens: list[Any] = []
        self.idf: Any = None
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    @property
    def _masks(self) -> bool:
        return self.mask_token is not None and self.output_mode == "int"

    @property
    def _specials(self) -> list[Any]:
        return [
            *([self.mask_token] if self._masks else []),
            *[self.oov_token] * self.num_oov_indices,
        ]

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        return [*(self._specials if include_special_tokens else []), *self.tokens]

    def vocabulary_size(self) -> int:
        return len(self._specials) + len(self.tokens)

    vocab_size = vocabulary_size

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        if isinstance(vocabulary, str):
            with open(vocabulary, encoding="utf-8") as file:  # noqa: PTH123  a user's path
                vocabulary = file.read().splitlines()
        listed = [_token(x) for x in np.asarray(vocabulary).tolist()]
        specials = self._specials
        weighted = (
            None if idf_weights is None else np.asarray(idf_weights, np.float32)
        )
        if listed[: len(specials)] == specials:
            listed = listed[len(specials) :]
            weighted = None if weighted is None else weighted[len(specials) :]
        if len(set(listed)) < len(listed):
            raise InvalidArgumentError("a vocabulary has each term once")
        self.tokens = listed
        if weighted is not None:
            mean = [weighted.mean()] * self.num_oov_indices
            self.idf = np.concatenate([mean, weighted])
        self._make_table()

    def _make_table(self) -> None:
        first = len(self._specials)
        numbers = np.arange(first, first + len(self.tokens), dtype=np.int64)
        keys = np.asarray(
            self.tokens, object if self.key_dtype is tl.string else np.int64
        )
        with interpreted_by(None):
            terms = constant(keys.tolist(), dtype=self.key_dtype)
            places = constant(numbers)
            if self.invert:
                made = KeyValueTensorInitializer(places, terms)
                self.table = StaticHashTable(made, self.oov_token)
            else:
                self.table = StaticHashTable(
                    KeyValueTensorInitializer(terms, places), -1
                )

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Learn the vocabulary from data."""
        counts: Counter[Any] = Counter()
        documents: Counter[Any] = Counter()
        total = 0
        for batch in batches(data):
            for row in _rows(self.terms(batch)):
                terms = [_token(x) for x in row]
                counts.update(terms)
                documents.update(set(terms))
                total += 1
        self.tokens = self._ranked(counts)
        if self.output_mode == "tf_idf":
            known = [math.log(1 + total / (1 + documents[x])) for x in self.tokens]
            self.idf = np.asarray([float(np.mean(known)), *known], np.float32)
        self._make_table()

    def _ranked(self, counts: Counter[Any]) -> list[Any]:
        for special in (self.mask_token, self.oov_token):
            counts.pop(special, None)
        # As Keras: the most frequent first, of those as frequent the last by their spelling.
        ranked = sorted(counts, key=lambda x: (counts[x], x), reverse=True)
        room = (
            None if self.max_tokens is None else self.max_tokens - len(self._specials)
        )
        return ranked[:room]

    def terms(self, inputs: Any) -> Any:
        """Return the terms that inputs are made of."""
        return inputs

    def call(self, inputs: Any) -> Any:
        return self.encoded(self.numbers(self.terms(inputs)))

    def numbers(self, terms: Any) -> Any:
        """Return the numbers of terms."""
        if not hasattr(self, "table"):
            raise FailedPreconditionError(
                f"the layer {self.name} has no vocabulary yet: call adapt, or give vocabulary="
            )
        if isinstance(terms, RaggedTensor):
            return terms.with_flat_values(self.numbers(terms.flat_values))
        if self.invert:
            return self.table.lookup(astype(terms, tl.int64))
        found = self.table.lookup(astype(terms, self.key_dtype))
        oov = self._of_unknown(terms)
        made = tl.where(found < 0, oov, found)
        if self._masks:
            masked = terms == self.mask_token
            made = tl.where(masked, tl.zeros_like(made), made)
        return made

    def _of_unknown(self, terms: Any) -> Any:
        first = 1 if self._masks else 0
        if self.num_oov_indices == 1:
            return constant(np.asarray(first, np.int64))
        if self.num_oov_indices == 0:
            return constant(np.asarray(0, np.int64))
        count = self.num_oov_indices
        if self.key_dtype is tl.string:
            return strings.to_hash_bucket_fast(terms, count) + first
        return tl.remainder(astype(terms, tl.int64), count) + first

    def encoded(self, numbers: Any) -> Any:
        """Return numbers as the layer's output mode has them."""
        if self.invert or self.output_mode == "int":
            return numbers
        padded = self.pad_to_max_tokens and self.max_tokens
        depth = self.max_tokens if padded else self.vocabulary_size()
        made = counted(numbers, int(depth or 0), self.output_mode)
        if self.output_mode != "tf_idf":
            return astype(made, tl.int64)
        by_term = np.pad(self.idf, (0, int(depth or 0) - len(self.idf)))
        return made * tl.asarray(by_term, dtype=tl.float32)

    def get_config(self) -> dict[str, Any]:
        held = {"vocabulary": list(self.tokens)} if self.tokens else {}
        weights = {} if self.idf is None else {"idf_weights": self.idf[1:].tolist()}
        return {**super().get_config(), **held, **weights}


def _token(x: Any) -> Any:
    return x.decode() if isinstance(x, bytes) else x


def _rows(terms: Any) -> list[list[Any]]:
    listed = terms.to_list() if hasattr(terms, "to_list") else terms.numpy().tolist()
    return [x if isinstance(x, list) else [x] for x in listed]


class StringLookup(_Lookup):
    """Words as their numbers in a vocabulary, which adapt learns, or numbers as words if invert.

    Words that are not there have one of num_oov_indices numbers in front; output_mode is "int",
    "one_hot", "multi_hot", "count" or "tf_idf".
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str = "[UNK]",  # noqa: S107  a token of texts
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            *(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary),
            *(idf_weights, invert, output_mode, pad_to_max_tokens),
            **kwargs,
        )


class IntegerLookup(_Lookup):
    """Whole numbers as their numbers in a vocabulary, or those as these if invert.

    Numbers that are not there have one of num_oov_indices numbers in front; output_mode is "int",
    "one_hot", "multi_hot", "count" or "tf_idf".
    """

    key_dtype = tl.int64

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int = -1,
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        pad_to_max_tokens: bool = False,
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            *(max_tokens, num_oov_indices, mask_token, oov_token, vocabulary),
            *(idf_weights, invert, output_mode, pad_to_max_tokens),
            **kwargs,
        )


class TextVectorization(_Lookup):
    """Texts as numbers of their words."""

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:
        self.standardize, self.split, self.ngrams = standardize, split, ngrams
        self.output_sequence_length, self.ragged = output_sequence_length, ragged
        super().__init__(
            *(max_tokens, 1, "", "[UNK]", vocabulary, idf_weights, False),
            *(output_mode.replace("-", "_"), pad_to_max_tokens),
            **kwargs,
        )

    def terms(self, inputs: Any) -> Any:
        """Return the words of texts, or what ngrams makes of them, as ragged rows."""
        texts = inputs if hasattr(inputs, "shape") else tl.asarray(inputs)
        splits = self.split is not None
        if splits and len(texts.shape) > 1 and texts.shape[-1] == 1:
            texts = tl.squeeze(texts, axis=-1)
        texts = self._standardized(texts)
        if callable(self.split):
            parts = self.split(texts)
        elif self.split == "whitespace":
            parts = strings.split(texts)
        elif self.split == "character":
            parts = strings.unicode_split(texts, "UTF-8")
        else:
            parts = texts
        if self.ngrams is None:
            return parts
        widths = self.ngrams
        if isinstance(widths, int):
            widths = tuple(range(1, widths + 1))
        return strings.ngrams(parts, widths, separator=" ")

    def _standardized(self, texts: Any) -> Any:
        if callable(self.standardize):
            return self.standardize(texts)
        named: dict[Any, Callable[[Any], Any]] = {
            None: lambda x: x,
            "lower": strings.lower,
            "strip_punctuation": _stripped,
            "lower_and_strip_punctuation": lambda x: _stripped(strings.lower(x)),
        }
        return named[self.standardize](texts)

    def encoded(self, numbers: Any) -> Any:
        """Return numbers of words in the form of output_mode, in rows of one length."""
        if hasattr(numbers, "to_tensor") and not self.ragged:
            # What fills rows up counts as nothing, which is no number.
            numbers = numbers.to_tensor(0 if self.output_mode == "int" else -1)
        length = self.output_sequence_length
        if self.ragged and length is not None:
            numbers = numbers[:, :length]
        if self.output_mode != "int" or length is None or self.ragged:
            return super().encoded(numbers)
        widths = [(0, 0)] * (len(numbers.shape) - 1)
        made = tl.pad(numbers, [*widths, (0, length)])[..., :length]
        return tl.reshape(made, [*shape_of(made)[:-1], length]) if widths else made


def _stripped(texts: Any) -> Any:
    return strings.regex_replace(texts, _PUNCTUATION, "")
