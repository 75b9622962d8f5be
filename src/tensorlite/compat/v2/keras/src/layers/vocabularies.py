"""IndexLookup: what numbers things by a vocabulary; the layers made of it are in lookups.py.

`adapt` learns a vocabulary from arrays, lists or datasets: terms are numbered in the order of how
often they are.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.shared.tables.lookups import (
    KeyValueTensorInitializer,
    StaticHashTable,
)
from tensorlite.compat.v2 import strings
from tensorlite.compat.v2.keras import checking, defaults
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.categories import (
    as_terms,
    batches,
    check_sparse,
    encoded,
    is_of_batches,
    salt_of,
)
from tensorlite.core.dispatch import constant, interpreted_by
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.arrays.shape import astype
from tensorlite.ops.control.assertions import assert_true
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.sparse.tensor import SparseTensor

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")
OLDER_MODES = {"binary": "multi_hot", "tf-idf": "tf_idf"}
_VOCABULARY = "vocabulary.txt"


class IndexLookup(Layer):
    """Numbers of things that are in a vocabulary; what is in none has numbers of its own."""

    keeps_sparse = True

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary_dtype: Any,
        vocabulary: Any = None,
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        oov_method: str = "floormod",
        name: str | None = None,
        salt: Any = None,
        vocabulary_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.max_tokens, self.num_oov_indices = max_tokens, num_oov_indices
        self.mask_token, self.oov_token, self.invert = mask_token, oov_token, invert
        self.output_mode = OLDER_MODES.get(output_mode, output_mode)
        self.sparse, self.pad_to_max_tokens = sparse, pad_to_max_tokens
        self.vocabulary_dtype = as_dtype(vocabulary_dtype).name
        self.oov_method = oov_method
        self._check_ways()
        self.salt = None if salt is None else self._checked_salt(salt)
        self.input_vocabulary = None if isinstance(vocabulary, str) else vocabulary
        self.input_idf_weights = idf_weights
        self._is_given = vocabulary is not None
        self._known_size = vocabulary_size
        self.tokens: list[Any] = []
        self.idf_weights: Any = None
        self.lookup_table: Any = None
        self.reset_state()
        self.built = True
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)
        elif idf_weights is not None and self.output_mode != "tf_idf":
            self._check_weights(idf_weights)

    def _check_ways(self) -> None:
        most = self.max_tokens
        if most is not None and most <= 1:
            raise InvalidArgumentError(
                f"If set, `max_tokens` must be greater than 1. Received: max_tokens={most}"
            )
        if self.pad_to_max_tokens and most is None:
            raise InvalidArgumentError(
                "If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens=None"
            )
        if self.num_oov_indices < 0:
            raise InvalidArgumentError(
                "`num_oov_indices` must be greater than or equal to 0. Received: "
                f"num_oov_indices={self.num_oov_indices}"
            )
        kind, mode = type(self).__name__, self.output_mode
        checking.word(kind, "oov_method", self.oov_method, ("floormod", "farmhash"))
        checking.word(kind, "output_mode", mode, MODES)
        if self.invert and mode != "int":
            raise InvalidArgumentError(
                "`output_mode` must be `'int'` when `invert` is true. Received: "
                f"output_mode={mode}"
            )
        check_sparse(self.sparse, mode)

    def _checked_salt(self, salt: Any) -> list[int]:
        if self._has_numbers and self.oov_method != "farmhash":
            raise InvalidArgumentError(
                "`salt` can only be used when `oov_method='farmhash'`. Received: "
                f"oov_method={self.oov_method}"
            )
        return salt_of(salt, "IndexLookup")

    def _check_weights(self, idf_weights: Any) -> None:
        if self.output_mode == "tf_idf" and idf_weights is None:
            raise InvalidArgumentError(
                "`idf_weights` must be set if output_mode is 'tf_idf'."
            )
        if self.output_mode != "tf_idf" and idf_weights is not None:
            raise InvalidArgumentError(
                "`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: "
                f"output_mode={self.output_mode} and idf_weights={idf_weights}"
            )

    @property
    def _has_numbers(self) -> bool:
        return bool(as_dtype(self.vocabulary_dtype).is_integer)

    @property
    def _masks(self) -> bool:
        return self.mask_token is not None and self.output_mode == "int"

    @property
    def _specials(self) -> list[Any]:
        return [
            *([self.mask_token] if self._masks else []),
            *[self.oov_token] * self.num_oov_indices,
        ]

    def depth(self) -> int:
        """Return how many categories there are: of the vocabulary, or as many as it may have."""
        if self.pad_to_max_tokens and self.max_tokens is not None:
            return self.max_tokens
        if self._known_size is None:
            raise FailedPreconditionError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, you "
                "must set the layer's vocabulary before calling it. Either pass a `vocabulary` "
                "argument to the layer, or call `adapt` with some sample data."
            )
        return self._known_size

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """Return the terms in the order of their numbers."""
        return [*(self._specials if include_special_tokens else []), *self.tokens]

    def vocabulary_size(self) -> int:
        """Return how many terms there are, those of the mask and of what is unknown among them."""
        return len(self._specials) + len(self.tokens)

    vocab_size = vocabulary_size

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Number the terms of a list, or of the lines of a file, in their order."""
        self._check_weights(idf_weights)
        terms = self._terms_of(vocabulary)
        specials = self._specials
        has_specials = bool(specials) and terms[: len(specials)] == specials
        listed = terms[len(specials) :] if has_specials else terms
        self._check_tokens(listed, terms)
        weights = None
        if idf_weights is not None:
            weights = np.asarray(idf_weights, np.float32)
            if len(terms) != len(weights):
                raise InvalidArgumentError(
                    "`idf_weights` must be the same length as vocabulary. len(idf_weights) is "
                    f"{len(weights)}; len(vocabulary) is {len(terms)}"
                )
            if not has_specials:
                weights = np.pad(
                    weights, (len(specials), 0), constant_values=weights.mean()
                )
        self._take(listed, weights)

    def _terms_of(self, vocabulary: Any) -> list[Any]:
        if isinstance(vocabulary, str):
            if not Path(vocabulary).exists():
                raise InvalidArgumentError(
                    f"Vocabulary file {vocabulary} does not exist."
                )
            return self._read(vocabulary)
        if isinstance(vocabulary, Operand):
            vocabulary = vocabulary.__tensor__().numpy()
        terms = [_token(x) for x in np.asarray(vocabulary).tolist()]
        if not terms:
            raise InvalidArgumentError(
                f"Cannot set an empty vocabulary. Received: vocabulary={vocabulary}"
            )
        return terms

    def _read(self, path: str) -> list[Any]:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        while lines and not lines[-1]:
            lines.pop()
        return [int(x) for x in lines] if self._has_numbers else lines

    def _check_tokens(self, tokens: list[Any], terms: list[Any]) -> None:
        repeated = [x for x, count in Counter(tokens).items() if count > 1]
        if repeated:
            raise InvalidArgumentError(
                "The passed vocabulary has at least one repeated term; it has each term once. "
                f"The repeated terms are: {repeated}"
            )
        held = {
            "mask": self.mask_token,
            "OOV": self.oov_token if self.invert else None,
        }
        for kind, token in held.items():
            if token is not None and token in tokens:
                raise InvalidArgumentError(
                    f"Found reserved {kind} token at unexpected location in `vocabulary`: "
                    f"{token!r} at index {terms.index(token)}. A vocabulary has none of them, or "
                    f"begins with all, in this order: {self._specials}"
                )
        size = len(self._specials) + len(tokens)
        if self.max_tokens is not None and size > self.max_tokens:
            raise InvalidArgumentError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Received "
                f"vocabulary size is {size}; `max_tokens` is {self.max_tokens}."
            )

    def _take(self, tokens: list[Any], weights: Any = None) -> None:
        """Have a vocabulary from now on, as far as what was told of its size before allows it."""
        size = len(self._specials) + len(tokens)
        counts = self.output_mode != "int" and not self.pad_to_max_tokens
        if counts and self._known_size not in {None, size}:
            raise RuntimeError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, the "
                "vocabulary size cannot be changed after the layer is called. Old vocab size is "
                f"{self._known_size}, new vocab size is {size}"
            )
        self.tokens, self._known_size = tokens, size
        if weights is not None:
            self.idf_weights = np.pad(weights, (0, self.depth() - len(weights)))
        first = len(self._specials)
        numbers = np.arange(first, first + len(tokens), dtype=np.int64)
        with interpreted_by(None):
            terms = constant(tokens, dtype=as_dtype(self.vocabulary_dtype))
            both = (constant(numbers), terms) if self.invert else (terms, numbers)
            made = KeyValueTensorInitializer(*both)
            missing = self.oov_token if self.invert else -1
            self.lookup_table = StaticHashTable(made, missing)

    def adapt(self, data: Any, batch_size: Any = None, steps: Any = None) -> None:
        """Learn the vocabulary from data."""
        self.reset_state()
        is_one = not is_of_batches(data)
        for batch in batches(data, steps):
            listed = is_one and len(batch.shape) == 1  # each is a document of its own
            self.update_state(batch[:, None] if listed else batch)
        self.finalize_state()

    def reset_state(self) -> None:
        """Forget which terms were seen; the vocabulary stays."""
        self._counts: Counter[Any] = Counter()
        self._documents: Counter[Any] = Counter()
        self._document_count = 0

    def update_state(self, data: Any) -> None:
        """Count the terms of a batch."""
        if self._is_given:
            raise InvalidArgumentError(
                f"Cannot adapt layer '{self.name}' after setting a static vocabulary via "
                "`vocabulary` argument or `set_vocabulary()` method."
            )
        for row in _rows(as_terms(data)):
            terms = [_token(x) for x in row]
            self._counts.update(terms)
            self._documents.update(set(terms))
            self._document_count += 1

    def finalize_state(self) -> None:
        """Make the vocabulary of the terms that were counted, the most frequent first."""
        if self._is_given or not self._counts:
            return
        for special in (self.mask_token, self.oov_token):
            self._counts.pop(special, None)
        # Of terms that are as frequent the last by their spelling comes first.
        ranked = sorted(
            self._counts, key=lambda x: (self._counts[x], x), reverse=True
        )
        first = len(self._specials)
        if self.max_tokens is not None:
            ranked = ranked[: self.max_tokens - first]
        weights = None
        if self.output_mode == "tf_idf":
            total = self._document_count
            found = [math.log(1 + total / (1 + self._documents[x])) for x in ranked]
            of_all = np.asarray(found, np.float32)
            weights = np.pad(of_all, (first, 0), constant_values=of_all.mean())
        self._take(ranked, weights)
        self.reset_state()

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what a call on such a shape returns."""
        shape = tuple(input_shape)
        if self.output_mode == "int":
            return shape
        depth = self.max_tokens if self.pad_to_max_tokens else self._known_size
        if self.output_mode == "one_hot" and (len(shape) < 2 or shape[-1] != 1):
            return (*shape, depth)
        return (*shape[:-1], depth)

    def told_specs(self, args: Any, kwargs: Any) -> Any:
        """Return the specs of results where there is no vocabulary yet, so that models build."""
        if self.lookup_table is not None or kwargs or len(args) != 1:
            return super().told_specs(args, kwargs)
        shape = self.compute_output_shape(args[0].shape)
        return TensorSpec(shape, self.number_dtype)

    @property
    def number_dtype(self) -> str:
        """The dtype of what calls return."""
        if self.invert:
            return self.vocabulary_dtype
        return defaults.floatx() if self.output_mode == "tf_idf" else "int64"

    def call(self, inputs: Any) -> Any:
        if self.output_mode != "int":
            self.depth()
        return self.encoded(self.numbers(as_terms(inputs)))

    def numbers(self, terms: Any) -> Any:
        """Return the numbers of terms."""
        if self.lookup_table is None:
            raise FailedPreconditionError(
                f"Table not initialized: the layer {self.name} has no vocabulary yet: call adapt, "
                "or give vocabulary="
            )
        if isinstance(terms, RaggedTensor):
            return terms.with_flat_values(self.numbers(terms.flat_values))
        if isinstance(terms, SparseTensor):
            found = self.numbers(terms.values)
            return SparseTensor(terms.indices, found, terms.dense_shape)
        if self.invert:
            return self.lookup_table.lookup(astype(terms, tl.int64))
        terms = astype(terms, as_dtype(self.vocabulary_dtype))
        found = self.lookup_table.lookup(terms)
        made = self._with_unknown(terms, found)
        if self.mask_token is None:
            return made
        # What is masked is none of the categories; as a number it is 0.
        masked = constant(np.asarray(0 if self._masks else -1, np.int64))
        return tl.where(terms == self.mask_token, masked, made)

    def _with_unknown(self, terms: Any, found: Any) -> Any:
        """Return numbers in which terms of no vocabulary have those that are kept for them."""
        first, count = int(self._masks), self.num_oov_indices
        if count == 0:
            is_known = found >= 0
            if self.mask_token is not None:
                is_known = is_known | (terms == self.mask_token)
            assert_true(
                tl.all(is_known),
                "When `num_oov_indices=0` all inputs should be in vocabulary, consider setting "
                "`num_oov_indices=1`; found OOV values among",
                terms,
            )
            return found
        if count == 1:
            return tl.where(found < 0, constant(np.asarray(first, np.int64)), found)
        return tl.where(found < 0, self._bins_of(terms, count) + first, found)

    def _bins_of(self, terms: Any, count: int) -> Any:
        if self._has_numbers and self.oov_method != "farmhash":
            return tl.remainder(astype(terms, tl.int64), count)
        texts = strings.as_string(terms) if self._has_numbers else terms
        if self.salt is None:
            return strings.to_hash_bucket_fast(texts, count)
        return strings.to_hash_bucket_strong(texts, count, self.salt)

    def encoded(self, numbers: Any) -> Any:
        """Return numbers as the layer's output mode has them."""
        if self.invert or self.output_mode == "int":
            return numbers
        weighted = self.output_mode == "tf_idf"
        mode = "count" if weighted else self.output_mode
        if weighted and self.idf_weights is None:
            raise InvalidArgumentError(
                "When `output_mode` is `'tf_idf'`, `idf_weights` must be provided."
            )
        weights = self.idf_weights if weighted else None
        dtype = self.number_dtype
        return encoded(
            numbers, self.depth(), mode, dtype, self.sparse, scales=weights
        )

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a layer; what adapt learnt is no argument."""
        own = super().get_config()
        own.pop("has_input_vocabulary", None)
        return own | {
            "invert": self.invert,
            "max_tokens": self.max_tokens,
            "num_oov_indices": self.num_oov_indices,
            "oov_token": self.oov_token,
            "mask_token": self.mask_token,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "pad_to_max_tokens": self.pad_to_max_tokens,
            "vocabulary_dtype": self.vocabulary_dtype,
            "idf_weights": _listed(self.input_idf_weights),
            "vocabulary": _listed(self.input_vocabulary),
            "vocabulary_size": self._known_size,
            "oov_method": self.oov_method,
            "salt": self.salt,
        }

    def save_own_variables(self, store: Any) -> None:
        """Put the weights of terms into a store."""
        if self.idf_weights is not None:
            store["idf_weights"] = self.idf_weights

    def load_own_variables(self, store: Any) -> None:
        """Take the weights of terms from a store."""
        if self.output_mode == "tf_idf" and "idf_weights" in store:
            self.idf_weights = np.asarray(store["idf_weights"])

    def save_assets(self, dir_path: str) -> None:
        """Write what adapt learnt into a folder."""
        if self.input_vocabulary is None:
            text = "\n".join(map(str, self.get_vocabulary()))
            (Path(dir_path) / _VOCABULARY).write_text(text, encoding="utf-8")

    def load_assets(self, dir_path: str) -> None:
        """Read from a folder what adapt had learnt."""
        path = Path(dir_path) / _VOCABULARY
        if self.input_vocabulary is None and path.exists():
            self.set_vocabulary(self._read(str(path)), self.idf_weights)


def _token(x: Any) -> Any:
    return x.decode() if isinstance(x, bytes) else x


def _rows(terms: Any) -> list[list[Any]]:
    """Return the terms of a batch by the documents that they are of."""
    if isinstance(terms, SparseTensor):
        return [terms.values.numpy().reshape(-1).tolist()]
    if isinstance(terms, RaggedTensor):
        return [_flat(x) for x in terms.to_list()]
    array = terms.numpy()
    return [_flat(x) for x in (array if array.ndim > 1 else array[None]).tolist()]


def _flat(x: Any) -> list[Any]:
    return [leaf for row in x for leaf in _flat(row)] if isinstance(x, list) else [x]


def _listed(x: Any) -> Any:
    if isinstance(x, Operand):
        x = x.__tensor__().numpy()
    if isinstance(x, np.ndarray):
        return [_token(item) for item in x.tolist()]
    return x
