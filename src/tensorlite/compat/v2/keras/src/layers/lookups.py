"""Keras' layers that number words and whole numbers by a vocabulary.

What they have in common is in vocabularies.py; texts that are cut into words first in texts.py.
"""

from __future__ import annotations

from typing import Any

import tensorlite as tl
from tensorlite.compat.v2.keras.src.layers.vocabularies import IndexLookup
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError


class StringLookup(IndexLookup):
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
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("vocabulary_dtype", None)
        self.encoding = encoding
        terms = (max_tokens, num_oov_indices, mask_token, oov_token, "string")
        kwargs |= {"vocabulary": vocabulary, "idf_weights": idf_weights}
        kwargs |= {"invert": invert, "output_mode": output_mode, "sparse": sparse}
        kwargs |= {"pad_to_max_tokens": pad_to_max_tokens}
        super().__init__(*terms, name=name, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a layer."""
        own = super().get_config() | {"encoding": self.encoding}
        own.pop("vocabulary_dtype")
        return own


class IntegerLookup(IndexLookup):
    """Whole numbers as their numbers in a vocabulary, or those as these if invert.

    Numbers that are not there have one of num_oov_indices numbers in front; output_mode is "int",
    "one_hot", "multi_hot", "count" or "tf_idf".
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int = -1,
        vocabulary: Any = None,
        vocabulary_dtype: Any = "int64",
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        oov_method: str = "floormod",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if as_dtype(vocabulary_dtype) is not tl.int64:
            raise InvalidArgumentError(
                "`vocabulary_dtype` must be `int64`. Received: "
                f"vocabulary_dtype={vocabulary_dtype}"
            )
        terms = (max_tokens, num_oov_indices, mask_token, oov_token, "int64")
        kwargs |= {"vocabulary": vocabulary, "idf_weights": idf_weights}
        kwargs |= {"invert": invert, "output_mode": output_mode, "sparse": sparse}
        kwargs |= {"pad_to_max_tokens": pad_to_max_tokens, "oov_method": oov_method}
        super().__init__(*terms, name=name, **kwargs)
