"""Keras' layer that makes numbers of texts: of their words, or letters, or what stands together.

Words that are numbered as they are stand in lookups.py, which numbers them here, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorlite as tl
from tensorlite.compat.v2 import strings
from tensorlite.compat.v2.keras import checking
from tensorlite.compat.v2.keras.src.layers import lookups, vocabularies
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.categories import (
    as_terms,
    batches,
    is_of_batches,
)
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.arrays.shape import shape_of

_PUNCTUATION = r"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"
_STANDARDS = ("lower_and_strip_punctuation", "lower", "strip_punctuation")


class TextVectorization(Layer):
    """Texts as numbers of their words."""

    keeps_sparse = True

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
        name: str | None = None,
        vocabulary_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.standardize, self.split = standardize, split
        self.ngrams = tuple(ngrams) if isinstance(ngrams, list) else ngrams
        self.output_mode = vocabularies.OLDER_MODES.get(output_mode, output_mode)
        self.output_sequence_length, self.ragged = output_sequence_length, ragged
        self.encoding = encoding
        self._check_ways()
        self._lookup_layer = lookups.StringLookup(
            *(max_tokens, 1, "", "[UNK]", vocabulary, idf_weights, False),
            *(self.output_mode, pad_to_max_tokens, sparse, encoding),
            vocabulary_size=vocabulary_size,
        )
        self.built = True

    def _check_ways(self) -> None:
        kind, mode = type(self).__name__, self.output_mode
        if not (self.standardize is None or callable(self.standardize)):
            checking.word(kind, "standardize", self.standardize, _STANDARDS)
        if not (self.split is None or callable(self.split)):
            checking.word(kind, "split", self.split, ("whitespace", "character"))
        checking.word(kind, "output_mode", mode, vocabularies.MODES)
        widths, length = self.ngrams, self.output_sequence_length
        listed = widths if isinstance(widths, tuple) else (widths,)
        if widths is not None and not all(isinstance(x, int) for x in listed):
            raise InvalidArgumentError(
                "`ngrams` must be None, an integer, or a tuple of integers. Received: "
                f"ngrams={widths}"
            )
        if length is not None and (mode != "int" or not isinstance(length, int)):
            is_kind = "be either None or an integer when `output_mode` is 'int'"
            is_not = "not be set if `output_mode` is not 'int'"
            raise InvalidArgumentError(
                f"`output_sequence_length` must {is_kind if mode == 'int' else is_not}. Received: "
                f"output_sequence_length={length}"
            )
        if self.ragged and mode != "int":
            raise InvalidArgumentError(
                f"`ragged` must not be true if `output_mode` is not `'int'`. Received: {mode=}"
            )

    @property
    def compute_dtype(self) -> str:
        """The dtype of texts."""
        return "string"

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Learn the vocabulary from data."""
        self.reset_state()
        is_one = not is_of_batches(data)
        for batch in batches(data, steps):
            listed = is_one and len(batch.shape) == 1  # each is a document of its own
            self.update_state(batch[:, None] if listed else batch)
        self.finalize_state()

    def update_state(self, data: Any) -> None:
        """Count the words of a batch of texts."""
        self._lookup_layer.update_state(self.terms(data))

    def finalize_state(self) -> None:
        """Make the vocabulary of the words that were counted."""
        self._lookup_layer.finalize_state()

    def reset_state(self) -> None:
        """Forget which words were seen; the vocabulary stays."""
        self._lookup_layer.reset_state()

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Return the words in the order of their numbers."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """Return how many words there are, with what fills up and what is unknown."""
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Number the words of a list, or of the lines of a file, in their order."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what a call on such a shape returns."""
        if self.output_mode == "int":
            return (input_shape[0], self.output_sequence_length)
        rows = tuple(input_shape)
        if self.split is not None or len(rows) < 2:
            rows = (*(rows[:1]), None)
        return self._lookup_layer.compute_output_shape(rows)

    def told_specs(self, args: Any, kwargs: Any) -> Any:
        """Return the specs of results where there is no vocabulary yet, so that models build."""
        known = self._lookup_layer.lookup_table is not None
        if known or kwargs or len(args) != 1:
            return super().told_specs(args, kwargs)
        shape = self.compute_output_shape(args[0].shape)
        return TensorSpec(shape, self._lookup_layer.number_dtype)

    def call(self, inputs: Any) -> Any:
        return self.encoded(self._lookup_layer.numbers(self.terms(inputs)))

    def terms(self, inputs: Any) -> Any:
        """Return the words of texts, or what ngrams makes of them, as ragged rows."""
        texts = as_terms(inputs)
        if self.split is not None and len(texts.shape) > 1:
            if texts.shape[-1] != 1:
                raise InvalidArgumentError(
                    "When using `TextVectorization` to tokenize strings, the input rank must be 1 "
                    "or the last shape dimension must be 1. Received: inputs.shape="
                    f"{texts.shape} with rank={len(texts.shape)}"
                )
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
        if self.output_mode != "int":
            return self._lookup_layer.encoded(numbers)
        length = self.output_sequence_length
        if self.ragged:
            return numbers if length is None else numbers[:, :length]
        if hasattr(numbers, "to_tensor"):
            numbers = numbers.to_tensor(0)
        if length is None:
            return numbers
        widths = [(0, 0)] * (len(numbers.shape) - 1)
        made = tl.pad(numbers, [*widths, (0, length)])[..., :length]
        return tl.reshape(made, [*shape_of(made)[:-1], length]) if widths else made

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a layer; what adapt learnt is no argument."""
        held = self._lookup_layer.get_config()
        taken = (
            "max_tokens",
            "pad_to_max_tokens",
            "sparse",
            "vocabulary",
            "idf_weights",
        )
        own = {key: held[key] for key in (*taken, "vocabulary_size")}
        return super().get_config() | own

    def save_own_variables(self, store: Any) -> None:
        """Put the weights of words into a store."""
        self._lookup_layer.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        """Take the weights of words from a store."""
        self._lookup_layer.load_own_variables(store)

    def save_assets(self, dir_path: str) -> None:
        """Write what adapt learnt into a folder."""
        self._lookup_layer.save_assets(dir_path)

    def load_assets(self, dir_path: str) -> None:
        """Read from a folder what adapt had learnt."""
        self._lookup_layer.load_assets(dir_path)


def _stripped(texts: Any) -> Any:
    return strings.regex_replace(texts, _PUNCTUATION, "")
